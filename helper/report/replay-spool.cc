/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replay-spool.h"

#include "ns3/abort.h"

#include <cerrno>
#include <cstring>
#include <deque>
#include <functional>
#include <queue>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ns3
{

namespace
{

/// Bytes from which on a block is written.
constexpr std::size_t BLOCK_BYTES = 256 * 1024;

/// What a record tells of.
enum class RecordKind : uint8_t
{
    OP,
    COLLECTIVE,
    ITERATION,
    MESSAGE
};

/// Writes the members of a record.
struct MemberWriter
{
    ByteWriter& writer; //!< where to

    /**
     * @param member a number, a time or a text
     */
    template <typename T>
    void operator()(const T& member) const
    {
        if constexpr (std::is_same_v<T, Time>)
        {
            writer.Put(member.GetTimeStep());
        }
        else if constexpr (std::is_same_v<T, std::string>)
        {
            writer.PutText(member);
        }
        else
        {
            writer.Put(member);
        }
    }
};

/// Reads the members of a record.
struct MemberReader
{
    ByteReader& reader; //!< where from

    /**
     * @param [out] member a number, a time or a text
     */
    template <typename T>
    void operator()(T& member) const
    {
        if constexpr (std::is_same_v<T, Time>)
        {
            member = TimeStep(reader.Get<int64_t>());
        }
        else if constexpr (std::is_same_v<T, std::string>)
        {
            member = reader.GetText();
        }
        else
        {
            member = reader.Get<T>();
        }
    }
};

/**
 * Visit the members of an op's record, but for what follows from the rank.
 *
 * @param record the record, const or not
 * @param visit what to do with each
 */
template <typename R, typename V>
void
VisitOp(R& record, const V& visit)
{
    visit(record.rank);
    visit(record.iteration);
    visit(record.op);
    visit(record.start);
    visit(record.end);
}

/**
 * @param record a collective's record, const or not
 * @param visit what to do with each of its members
 */
template <typename R, typename V>
void
VisitCollective(R& record, const V& visit)
{
    visit(record.rank);
    visit(record.communicator);
    visit(record.sequence);
    visit(record.kind);
    visit(record.algorithm);
    visit(record.channels);
    visit(record.bytes);
    visit(record.arrival);
    visit(record.end);
}

/**
 * @param record an iteration's record, const or not
 * @param visit what to do with each of its members
 */
template <typename R, typename V>
void
VisitIteration(R& record, const V& visit)
{
    visit(record.rank);
    visit(record.iteration);
    visit(record.start);
    visit(record.end);
    visit(record.compute);
    for (std::size_t i = 0; i < N_DIMENSIONS; ++i)
    {
        visit(record.exposed[i]);
        visit(record.hidden[i]);
    }
    visit(record.bubble);
    visit(record.longestWaitOp);
    visit(record.longestWait);
}

/**
 * @param message a message, const or not
 * @param visit what to do with each of its members that reports tell
 */
template <typename M, typename V>
void
VisitMessage(M& message, const V& visit)
{
    visit(message.source);
    visit(message.destination);
    visit(message.communicator);
    visit(message.channel);
    visit(message.bytes);
    visit(message.postedAt);
}

/// Reads what one process has kept, record by record.
class SpoolReader
{
  public:
    /**
     * @param source brings the blocks
     * @param workload what was replayed
     */
    SpoolReader(ReplaySpool::BlockSource source, const Workload& workload)
        : m_source(std::move(source)),
          m_workload(workload)
    {
    }

    /**
     * Go on to the next record.
     *
     * @return whether there is one
     */
    bool Next()
    {
        // Records do not cross blocks.
        if (!m_reader || m_reader->IsAtEnd())
        {
            m_block = m_source();
            m_reader = std::make_unique<ByteReader>(m_block);
        }
        if (m_block.empty())
        {
            return false;
        }
        m_kind = m_reader->Get<RecordKind>();
        m_time = TimeStep(m_reader->Get<int64_t>());
        m_address = m_reader->Get<uint32_t>();
        return true;
    }

    /**
     * @return what the records of all processes are ordered by: time and address
     */
    std::pair<Time, uint32_t> GetKey() const
    {
        return {m_time, m_address};
    }

    /**
     * @param sinks what is told of the record
     */
    void Tell(const std::vector<ReplaySink*>& sinks)
    {
        const MemberReader read{*m_reader};
        switch (m_kind)
        {
        case RecordKind::OP: {
            OpRecord record;
            VisitOp(record, read);
            // A pointer is of one process: the program is found again by the rank.
            record.program = &m_workload.GetProgram(record.rank);
            TellAll(sinks, [&record](ReplaySink& sink) { sink.AddOp(record); });
            break;
        }
        case RecordKind::COLLECTIVE: {
            CollectiveRecord record;
            VisitCollective(record, read);
            TellAll(sinks, [&record](ReplaySink& sink) { sink.AddCollective(record); });
            break;
        }
        case RecordKind::ITERATION: {
            IterationRecord record;
            VisitIteration(record, read);
            TellAll(sinks, [&record](ReplaySink& sink) { sink.AddIteration(record); });
            break;
        }
        case RecordKind::MESSAGE: {
            Message message;
            VisitMessage(message, read);
            TellAll(sinks, [&](ReplaySink& sink) { sink.AddMessage(message, m_time); });
            break;
        }
        }
    }

  private:
    /**
     * @param sinks sinks
     * @param tell tells one of them
     */
    template <typename T>
    static void TellAll(const std::vector<ReplaySink*>& sinks, const T& tell)
    {
        for (auto* sink : sinks)
        {
            tell(*sink);
        }
    }

    ReplaySpool::BlockSource m_source;    //!< brings the blocks
    const Workload& m_workload;           //!< what was replayed
    std::string m_block;                  //!< the present block; empty = there is no more
    std::unique_ptr<ByteReader> m_reader; //!< reads it
    RecordKind m_kind{};                  //!< kind of the present record
    Time m_time;                          //!< when that was
    uint32_t m_address{0};                //!< where
};

/**
 * Begin a record.
 *
 * @param writer where to
 * @param kind what it tells of
 * @param time when that happens
 * @param address where
 * @return writes its members
 */
MemberWriter
BeginRecord(ByteWriter& writer, RecordKind kind, Time time, uint32_t address)
{
    writer.Put(kind);
    writer.Put(time.GetTimeStep());
    writer.Put(address);
    return {writer};
}

} // namespace

ReplaySpool::ReplaySpool()
    : m_file(std::tmpfile()),
      m_fault(m_file ? "" : std::strerror(errno))
{
}

void
ReplaySpool::AddOp(const OpRecord& record)
{
    VisitOp(record, BeginRecord(m_held, RecordKind::OP, record.end, record.rank));
    WriteIfFull();
}

void
ReplaySpool::AddCollective(const CollectiveRecord& record)
{
    VisitCollective(record, BeginRecord(m_held, RecordKind::COLLECTIVE, record.end, record.rank));
    WriteIfFull();
}

void
ReplaySpool::AddIteration(const IterationRecord& record)
{
    VisitIteration(record, BeginRecord(m_held, RecordKind::ITERATION, record.end, record.rank));
    WriteIfFull();
}

void
ReplaySpool::AddMessage(const Message& message, Time arrival)
{
    VisitMessage(message, BeginRecord(m_held, RecordKind::MESSAGE, arrival, message.destination));
    WriteIfFull();
}

void
ReplaySpool::WriteIfFull()
{
    if (m_held.GetBytes().size() >= BLOCK_BYTES)
    {
        WriteBlock();
    }
}

void
ReplaySpool::WriteBlock()
{
    auto& bytes = m_held.GetBytes();
    // A block is its size in 8 bytes, and its records.
    const uint64_t size = bytes.size();
    const bool isKept = !m_fault.empty() || size == 0 ||
                        (std::fwrite(&size, sizeof(size), 1, m_file.get()) == 1 &&
                         std::fwrite(bytes.data(), size, 1, m_file.get()) == 1);
    m_fault = isKept ? m_fault : std::strerror(errno);
    bytes.clear();
}

std::string
ReplaySpool::Finish()
{
    WriteBlock();
    if (m_fault.empty() && std::fflush(m_file.get()) != 0)
    {
        m_fault = std::strerror(errno);
    }
    if (m_fault.empty())
    {
        std::rewind(m_file.get());
    }
    return m_fault;
}

std::string
ReplaySpool::ReadBlock()
{
    uint64_t size = 0;
    if (std::fread(&size, sizeof(size), 1, m_file.get()) != 1 && std::feof(m_file.get()))
    {
        return "";
    }
    std::string block(size, '\0');
    NS_ABORT_MSG_UNLESS(
        size > 0 && std::fread(block.data(), size, 1, m_file.get()) == 1,
        "a temporary file of this process cannot be read: " << std::strerror(errno));
    return block;
}

void
ReplaySpool::Merge(const std::vector<BlockSource>& sources,
                   const Workload& workload,
                   const std::vector<ReplaySink*>& sinks)
{
    // They hold references to themselves, and stay where they are.
    std::deque<SpoolReader> readers;
    // Of records of one time and address, which are of one process, the order is that of its spool.
    using Head = std::tuple<std::pair<Time, uint32_t>, std::size_t>;
    std::priority_queue<Head, std::vector<Head>, std::greater<>> heads;
    for (const auto& source : sources)
    {
        readers.emplace_back(source, workload);
        // A process that has kept nothing has no head.
        if (readers.back().Next())
        {
            heads.emplace(readers.back().GetKey(), readers.size() - 1);
        }
    }
    // The earliest record of all spools is told next.
    while (!heads.empty())
    {
        const auto next = std::get<1>(heads.top());
        heads.pop();
        readers[next].Tell(sinks);
        if (readers[next].Next())
        {
            heads.emplace(readers[next].GetKey(), next);
        }
    }
}

} // namespace ns3
