/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ring-rail-test-cases.h"

#include "collective-data-test-case.h"

#include "ns3/collective-placement.h"
#include "ns3/rail-ring.h"
#include "ns3/test.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @param ring a ring
 * @param size number of its members
 * @return members by position
 */
std::vector<uint32_t>
ListMembers(const RailRing& ring, uint32_t size)
{
    std::vector<uint32_t> members;
    for (uint32_t position = 0; position < size; ++position)
    {
        members.push_back(ring.GetMember(position));
    }
    return members;
}

/**
 * @ingroup workload-replay-tests
 * @brief Base of cases that look at the rings of many placements.
 */
class RailRingTestCase : public TestCase
{
  public:
    using TestCase::TestCase;

  protected:
    /// A place in the communicator.
    struct Place
    {
        uint32_t server; //!< index of the server
        uint32_t rail;   //!< index among the members of the server
    };

    /// A hop of a ring from one server to another.
    struct Crossing
    {
        Place from; //!< where it leaves
        Place to;   //!< where it enters
    };

    /**
     * Check that a ring visits every member once and every server once.
     *
     * @param placement a placement of two servers or more
     * @param size number of members
     * @param channel a channel
     * @return its crossings, from the one out of the first server on
     */
    std::vector<Crossing> Cross(const CollectivePlacement& placement,
                                uint32_t size,
                                uint32_t channel)
    {
        const auto& ring = placement.GetRing(channel);
        auto members = ListMembers(ring, size);
        for (uint32_t position = 0; position < size; ++position)
        {
            NS_TEST_EXPECT_MSG_EQ(ring.GetPosition(members[position]), position, "the inverse");
        }
        const auto& servers = placement.GetServers();
        std::map<uint32_t, Place> places;
        for (uint32_t server = 0; server < servers.size(); ++server)
        {
            for (uint32_t rail = 0; rail < servers[server].size(); ++rail)
            {
                places[servers[server][rail]] = {server, rail};
            }
        }
        std::vector<Crossing> crossings;
        for (uint32_t i = 0; i < size; ++i)
        {
            const auto from = places.at(members[i]);
            const auto to = places.at(members[(i + 1) % size]);
            if (from.server != to.server)
            {
                NS_TEST_EXPECT_MSG_EQ(to.server, (from.server + 1) % servers.size(), "in order");
                crossings.push_back({from, to});
            }
        }
        NS_TEST_EXPECT_MSG_EQ(crossings.size(), servers.size(), "one crossing per server");
        std::sort(members.begin(), members.end());
        NS_TEST_EXPECT_MSG_EQ((std::unique(members.begin(), members.end()) == members.end()),
                              true,
                              "a ring that visits a member twice");
        return crossings;
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief In equal servers all crossings keep their rails, and all rails carry as many.
 */
class EqualServersTestCase : public RailRingTestCase
{
  public:
    EqualServersTestCase()
        : RailRingTestCase("rings through equal servers use all rails alike")
    {
    }

  private:
    void DoRun() override
    {
        for (uint32_t nServers = 2; nServers <= 9; ++nServers)
        {
            for (const uint32_t nRails : {1, 2, 3, 4, 7, 8})
            {
                Check(nServers, nRails, 1);
                Check(nServers, nRails, 3);
            }
        }
    }

    /**
     * @param nServers number of servers
     * @param nRails members of each
     * @param factor number of channels, as a multiple of nRails
     */
    void Check(uint32_t nServers, uint32_t nRails, uint32_t factor)
    {
        const uint32_t size = nServers * nRails;
        const CollectivePlacement placement(
            SpreadInBlocks(std::vector<uint32_t>(nServers, nRails)));
        std::vector<uint32_t> out(size, 0);
        std::vector<uint32_t> in(size, 0);
        for (uint32_t channel = 0; channel < factor * nRails; ++channel)
        {
            uint32_t changes = 0;
            for (const auto& [from, to] : Cross(placement, size, channel))
            {
                changes += from.rail == to.rail ? 0 : 1;
                ++out[from.server * nRails + from.rail];
                ++in[to.server * nRails + to.rail];
            }
            // Two rails swapped in each of an odd number of servers do not lead back.
            NS_TEST_EXPECT_MSG_EQ(changes,
                                  (nRails == 2 && nServers % 2 == 1 ? 1 : 0),
                                  "rails changed between " << nServers << " servers of " << nRails
                                                           << ", channel " << channel);
        }
        const std::vector<uint32_t> balanced(size, factor);
        NS_TEST_EXPECT_MSG_EQ((out == balanced), true, nServers << " servers of " << nRails);
        NS_TEST_EXPECT_MSG_EQ((in == balanced), true, nServers << " servers of " << nRails);
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief In unequal servers a ring keeps its rail where the next server has it.
 */
class UnequalServersTestCase : public RailRingTestCase
{
  public:
    UnequalServersTestCase()
        : RailRingTestCase("rings through unequal servers visit all and keep rails")
    {
    }

  private:
    void DoRun() override
    {
        for (uint32_t nServers = 2; nServers <= 5; ++nServers)
        {
            // All shapes of up to 4 members per server, counted through in base 4.
            for (uint32_t shape = 0; shape < 1U << (2 * nServers); ++shape)
            {
                std::vector<uint32_t> sizes;
                for (uint32_t server = 0; server < nServers; ++server)
                {
                    sizes.push_back(1 + (shape >> (2 * server)) % 4);
                }
                Check(sizes);
            }
        }
        Check({8, 4});
        Check({8, 8, 1});
        Check({1, 8, 8, 7});
    }

    /**
     * @param sizes number of members of each server
     */
    void Check(const std::vector<uint32_t>& sizes)
    {
        const auto servers = SpreadInBlocks(sizes);
        const CollectivePlacement placement(servers);
        const auto size = static_cast<uint32_t>(servers.size());
        for (uint32_t channel = 0; channel < 12; ++channel)
        {
            for (const auto& [from, to] : Cross(placement, size, channel))
            {
                if (to.server > 0 && from.rail < sizes[to.server])
                {
                    NS_TEST_EXPECT_MSG_EQ(to.rail, from.rail, "into server " << to.server);
                }
            }
        }
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Rings and groups worked out by hand.
 */
class PlacementTestCase : public TestCase
{
  public:
    PlacementTestCase()
        : TestCase("servers of a communicator, and rings worked out by hand")
    {
    }

  private:
    /// Check 24 channels in two servers of 8 whose members 0 and 1 share a NIC of 7.
    void CheckSharedNics()
    {
        std::vector<uint32_t> nics{0, 0, 1, 2, 3, 4, 5, 6, 7, 7, 8, 9, 10, 11, 12, 13};
        const CollectivePlacement placement(SpreadInBlocks({8, 8}), 0, nics);
        std::map<std::pair<uint32_t, uint32_t>, uint32_t> crossings;
        for (uint32_t channel = 0; channel < 24; ++channel)
        {
            const auto& ring = placement.GetRing(channel);
            for (uint32_t position = 0; position < 16; ++position)
            {
                const auto from = ring.GetMember(position);
                const auto to = ring.GetMember((position + 1) % 16);
                if (from / 8 != to / 8)
                {
                    NS_TEST_EXPECT_MSG_EQ(nics[from] % 7, nics[to] % 7, "equal NICs");
                    ++crossings[{nics[from], nics[to]}];
                }
            }
        }
        NS_TEST_EXPECT_MSG_EQ(crossings.size(), 14, "each NIC");
        for (const auto& [ends, count] : crossings)
        {
            // 24 = 7 x 3 + 3: channel c leaves server 0 by NIC c mod 7, server 1 by the next one.
            const uint32_t first = ends.first < 7 ? 0 : 1;
            const bool isBusy = ends.first % 7 >= first && ends.first % 7 < first + 3;
            NS_TEST_EXPECT_MSG_EQ(count, (isBusy ? 4 : 3), "NIC " << ends.first);
        }
        // Where all NICs serve as many members, all members take part as if each had its own.
        const CollectivePlacement even(SpreadInBlocks({4, 4}), 0, {0, 0, 1, 1, 2, 2, 3, 3});
        NS_TEST_EXPECT_MSG_EQ(even.GetNetworkRails()[1].size(), 4, "all rails");
        NS_TEST_EXPECT_MSG_EQ(even.GetNetworkRail(1, 7), 3, "in turn");
    }

    /// A ring worked out by hand.
    struct Row
    {
        std::vector<uint32_t> sizes; //!< number of members of each server
        uint32_t channel;            //!< a channel
        std::vector<uint32_t> ring;  //!< its ring
    };

    void DoRun() override
    {
        const std::vector<Row> rows{
            {{3}, 1, {0, 1, 2}},
            {{1, 1, 1}, 2, {0, 1, 2}},
            {{2, 2}, 0, {1, 0, 2, 3}},
            {{2, 2}, 1, {0, 1, 3, 2}},
            // 4294967295 = 3 modulo 7: leaves on 3, then enters there and leaves on 4.
            {{7, 7}, 4294967295, {4, 5, 6, 0, 1, 2, 3, 10, 12, 13, 7, 8, 9, 11}},
            // Enters on 2 and leaves on 0, then 0 and 1, then 1 and 2.
            {{3, 3, 3}, 0, {2, 1, 0, 3, 5, 4, 7, 6, 8}},
            // Enters and leaves on 0 is not possible: the last crossing changes from 0 to 1.
            {{2, 2, 2}, 0, {1, 0, 2, 3, 5, 4}},
            {{4, 2}, 0, {1, 2, 3, 0, 4, 5}},
            {{4, 2}, 1, {0, 2, 3, 1, 5, 4}},
            {{4, 2}, 2, {1, 3, 0, 2, 4, 5}},
            {{4, 2}, 3, {0, 1, 2, 3, 5, 4}},
        };
        for (const auto& row : rows)
        {
            const auto servers = SpreadInBlocks(row.sizes);
            const CollectivePlacement placement(servers);
            const RailRing ring(placement.GetServers(), placement.GetNetworkRails(), row.channel);
            NS_TEST_EXPECT_MSG_EQ((ListMembers(ring, servers.size()) == row.ring),
                                  true,
                                  row.sizes.size() << " servers, first of " << row.sizes[0]
                                                   << ", channel " << row.channel);
        }
        CheckSharedNics();
        constexpr auto alone = CollectivePlacement::NO_SERVER;
        const CollectivePlacement mixed({7, 3, alone, 7, alone, 3, 7});
        const RailRing::Servers expected{{0, 3, 6}, {1, 5}, {2}, {4}};
        NS_TEST_EXPECT_MSG_EQ((mixed.GetServers() == expected), true, "members by server");
        NS_TEST_EXPECT_MSG_EQ(mixed.GetLargestServer(), 3, "0, 3 and 6");
        const auto* kept = &mixed.GetRing(1);
        mixed.GetRing(9);
        NS_TEST_EXPECT_MSG_EQ(&mixed.GetRing(1), kept, "a ring stays where it is");
    }
};

} // namespace

std::vector<TestCase*>
MakeRingRailTestCases()
{
    return {new EqualServersTestCase, new UnequalServersTestCase, new PlacementTestCase};
}

} // namespace ns3
