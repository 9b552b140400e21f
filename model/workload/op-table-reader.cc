/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "op-table-reader.h"

#include "op-table-parser.h"

#include "ns3/workload-error.h"
#include "ns3/workload-text.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/// Rows that --repeat may make: a thousand layers of a thousand rows. A larger count is a slip of
/// the keyboard, and would fill the memory.
constexpr uint64_t MAX_ROWS = 1000000;

/**
 * @param option an option as typed
 * @return the place of an error in it
 */
SourceLocation
InOption(const std::string& option)
{
    return {option, 0, 0, ""};
}

/**
 * @param options what the user gave
 * @throws WorkloadError naming the first option that is wrong
 */
void
CheckOptions(const OpTableOptions& options)
{
    if (options.workers == 0)
    {
        throw WorkloadError(InOption("--world"), "at least 1 worker", "0");
    }
    if (options.elementBytes == 0)
    {
        throw WorkloadError(InOption("--elementBytes"), "at least 1 byte", "0");
    }
    if (!std::isfinite(options.backwardScale) || options.backwardScale < 0)
    {
        std::ostringstream found;
        found << options.backwardScale;
        throw WorkloadError(InOption("--backwardScale"), "a number of 0 or more", found.str());
    }
    if (options.repeatCount == 0)
    {
        throw WorkloadError(InOption("--repeat"), "FIRST:LAST:N with N of at least 1", "0");
    }
    if (options.repeatFirst.empty() && (!options.repeatLast.empty() || options.repeatCount != 1))
    {
        throw WorkloadError(InOption("--repeat"), "FIRST:LAST:N", "no name of a first row");
    }
}

/**
 * @param rows the rows of a table
 * @param name the name of a row, given by --repeat
 * @return index of the one row of that name
 */
std::size_t
FindRow(const std::vector<OpTableRow>& rows, const std::string& name)
{
    auto hasName = [&name](const OpTableRow& row) { return row.name == name; };
    const auto row = std::find_if(rows.begin(), rows.end(), hasName);
    if (row == rows.end())
    {
        std::vector<std::string> names;
        names.reserve(rows.size());
        for (const auto& candidate : rows)
        {
            names.push_back(candidate.name);
        }
        throw WorkloadError(InOption("--repeat"),
                            "the name of a row",
                            Quoted(name),
                            NearestName(name, names));
    }
    const auto other = std::find_if(row + 1, rows.end(), hasName);
    if (other != rows.end())
    {
        throw WorkloadError(InOption("--repeat"),
                            "a name that only one row has",
                            Quoted(name) + ", which lines " + std::to_string(row->line) + " and " +
                                std::to_string(other->line) + " have");
    }
    return static_cast<std::size_t>(row - rows.begin());
}

/**
 * Write out the range of rows that the model has several times.
 *
 * @param rows the rows of the table
 * @param options the range and how often it stands in the model
 * @return the rows of the model; those of the range have their repetition as layer
 */
std::vector<OpTableRow>
Repeat(std::vector<OpTableRow> rows, const OpTableOptions& options)
{
    if (options.repeatFirst.empty())
    {
        return rows;
    }
    const auto first = FindRow(rows, options.repeatFirst);
    const auto last = FindRow(rows, options.repeatLast);
    if (last < first)
    {
        throw WorkloadError(
            InOption("--repeat"),
            "a last row that does not stand before the first one",
            Quoted(options.repeatFirst) + " on line " + std::to_string(rows[first].line) + " and " +
                Quoted(options.repeatLast) + " on line " + std::to_string(rows[last].line));
    }
    // Divided, since the product could exceed 64 bits.
    if (options.repeatCount > MAX_ROWS / (last - first + 1))
    {
        throw WorkloadError(InOption("--repeat"),
                            "at most " + std::to_string(MAX_ROWS) + " repeated rows",
                            std::to_string(options.repeatCount) + " times " +
                                std::to_string(last - first + 1));
    }
    std::vector<OpTableRow> model(rows.begin(), rows.begin() + first);
    for (uint32_t layer = 0; layer < options.repeatCount; ++layer)
    {
        for (auto i = first; i <= last; ++i)
        {
            model.push_back(rows[i]);
            model.back().layer = static_cast<int32_t>(layer);
        }
    }
    model.insert(model.end(), rows.begin() + last + 1, rows.end());
    return model;
}

/**
 * @ingroup workload-replay
 * @brief Makes the program that every worker runs, one pass of one row at a time.
 *
 * Stream 0 is the worker's compute, stream 1 its data-parallel communication, in communicator slot
 * 0. A communication starts after the compute before it; the compute after it waits for it only if
 * it blocks. A process time follows each communication of its row in the communication's stream,
 * so that it delays what waits for the communication; without one it follows the row's backward.
 */
class OpTableLowering
{
  public:
    /**
     * @param file path of the table
     */
    explicit OpTableLowering(const std::string& file)
        : m_builder(file),
          m_compute(m_builder.AddStream({"compute", true, Dimension::WORLD})),
          m_dp(m_builder.AddStream({"dp", false, Dimension::DP}))
    {
    }

    /**
     * @param rows the rows in forward order, repetitions written out
     * @return the program
     */
    std::shared_ptr<const WorkloadProgram> Lower(const std::vector<OpTableRow>& rows)
    {
        for (const auto& row : rows)
        {
            AddCompute(row, OpPhase::FORWARD, row.forwardTime, row.name);
            AddCommunication(row, OpPhase::FORWARD, row.forwardCommunication);
        }
        for (auto row = rows.rbegin(); row != rows.rend(); ++row)
        {
            AddBackward(*row);
        }
        return m_builder.Build();
    }

  private:
    /// Index of an op in the program.
    using OpIndex = WorkloadProgram::OpIndex;

    /**
     * @param row the row whose backward pass comes next
     */
    void AddBackward(const OpTableRow& row)
    {
        // What is all-reduced in backward is a gradient that the replicas share.
        const auto phaseOf = [](const OpTableCommunication& communication, OpPhase phase) {
            return communication.kind == CollectiveKind::ALL_REDUCE ? OpPhase::GRAD_SYNC : phase;
        };
        const auto& input = row.backwardCommunication;
        const auto& weight = row.weightGradCommunication;
        AddCompute(row, OpPhase::BACKWARD_INPUT, row.backwardTime, row.name);
        AddCommunication(row, phaseOf(input, OpPhase::BACKWARD_INPUT), input);
        AddCompute(row, OpPhase::BACKWARD_WEIGHT, row.weightGradTime, row.name);
        AddCommunication(row, phaseOf(weight, OpPhase::BACKWARD_WEIGHT), weight);
        if (row.forwardCommunication.bytes == 0 && input.bytes == 0 && weight.bytes == 0)
        {
            AddCompute(row, OpPhase::BACKWARD_WEIGHT, row.processTime, row.name + "_process");
        }
    }

    /**
     * @param row the row it comes from
     * @param phase part of the iteration
     * @param stream its stream
     * @param amount ps or bytes
     * @return an op, a computation so far
     */
    static WorkloadOp MakeOp(const OpTableRow& row, OpPhase phase, uint16_t stream, uint64_t amount)
    {
        WorkloadOp op;
        op.amount = amount;
        op.phase = phase;
        op.stream = stream;
        op.origin = row.line;
        op.layer = row.layer;
        return op;
    }

    /**
     * @param row the row it comes from
     * @param phase part of the iteration
     * @param time time in ps; 0 = nothing is added
     * @param name name of the op
     */
    void AddCompute(const OpTableRow& row, OpPhase phase, uint64_t time, const std::string& name)
    {
        if (time == 0)
        {
            return;
        }
        m_lastCompute = m_builder.AddOp(MakeOp(row, phase, m_compute, time), name);
        // Later computations wait as well: they come after this one in its stream.
        if (m_blocker)
        {
            m_builder.AddFinishEdge(*m_blocker, *m_lastCompute);
            m_blocker.reset();
        }
    }

    /**
     * Add a communication and the process time after it.
     *
     * @param row the row it comes from
     * @param phase part of the iteration
     * @param communication the communication; of 0 bytes = nothing is added
     */
    void AddCommunication(const OpTableRow& row,
                          OpPhase phase,
                          const OpTableCommunication& communication)
    {
        if (communication.bytes == 0)
        {
            return;
        }
        auto op = MakeOp(row, phase, m_dp, communication.bytes);
        op.kind = OpKind::COLLECTIVE;
        op.collective = communication.kind;
        auto last = m_builder.AddOp(op, row.name);
        if (m_lastCompute)
        {
            m_builder.AddFinishEdge(*m_lastCompute, last);
        }
        if (row.processTime > 0)
        {
            last =
                m_builder.AddOp(MakeOp(row, phase, m_dp, row.processTime), row.name + "_process");
        }
        if (communication.blocking)
        {
            // The stream keeps its order, so waiting for the last one is waiting for all before it.
            m_blocker = last;
        }
    }

    WorkloadProgramBuilder m_builder;     //!< the program being built
    uint16_t m_compute;                   //!< stream of the worker's own work
    uint16_t m_dp;                        //!< stream of its communication
    std::optional<OpIndex> m_lastCompute; //!< last op in the compute stream
    std::optional<OpIndex> m_blocker;     //!< op that the next compute waits for
};

} // namespace

std::shared_ptr<const Workload>
ReadOpTable(const std::string& file, const OpTableOptions& options)
{
    CheckOptions(options);
    const WorkloadText text(file,
                            {ForeignFile::GOAL,
                             ForeignFile::LAYER_FILE,
                             ForeignFile::RANK_TRACE,
                             ForeignFile::OP_TABLE});
    const auto rows =
        Repeat(ParseOpTable(text, options.elementBytes, options.backwardScale), options);
    const auto program = OpTableLowering(file).Lower(rows);

    ParallelLayout layout;
    layout.world = options.workers;
    layout.dp = options.workers;
    auto workload = std::make_shared<Workload>("op-table", file, layout);
    Communicator workers{"dp0", Dimension::DP, std::vector<uint32_t>(options.workers)};
    std::iota(workers.ranks.begin(), workers.ranks.end(), 0);
    const auto id = workload->AddCommunicator(std::move(workers));
    for (uint32_t rank = 0; rank < options.workers; ++rank)
    {
        workload->SetRank(rank, program, {id});
    }
    const bool forwardOnly = std::all_of(rows.begin(), rows.end(), [](const OpTableRow& row) {
        return row.backwardTime == 0 && row.weightGradTime == 0;
    });
    if (forwardOnly && options.backwardScale == 0)
    {
        workload->AddWarning("no row states a backward time and --backwardScale is 0, so backward "
                             "computes nothing; --backwardScale=2 is the usual estimate");
    }
    return workload;
}

} // namespace ns3
