/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup workload-replay
 * Speed of the rdma fabric: packet-hops per CPU second of the event loop, events per packet-hop and
 * bytes of memory per queue pair, for two hosts at one switch, an all-to-all on a three-level
 * fat-tree, and an incast under flow control.
 */

#include "ns3/core-module.h"
#include "ns3/network-module.h"
#include "ns3/rdma-fabric-helper.h"
#include "ns3/topology-builder.h"

#include <ctime>
#include <fstream>
#include <functional>
#include <iostream>
#include <string>
#include <unistd.h>

using namespace ns3;

namespace
{

/// Counts messages that arrive.
class Counter
{
  public:
    /**
     * @param fabric fabric whose messages to count
     */
    explicit Counter(const RdmaFabricHelper& fabric)
    {
        for (const auto& transport : fabric.GetTransports())
        {
            transport->SetCallbacks(MakeCallback(&Counter::Receive, this),
                                    MakeCallback(&Counter::Sent, this));
        }
    }

    /// @return messages arrived
    uint64_t GetMessages() const
    {
        return m_messages;
    }

    /// @return when the last one has arrived
    Time GetEnd() const
    {
        return m_end;
    }

  private:
    /**
     * @param message what has arrived
     */
    void Receive(const Message& message [[maybe_unused]])
    {
        ++m_messages;
        m_end = Simulator::Now();
    }

    /**
     * @param cookie of the message
     */
    void Sent(uint64_t cookie [[maybe_unused]])
    {
    }

    uint64_t m_messages{0}; //!< messages arrived
    Time m_end;             //!< when the last one has arrived
};

/**
 * @return resident memory of the process, bytes
 */
uint64_t
GetMemory()
{
    std::ifstream file("/proc/self/statm");
    uint64_t pages = 0;
    file >> pages >> pages;
    return pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

/**
 * Post a message now.
 *
 * @param fabric fabric to send it over
 * @param source rank
 * @param destination rank
 * @param bytes size
 */
void
Post(const RdmaFabricHelper& fabric, uint32_t source, uint32_t destination, uint64_t bytes)
{
    Message message;
    message.source = source;
    message.destination = destination;
    message.bytes = bytes;
    fabric.GetTransports()[source]->Send(message);
}

/// Posts the messages of a case.
using Traffic = std::function<void(const RdmaFabricHelper& fabric)>;

/**
 * Run a case and print its line.
 *
 * @param name what it is
 * @param graph the fabric
 * @param traffic posts the messages
 */
void
Bench(const std::string& name, const TopologyGraph& graph, const Traffic& traffic)
{
    RdmaFabricHelper fabric;
    fabric.Install(graph);
    fabric.AssignStreams(0);
    Counter counter(fabric);
    const uint64_t before = GetMemory();
    traffic(fabric);
    const uint64_t after = GetMemory();
    uint64_t pairs = 0;
    for (uint32_t rank = 0; rank < graph.GetHosts().size(); ++rank)
    {
        pairs += fabric.GetNic(rank)->GetNSenders();
    }
    const std::clock_t start = std::clock();
    Simulator::Run();
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    const uint64_t hops = fabric.GetPacketHops();
    std::cout << name << ": " << counter.GetMessages() << " messages in "
              << counter.GetEnd().As(Time::US) << ", " << hops << " packet-hops in " << seconds
              << " CPU s, " << hops / seconds / 1e6 << " M packet-hops/CPU s, "
              << static_cast<double>(Simulator::GetEventCount()) / static_cast<double>(hops)
              << " events/packet-hop, " << pairs << " queue pairs";
    if (pairs > 1000)
    {
        std::cout << " of " << (after - before) / pairs << " bytes with a message";
    }
    std::cout << std::endl;
    Simulator::Destroy();
}

} // namespace

int
main(int argc, char* argv[])
{
    uint64_t bytes = 1000000000;
    std::string scheduler = "ns3::RadixHeapScheduler";
    CommandLine cmd(__FILE__);
    cmd.AddValue("bytes", "Bytes of the message between two hosts; the other cases follow", bytes);
    cmd.AddValue("scheduler", "Event scheduler", scheduler);
    cmd.Parse(argc, argv);

    Time::SetResolution(Time::PS);
    ObjectFactory factory(scheduler);
    Simulator::SetScheduler(factory);
    FabricParameters parameters;
    parameters.gpusPerServer = 1;

    Bench("two hosts",
          TopologyBuilder::Build(TopologySpec("single-switch"), 2, parameters),
          [bytes](const RdmaFabricHelper& fabric) { Post(fabric, 0, 1, bytes); });
    Simulator::SetScheduler(factory);
    Bench("all-to-all of 128 on a fat-tree",
          TopologyBuilder::Build(TopologySpec("fat-tree:k=8"), 128, parameters),
          [bytes](const RdmaFabricHelper& fabric) {
              for (uint32_t turn = 1; turn < 128; ++turn)
              {
                  for (uint32_t source = 0; source < 128; ++source)
                  {
                      Post(fabric, source, (source + turn) % 128, bytes / 128 / 64);
                  }
              }
          });
    Simulator::SetScheduler(factory);
    Bench("incast of 64 to 1",
          TopologyBuilder::Build(TopologySpec("single-switch"), 65, parameters),
          [bytes](const RdmaFabricHelper& fabric) {
              for (uint32_t source = 1; source < 65; ++source)
              {
                  Post(fabric, source, 0, bytes / 64);
              }
          });
    return 0;
}
