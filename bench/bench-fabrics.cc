/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup workload-replay
 * Patterns of messages on leaf-spines of 200 Gb/s by several designs of transport and routing,
 * beside the least time that the busiest link allows.
 *
 * The patterns are those by which sprayed transports are judged (SMaRTT, arXiv 2404.01630, section
 * 4: permutation, incast, all-to-all, with and without oversubscription). Permutations send to the
 * host half the fabric away, so that every message crosses the spines. A host has all its messages
 * under way at once, or so many as collectives have (DirectCollective::Concurrency). Where a run of
 * htsim's UEC (ultraethernet/uet-htsim, main_uec with its defaults but REPS) is known for the same
 * fabric and messages, its time stands beside that of the design that is like it.
 */

#include "ns3/core-module.h"
#include "ns3/rdma-fabric-helper.h"
#include "ns3/text-table.h"
#include "ns3/topology-builder.h"
#include "ns3/topology-spec.h"

#include <algorithm>
#include <deque>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// A way to bring messages to their receivers.
struct Design
{
    std::string name;     //!< what is printed
    std::string protocol; //!< TypeId of the protocol
    std::string control;  //!< TypeId of the congestion control
    std::string routing;  //!< TypeId of the routing
};

/// The designs that are compared.
const std::vector<Design> DESIGNS{
    {"rdma dcqcn ecmp", "RdmaRcProtocol", "RdmaDcqcn", "RdmaEcmpRouting"},
    {"rdma swift ecmp", "RdmaRcProtocol", "RdmaSwift", "RdmaEcmpRouting"},
    {"rdma dcqcn spray", "RdmaRcProtocol", "RdmaDcqcn", "RdmaSprayRouting"},
    {"uec nscc", "UecProtocol", "RdmaNscc", "RdmaEcmpRouting"},
    {"uec rccc", "UecProtocol", "RdmaRccc", "RdmaEcmpRouting"},
};

/// Messages over a fabric.
struct Case
{
    std::string pattern;     //!< permutation, incast or all-to-all
    uint32_t hosts;          //!< hosts, 16 on a leaf
    uint32_t oversubscribed; //!< rate of a leaf's hosts over that of its uplinks
    uint64_t bytes;          //!< of each message
    std::size_t atOnce;      //!< messages that a host has under way; 0 = all
    double htsimUs;          //!< time that htsim gave, us; 0 = not known
};

/// Rate of all links.
constexpr double RATE = 200e9;

/// Hosts of a leaf.
constexpr uint32_t HOSTS_PER_LEAF = 16;

/// @brief A fabric, and the messages that have arrived.
class Traffic
{
  public:
    /**
     * @param simulated the case
     * @param design how messages go
     * @param run number of the run
     */
    Traffic(const Case& simulated, const Design& design, uint64_t run)
        : m_atOnce(simulated.atOnce),
          m_messages(simulated.hosts)
    {
        RngSeedManager::SetRun(run);
        FabricParameters parameters;
        parameters.gpusPerServer = 1;
        parameters.nicRate = DataRate(static_cast<uint64_t>(RATE));
        const auto keys = "hostsPerLeaf=" + std::to_string(HOSTS_PER_LEAF) +
                          ",oversubscription=" + std::to_string(simulated.oversubscribed);
        const auto graph =
            TopologyBuilder::Build(TopologySpec("clos:" + keys), simulated.hosts, parameters);
        m_fabric.SetProtocol("ns3::" + design.protocol);
        m_fabric.SetCongestionControl("ns3::" + design.control);
        m_fabric.SetRouting("ns3::" + design.routing);
        m_fabric.Install(graph);
        m_fabric.AssignStreams(0);
        for (const auto& transport : m_fabric.GetTransports())
        {
            transport->SetCallbacks(MakeCallback(&Traffic::Arrive, this),
                                    MakeCallback(&Traffic::Sent, this));
        }
    }

    /**
     * @param source rank
     * @param destination rank
     * @param bytes size
     */
    void Add(uint32_t source, uint32_t destination, uint64_t bytes)
    {
        Message message;
        message.source = source;
        message.destination = destination;
        message.bytes = bytes;
        message.cookie = source;
        m_messages[source].push_back(message);
    }

    /// @return times at which messages have arrived, us, ascending
    std::vector<double> Run()
    {
        for (uint32_t source = 0; source < m_messages.size(); ++source)
        {
            const std::size_t all = m_messages[source].size();
            for (std::size_t i = m_atOnce > 0 ? std::min(all, m_atOnce) : all; i > 0; --i)
            {
                Simulator::Schedule(Time(0), &Traffic::SendNext, this, source);
            }
        }
        Simulator::Run();
        Simulator::Destroy();
        std::sort(m_ends.begin(), m_ends.end());
        return m_ends;
    }

  private:
    /**
     * @param message a message that has arrived
     */
    void Arrive(const Message& message [[maybe_unused]])
    {
        m_ends.push_back(Simulator::Now().GetSeconds() * 1e6);
    }

    /**
     * @param cookie cookie of a message that is acknowledged, its source
     */
    void Sent(uint64_t cookie)
    {
        SendNext(static_cast<uint32_t>(cookie));
    }

    /**
     * @param source rank whose next message is to be sent, if there is one
     */
    void SendNext(uint32_t source)
    {
        if (!m_messages[source].empty())
        {
            const Message message = m_messages[source].front();
            m_messages[source].pop_front();
            m_fabric.GetTransports()[source]->Send(message);
        }
    }

    std::size_t m_atOnce;                        //!< messages under way of a host; 0 = all
    std::vector<std::deque<Message>> m_messages; //!< those to be sent, by source
    RdmaFabricHelper m_fabric;                   //!< the fabric
    std::vector<double> m_ends;                  //!< when messages have arrived, us
};

/**
 * @param simulated the case
 * @param post called with source and destination of each message
 */
template <typename F>
void
ForEachMessage(const Case& simulated, F post)
{
    const uint32_t hosts = simulated.hosts;
    for (uint32_t source = 0; source < hosts; ++source)
    {
        if (simulated.pattern == "permutation")
        {
            post(source, (source + hosts / 2) % hosts);
        }
        else if (simulated.pattern == "incast" && source > 0)
        {
            post(source, 0U);
        }
        for (uint32_t step = 1; simulated.pattern == "all-to-all" && step < hosts; ++step)
        {
            post(source, (source + step) % hosts);
        }
    }
}

/**
 * @param simulated the case
 * @return least time of the busiest link, us: full packets of 4096 bytes take 4180 on the wire
 */
double
GetLeastUs(const Case& simulated)
{
    double messages = simulated.pattern == "permutation" ? 1 : simulated.hosts - 1;
    if (simulated.oversubscribed > 1 && simulated.pattern != "incast")
    {
        const double outside =
            simulated.pattern == "permutation" ? 1 : simulated.hosts - HOSTS_PER_LEAF;
        messages = std::max(messages, outside * simulated.oversubscribed);
    }
    return messages * static_cast<double>(simulated.bytes) * 4180 / 4096 * 8 / RATE * 1e6;
}

/**
 * @param simulated the case
 * @param runs runs with different hashes
 */
void
Compare(const Case& simulated, uint64_t runs)
{
    const double least = GetLeastUs(simulated);
    for (const auto& design : DESIGNS)
    {
        double end = 0;
        double mean = 0;
        for (uint64_t run = 1; run <= runs; ++run)
        {
            Traffic traffic(simulated, design, run);
            ForEachMessage(simulated, [&](uint32_t source, uint32_t destination) {
                traffic.Add(source, destination, simulated.bytes);
            });
            const auto ends = traffic.Run();
            double sum = 0;
            for (const double at : ends)
            {
                sum += at;
            }
            end += ends.back() / static_cast<double>(runs);
            mean += sum / static_cast<double>(ends.size()) / static_cast<double>(runs);
        }
        const bool isHtsims = design.name == "uec nscc" && simulated.htsimUs > 0;
        std::cout << std::left << std::setw(13) << simulated.pattern << std::right << std::setw(5)
                  << simulated.hosts << std::setw(5) << simulated.oversubscribed << std::setw(10)
                  << simulated.bytes << std::setw(5) << simulated.atOnce << "  " << std::left
                  << std::setw(17) << design.name << std::right << std::setw(10)
                  << FormatFixed(end, 1) << std::setw(10) << FormatFixed(mean, 1) << std::setw(10)
                  << FormatFixed(least, 1) << std::setw(8) << FormatFixed(end / least, 3)
                  << std::setw(9) << (isHtsims ? FormatFixed(simulated.htsimUs, 1) : "")
                  << std::endl;
    }
}

/// The cases.
const std::vector<Case> CASES{
    {"permutation", 32, 1, 8388608, 0, 380.9},
    {"permutation", 128, 1, 8388608, 0, 386.4},
    {"permutation", 128, 4, 2097152, 0, 379.2},
    {"incast", 32, 1, 1048576, 0, 1331.9},
    {"incast", 128, 1, 262144, 0, 1433.7},
    {"all-to-all", 32, 1, 524288, 0, 669.2},
    {"all-to-all", 128, 1, 131072, 0, 823.9},
    {"all-to-all", 128, 1, 131072, 8, 950.9},
};

} // namespace

int
main(int argc, char* argv[])
{
    uint64_t runs = 3;
    CommandLine cmd(__FILE__);
    cmd.AddValue("runs", "Runs of each case, of which the mean is printed", runs);
    cmd.Parse(argc, argv);
    Time::SetResolution(Time::PS);
    GlobalValue::Bind("SchedulerType", StringValue("ns3::RadixHeapScheduler"));
    std::cout << "pattern      hosts over     bytes once  design               end, us  mean, us "
                 "least, us"
                 "   ratio htsim, us"
              << std::endl;
    for (const auto& simulated : CASES)
    {
        Compare(simulated, std::max<uint64_t>(runs, 1));
    }
    return 0;
}
