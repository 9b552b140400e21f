/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "message-traffic.h"

#include "ns3/core-module.h"
#include "ns3/topology-builder.h"

#include <fstream>

namespace ns3
{

namespace
{

/**
 * A message has left its sender: nobody waits for that.
 *
 * @param cookie of the message
 */
void
Ignore(uint64_t cookie [[maybe_unused]])
{
}

} // namespace

MessageTraffic::MessageTraffic(const std::string& topology,
                               uint32_t hosts,
                               uint32_t seed,
                               uint32_t maxTrain)
    : m_jitter(CreateObject<UniformRandomVariable>())
{
    FabricParameters parameters;
    parameters.gpusPerServer = 1;
    RngSeedManager::SetRun(seed);
    m_fabric.SetNicAttribute("MaxTrain", UintegerValue(maxTrain));
    m_fabric.Install(TopologyBuilder::Build(TopologySpec(topology), hosts, parameters));
    m_fabric.AssignStreams(0);
    m_jitter->SetStream(1000);
    for (const auto& transport : m_fabric.GetTransports())
    {
        transport->SetCallbacks(MakeCallback(&MessageTraffic::Receive, this),
                                MakeCallback(&Ignore));
    }
}

void
MessageTraffic::Post(uint32_t source, uint32_t destination, uint64_t bytes, Time at)
{
    Message message;
    message.source = source;
    message.destination = destination;
    message.bytes = bytes;
    Simulator::Schedule(at + NanoSeconds(m_jitter->GetInteger(0, 100)),
                        &MessageTraffic::Send,
                        this,
                        message);
}

void
MessageTraffic::Finish(const std::string& folder)
{
    Simulator::Run();
    std::ofstream(folder + "/flows.csv")
        << "src_rank,dst_rank,communicator,channel,bytes,start_ns,end_ns\n"
        << m_flows.str();
    std::ofstream(folder + "/summary.json")
        << "{\"iterations\": [{\"time_ns\": " << m_end.GetNanoSeconds() << "}]}\n";
    std::ofstream links(folder + "/links.csv");
    links << "link,from,to,rate_bps,bytes\n";
    const TopologyGraph& graph = m_fabric.GetNetwork()->GetGraph();
    for (uint32_t link = 0; link < graph.GetNLinks(); ++link)
    {
        for (const uint32_t node : {graph.GetLink(link).a, graph.GetLink(link).b})
        {
            links << link << ",,,," << m_fabric.GetDevice(link, node)->GetCounters().bytes << "\n";
        }
    }
    Simulator::Destroy();
}

void
MessageTraffic::Send(Message message)
{
    m_fabric.GetTransports()[message.source]->Send(message);
}

void
MessageTraffic::Receive(const Message& message)
{
    m_end = Simulator::Now();
    m_flows << message.source << "," << message.destination << ",,," << message.bytes << ","
            << message.postedAt.GetNanoSeconds() << "," << m_end.GetNanoSeconds() << "\n";
}

} // namespace ns3
