/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "process-agreement.h"

#include "process-group.h"

#include "ns3/byte-record.h"
#include "ns3/ecmp-hash.h"

#include <functional>
#include <set>

namespace ns3
{

namespace
{

/// Hash of numbers and texts, in their order.
class Fingerprint
{
  public:
    /**
     * @param numbers the next numbers
     */
    template <typename... T>
    void Add(T... numbers)
    {
        ((m_hash = EcmpMix(m_hash ^ static_cast<uint64_t>(numbers))), ...);
    }

    /**
     * @param numbers the next numbers, as many as there are
     */
    void AddAll(const std::vector<uint64_t>& numbers)
    {
        Add(numbers.size());
        for (const auto number : numbers)
        {
            Add(number);
        }
    }

    /**
     * @param text the next text
     */
    void AddText(const std::string& text)
    {
        // The same in all processes, which run the same binary.
        Add(std::hash<std::string>()(text));
    }

    /**
     * @return the hash
     */
    uint64_t Get() const
    {
        return m_hash;
    }

  private:
    uint64_t m_hash{1}; //!< of what was added
};

/**
 * @param program a program
 * @param [in,out] hash receives what it does
 */
void
AddProgram(const WorkloadProgram& program, Fingerprint& hash)
{
    for (uint32_t i = 0; i < program.GetOps().size(); ++i)
    {
        const auto& op = program.GetOps()[i];
        hash.Add(op.amount, op.communicator, op.peer, op.tag, op.origin, op.layer, op.microbatch);
        hash.Add(op.stream, op.cpu, op.nic, op.kind, op.phase, op.collective);
        for (const auto next : program.GetFinishSuccessors(i))
        {
            hash.Add(next);
        }
        for (const auto next : program.GetStartSuccessors(i))
        {
            hash.Add(next);
        }
        if (const auto* splits = program.GetSplits(op))
        {
            hash.AddAll(splits->send);
            hash.AddAll(splits->receive);
        }
    }
    for (const auto& stream : program.GetStreams())
    {
        hash.Add(stream.compute, stream.dimension, stream.order, stream.host);
    }
}

/**
 * @param first what the first process has
 * @param other what another one has
 * @return what differs; empty = nothing does
 */
std::string
FindDifference(const Fingerprints& first, const Fingerprints& other)
{
    for (std::size_t i = 0; i < first.size() && i < other.size(); ++i)
    {
        if (first[i] != other[i])
        {
            return first[i].first;
        }
    }
    return first.size() == other.size() ? "" : "number of inputs";
}

/// What a process says when it has come to a point where all must agree.
struct Statement
{
    std::string error;         //!< why it cannot go on; empty = it can
    Fingerprints fingerprints; //!< what it has read

    /**
     * @param record what is visited, const or not
     * @param visit is given each member
     */
    template <typename R, typename V>
    static void Visit(R& record, const V& visit)
    {
        visit(record.error);
        visit(record.fingerprints);
    }
};

/**
 * @param statements what all processes say
 * @return why they cannot go on together; empty = they can
 */
std::string
FindDisagreement(const std::vector<Statement>& statements)
{
    const auto& first = statements.front();
    if (!first.error.empty())
    {
        return first.error;
    }
    for (std::size_t process = 1; process < statements.size(); ++process)
    {
        const auto& other = statements[process];
        const auto name = "process " + std::to_string(process);
        if (!other.error.empty())
        {
            return name + ": " + other.error;
        }
        const auto difference = FindDifference(first.fingerprints, other.fingerprints);
        if (!difference.empty())
        {
            return "mpirun: error: expected all processes to be given the same, but " + name +
                   " has another " + difference + " than process 0";
        }
    }
    return "";
}

} // namespace

void
Agree(const std::string& error, const Fingerprints& fingerprints)
{
    const auto all = ProcessGroup::Gather(WriteRecord(Statement{error, fingerprints}));
    std::vector<Statement> statements;
    statements.reserve(all.size());
    for (const auto& bytes : all)
    {
        statements.push_back(ReadRecord<Statement>(bytes));
    }
    // Only the first process has all statements.
    const auto disagreement =
        ProcessGroup::Broadcast(statements.empty() ? "" : FindDisagreement(statements));
    if (!disagreement.empty())
    {
        throw ProcessError(disagreement);
    }
}

uint64_t
HashArguments(const std::vector<std::string>& arguments)
{
    Fingerprint hash;
    for (const auto& argument : arguments)
    {
        hash.AddText(argument);
    }
    return hash.Get();
}

uint64_t
HashWorkload(const Workload& workload)
{
    Fingerprint hash;
    std::set<const WorkloadProgram*> known;
    for (uint32_t rank = 0; rank < workload.GetLayout().world; ++rank)
    {
        const auto* const program = &workload.GetProgram(rank);
        // Ranks that share a program add it once, and then the number of its ops.
        if (known.insert(program).second)
        {
            AddProgram(*program, hash);
        }
        hash.Add(rank, program->GetOps().size());
        for (const auto id : workload.GetCommunicatorSlots(rank))
        {
            hash.Add(id);
        }
    }
    for (const auto& communicator : workload.GetCommunicators())
    {
        hash.Add(communicator.dimension);
        for (const auto rank : communicator.ranks)
        {
            hash.Add(rank);
        }
    }
    return hash.Get();
}

uint64_t
HashGraph(const TopologyGraph& graph)
{
    Fingerprint hash;
    for (uint32_t node = 0; node < graph.GetNNodes(); ++node)
    {
        const auto& properties = graph.GetNode(node);
        hash.AddText(properties.name);
        hash.Add(properties.kind, properties.server, properties.rank);
    }
    for (uint32_t link = 0; link < graph.GetNLinks(); ++link)
    {
        const auto& properties = graph.GetLink(link);
        hash.Add(properties.a, properties.b, properties.rate.GetBitRate());
        hash.Add(properties.delay.GetTimeStep(), properties.nvlink);
        hash.AddText(std::to_string(properties.lossRate));
    }
    return hash.Get();
}

} // namespace ns3
