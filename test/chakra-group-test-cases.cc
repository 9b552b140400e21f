/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "chakra-test-cases.h"
#include "workload-test-tools.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/// Writes traces.
using Trace = ChakraTestTrace;

/**
 * @ingroup workload-replay-tests
 * @brief Where groups come from.
 */
class ChakraGroupTestCase : public ChakraTestCase
{
  public:
    ChakraGroupTestCase()
        : ChakraTestCase("groups")
    {
    }

  private:
    void DoRun() override;

    /**
     * @param name name of a group
     * @param metadata text of a node that defines groups; empty = there is none
     * @param groups file of groups; empty = there is none
     * @return ranks of the group that a collective of rank 0 and 2, of 3, is in
     */
    std::vector<uint32_t> RanksOf(const std::string& name,
                                  const std::string& metadata,
                                  const std::string& groups);

    /**
     * @param name see RanksOf()
     * @param metadata see RanksOf()
     * @param groups see RanksOf()
     * @param ranks what RanksOf() should return
     * @param what where the group comes from
     */
    void ExpectRanks(const std::string& name,
                     const std::string& metadata,
                     const std::string& groups,
                     const std::vector<uint32_t>& ranks,
                     const std::string& what);

    /**
     * @param name name of a group
     * @param metadata text of a node that defines groups; empty = there is none
     * @return the dimension of a collective of it, and of its stream
     */
    std::string DimensionOf(const std::string& name, const std::string& metadata = "");

    /**
     * @param trace a trace of ranks 0 and 2, of 3
     * @param groups file of groups; empty = there is none
     * @return the workload
     */
    std::shared_ptr<const Workload> ReadJob(const Trace& trace, const std::string& groups);

    /**
     * @param name name of a group
     * @param metadata text of a node that defines groups
     * @return a trace with a collective of it
     */
    static Trace MakeTrace(const std::string& name, const std::string& metadata);

    /// The group 0.
    void CheckZero();

    ChakraOptions m_options; //!< what the traces do not say
};

std::vector<uint32_t>
ChakraGroupTestCase::RanksOf(const std::string& name,
                             const std::string& metadata,
                             const std::string& groups)
{
    const auto workload = ReadJob(MakeTrace(name, metadata), groups);
    return workload->GetCommunicators().at(workload->GetCommunicatorSlots(0).at(0)).ranks;
}

void
ChakraGroupTestCase::ExpectRanks(const std::string& name,
                                 const std::string& metadata,
                                 const std::string& groups,
                                 const std::vector<uint32_t>& ranks,
                                 const std::string& what)
{
    NS_TEST_EXPECT_MSG_EQ((RanksOf(name, metadata, groups) == ranks), true, what);
}

ChakraTestTrace
ChakraGroupTestCase::MakeTrace(const std::string& name, const std::string& metadata)
{
    Trace trace;
    trace.Node(1, Trace::METADATA, "## process_group:init ##").Inputs(metadata);
    trace.Node(2, Trace::COLL, "c").With("comm_type", int64_t{0}).With("comm_size", 8);
    trace.With("pg_name", name);
    return trace;
}

std::shared_ptr<const Workload>
ChakraGroupTestCase::ReadJob(const Trace& trace, const std::string& groups)
{
    return Read({trace, Trace(), trace}, m_options, groups);
}

std::string
ChakraGroupTestCase::DimensionOf(const std::string& name, const std::string& metadata)
{
    const auto workload = ReadJob(MakeTrace(name, metadata), "");
    const auto& group = workload->GetCommunicators().at(workload->GetCommunicatorSlots(0).at(0));
    const auto& program = workload->GetProgram(0);
    const auto& stream = program.GetStreams()[program.GetOps()[1].stream];
    return ToString(group.dimension) + " " + ToString(stream.dimension);
}

void
ChakraGroupTestCase::CheckZero()
{
    const std::string zero = "{\"0\": [2, 0]}";
    ExpectRanks("0", "", zero, {2, 0}, "as defined");
    m_options.zeroIsWorld = "on";
    ExpectRanks("0", "", zero, {0, 1, 2}, "all ranks");
    ExpectRanks("0.0", "", zero, {2, 0}, "0.0 is looked up");
    NS_TEST_EXPECT_MSG_EQ(ReadJob(MakeTrace("0", ""), zero)->GetWarnings().size(), 1, "is told");
    m_options.zeroIsWorld = "off";
    ExpectRanks("0", "", zero, {2, 0}, "a group like others");
    ExpectRanks("0", "", "", {0, 2}, "by who uses it");
    const auto error = WorkloadErrorOf([this]() { RanksOf("0", "", "{\"1\": [2, 0]}"); });
    NS_TEST_EXPECT_MSG_EQ(CutFolders(error),
                          "t.0.et, node 2: error: expected a group that the file of groups "
                          "defines, found '0' in 'c'",
                          "one that nothing defines");
    m_options.zeroIsWorld = "auto";
}

void
ChakraGroupTestCase::DoRun()
{
    const std::vector<uint32_t> all{0, 1, 2};
    const std::string json = R"(["[{\"pg_name\": \"0\", \"pg_desc\": \"default_pg\", \"ranks\": )"
                             R"([]}, {\"pg_name\": \"7\", \"pg_size\": 2, \"ranks\": [2, 0]}]"])";
    const std::string python = "[{'pg_name': '7', 'ranks': [2, 0]}, {'pg_name': '8', 'ranks': []}]";
    ExpectRanks("", "", "", all, "no name");
    ExpectRanks("0", "", "{\"1\": [0]}", all, "0, not defined");
    ExpectRanks("0.0", "", "{\"0\": [2, 0]}", {2, 0}, "0.0");
    ExpectRanks("7", json, "", {2, 0}, "JSON in a text");
    ExpectRanks("0", json, "", all, "all ranks in JSON");
    ExpectRanks("7", python, "", {2, 0}, "Python");
    ExpectRanks("8", python, "", all, "all ranks in Python");
    ExpectRanks("7", json, "{\"7\": [0, 2]}", {0, 2}, "the file wins");
    ExpectRanks("9", "", "", {0, 2}, "by who uses it");
    CheckZero();
    for (const auto& [name, dimension] :
         std::map<std::string, std::string>{{"tp0", "tp tp"},
                                            {"Pipeline-3", "pp pp"},
                                            {"mesh_fsdp", "dp dp"},
                                            {"dp_cp", "dp dp"},
                                            {"expert_data", "edp edp"},
                                            {"edp1", "edp edp"},
                                            {"embedding", "embedding embedding"},
                                            {"tp-pp", "world world"},
                                            {"step7", "world world"},
                                            {"", "world world"}})
    {
        NS_TEST_EXPECT_MSG_EQ(DimensionOf(name), dimension, "dimension of " << name);
    }
    const std::string described =
        R"(["[{\"pg_name\": \"6\", \"pg_desc\": \"default_pg\", \"ranks\": []}, )"
        R"({\"pg_name\": \"7\", \"pg_desc\": \"EXPERT_MODEL_PARALLEL_GROUP\", \"ranks\": )"
        R"([2, 0]}]"])";
    NS_TEST_EXPECT_MSG_EQ(DimensionOf("7", described), "ep ep", "by its description");
    NS_TEST_EXPECT_MSG_EQ(DimensionOf("6", described), "world world", "one that does not tell");
}

} // namespace

std::vector<TestCase*>
MakeChakraGroupTestCases()
{
    return {new ChakraGroupTestCase};
}

} // namespace ns3
