/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-data-test-case.h"
#include "collective-selection-test-cases.h"
#include "collective-time-test-cases.h"
#include "msccl-test-cases.h"

#include "ns3/chain-collective.h"
#include "ns3/direct-collective.h"
#include "ns3/halving-doubling-collective.h"
#include "ns3/test.h"
#include "ns3/tree-collective.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <string>
#include <vector>

using namespace ns3;

/**
 * @ingroup workload-replay-tests
 * @brief Every member ends with the data it should have, whatever the members and servers.
 */
class AlgorithmDataTestCase : public CollectiveDataTestCase
{
  public:
    /**
     * @param what what is checked, for the name
     * @param algorithm the algorithm
     * @param chunkBytes longest message allowed, bytes; 0 = any
     */
    AlgorithmDataTestCase(const std::string& what,
                          Ptr<const CollectiveAlgorithm> algorithm,
                          uint64_t chunkBytes)
        : CollectiveDataTestCase(what, algorithm, chunkBytes)
    {
    }

  private:
    void DoRun() override
    {
        for (const auto size : GetMemberCounts())
        {
            // Fewer bytes than members, just as many, and lengths that do not divide.
            for (const uint64_t bytes : {uint64_t(1), uint64_t(size), uint64_t(7 * size + 5)})
            {
                CheckAll(bytes, size);
            }
            // Members of a server that do not stand together: dealt out, and in unequal servers.
            std::vector<uint32_t> dealt;
            std::vector<uint32_t> unequal;
            for (uint32_t member = 0; member < size; ++member)
            {
                dealt.push_back(member % 3);
                unequal.push_back(member * member % 7);
            }
            CheckSpread(dealt);
            CheckSpread(unequal);
        }
        for (const auto& sizes : GetServerSizes())
        {
            CheckSpread(SpreadInBlocks(sizes));
            CheckSharedNics(sizes);
        }
        CheckAll(64 * 3 + 1, 64);
        CheckAll(131, 128);
    }

    /**
     * @param servers the server of each member
     */
    void CheckSpread(const std::vector<uint32_t>& servers)
    {
        const CollectivePlacement placement(servers);
        CheckAll(3 * servers.size() + 2, static_cast<uint32_t>(servers.size()), &placement);
    }

    /**
     * The first two members of each server share a NIC, the others have their own.
     *
     * @param sizes members of each server
     */
    void CheckSharedNics(const std::vector<uint32_t>& sizes)
    {
        std::vector<uint32_t> nics;
        for (const auto size : sizes)
        {
            for (uint32_t rail = 0; rail < size; ++rail)
            {
                nics.push_back(static_cast<uint32_t>(nics.size()) - (rail == 1 ? 1 : 0));
            }
        }
        const auto servers = SpreadInBlocks(sizes);
        const CollectivePlacement placement(servers, 0, nics);
        CheckAll(3 * servers.size() + 2, static_cast<uint32_t>(servers.size()), &placement);
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief The same on 296 members, which eight bits do not count, alone and on 37 servers.
 */
class ManyMembersTestCase : public CollectiveDataTestCase
{
  public:
    /**
     * @param algorithm the algorithm
     */
    explicit ManyMembersTestCase(Ptr<const CollectiveAlgorithm> algorithm)
        : CollectiveDataTestCase("296 members", algorithm, 0)
    {
    }

  private:
    void DoRun() override
    {
        CheckAll(101, 296);
        const CollectivePlacement placement(SpreadInBlocks(std::vector<uint32_t>(37, 8)));
        CheckAll(101, 296, &placement);
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Further collective algorithms: test suite.
 */
class WorkloadReplayAlgorithmTestSuite : public TestSuite
{
  public:
    WorkloadReplayAlgorithmTestSuite()
        : TestSuite("workload-replay-algorithm", TestSuite::Type::UNIT)
    {
        for (auto* testCase : MakeCollectiveStepTestCases())
        {
            AddTestCase(testCase);
        }
        AddData(CreateObject<HalvingDoublingCollective>());
        AddData(CreateObject<DirectCollective>());
        AddTestCase(new ManyMembersTestCase(CreateObject<HalvingDoublingCollective>()));
        AddTestCase(new ManyMembersTestCase(CreateObject<DirectCollective>()));
        AddTestCase(new ManyMembersTestCase(CreateObject<TreeCollective>()));
        AddTestCase(new ManyMembersTestCase(CreateObject<ChainCollective>()));
        AddPipelined<TreeCollective>();
        AddPipelined<ChainCollective>();
        for (auto* testCase : MakeCollectiveTimeTestCases())
        {
            AddTestCase(testCase);
        }
        for (auto* testCase : MakeMscclTestCases())
        {
            AddTestCase(testCase);
        }
        for (auto* testCase : MakeCollectiveSelectionTestCases())
        {
            AddTestCase(testCase);
        }
    }

  private:
    /**
     * @param algorithm an algorithm
     */
    void AddData(Ptr<const CollectiveAlgorithm> algorithm)
    {
        AddTestCase(new AlgorithmDataTestCase("any members", algorithm, 0));
    }

    /**
     * Add the data of an algorithm with several channels, chunks and depths.
     */
    template <class T>
    void AddPipelined()
    {
        struct Setting
        {
            uint32_t channels;   //!< attribute Channels
            uint64_t chunkBytes; //!< attribute ChunkBytes
            uint32_t depth;      //!< attribute PipelineDepth
        };

        for (const auto& [channels, chunkBytes, depth] :
             std::vector<Setting>{{0, 0, 1}, {0, 3, 2}, {3, 1, 3}, {1, 10, 1}})
        {
            auto algorithm = CreateObject<T>();
            algorithm->SetAttribute("Channels", UintegerValue(channels));
            algorithm->SetAttribute("ChunkBytes", UintegerValue(chunkBytes));
            algorithm->SetAttribute("PipelineDepth", UintegerValue(depth));
            const auto what = std::to_string(channels) + " channels, chunks of " +
                              std::to_string(chunkBytes) + " bytes, depth " + std::to_string(depth);
            AddTestCase(new AlgorithmDataTestCase(what, algorithm, chunkBytes));
        }
    }
};

/// Registers the suite.
static WorkloadReplayAlgorithmTestSuite g_workloadReplayAlgorithmTestSuite;
