/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "chakra-writer.h"

#include "chakra-dependencies.h"
#include "chakra-node-maker.h"

#include "ns3/workload-error.h"

#include <map>
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
    if (program.HasLanes())
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
    // Within one communicator, ranks and tag tell messages apart as before.
    if (slots.size() > 1)
    {
        CheckPeers(rank);
    }
    // The constructor refuses what Chakra cannot express; once for all ranks of a program.
    if (isNew)
    {
        ChakraDependencies{program};
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
    if (m_program != &program)
    {
        m_dependencies = std::make_unique<ChakraDependencies>(program);
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
