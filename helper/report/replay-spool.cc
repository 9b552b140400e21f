/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replay-spool.h"

#include "ns3/abort.h"
#include "ns3/byte-record.h"

#include <cerrno>
#include <cstring>
#include <deque>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>

namespace ns3
{

namespace
{

/// Bytes from which on a block is written.
constexpr std::size_t BLOCK_BYTES = 256 * 1024;

/// What a record is about.
enum class RecordKind : uint8_t
{
    OP,
    COLLECTIVE,
    ITERATION,
    MESSAGE
};

/// What a record begins with.
struct RecordHead
{
    RecordKind kind{};   //!< what the record is about
    Time time;           //!< when that happened
    uint32_t address{0}; //!< where

    /**
     * @param record the head, const or not
     * @param visit is given each member
     */
    template <typename R, typename V>
    static void Visit(R& record, const V& visit)
    {
        visit(record.kind);
        visit(record.time);
        visit(record.address);
    }
};

/**
 * @param message a message, const or not
 * @param visit what to do with each of its members that reports have
 */
template <typename M, typename V>
void
VisitReported(M& message, const V& visit)
{
    visit(message.source);
    visit(message.destination);
    visit(message.group);
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
        RecordReader{*m_reader}(m_head);
        return true;
    }

    /**
     * @return what the records of all processes are ordered by: time and address
     */
    std::pair<Time, uint32_t> GetKey() const
    {
        return {m_head.time, m_head.address};
    }

    /**
     * @param sinks what is notified of the record
     */
    void Tell(const std::vector<ReplaySink*>& sinks)
    {
        const RecordReader read{*m_reader};
        switch (m_head.kind)
        {
        case RecordKind::OP: {
            OpRecord record;
            read(record);
            // A pointer is of one process: the program is found again by the rank.
            record.program = &m_workload.GetProgram(record.rank);
            TellAll(sinks, [&record](ReplaySink& sink) { sink.AddOp(record); });
            break;
        }
        case RecordKind::COLLECTIVE: {
            CollectiveRecord record;
            read(record);
            TellAll(sinks, [&record](ReplaySink& sink) { sink.AddCollective(record); });
            break;
        }
        case RecordKind::ITERATION: {
            IterationRecord record;
            read(record);
            TellAll(sinks, [&record](ReplaySink& sink) { sink.AddIteration(record); });
            break;
        }
        case RecordKind::MESSAGE: {
            Message message;
            VisitReported(message, read);
            TellAll(sinks, [&](ReplaySink& sink) { sink.AddMessage(message, m_head.time); });
            break;
        }
        }
    }

  private:
    /**
     * @param sinks sinks
     * @param tell reports one of them
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
    RecordHead m_head;                    //!< what the present record begins with
};

} // namespace

ReplaySpool::ReplaySpool()
    : m_file(std::tmpfile()),
      m_fault(m_file ? "" : std::strerror(errno))
{
}

void
ReplaySpool::AddOp(const OpRecord& record)
{
    const RecordWriter write{m_held};
    write(RecordHead{RecordKind::OP, record.end, record.rank});
    write(record);
    WriteIfFull();
}

void
ReplaySpool::AddCollective(const CollectiveRecord& record)
{
    const RecordWriter write{m_held};
    write(RecordHead{RecordKind::COLLECTIVE, record.end, record.rank});
    write(record);
    WriteIfFull();
}

void
ReplaySpool::AddIteration(const IterationRecord& record)
{
    const RecordWriter write{m_held};
    write(RecordHead{RecordKind::ITERATION, record.end, record.rank});
    write(record);
    WriteIfFull();
}

void
ReplaySpool::AddMessage(const Message& message, Time arrival)
{
    const RecordWriter write{m_held};
    write(RecordHead{RecordKind::MESSAGE, arrival, message.destination});
    VisitReported(message, write);
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
    // After the first fault nothing more is written, and the reason of that fault is kept.
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
    // The earliest record of all spools is reported next.
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
