/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "op-table-lowering.h"

namespace ns3
{

namespace
{

/**
 * Appends rows to a program, one pass of one row at a time.
 */
class OpTableLowering
{
  public:
    /**
     * @param file path of the table
     */
    explicit OpTableLowering(const std::string& file);

    /**
     * @param row the row whose forward pass comes next
     */
    void AddForward(const OpTableRow& row);

    /**
     * @param row the row whose backward pass comes next
     */
    void AddBackward(const OpTableRow& row);

    /**
     * @return the program of all that was added
     */
    std::shared_ptr<const WorkloadProgram> Build();

  private:
    /// Index of an op in the program.
    using OpIndex = WorkloadProgram::OpIndex;

    /// Stands for an op that there is not.
    static constexpr OpIndex NONE = UINT32_MAX;

    /**
     * @param row the row it comes from
     * @param phase part of the iteration
     * @param stream index of its stream
     * @param time its time in ps
     * @return a compute op
     */
    static WorkloadOp MakeCompute(const OpTableRow& row,
                                  OpPhase phase,
                                  uint16_t stream,
                                  uint64_t time);

    /**
     * @param row the row it comes from
     * @param phase part of the iteration
     * @param time time in ps; 0 = nothing is added
     * @param name name of the op
     */
    void AddCompute(const OpTableRow& row, OpPhase phase, uint64_t time, const std::string& name);

    /**
     * Add a communication and the process time after it.
     *
     * @param row the row it comes from
     * @param phase part of the iteration
     * @param communication the communication; of 0 bytes = nothing is added
     */
    void AddCommunication(const OpTableRow& row,
                          OpPhase phase,
                          const OpTableCommunication& communication);

    WorkloadProgramBuilder m_builder; //!< the program being built
    uint16_t m_compute;               //!< stream of the worker's own work
    uint16_t m_dp;                    //!< stream of its communication
    OpIndex m_lastCompute{NONE};      //!< last op in the compute stream
    OpIndex m_blocker{NONE};          //!< op that the next compute waits for
};

/**
 * @param row a row
 * @return the name of the op that stands for its process time
 */
std::string
ProcessName(const OpTableRow& row)
{
    return row.name + "_process";
}

/**
 * @param phase the phase of a backward compute
 * @param communication the communication after it
 * @return the phase of the communication: what is all-reduced in backward is a gradient that the
 *         replicas share
 */
OpPhase
BackwardPhase(OpPhase phase, const OpTableCommunication& communication)
{
    return communication.kind == CollectiveKind::ALL_REDUCE ? OpPhase::GRAD_SYNC : phase;
}

OpTableLowering::OpTableLowering(const std::string& file)
    : m_builder(file),
      m_compute(m_builder.AddStream({"compute", true, Dimension::WORLD})),
      m_dp(m_builder.AddStream({"dp", false, Dimension::DP}))
{
}

void
OpTableLowering::AddForward(const OpTableRow& row)
{
    AddCompute(row, OpPhase::FORWARD, row.forwardTime, row.name);
    AddCommunication(row, OpPhase::FORWARD, row.forwardCommunication);
}

void
OpTableLowering::AddBackward(const OpTableRow& row)
{
    const auto& input = row.backwardCommunication;
    const auto& weight = row.weightGradCommunication;
    AddCompute(row, OpPhase::BACKWARD_INPUT, row.backwardTime, row.name);
    AddCommunication(row, BackwardPhase(OpPhase::BACKWARD_INPUT, input), input);
    AddCompute(row, OpPhase::BACKWARD_WEIGHT, row.weightGradTime, row.name);
    AddCommunication(row, BackwardPhase(OpPhase::BACKWARD_WEIGHT, weight), weight);
    if (row.forwardCommunication.bytes == 0 && input.bytes == 0 && weight.bytes == 0)
    {
        AddCompute(row, OpPhase::BACKWARD_WEIGHT, row.processTime, ProcessName(row));
    }
}

std::shared_ptr<const WorkloadProgram>
OpTableLowering::Build()
{
    return m_builder.Build();
}

WorkloadOp
OpTableLowering::MakeCompute(const OpTableRow& row, OpPhase phase, uint16_t stream, uint64_t time)
{
    WorkloadOp op;
    op.kind = OpKind::COMPUTE;
    op.amount = time;
    op.phase = phase;
    op.stream = stream;
    op.origin = row.line;
    op.layer = row.layer;
    return op;
}

void
OpTableLowering::AddCompute(const OpTableRow& row,
                            OpPhase phase,
                            uint64_t time,
                            const std::string& name)
{
    if (time == 0)
    {
        return;
    }
    m_lastCompute = m_builder.AddOp(MakeCompute(row, phase, m_compute, time), name);
    if (m_blocker != NONE)
    {
        m_builder.AddFinishEdge(m_blocker, m_lastCompute);
        m_blocker = NONE;
    }
}

void
OpTableLowering::AddCommunication(const OpTableRow& row,
                                  OpPhase phase,
                                  const OpTableCommunication& communication)
{
    if (communication.bytes == 0)
    {
        return;
    }
    WorkloadOp op;
    op.kind = OpKind::COLLECTIVE;
    op.collective = communication.kind;
    op.amount = communication.bytes;
    op.phase = phase;
    op.stream = m_dp;
    op.origin = row.line;
    op.layer = row.layer;
    auto last = m_builder.AddOp(op, row.name);
    if (m_lastCompute != NONE)
    {
        m_builder.AddFinishEdge(m_lastCompute, last);
    }
    if (row.processTime > 0)
    {
        last = m_builder.AddOp(MakeCompute(row, phase, m_dp, row.processTime), ProcessName(row));
    }
    if (communication.blocking)
    {
        // The stream keeps its order, so waiting for the last one is waiting for all before it.
        m_blocker = last;
    }
}

} // namespace

std::shared_ptr<const WorkloadProgram>
LowerOpTable(const std::string& file, const std::vector<OpTableRow>& rows)
{
    OpTableLowering lowering(file);
    for (const auto& row : rows)
    {
        lowering.AddForward(row);
    }
    for (auto row = rows.rbegin(); row != rows.rend(); ++row)
    {
        lowering.AddBackward(*row);
    }
    return lowering.Build();
}

} // namespace ns3
