/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-data-test-case.h"

namespace ns3
{

std::vector<uint32_t>
SpreadInBlocks(const std::vector<uint32_t>& sizes)
{
    std::vector<uint32_t> servers;
    for (uint32_t server = 0; server < sizes.size(); ++server)
    {
        servers.insert(servers.end(), sizes[server], server);
    }
    return servers;
}

const std::vector<uint32_t>&
GetMemberCounts()
{
    static const std::vector<uint32_t> counts{1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 16, 17, 24, 31, 33};
    return counts;
}

const std::vector<std::vector<uint32_t>>&
GetServerSizes()
{
    static const auto placements = [] {
        std::vector<std::vector<uint32_t>> all{{8, 4},
                                               {1, 8},
                                               {1, 2, 1},
                                               {2, 1},
                                               {3, 2, 2},
                                               {3, 5, 1},
                                               {8, 8, 1},
                                               {8, 8, 8, 8, 1},
                                               {1, 1, 5, 1, 3, 7, 2}};
        for (const uint32_t nServers : {1, 2, 3, 5})
        {
            for (const uint32_t nRails : {1, 2, 3, 4, 8})
            {
                all.emplace_back(nServers, nRails);
            }
        }
        return all;
    }();
    return placements;
}

std::string
DescribeFault(CollectiveChecker& checker)
{
    const auto fault = checker.Check();
    return fault ? fault->Describe() : "";
}

CollectiveDataTestCase::CollectiveDataTestCase(const std::string& what,
                                               Ptr<const CollectiveAlgorithm> algorithm,
                                               uint64_t chunkBytes)
    : TestCase(algorithm->GetName() + " on symbolic data, " + what),
      m_algorithm(algorithm),
      m_chunkBytes(chunkBytes)
{
}

void
CollectiveDataTestCase::CheckAll(uint64_t bytes,
                                 uint32_t size,
                                 const CollectivePlacement* placement)
{
    for (const auto kind : GetCollectiveKinds())
    {
        if (kind == CollectiveKind::ALL_TO_ALL || !m_algorithm->Supports(kind))
        {
            continue;
        }
        for (const auto root : CollectiveChecker::ListRoots(kind, size))
        {
            const CollectiveCall call{kind,
                                      kind == CollectiveKind::BARRIER ? 0 : bytes,
                                      0,
                                      size,
                                      nullptr,
                                      placement,
                                      root};
            if (m_algorithm->Suits(call))
            {
                Check(call);
            }
        }
    }
}

uint64_t
CollectiveDataTestCase::Check(const CollectiveCall& call)
{
    const auto what = ToString(call.kind) + " of " + std::to_string(call.bytes) + " bytes on " +
                      std::to_string(call.size) + ", root " + std::to_string(call.root);
    CollectiveChecker checker(m_algorithm, call);
    const auto fault = DescribeFault(checker);
    NS_TEST_EXPECT_MSG_EQ(fault, "", what);
    uint64_t sent = 0;
    for (uint32_t i = 0; i < call.size && fault.empty(); ++i)
    {
        const auto& traffic = checker.GetTraffic(i);
        sent += traffic.sentBytes;
        if (m_chunkBytes > 0)
        {
            NS_TEST_EXPECT_MSG_LT_OR_EQ(traffic.largestMessage, m_chunkBytes, what);
        }
    }
    return sent;
}

} // namespace ns3
