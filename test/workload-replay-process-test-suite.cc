/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "partition-test-cases.h"

#include "ns3/byte-record.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/make-event.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/radix-heap-scheduler.h"
#include "ns3/rdma-channel.h"
#include "ns3/rdma-net-device.h"
#include "ns3/replay-part.h"
#include "ns3/replay-sink.h"
#include "ns3/replay-spool.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/topology-graph.h"
#include "ns3/workload-program.h"
#include "ns3/workload.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <sys/resource.h>
#include <tuple>
#include <utility>
#include <vector>

using namespace ns3;

/**
 * @ingroup workload-replay-tests
 * @brief What a cable between processes tells the engine of its delay.
 */
class LookAheadTestCase : public TestCase
{
  public:
    LookAheadTestCase()
        : TestCase("look-ahead of a cable")
    {
    }

  private:
    /**
     * @param process the process that has the far end
     * @param holdShare share of the delay for which packets are held; below 0 = the default
     * @return what is read of the attribute Delay, which was set to 500 ns
     */
    static Time Connect(uint32_t process, double holdShare)
    {
        auto channel = CreateObject<RdmaChannel>();
        channel->SetAttribute("Delay", TimeValue(NanoSeconds(500)));
        if (holdShare >= 0)
        {
            channel->SetAttribute("HoldShare", DoubleValue(holdShare));
        }
        std::vector<Ptr<RdmaNetDevice>> ports;
        for (const uint32_t system : {0U, process})
        {
            ports.push_back(CreateObject<RdmaNetDevice>());
            CreateObject<Node>(system)->AddDevice(ports.back());
        }
        channel->Connect(ports[0], ports[1]);
        TimeValue read;
        channel->GetAttribute("Delay", read);
        return read.Get();
    }

    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(Connect(0, -1), NanoSeconds(500), "one process");
        NS_TEST_EXPECT_MSG_EQ(Connect(1, -1), NanoSeconds(375), "a quarter is for holding");
        NS_TEST_EXPECT_MSG_EQ(Connect(1, 0), NanoSeconds(500), "nothing is held");
        NS_TEST_EXPECT_MSG_EQ(Connect(1, 0.9), NanoSeconds(50), "nearly all is for holding");
        Simulator::Destroy();
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Packets that come in at one node at one time do so in an order that does not depend on who
 * has told of them first.
 */
class ArrivalOrderTestCase : public TestCase
{
  public:
    ArrivalOrderTestCase()
        : TestCase("order of packets at one time")
    {
    }

  private:
    void DoRun() override
    {
        struct Arrival
        {
            uint16_t ingress; //!< port
            bool isRest;      //!< rest of a train
        };

        std::vector<Arrival> arrivals{{0, false}, {1, false}, {1, true}, {2, false}};
        do
        {
            RadixHeapScheduler scheduler;
            Ptr<EventImpl> other(MakeEvent([] {}), false);
            std::vector<RdmaPacket*> packets;
            uint32_t uid = 0;
            for (const auto& arrival : arrivals)
            {
                packets.push_back(new RdmaPacket(RdmaPacket::CNP, 74));
                packets.back()->ingress = arrival.ingress;
                packets.back()->isTrainRest = arrival.isRest;
                scheduler.Insert({packets.back(), {1000, ++uid, 7}});
            }
            scheduler.Insert({PeekPointer(other), {1000, ++uid, 7}});
            NS_TEST_EXPECT_MSG_EQ((scheduler.RemoveNext().impl == PeekPointer(other)),
                                  true,
                                  "what is no packet comes first");
            std::vector<std::pair<uint16_t, bool>> order;
            for (std::size_t i = 0; i < arrivals.size(); ++i)
            {
                const auto* packet = static_cast<RdmaPacket*>(scheduler.RemoveNext().impl);
                order.emplace_back(packet->ingress, packet->isTrainRest);
            }
            const std::vector<std::pair<uint16_t, bool>> wanted{{0, false},
                                                                {1, true},
                                                                {1, false},
                                                                {2, false}};
            NS_TEST_EXPECT_MSG_EQ((order == wanted), true, "by port, the rest of a train first");
            for (auto* packet : packets)
            {
                packet->Unref();
            }
        } while (std::next_permutation(arrivals.begin(),
                                       arrivals.end(),
                                       [](const Arrival& a, const Arrival& b) {
                                           return std::tie(a.ingress, a.isRest) <
                                                  std::tie(b.ingress, b.isRest);
                                       }));
        Simulator::Destroy();
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief What several processes have kept is told in the order of time and rank.
 */
class SpoolTestCase : public TestCase
{
  public:
    SpoolTestCase()
        : TestCase("records of several processes")
    {
    }

  private:
    /// Notes what it is told.
    struct Notes : public ReplaySink
    {
        void AddOp(const OpRecord& record) override
        {
            all.push_back("op " + std::to_string(record.rank) + " " +
                          record.program->GetName(record.program->GetOps()[record.op]));
        }

        void AddCollective(const CollectiveRecord& record) override
        {
            all.push_back("collective " + std::to_string(record.rank) + " " + record.algorithm +
                          " " + std::to_string(record.bytes));
        }

        void AddIteration(const IterationRecord& record) override
        {
            all.push_back("iteration " + std::to_string(record.rank) + " " +
                          std::to_string(record.hidden.back().GetNanoSeconds()));
        }

        void AddMessage(const Message& message, Time arrival) override
        {
            all.push_back("message " + std::to_string(message.destination) + " " +
                          std::to_string(message.bytes) + " " +
                          std::to_string(arrival.GetNanoSeconds()));
        }

        std::vector<std::string> all; //!< what it was told
    };

    void DoRun() override
    {
        auto program = WorkloadProgramBuilder("table.tsv");
        program.AddStream({"compute", true});
        WorkloadOp op;
        program.AddOp(op, "first");
        Workload workload("op-table", "table.tsv", {});
        workload.SetRank(0, program.Build(), {});

        ReplaySpool even;
        ReplaySpool odd;
        OpRecord record;
        record.end = NanoSeconds(5);
        even.AddOp(record);
        IterationRecord iteration;
        iteration.end = NanoSeconds(5);
        iteration.hidden.back() = NanoSeconds(3);
        even.AddIteration(iteration);
        CollectiveRecord collective;
        collective.rank = 1;
        collective.algorithm = "ring";
        collective.bytes = 77;
        collective.end = NanoSeconds(4);
        odd.AddCollective(collective);
        Message message;
        message.destination = 1;
        message.bytes = 12;
        odd.AddMessage(message, NanoSeconds(5));
        // Several blocks, turn and turn about.
        constexpr uint64_t many = 20000;
        for (uint64_t i = 0; i < many; ++i)
        {
            message.destination = 0;
            message.bytes = i;
            even.AddMessage(message, NanoSeconds(10 + i));
            message.destination = 1;
            odd.AddMessage(message, NanoSeconds(10 + i));
        }
        NS_TEST_EXPECT_MSG_EQ(odd.Finish() + even.Finish(), "", "all was kept");
        Notes notes;
        ReplaySpool::Merge(
            {[&odd] { return odd.ReadBlock(); }, [&even] { return even.ReadBlock(); }},
            workload,
            {&notes});
        NS_TEST_ASSERT_MSG_EQ(notes.all.size(), 4 + 2 * many, "records");
        NS_TEST_EXPECT_MSG_EQ(notes.all[0], "collective 1 ring 77", "the first in time");
        NS_TEST_EXPECT_MSG_EQ(notes.all[1], "op 0 first", "the lower rank");
        NS_TEST_EXPECT_MSG_EQ(notes.all[2], "iteration 0 3", "the same rank, in its order");
        NS_TEST_EXPECT_MSG_EQ(notes.all[3], "message 1 12 5", "the higher rank");
        bool isInOrder = true;
        for (uint64_t i = 0; i < 2 * many; ++i)
        {
            const auto turn = std::to_string(i / 2);
            isInOrder = isInOrder && notes.all[4 + i] == "message " + std::to_string(i % 2) + " " +
                                                             turn + " " +
                                                             std::to_string(10 + i / 2);
        }
        NS_TEST_EXPECT_MSG_EQ(isInOrder, true, "turn and turn about");
        CheckFullDisk();
    }

    /// Where files may have 4 KiB, as on a disk that is full, what is lost is told of.
    void CheckFullDisk()
    {
        rlimit before;
        getrlimit(RLIMIT_FSIZE, &before);
        const auto handler = std::signal(SIGXFSZ, SIG_IGN);
        rlimit limit = before;
        limit.rlim_cur = 4096;
        setrlimit(RLIMIT_FSIZE, &limit);
        ReplaySpool small;
        ReplaySpool large;
        Message message;
        small.AddMessage(message, NanoSeconds(1));
        for (uint32_t i = 0; i < 1000; ++i)
        {
            large.AddMessage(message, NanoSeconds(i));
        }
        const auto ofSmall = small.Finish();
        const auto ofLarge = large.Finish();
        setrlimit(RLIMIT_FSIZE, &before);
        std::signal(SIGXFSZ, handler);
        NS_TEST_EXPECT_MSG_EQ(ofSmall, "", "a record has room");
        NS_TEST_EXPECT_MSG_EQ(ofLarge, std::strerror(EFBIG), "a thousand have not");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief What processes tell at the end is carried whole, and added up.
 */
class PartTestCase : public TestCase
{
  public:
    PartTestCase()
        : TestCase("what processes tell at the end")
    {
    }

  private:
    /**
     * @param process number of a process
     * @return what it tells: it has direction `process` of three links' directions
     */
    static ReplayPart MakePart(uint32_t process)
    {
        ReplayPart part;
        part.hasFinished = process != 1;
        part.end = NanoSeconds(process == 1 ? 70 : 50);
        part.faults = {{NanoSeconds(9 - process), process, "fault of " + std::to_string(process)}};
        part.failures = {"failure of " + std::to_string(process)};
        WaitRecord wait;
        wait.rank = 10 - process;
        wait.op = "op";
        wait.origin = "file:3";
        wait.what = "receives";
        wait.waitsFor = {4, 5};
        part.waits = {wait};
        // Those of each process wait for those of the next one.
        part.portWaits = {{2 * process, 2 * ((process + 1) % 3), 3, 3}};
        auto& use = part.links[process];
        use.bytes = 1000 + process;
        use.wireBytes = 1200;
        use.packets = 10;
        use.maxQueue = 7;
        use.marks = 2;
        use.pauses = 1;
        use.storms = 5;
        use.paused = NanoSeconds(30);
        use.drops = 4;
        part.retransmissions = 5;
        part.sendingPorts = {process, 7};
        part.timeouts = {2, MicroSeconds(10 - process), MicroSeconds(20 + process)};
        part.messages = {6, 600};
        part.rankMessages = {3, 300};
        part.costs = {{1.5, 100 + process, 4096, NanoSeconds(375), 9, 8, 800}};
        return part;
    }

    void DoRun() override
    {
        const Workload workload("op-table", "table.tsv", {});
        auto all = MakePart(0);
        for (const uint32_t process : {1U, 2U})
        {
            ByteWriter writer;
            RecordWriter{writer}(MakePart(process));
            ByteReader reader(writer.GetBytes());
            ReplayPart read;
            RecordReader{reader}(read);
            NS_TEST_EXPECT_MSG_EQ(reader.IsAtEnd(), true, "all is read");
            all.Add(read);
        }
        NS_TEST_EXPECT_MSG_EQ(all.hasFinished, false, "one has not");
        NS_TEST_EXPECT_MSG_EQ(all.end, NanoSeconds(70), "the end of the last one");
        NS_TEST_EXPECT_MSG_EQ(all.FindReasons().size(), 1, "one fault is told");
        NS_TEST_EXPECT_MSG_EQ(all.FindReasons().front(), "fault of 2", "the first in time");
        all.faults.clear();
        NS_TEST_EXPECT_MSG_EQ(all.failures.size(), 3, "failures");
        NS_TEST_EXPECT_MSG_EQ(all.waits.front().rank, 8, "waits are told by rank");
        NS_TEST_EXPECT_MSG_EQ(all.FindReasons().back(),
                              "file:3: rank 10 waits in op (receives) for rank 4, 5",
                              "what the last one waits for");
        TopologyGraph ring;
        for (const std::string name : {"a", "b", "c"})
        {
            ring.AddSwitch(name);
        }
        for (uint32_t node = 0; node < 3; ++node)
        {
            ring.AddLink(node, (node + 1) % 3, DataRate("1Gbps"), Time(0));
        }
        NS_TEST_ASSERT_MSG_EQ(all.DescribeDeadlocks(ring).size(), 1, "a cycle of all processes");
        NS_TEST_EXPECT_MSG_EQ(all.DescribeDeadlocks(ring).front(),
                              "deadlock of priority 3, each port waits for buffer that packets for "
                              "the next one hold: a -> b -> c -> a (links 0, 1, 2)",
                              "the cycle");
        for (uint32_t direction = 0; direction < 3; ++direction)
        {
            NS_TEST_EXPECT_MSG_EQ(all.links[direction].bytes, 1000 + direction, "bytes");
            NS_TEST_EXPECT_MSG_EQ(all.links[direction].wireBytes, 1200, "bytes on the wire");
            NS_TEST_EXPECT_MSG_EQ(all.links[direction].maxQueue, 7, "queue");
            NS_TEST_EXPECT_MSG_EQ(all.links[direction].paused, NanoSeconds(30), "pause");
        }
        std::vector<LinkUse> uses;
        for (const auto& [direction, counters] : all.links)
        {
            uses.push_back({counters, "a", "b", 1, direction, direction == 1});
        }
        const auto totals = all.GetTotals(uses);
        NS_TEST_EXPECT_MSG_EQ(totals.packets, 10, "packets of the host");
        NS_TEST_EXPECT_MSG_EQ(totals.ports.maxQueue, 7, "the largest queue of any port");
        NS_TEST_EXPECT_MSG_EQ(totals.ports.paused, NanoSeconds(90), "pauses of all ports");
        NS_TEST_EXPECT_MSG_EQ(totals.ports.packets, 30, "packets of three ports");
        NS_TEST_EXPECT_MSG_EQ(totals.ports.drops, 12, "drops");
        NS_TEST_EXPECT_MSG_EQ(totals.ports.marks, 6, "marks");
        NS_TEST_EXPECT_MSG_EQ(totals.ports.pauses, 3, "pauses");
        NS_TEST_EXPECT_MSG_EQ(totals.ports.storms, 15, "storms");
        NS_TEST_EXPECT_MSG_EQ(totals.retransmittedPackets, 15, "retransmissions");
        NS_TEST_EXPECT_MSG_EQ(all.sendingPorts.size(), 4, "ports 0, 1, 2 and 7");
        NS_TEST_EXPECT_MSG_EQ(totals.timeouts.count, 6, "timeouts");
        NS_TEST_EXPECT_MSG_EQ(totals.timeouts.least, MicroSeconds(8), "the shortest");
        NS_TEST_EXPECT_MSG_EQ(totals.timeouts.most, MicroSeconds(22), "the longest");
        NS_TEST_EXPECT_MSG_EQ(all.messages.bytes, 1800, "bytes of messages");
        NS_TEST_EXPECT_MSG_EQ(all.rankMessages.count, 9, "messages to ranks");
        NS_TEST_EXPECT_MSG_EQ(all.costs[2].events, 102, "events of the last process");
        NS_TEST_EXPECT_MSG_EQ(all.costs[1].lookAhead, NanoSeconds(375), "look-ahead");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief What several processes need; the runs themselves are compared by test/mpi-test.py.
 */
class WorkloadReplayProcessTestSuite : public TestSuite
{
  public:
    WorkloadReplayProcessTestSuite()
        : TestSuite("workload-replay-process", TestSuite::Type::UNIT)
    {
        for (auto* testCase : MakePartitionTestCases())
        {
            AddTestCase(testCase);
        }
        AddTestCase(new LookAheadTestCase);
        AddTestCase(new ArrivalOrderTestCase);
        AddTestCase(new SpoolTestCase);
        AddTestCase(new PartTestCase);
    }
};

/// The suite registers itself.
static WorkloadReplayProcessTestSuite g_workloadReplayProcessTestSuite;
