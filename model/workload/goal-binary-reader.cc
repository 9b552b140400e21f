/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "goal-binary-reader.h"

#include <algorithm>
#include <utility>

namespace ns3
{

namespace
{

/// Bytes of a window.
constexpr uint64_t WINDOW = 1 << 18;

constexpr uint64_t BASE = 8;         //!< where offsets count from: after the magic number
constexpr uint64_t HEADER = 6;       //!< bytes of the header before the table of parts
constexpr uint64_t PART_ENTRY = 16;  //!< bytes of a part in that table
constexpr uint64_t PART_HEADER = 8;  //!< bytes of a part before its roots
constexpr uint64_t RECORD = 39;      //!< bytes of a record
constexpr uint64_t NUMBER = 4;       //!< bytes of a root, and of an entry of the appendix
constexpr uint32_t SEND = 1;         //!< type of a send
constexpr uint32_t RECV = 2;         //!< type of a receive
constexpr uint32_t CALC = 3;         //!< type of a computation
constexpr uint32_t ANY = UINT32_MAX; //!< any rank, any tag

// Where the fields of a record are.
constexpr uint64_t TYPE_AT = 4;          //!< its type
constexpr uint64_t PEER_AT = 5;          //!< the other rank
constexpr uint64_t SIZE_AT = 9;          //!< bytes or nanoseconds
constexpr uint64_t TAG_AT = 17;          //!< the tag
constexpr uint64_t CPU_AT = 21;          //!< the CPU
constexpr uint64_t NIC_AT = 22;          //!< the NIC
constexpr uint64_t AFTER_FINISH_AT = 23; //!< number and first entry of nodes that require it
constexpr uint64_t AFTER_START_AT = 31;  //!< number and first entry of nodes that irequire it

} // namespace

BinaryWindow::BinaryWindow(const std::string& file)
    : m_file(file),
      m_stream(file, std::ios::binary | std::ios::ate)
{
    const auto end = m_stream.is_open() ? static_cast<int64_t>(m_stream.tellg()) : -1;
    if (end < 0 || end == INT64_MAX)
    {
        throw WorkloadError({file, 0, 0, ""}, "a file", "none that can be read");
    }
    m_size = static_cast<uint64_t>(end);
}

uint64_t
BinaryWindow::GetSize() const
{
    return m_size;
}

SourceLocation
BinaryWindow::At(uint64_t offset) const
{
    return {m_file + ", byte " + std::to_string(offset), 0, 0, ""};
}

uint64_t
BinaryWindow::Read(uint64_t offset, std::size_t bytes)
{
    // Subtracted, not added: the sum of an offset and a length may exceed 64 bits.
    if (offset > m_size || m_size - offset < bytes)
    {
        throw WorkloadError(At(std::min(offset, m_size)),
                            std::to_string(bytes) + " bytes at " + std::to_string(offset),
                            "the end of the file after " + std::to_string(m_size) + " bytes");
    }
    if (offset < m_begin || offset + bytes > m_begin + m_bytes.size())
    {
        // The next window begins here, since files are mostly read forwards.
        m_begin = offset;
        m_bytes.resize(std::min(WINDOW, m_size - offset));
        m_stream.clear();
        m_stream.seekg(static_cast<std::streamoff>(offset));
        m_stream.read(m_bytes.data(), static_cast<std::streamsize>(m_bytes.size()));
        if (static_cast<std::size_t>(m_stream.gcount()) != m_bytes.size())
        {
            m_bytes.clear();
            throw WorkloadError(At(offset), "a file that can be read", "an error");
        }
    }
    // Little endian, on any machine.
    uint64_t number = 0;
    for (std::size_t i = bytes; i-- > 0;)
    {
        number = number << 8 | static_cast<unsigned char>(m_bytes[offset - m_begin + i]);
    }
    return number;
}

GoalBinaryReader::GoalBinaryReader(const std::string& file)
    : m_file(file),
      m_records(file),
      m_appendix(file)
{
}

SourceLocation
GoalBinaryReader::At(uint64_t offset) const
{
    return m_records.At(offset);
}

GoalSchedule
GoalBinaryReader::Read()
{
    const auto magic = m_records.Read(0, 8);
    if (magic != MAGIC && magic != MAGIC_USED)
    {
        throw WorkloadError(At(0), std::to_string(MAGIC), std::to_string(magic));
    }
    m_isUsed = magic == MAGIC_USED;
    const auto world = static_cast<uint32_t>(m_records.Read(BASE, NUMBER));
    const auto table = BASE + HEADER;
    if (world == 0 || world > GoalSchedule::MAX_WORLD ||
        m_records.GetSize() < table + world * PART_ENTRY)
    {
        throw WorkloadError(At(BASE),
                            "a number of ranks from 1 to " +
                                std::to_string(GoalSchedule::MAX_WORLD) +
                                ", and a file that holds where each begins",
                            std::to_string(world) + " ranks in a file of " +
                                std::to_string(m_records.GetSize()) + " bytes");
    }
    m_schedule.programs.resize(world);
    for (uint32_t rank = 0; rank < world; ++rank)
    {
        ReadRank(rank, FindPart(rank, world));
    }
    return std::move(m_schedule);
}

GoalBinaryReader::Part
GoalBinaryReader::FindPart(uint32_t rank, uint32_t world)
{
    const auto entry = BASE + HEADER + rank * PART_ENTRY;
    const auto table = HEADER + world * PART_ENTRY;
    const auto size = m_records.GetSize() - BASE;
    Part part;
    part.begin = m_appendix.Read(entry, 8);
    part.end = m_appendix.Read(entry + 8, 8);
    const auto describe = std::to_string(part.begin) + " to " + std::to_string(part.end);
    if (part.begin < table || part.end > size || part.begin > part.end ||
        part.end - part.begin < PART_HEADER)
    {
        throw WorkloadError(At(entry),
                            "begin and end of rank " + std::to_string(rank) + " between " +
                                std::to_string(table) + " and " + std::to_string(size),
                            describe);
    }
    // Parts that share bytes would let a small file stand for any number of nodes.
    m_taken += part.end - part.begin;
    if (m_taken > size)
    {
        throw WorkloadError(At(entry), "ranks that do not overlap", describe);
    }
    // Offsets in the file count from behind the magic number, those from here on from its start.
    part.begin += BASE;
    part.end += BASE;
    part.nodes = static_cast<uint32_t>(m_records.Read(part.begin, NUMBER));
    part.roots = static_cast<uint32_t>(m_records.Read(part.begin + NUMBER, NUMBER));
    part.records = part.begin + PART_HEADER + part.roots * NUMBER;
    part.appendix = part.records + part.nodes * RECORD;
    if (part.roots > part.nodes || part.appendix > part.end)
    {
        throw WorkloadError(At(part.begin),
                            "nodes and roots that fit into the " +
                                std::to_string(part.end - part.begin) + " bytes of rank " +
                                std::to_string(rank),
                            std::to_string(part.nodes) + " and " + std::to_string(part.roots));
    }
    part.entries = (part.end - part.appendix) / NUMBER;
    return part;
}

void
GoalBinaryReader::ReadRank(uint32_t rank, const Part& part)
{
    if (part.nodes == 0)
    {
        return;
    }
    const auto world = static_cast<uint32_t>(m_schedule.programs.size());
    GoalLowering lowering(m_file + ", rank " + std::to_string(rank), true, rank, world);
    lowering.Reserve(part.nodes, part.entries);
    for (uint32_t i = 0; i < part.nodes; ++i)
    {
        const auto offset = part.records + i * RECORD;
        const auto node = ReadNode(offset);
        const auto fault = lowering.FindFault(node);
        if (!fault.empty())
        {
            throw WorkloadError(At(offset),
                                fault,
                                node.kind == OpKind::COMPUTE
                                    ? std::to_string(node.amount) + " ns"
                                    : ToString(node.kind) + " of " + std::to_string(node.amount) +
                                          " bytes with rank " + std::to_string(node.peer));
        }
        lowering.Add(node, i);
    }
    ReadEdges(part, lowering);
    m_schedule.programs[rank] = lowering.Build();
}

GoalNode
GoalBinaryReader::ReadNode(uint64_t offset)
{
    const auto type = m_records.Read(offset + TYPE_AT, 1);
    if (type < SEND || type > CALC)
    {
        throw WorkloadError(At(offset + TYPE_AT),
                            "1 (send), 2 (recv) or 3 (calc)",
                            std::to_string(type));
    }
    GoalNode node;
    node.kind = type == SEND ? OpKind::SEND : type == RECV ? OpKind::RECV : OpKind::COMPUTE;
    node.peer = m_records.Read(offset + PEER_AT, NUMBER);
    node.amount = m_records.Read(offset + SIZE_AT, 8);
    const auto tag = m_records.Read(offset + TAG_AT, NUMBER);
    node.tag = tag == ANY ? WorkloadOp::ANY_TAG : tag;
    node.cpu = m_records.Read(offset + CPU_AT, 1);
    node.nic = m_records.Read(offset + NIC_AT, 1);
    return node;
}

void
GoalBinaryReader::ReadEdges(const Part& part, GoalLowering& lowering)
{
    std::vector<uint32_t> counts(part.nodes, 0);
    uint64_t edges = 0;
    for (uint32_t before = 0; before < part.nodes; ++before)
    {
        for (const auto field : {AFTER_START_AT, AFTER_FINISH_AT})
        {
            const auto offset = part.records + before * RECORD + field;
            const auto count = m_records.Read(offset, NUMBER);
            const auto first = m_records.Read(offset + NUMBER, NUMBER);
            edges += count;
            // Each entry of the appendix belongs to one node.
            if (count > 0 && (first + count > part.entries || edges > part.entries))
            {
                throw WorkloadError(At(offset),
                                    "dependencies among the " + std::to_string(part.entries) +
                                        " of the rank's appendix, each once",
                                    std::to_string(count) + " from the one with number " +
                                        std::to_string(first));
            }
            for (uint64_t entry = first; entry < first + count; ++entry)
            {
                const auto at = part.appendix + entry * NUMBER;
                const auto after = static_cast<uint32_t>(m_appendix.Read(at, NUMBER));
                if (after >= part.nodes)
                {
                    throw WorkloadError(At(at),
                                        "a node from 0 to " + std::to_string(part.nodes - 1),
                                        std::to_string(after));
                }
                ++counts[after];
                lowering.AddEdge(before, after, field == AFTER_START_AT);
            }
        }
    }
    CheckCounts(part, counts);
}

void
GoalBinaryReader::CheckCounts(const Part& part, const std::vector<uint32_t>& counts)
{
    uint32_t roots = 0;
    for (uint32_t node = 0; node < part.nodes; ++node)
    {
        roots += counts[node] == 0 ? 1 : 0;
        const auto offset = part.records + node * RECORD;
        const auto stated = m_records.Read(offset, NUMBER);
        // A simulator that has used the file has counted these down in it.
        if (stated != counts[node] && !m_isUsed)
        {
            throw WorkloadError(At(offset),
                                std::to_string(counts[node]) + " dependencies, as many as name " +
                                    "the node",
                                std::to_string(stated));
        }
    }
    for (uint32_t i = 0; i < part.roots; ++i)
    {
        const auto offset = part.begin + PART_HEADER + i * NUMBER;
        const auto root = m_records.Read(offset, NUMBER);
        if (root >= part.nodes || counts[root] != 0 || part.roots != roots)
        {
            throw WorkloadError(At(offset),
                                "the " + std::to_string(roots) + " nodes without dependencies",
                                "node " + std::to_string(root) + " as one of " +
                                    std::to_string(part.roots));
        }
    }
}

} // namespace ns3
