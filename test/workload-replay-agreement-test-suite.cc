/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "message-ledger.h"

#include "ns3/config.h"
#include "ns3/fabric-set.h"
#include "ns3/networked-job.h"
#include "ns3/ns3-arguments.h"
#include "ns3/replay-helper.h"
#include "ns3/replay-option-table.h"
#include "ns3/test.h"
#include "ns3/workload-program.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// Sizes of calls and of parts, bytes: about the bounds at which NCCL takes more channels.
const std::vector<uint64_t>
    SIZES{0, 1, 63, 4096, 16385, 100001, 345088, (512 << 10) + 1, 1 << 20, 3000000, 33 << 20};

/// Servers beside those of the named fabrics.
const std::vector<std::vector<std::string>> SERVERS{
    // as many as NVLS is for, in several parts
    {"--fabric=h100", "--nvSwitches=4"},
    // not described
    {"--fabric=h800", "--nicsPerServer=4"},
    // two GPUs have a NIC
    {"--fabric=h800", "--server=gpu0 gpu1+nic0 / gpu2+nic1 gpu3", "--gpusPerServer=4"},
    // one NIC for all
    {"--fabric=a100", "--server=gpu0+gpu1+nic0 gpu2+gpu3 / gpu4+gpu5", "--gpusPerServer=6"},
    // two NICs beside each GPU
    {"--fabric=h100", "--server=gpu0+nic0+nic1 / gpu1+nic2+nic3", "--gpusPerServer=2"},
    // a GPU for itself
    {"--fabric=b200", "--server=gpu0+nic0", "--gpusPerServer=1"},
};

/// Draws numbers that are the same everywhere.
class Draw
{
  public:
    /**
     * @param seed seed of the numbers
     */
    explicit Draw(uint32_t seed)
        : m_source(seed)
    {
    }

    /**
     * @param count how many numbers
     * @return one from 0 on, below count
     */
    uint32_t Below(std::size_t count)
    {
        return static_cast<uint32_t>(m_source() % count);
    }

    /**
     * @param items anything
     * @return one of them
     */
    template <typename T>
    const T& Of(const std::vector<T>& items)
    {
        return items[Below(items.size())];
    }

  private:
    std::mt19937 m_source; //!< the numbers
};

/**
 * @param draw draws them
 * @param servers number of servers
 * @param perServer ranks of each
 * @return 2 to 16 ranks of all: those of one server, the same ones of each, or any; mostly
 * ascending
 */
std::vector<uint32_t>
DrawMembers(Draw& draw, uint32_t servers, uint32_t perServer)
{
    const auto style = draw.Below(3);
    std::vector<uint32_t> pool;
    for (uint32_t rank = 0; rank < servers * perServer; ++rank)
    {
        const bool isTaken = style == 0   ? rank < perServer
                             : style == 1 ? rank % perServer < 16 / servers
                                          : true;
        if (isTaken)
        {
            pool.push_back(rank);
        }
    }
    const auto most = std::min<std::size_t>(16, pool.size());
    const auto size = most < 2 ? most : 2 + draw.Below(most - 1);
    while (pool.size() > size)
    {
        const auto spare = style == 1 ? pool.size() - 1 : draw.Below(pool.size());
        pool.erase(pool.begin() + static_cast<std::ptrdiff_t>(spare));
    }
    for (std::size_t i = pool.size(); i > 1 && draw.Below(4) == 0; --i)
    {
        std::swap(pool[i - 1], pool[draw.Below(i)]);
    }
    return pool;
}

/**
 * @param draw draws them
 * @param size number of members
 * @return how each of them shares out its buffers in an all-to-all of uneven parts
 */
std::vector<AllToAllSplits>
DrawSplits(Draw& draw, uint32_t size)
{
    std::vector<AllToAllSplits> splits(size);
    for (auto& from : splits)
    {
        for (auto& to : splits)
        {
            from.send.push_back(draw.Of(SIZES));
            to.receive.push_back(from.send.back());
        }
    }
    return splits;
}

} // namespace

/**
 * @ingroup workload-replay-tests
 * @brief What the members of a collective plan apart agrees: algorithm, protocol, channels,
 * pipelines and, of each message, its bytes with and without what goes with them over the wire.
 */
class AgreementTestCase : public TestCase
{
  public:
    /**
     * @param arguments options that say what the servers are like
     */
    explicit AgreementTestCase(const std::vector<std::string>& arguments)
        : TestCase("members agree: " + MakeName(arguments)),
          m_arguments(arguments)
    {
    }

  private:
    /// Communicators for each number of servers, and calls of each.
    /// @{
    static constexpr uint32_t COMMUNICATORS = 2;
    static constexpr uint32_t CALLS = 24;

    /// @}

    /**
     * @param arguments options
     * @return them in a line, without the strokes that ns-3 has no use for in names
     */
    static std::string MakeName(const std::vector<std::string>& arguments)
    {
        auto name = JoinWords(arguments);
        std::replace(name.begin(), name.end(), '/', ';');
        return name;
    }

    void DoRun() override
    {
        auto options = ParseReplayOptions(m_arguments);
        ApplyNs3Arguments("test", options.ns3Arguments);
        SetNetworkDefaults(options);
        for (uint32_t servers = 1; servers <= 3; ++servers)
        {
            Draw draw(servers);
            const uint32_t perServer = options.fabric.gpusPerServer;
            const ParallelLayout layout{servers * perServer};
            auto workload = std::make_shared<Workload>("test", "test", layout);
            for (uint32_t i = 0; i < COMMUNICATORS; ++i)
            {
                const auto members = DrawMembers(draw, servers, perServer);
                workload->AddSeparateCommunicator({"", Dimension::EP, members});
            }
            // Nobody calls anything: the calls are made here.
            const auto program = WorkloadProgramBuilder("test").Build();
            for (uint32_t rank = 0; rank < layout.world; ++rank)
            {
                workload->SetRank(rank, program, {});
            }
            ReplayHelper helper(workload);
            SetUpCollectives(options, BuildTopology(options, layout.world), helper);
            for (uint32_t i = 0; i < COMMUNICATORS * CALLS; ++i)
            {
                Check(draw, options, helper.MakeCall(i % COMMUNICATORS, DrawKind(draw), 0));
            }
        }
    }

    void DoTeardown() override
    {
        Config::Reset();
    }

    /**
     * @param draw draws it
     * @return a kind: every second time an all-to-all
     */
    static CollectiveKind DrawKind(Draw& draw)
    {
        return draw.Below(2) == 0 ? CollectiveKind::ALL_TO_ALL : draw.Of(GetCollectiveKinds());
    }

    /**
     * Check a call of random size and splits, with a random algorithm.
     *
     * @param draw draws them
     * @param options the network
     * @param call the kind, and where the members stand
     */
    void Check(Draw& draw, NetworkOptions options, CollectiveCall call)
    {
        auto names = CreateAlgorithms(options)->GetNames(call.kind);
        names.emplace_back("auto");
        const auto& name = draw.Of(names);
        options.collectives.clear();
        if (name != "auto")
        {
            CollectiveChoice choice{call.kind, std::nullopt, name, std::nullopt};
            if (draw.Below(2) == 0)
            {
                choice.protocol = draw.Of(GetCollectiveProtocols());
            }
            options.collectives = {choice};
        }
        const bool hasBytes = call.kind != CollectiveKind::BARRIER;
        call.bytes = hasBytes ? draw.Of(SIZES) : 0;
        call.root = HasRoot(call.kind) ? draw.Below(call.size) : 0;
        const bool hasSplits = call.kind == CollectiveKind::ALL_TO_ALL && draw.Below(4) > 0;
        const auto splits = hasSplits ? DrawSplits(draw, call.size) : std::vector<AllToAllSplits>();
        Compare(*CreateAlgorithms(options), call, splits);
    }

    /**
     * @param algorithms how collectives are carried out
     * @param call a call
     * @param splits how each member shares out its buffers; empty = in equal parts
     */
    void Compare(const CollectiveSelection& algorithms,
                 CollectiveCall call,
                 const std::vector<AllToAllSplits>& splits)
    {
        MessageLedger ledger;
        std::set<std::string> names;
        for (call.index = 0; call.index < call.size; ++call.index)
        {
            if (!splits.empty())
            {
                const auto& own = splits[call.index].send;
                call.splits = &splits[call.index];
                call.bytes = std::accumulate(own.begin(), own.end(), uint64_t{0});
            }
            const auto plan = algorithms.Select(call, Dimension::EP);
            names.insert(plan.GetName());
            if (plan.algorithm->Suits(call))
            {
                const auto received = ledger.Add(plan, call);
                NS_TEST_EXPECT_MSG_EQ(received,
                                      plan.algorithm->GetReceivedBytes(plan.Complete(call)),
                                      plan.GetName() << ", member " << call.index);
            }
        }
        NS_TEST_ASSERT_MSG_EQ(names.size(), 1, "all choose " << *names.begin());
        NS_TEST_EXPECT_MSG_EQ(ledger.FindDifference(),
                              "",
                              ToString(call.kind) << " of " << call.bytes << " bytes on "
                                                  << call.size << " by " << *names.begin());
    }

    std::vector<std::string> m_arguments; //!< options that say what the servers are like
};

/**
 * @ingroup workload-replay-tests
 * @brief What members of collectives plan apart, on all named fabrics and other servers.
 */
class WorkloadReplayAgreementTestSuite : public TestSuite
{
  public:
    WorkloadReplayAgreementTestSuite()
        : TestSuite("workload-replay-agreement", TestSuite::Type::UNIT)
    {
        for (const auto& set : GetFabricSets())
        {
            AddTestCase(new AgreementTestCase({"--fabric=" + set.name}));
        }
        for (const auto& arguments : SERVERS)
        {
            AddTestCase(new AgreementTestCase(arguments));
        }
        // Without a fabric nothing has costs.
        AddTestCase(new AgreementTestCase({"--gpusPerServer=4"}));
    }
};

/// The suite, which registers itself.
static WorkloadReplayAgreementTestSuite g_workloadReplayAgreementTestSuite;
