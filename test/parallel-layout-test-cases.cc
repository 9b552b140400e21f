/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "parallel-layout-test-cases.h"

#include "workload-test-tools.h"

#include "ns3/parallel-groups.h"
#include "ns3/parallel-layout.h"
#include "ns3/workload.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @ingroup workload-replay-tests
 * @brief Groups of ranks, against groups worked out by hand.
 */
class ParallelGroupsTestCase : public TestCase
{
  public:
    ParallelGroupsTestCase()
        : TestCase("parallel groups")
    {
    }

  private:
    void DoRun() override;

    /**
     * @param layout a layout
     * @param rank a rank
     * @param dimension a dimension
     * @param expected ranks of its group there
     */
    void Check(const ParallelLayout& layout,
               uint32_t rank,
               Dimension dimension,
               const std::vector<uint32_t>& expected);
};

void
ParallelGroupsTestCase::Check(const ParallelLayout& layout,
                              uint32_t rank,
                              Dimension dimension,
                              const std::vector<uint32_t>& expected)
{
    const auto group = ParallelGroups(layout).GetGroup(rank, dimension);
    std::string found;
    for (const auto member : group.ranks)
    {
        found += std::to_string(member) + " ";
    }
    NS_TEST_EXPECT_MSG_EQ((group.ranks == expected),
                          true,
                          ToString(dimension) << " group of rank " << rank << " is " << found);
    NS_TEST_EXPECT_MSG_EQ(ToString(group.dimension), ToString(dimension), "dimension");
    NS_TEST_EXPECT_MSG_EQ(group.name,
                          ToString(dimension) + " group of rank " + std::to_string(expected[0]),
                          "name");
}

void
ParallelGroupsTestCase::DoRun()
{
    // tp 2, cp 2, dp 2, pp 2; ep 2. Rank 5 = 1 + 2 (0 + 2 (1 + 2 x 0)).
    const ParallelLayout cube{16, 2, 2, 2, 2, 2, 1};
    const auto place = ParallelGroups(cube).GetPlace(5);
    NS_TEST_EXPECT_MSG_EQ(place.tp, 1, "tp of rank 5");
    NS_TEST_EXPECT_MSG_EQ(place.cp, 0, "cp of rank 5");
    NS_TEST_EXPECT_MSG_EQ(place.dp, 1, "dp of rank 5");
    NS_TEST_EXPECT_MSG_EQ(place.ep, 1, "ep of rank 5");
    NS_TEST_EXPECT_MSG_EQ(place.edp, 0, "edp of rank 5");
    NS_TEST_EXPECT_MSG_EQ(place.pp, 0, "pp of rank 5");
    Check(cube, 5, Dimension::TP, {4, 5});
    Check(cube, 5, Dimension::CP, {5, 7});
    Check(cube, 5, Dimension::DP, {1, 3, 5, 7});
    Check(cube, 5, Dimension::EP, {1, 5});
    Check(cube, 5, Dimension::EDP, {5});
    Check(cube, 5, Dimension::PP, {5, 13});
    Check(cube, 13, Dimension::EMBEDDING, {5, 13});
    Check(cube, 5, Dimension::WORLD, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});

    // The measured run with pp 4, dp 4 and ep 2: rank 6 is replica 2 of stage 1.
    const ParallelLayout experts{16, 1, 1, 2, 4, 4, 16};
    Check(experts, 6, Dimension::TP, {6});
    Check(experts, 6, Dimension::DP, {4, 5, 6, 7});
    Check(experts, 6, Dimension::EP, {6, 7});
    Check(experts, 6, Dimension::EDP, {4, 6});
    Check(experts, 6, Dimension::PP, {2, 6, 10, 14});
    Check(experts, 6, Dimension::EMBEDDING, {6});
    Check(experts, 2, Dimension::EMBEDDING, {2, 14});

    // File 003: tp 8, dp 16, pp 4.
    const ParallelLayout stages{512, 8, 1, 1, 16, 4, 1};
    Check(stages, 200, Dimension::PP, {72, 200, 328, 456});
    Check(stages,
          129,
          Dimension::DP,
          {129, 137, 145, 153, 161, 169, 177, 185, 193, 201, 209, 217, 225, 233, 241, 249});
    Check(ParallelLayout{2, 2, 1, 1, 1, 1, 1}, 1, Dimension::EMBEDDING, {1});

    Workload all("test", "f", cube);
    const auto slots = ParallelGroups(cube).AddTo(all);
    for (uint32_t rank = 0; rank < cube.world; ++rank)
    {
        for (std::size_t slot = 0; slot < N_DIMENSIONS; ++slot)
        {
            const auto expected = ParallelGroups(cube).GetGroup(rank, static_cast<Dimension>(slot));
            const auto& found = all.GetCommunicators()[slots[rank][slot]];
            NS_TEST_EXPECT_MSG_EQ((found.ranks == expected.ranks), true, "group in slot " << slot);
            NS_TEST_EXPECT_MSG_EQ(ToString(found.dimension),
                                  ToString(static_cast<Dimension>(slot)),
                                  "dimension of slot " << slot);
        }
    }
    NS_TEST_EXPECT_MSG_EQ(all.GetCommunicators().size(),
                          8 + 8 + 4 + 8 + 16 + 8 + 8 + 1,
                          "each once");
}

/**
 * @ingroup workload-replay-tests
 * @brief Layouts that file and user say together, and those that make no sense.
 */
class ParallelLayoutTestCase : public TestCase
{
  public:
    ParallelLayoutTestCase()
        : TestCase("parallel layouts")
    {
    }

  private:
    void DoRun() override;

    /// Layouts that can be completed.
    void CheckComplete();

    /// Layouts that can not.
    void CheckContradictions();

    LayoutRequest m_file; //!< what the file says: world 64, tp 4, pp 4, ep 2, microbatches 8
    LayoutRequest m_user; //!< what the user says: nothing
};

void
ParallelLayoutTestCase::DoRun()
{
    m_file.world = 64;
    m_file.tp = 4;
    m_file.pp = 4;
    m_file.ep = 2;
    m_file.microbatches = 8;
    CheckComplete();
    CheckContradictions();
}

void
ParallelLayoutTestCase::CheckComplete()
{
    auto layout = CompleteLayout(m_file, {"f", 1, 0, ""}, m_user);
    NS_TEST_EXPECT_MSG_EQ(layout.world, 64, "world");
    NS_TEST_EXPECT_MSG_EQ(layout.tp, 4, "tp");
    NS_TEST_EXPECT_MSG_EQ(layout.cp, 1, "cp");
    NS_TEST_EXPECT_MSG_EQ(layout.ep, 2, "ep");
    NS_TEST_EXPECT_MSG_EQ(layout.dp, 4, "64 / (4 x 4)");
    NS_TEST_EXPECT_MSG_EQ(layout.pp, 4, "pp");
    NS_TEST_EXPECT_MSG_EQ(layout.microbatches, 8, "microbatches");

    auto user = m_user;
    user.world = 256;
    user.cp = 2;
    user.microbatches = 3;
    user.vpp = 2;
    layout = CompleteLayout(m_file, {"f", 1, 0, ""}, user);
    NS_TEST_EXPECT_MSG_EQ(layout.world, 256, "the user wins");
    NS_TEST_EXPECT_MSG_EQ(layout.dp, 8, "256 / (4 x 2 x 4)");
    NS_TEST_EXPECT_MSG_EQ(layout.microbatches, 3, "the user wins");
    NS_TEST_EXPECT_MSG_EQ(*MergeLayouts(m_file, user).vpp, 2, "vpp");
    NS_TEST_EXPECT_MSG_EQ(*MergeLayouts(m_file, user).tp, 4, "the file knows");
    NS_TEST_EXPECT_MSG_EQ(MergeLayouts(m_file, user).dp.has_value(), false, "nobody knows");

    LayoutRequest replicas;
    replicas.dp = 6;
    replicas.tp = 2;
    layout = CompleteLayout(LayoutRequest(), {"f", 1, 0, ""}, replicas);
    NS_TEST_EXPECT_MSG_EQ(layout.world, 12, "2 x 6");
    NS_TEST_EXPECT_MSG_EQ(layout.pp, 1, "not said");
}

void
ParallelLayoutTestCase::CheckContradictions()
{
    const auto expect = [this](const LayoutRequest& user, const std::string& message) {
        const auto complete = [&] { CompleteLayout(m_file, {"f", 1, 0, ""}, user); };
        NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf(complete), message, "message");
    };
    auto user = m_user;
    user.dp = 8;
    expect(user,
           "--dp: error: expected dp 4, which is world 64 / (tp 4 x cp 1 x pp 4), found dp 8");
    user = m_user;
    user.tp = 3;
    expect(
        user,
        "--tp: error: expected a world that is a multiple of tp 3 x cp 1 x pp 4, found world 64");
    user = m_user;
    user.ep = 3;
    expect(user,
           "--ep: error: expected ep to divide dp 4, which is world 64 / (tp 4 x cp 1 x pp 4), "
           "found ep 3");
    user = m_user;
    user.world = 16;
    expect(user,
           "--world: error: expected ep to divide dp 1, which is world 16 / (tp 4 x cp 1 x pp 4), "
           "found ep 2");
    user = m_user;
    user.cp = 0;
    expect(user, "--cp: error: expected cp of at least 1, found 0");
    user = m_user;
    user.vpp = 0;
    expect(user, "--vpp: error: expected vpp of at least 1, found 0");
    user = m_user;
    user.world = 1000016;
    expect(user, "--world: error: expected a world of at most 1000000 ranks, found 1000016");
    m_file.pp = 5;
    expect(m_user,
           "f:1: error: expected a world that is a multiple of tp 4 x cp 1 x pp 5, found world 64");
    m_file.pp = 0;
    expect(m_user, "f:1: error: expected pp of at least 1, found 0");

    // 2^32 x 2^32 is 0 in 64 bits.
    m_file = LayoutRequest();
    user = m_user;
    user.tp = 2147483648;
    user.pp = 2147483648;
    user.dp = 4;
    expect(user,
           "--dp: error: expected a world of at most 1000000 ranks, found tp 2147483648 x cp 1 x "
           "pp 2147483648 x dp 4");
    expect(m_user,
           "--world: error: expected the number of ranks, or of data parallel ranks by --dp, found "
           "neither, nor does the file say it");
}

} // namespace

std::vector<TestCase*>
MakeParallelLayoutTestCases()
{
    return {new ParallelLayoutTestCase, new ParallelGroupsTestCase};
}

} // namespace ns3
