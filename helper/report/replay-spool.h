/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef REPLAY_SPOOL_H
#define REPLAY_SPOOL_H

#include "replay-sink.h"

#include "ns3/byte-buffer.h"
#include "ns3/workload.h"

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Keeps what a process has seen of a replay in a temporary file, for who puts together what
 * all have seen.
 */
class ReplaySpool : public ReplaySink
{
  public:
    ReplaySpool();

    void AddOp(const OpRecord& record) override;
    void AddCollective(const CollectiveRecord& record) override;
    void AddIteration(const IterationRecord& record) override;
    void AddMessage(const Message& message, Time arrival) override;

    /**
     * End the writing; no more records may be added.
     *
     * @return why not all of them could be kept, as where the disk is full; empty = they were
     */
    std::string Finish();

    /**
     * @return the next part of what was kept, from the beginning on, whole records; empty = there
     *         is no more. Aborts if what was written cannot be read
     */
    std::string ReadBlock();

    /// Brings the next part of what a process has kept; empty = there is no more.
    using BlockSource = std::function<std::string()>;

    /**
     * Report to a sink what several processes have kept, as if one had seen it all.
     *
     * @param sources what they have kept, by process
     * @param workload what was replayed
     * @param sinks what is notified
     */
    static void Merge(const std::vector<BlockSource>& sources,
                      const Workload& workload,
                      const std::vector<ReplaySink*>& sinks);

  private:
    /// Closes a file.
    struct Closer
    {
        /**
         * @param file the file
         */
        void operator()(std::FILE* file) const
        {
            std::fclose(file);
        }
    };

    /// Write what is held to the file if it is enough for a block.
    void WriteIfFull();

    /// Write what is held to the file.
    void WriteBlock();

    ByteWriter m_held;                         //!< what is not in the file yet
    std::unique_ptr<std::FILE, Closer> m_file; //!< blocks, each after its size
    std::string m_fault;                       //!< why something could not be written
};

} // namespace ns3

#endif /* REPLAY_SPOOL_H */
