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
     * @return the next part of what was kept, from the beginning on, whole records; empty = there
     *         is no more, or it could not be kept, see HasFailed()
     */
    std::string ReadBlock();

    /**
     * @return whether the disk was full or gone
     */
    bool HasFailed() const;

    /// Brings the next part of what a process has kept; empty = there is no more.
    using BlockSource = std::function<std::string()>;

    /**
     * Tell a sink what several processes have kept, as if one had seen it all.
     *
     * @param sources what they have kept, by process
     * @param workload what was replayed
     * @param sinks what is told
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
    bool m_isReading{false};                   //!< all is written
    bool m_hasFailed{false};                   //!< something could not be written or read
};

} // namespace ns3

#endif /* REPLAY_SPOOL_H */
