/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "op-table-test-cases.h"
#include "workload-test-tools.h"

#include "ns3/op-table-reader.h"
#include "ns3/workload-error.h"
#include "ns3/workload.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/// All columns, as the messages about one list them.
const std::string COLUMNS =
    "name, forward_compute_time, forward_comm_type, forward_comm_size, backward_compute_time, "
    "backward_comm_type, backward_comm_size, weight_grad_compute_time, weight_grad_comm_type, "
    "weight_grad_comm_size, process_time";

/// All communication types, as the messages about one list them.
const std::string TYPES =
    "None, ALLREDUCE, ALLREDUCE_ASYNC, ALLGATHER, REDUCESCATTER, ALLTOALL, SENDRECV";

} // namespace

/**
 * @ingroup workload-replay-tests
 * @brief Every fault of an op table and its options is refused with its place and the remedy.
 */
class OpTableErrorTestCase : public TestCase
{
  public:
    OpTableErrorTestCase()
        : TestCase("errors in op tables")
    {
    }

  private:
    void DoRun() override;

    /// Faults of the header line.
    void CheckHeader();

    /// Faults of a row.
    void CheckRows();

    /// Faults of the options.
    void CheckOptions();

    /// Faults of --repeat against the rows of the table.
    void CheckRepeat();

    /**
     * @param table the content of a table
     * @param message what is to follow the file name in the message about it
     * @param options what the table does not say
     */
    void Expect(const std::string& table,
                const std::string& message,
                const OpTableOptions& options = OpTableOptions());

    /**
     * @param options options of which one is wrong
     * @param message the whole message about it
     */
    void ExpectOption(const OpTableOptions& options, const std::string& message);

    /// What follows the first field of a row in which nothing happens.
    const std::string m_idle{"\t0\tNone\t0\t0\tNone\t0\t0\tNone\t0\t0\n"};
};

void
OpTableErrorTestCase::DoRun()
{
    CheckHeader();
    CheckRows();
    CheckOptions();
    CheckRepeat();
}

void
OpTableErrorTestCase::Expect(const std::string& table,
                             const std::string& message,
                             const OpTableOptions& options)
{
    const auto file = CreateTempDirFilename("table.tsv");
    WriteWorkloadFile(file, table);
    NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf([&]() { ReadOpTable(file, options); }),
                          file + message,
                          "message about " << Quoted(table));
}

void
OpTableErrorTestCase::ExpectOption(const OpTableOptions& options, const std::string& message)
{
    const auto file = CreateTempDirFilename("rows.tsv");
    WriteWorkloadFile(file,
                      OP_TABLE_HEADER + "one" + m_idle + "two" + m_idle + "twin" + m_idle + "twin" +
                          m_idle);
    NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf([&]() { ReadOpTable(file, options); }),
                          message,
                          "message about an option");
}

void
OpTableErrorTestCase::CheckHeader()
{
    const std::string row = "a" + m_idle;
    Expect("name forward_compute_time\n" + row,
           ":1: error: expected a header line of 11 columns separated by tabs, found "
           "'name forward_compute_time'");
    auto misspelt = OP_TABLE_HEADER;
    misspelt.replace(misspelt.find("forward_comm_type"), 17, "forward_com_type");
    Expect("\n" + misspelt + row,
           ":2:27: error: expected a column of an op table (" + COLUMNS +
               "), found 'forward_com_type'; did you mean forward_comm_type?");
    Expect("name\tname\n" + row, ":1:6: error: expected each column once, found 'name' again");
    auto shorter = OP_TABLE_HEADER;
    shorter.erase(shorter.find("\tprocess_time"), 13);
    Expect(shorter + row,
           ":1: error: expected a column 'process_time', found a header line without it");
    Expect(OP_TABLE_HEADER, ": error: expected at least one row after the header line, found none");
}

void
OpTableErrorTestCase::CheckRows()
{
    Expect(OP_TABLE_HEADER + "a\t0\tNone\n",
           ":2: error: expected 11 fields separated by tabs, found 3");
    Expect(OP_TABLE_HEADER + "a\t0\tNone\t0\t0\tNone\t0\t0\tNone\t0\t0\t\n",
           ":2:32: error: expected 11 fields separated by tabs, found 12");
    Expect(OP_TABLE_HEADER + m_idle,
           ":2:1: error: expected the name of an op, found an empty field");
    Expect(OP_TABLE_HEADER + "a\t0\tNone\t0\t0\tALREDUCE\t0\t0\tNone\t0\t0\n",
           ":2:14: error: expected backward_comm_type as one of " + TYPES +
               ", found 'ALREDUCE'; did you mean ALLREDUCE?");
    Expect(OP_TABLE_HEADER + "a\t0\tBROADCAST_X\t0\t0\tNone\t0\t0\tNone\t0\t0\n",
           ":2:5: error: expected forward_comm_type as one of " + TYPES + ", found 'BROADCAST_X'");
    Expect(OP_TABLE_HEADER + "a\t0\tNone\t0\t0\tNone\t5\t0\tNone\t0\t0\n",
           ":2:19: error: expected backward_comm_size of 0, because backward_comm_type is None, "
           "found '5'");
    Expect(OP_TABLE_HEADER + "a\t-1\tNone\t0\t0\tNone\t0\t0\tNone\t0\t0\n",
           ":2:3: error: expected forward_compute_time in ms as a number of 0 or more, such as "
           "0.25 or 1e-3, found '-1'");
    Expect(OP_TABLE_HEADER + "a\t0\tNone\t0\t0\tNone\t0\t0\tALLREDUCE\t1.5\t0\n",
           ":2:33: error: expected weight_grad_comm_size in elements as a whole number of 0 or "
           "more, found '1.5'");
    // 2^62 elements of 4 bytes are one byte more than 64 bits count.
    Expect(OP_TABLE_HEADER + "a\t0\tALLREDUCE\t4611686018427387904\t0\tNone\t0\t0\tNone\t0\t0\n",
           ":2:15: error: expected forward_comm_size of at most 4611686018427387903 elements of 4 "
           "bytes, found '4611686018427387904'");
    // 2^63 ps are 9223372036.854775808 ms.
    Expect(OP_TABLE_HEADER + "a\t0\tNone\t0\t0\tNone\t0\t0\tNone\t0\t9223372036.854775808\n",
           ":2:30: error: expected process_time below 9223372036 ms, found "
           "'9223372036.854775808'");
    OpTableOptions options;
    options.backwardScale = 2.5;
    Expect(OP_TABLE_HEADER + "a\t9e9\tNone\t0\t0\tNone\t0\t0\tNone\t0\t0\n",
           ":2:3: error: expected forward_compute_time below 9223372036 ms when multiplied by "
           "--backwardScale, found '9e9' and --backwardScale=2.5",
           options);
}

void
OpTableErrorTestCase::CheckOptions()
{
    OpTableOptions options;
    options.workers = 0;
    ExpectOption(options, "--world: error: expected at least 1 worker, found 0");
    options = OpTableOptions();
    options.elementBytes = 0;
    ExpectOption(options, "--elementBytes: error: expected at least 1 byte, found 0");
    options = OpTableOptions();
    options.backwardScale = -0.5;
    ExpectOption(options, "--backwardScale: error: expected a number of 0 or more, found -0.5");
    options.backwardScale = std::nan("");
    ExpectOption(options, "--backwardScale: error: expected a number of 0 or more, found nan");
    options.backwardScale = std::numeric_limits<double>::infinity();
    ExpectOption(options, "--backwardScale: error: expected a number of 0 or more, found inf");
    options = OpTableOptions();
    options.repeatCount = 0;
    ExpectOption(options, "--repeat: error: expected FIRST:LAST:N with N of at least 1, found 0");
    options.repeatCount = 2;
    ExpectOption(options, "--repeat: error: expected FIRST:LAST:N, found no name of a first row");
    options.repeatCount = 1;
    options.repeatLast = "one";
    ExpectOption(options, "--repeat: error: expected FIRST:LAST:N, found no name of a first row");
}

void
OpTableErrorTestCase::CheckRepeat()
{
    OpTableOptions options;
    options.repeatFirst = "one";
    options.repeatLast = "two";
    options.repeatCount = 500000;
    ExpectOption(options, "no error");
    options.repeatCount = 500001;
    ExpectOption(options,
                 "--repeat: error: expected at most 1000000 repeated rows, found 500001 times 2");
    options.repeatCount = 2;
    options.repeatLast = "tvo";
    ExpectOption(options,
                 "--repeat: error: expected the name of a row, found 'tvo'; did you mean two?");
    options.repeatLast = "";
    ExpectOption(options, "--repeat: error: expected the name of a row, found ''");
    options.repeatLast = "twin";
    ExpectOption(options,
                 "--repeat: error: expected a name that only one row has, found 'twin', which "
                 "lines 4 and 5 have");
    options.repeatFirst = "two";
    options.repeatLast = "one";
    ExpectOption(options,
                 "--repeat: error: expected a last row that does not stand before the first one, "
                 "found 'two' on line 3 and 'one' on line 2");
}

std::vector<TestCase*>
MakeOpTableErrorTestCases()
{
    return {new OpTableErrorTestCase};
}

} // namespace ns3
