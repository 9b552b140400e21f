/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "chakra-writer.h"

#include "chakra-node-maker.h"

#include "ns3/workload-error.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace ns3
{

namespace
{

/**
 * @param message a message
 * @param os takes its length and the message
 */
void
WriteMessage(const google::protobuf::MessageLite& message, std::ostream& os)
{
    const auto bytes = message.SerializeAsString();
    std::string length;
    auto rest = bytes.size();
    // A varint, as before each message of a trace: seven bits a byte, lowest first.
    for (; rest >= 0x80; rest >>= 7)
    {
        length += static_cast<char>(0x80 | (rest & 0x7f));
    }
    length += static_cast<char>(rest);
    os << length << bytes;
}

/**
 * Refuse an op that Chakra has no node for.
 *
 * @param program its program
 * @param op the op
 */
void
CheckCollective(const WorkloadProgram& program, const WorkloadOp& op)
{
    const auto found = ToString(op.collective) + " in " + Quoted(program.GetName(op));
    if (op.collective == CollectiveKind::SHIFT)
    {
        throw WorkloadError(program.Locate(op.origin),
                            "a collective that Chakra has a type for, to export it",
                            found);
    }
    if (op.amount == 0 && op.collective != CollectiveKind::BARRIER && !program.GetSplits(op))
    {
        throw WorkloadError(program.Locate(op.origin),
                            "a collective of at least 1 byte, to export it: Chakra's of 0 bytes "
                            "make ranks wait for each other",
                            found);
    }
}

} // namespace

/**
 * @brief What each op of a program waits for, said as Chakra can: ops that must have finished.
 *
 * - An op of a stream that runs in order waits for the one before it.
 * - An op that waits for the start of another one waits for all that this one waits for, which is
 *   the same moment. Ops that alternate (StreamOrder::AS_READY) start at no moment that is known
 *   before, so that nothing can wait for their start.
 *
 * Ops of streams that run as they get ready or in parallel wait for nothing but their edges.
 */
class ChakraWriter::Dependencies
{
  public:
    using OpIndex = WorkloadProgram::OpIndex; //!< index of an op

    /**
     * @param program the program; it must outlive this object
     * @throws WorkloadError naming an op whose start another one waits for, where Chakra cannot say
     *         that
     */
    explicit Dependencies(const WorkloadProgram& program);

    /**
     * @param op an op
     * @return what must have finished before it starts, ascending
     */
    std::vector<OpIndex> Get(OpIndex op) const;

  private:
    /// Predecessors of ops, by op.
    struct Edges
    {
        /**
         * Turn edges around.
         *
         * @param program the program
         * @param get which successors of an op are meant
         */
        Edges(const WorkloadProgram& program,
              WorkloadProgram::Successors (WorkloadProgram::*get)(OpIndex) const);

        std::vector<uint64_t> offsets; //!< by op, where its predecessors begin; one more
        std::vector<OpIndex> sources;  //!< predecessors, one op after another
    };

    /**
     * Refuse what cannot be said.
     */
    void CheckStarts() const;

    const WorkloadProgram& m_program; //!< the program
    Edges m_finishes;                 //!< what must have finished
    Edges m_starts;                   //!< what must have started
    std::vector<OpIndex> m_before;    //!< by op: the one before it in a stream in order, or itself
};

ChakraWriter::Dependencies::Edges::Edges(
    const WorkloadProgram& program,
    WorkloadProgram::Successors (WorkloadProgram::*get)(OpIndex) const)
    : offsets(program.GetOps().size() + 1)
{
    // Count the predecessors of each op, then sum up to where those of each begin.
    const auto nOps = static_cast<OpIndex>(program.GetOps().size());
    for (OpIndex op = 0; op < nOps; ++op)
    {
        for (const auto successor : (program.*get)(op))
        {
            ++offsets[successor + 1];
        }
    }
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    sources.resize(offsets.back());
    auto next = offsets;
    for (OpIndex op = 0; op < nOps; ++op)
    {
        for (const auto successor : (program.*get)(op))
        {
            sources[next[successor]++] = op;
        }
    }
}

ChakraWriter::Dependencies::Dependencies(const WorkloadProgram& program)
    : m_program(program),
      m_finishes(program, &WorkloadProgram::GetFinishSuccessors),
      m_starts(program, &WorkloadProgram::GetStartSuccessors),
      m_before(program.GetOps().size())
{
    CheckStarts();
    std::iota(m_before.begin(), m_before.end(), 0);
    for (std::size_t stream = 0; stream < program.GetStreams().size(); ++stream)
    {
        const auto& ops = program.GetStreamOps(stream);
        for (std::size_t i = 1; i < ops.size(); ++i)
        {
            m_before[ops[i]] = ops[i - 1];
        }
    }
}

void
ChakraWriter::Dependencies::CheckStarts() const
{
    for (const auto source : m_starts.sources)
    {
        const auto& op = m_program.GetOps()[source];
        const auto& stream = m_program.GetStreams()[op.stream];
        if (stream.order == StreamOrder::AS_READY)
        {
            throw WorkloadError(m_program.Locate(op.origin),
                                "ops that wait for the finish of others, or for the start of ops "
                                "of a stream in order: Chakra has no other dependencies",
                                "one that waits for the start of " + Quoted(m_program.GetName(op)) +
                                    " of stream " + stream.name +
                                    ", whose ops start as they are ready");
        }
    }
}

std::vector<ChakraWriter::Dependencies::OpIndex>
ChakraWriter::Dependencies::Get(OpIndex op) const
{
    std::set<OpIndex> found;
    std::set<OpIndex> seen{op};
    std::vector<OpIndex> open{op};
    while (!open.empty())
    {
        const auto next = open.back();
        open.pop_back();
        for (auto i = m_finishes.offsets[next]; i < m_finishes.offsets[next + 1]; ++i)
        {
            found.insert(m_finishes.sources[i]);
        }
        if (m_before[next] != next)
        {
            found.insert(m_before[next]);
        }
        // To wait for the start of an op is to wait for all that this op waits for.
        for (auto i = m_starts.offsets[next]; i < m_starts.offsets[next + 1]; ++i)
        {
            if (seen.insert(m_starts.sources[i]).second)
            {
                open.push_back(m_starts.sources[i]);
            }
        }
    }
    return {found.begin(), found.end()};
}

ChakraWriter::ChakraWriter(std::shared_ptr<const Workload> workload)
    : m_workload(std::move(workload))
{
    std::set<const WorkloadProgram*> known;
    for (uint32_t rank = 0; rank < m_workload->GetLayout().world; ++rank)
    {
        Check(rank, known.insert(&m_workload->GetProgram(rank)).second);
    }
}

ChakraWriter::~ChakraWriter() = default;

void
ChakraWriter::Check(uint32_t rank, bool isNew)
{
    const auto& program = m_workload->GetProgram(rank);
    if (program.UsesResources())
    {
        throw WorkloadError({program.GetFile(), 0, 0, ""},
                            "a workload whose ops do not share CPUs and NICs, to export it: Chakra "
                            "knows none",
                            "a schedule of such");
    }
    m_nodes += program.GetOps().size();
    std::set<uint32_t> slots;
    for (const auto& op : program.GetOps())
    {
        if (op.kind == OpKind::COLLECTIVE)
        {
            CheckCollective(program, op);
            m_uneven += program.GetSplits(op) ? 1 : 0;
            m_rooted += HasRoot(op.collective) ? 1 : 0;
        }
        else if (op.kind != OpKind::COMPUTE)
        {
            slots.insert(op.communicator);
        }
    }
    // Within one communicator, ranks and tag distinguish messages as before.
    if (slots.size() > 1)
    {
        CheckPeers(rank);
    }
    // The constructor refuses what Chakra cannot express; once for all ranks of a program.
    if (isNew)
    {
        Dependencies{program};
    }
}

void
ChakraWriter::CheckPeers(uint32_t rank) const
{
    const auto& program = m_workload->GetProgram(rank);
    std::map<uint32_t, uint32_t> slotOf;
    for (const auto& op : program.GetOps())
    {
        if (op.kind != OpKind::SEND && op.kind != OpKind::RECV)
        {
            continue;
        }
        const auto id = m_workload->GetCommunicatorSlots(rank)[op.communicator];
        const auto peer = m_workload->GetCommunicators()[id].ranks[op.peer];
        if (slotOf.emplace(peer, op.communicator).first->second != op.communicator)
        {
            throw WorkloadError(program.Locate(op.origin),
                                "messages between two ranks in one communicator, to export them: "
                                "Chakra tells messages apart by ranks and tag alone",
                                "some of ranks " + std::to_string(rank) + " and " +
                                    std::to_string(peer) + " in another one than that of " +
                                    Quoted(program.GetName(op)));
        }
    }
}

void
ChakraWriter::WriteGroups(std::ostream& os) const
{
    const auto& communicators = m_workload->GetCommunicators();
    os << "{";
    for (uint32_t id = 0; id < communicators.size(); ++id)
    {
        os << (id > 0 ? ",\n" : "\n") << "  \"" << NameChakraGroup(id) << "\": [";
        const char* separator = "";
        for (const auto rank : communicators[id].ranks)
        {
            os << separator << rank;
            separator = ", ";
        }
        os << "]";
    }
    os << "\n}\n";
}

void
ChakraWriter::WriteTrace(uint32_t rank, std::ostream& os)
{
    const auto& program = m_workload->GetProgram(rank);
    // Ranks that share a program mostly follow each other, so that its dependencies are made once.
    if (m_program != &program)
    {
        m_dependencies = std::make_unique<Dependencies>(program);
        m_program = &program;
    }
    ChakraNodeMaker maker(*m_workload, rank);
    WriteMessage(maker.MakeMetadata(), os);
    chakra::Node node;
    for (uint32_t op = 0; op < program.GetOps().size(); ++op)
    {
        maker.Make(op, m_dependencies->Get(op), node);
        WriteMessage(node, os);
    }
}

uint64_t
ChakraWriter::GetNodeCount() const
{
    return m_nodes;
}

std::vector<std::string>
ChakraWriter::GetWarnings() const
{
    std::vector<std::string> warnings;
    if (m_uneven > 0)
    {
        warnings.push_back(std::to_string(m_uneven) +
                           " all-to-alls have unequal parts, which only wl-replay reads: others "
                           "take them as equal");
    }
    if (m_rooted > 0)
    {
        warnings.push_back(std::to_string(m_rooted) +
                           " collectives have a root, which only wl-replay reads");
    }
    return warnings;
}

} // namespace ns3
