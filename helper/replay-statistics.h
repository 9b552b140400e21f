/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef REPLAY_STATISTICS_H
#define REPLAY_STATISTICS_H

#include "ns3/application-container.h"
#include "ns3/message-transport.h"
#include "ns3/nstime.h"
#include "ns3/port-isolation.h"
#include "ns3/ptr.h"
#include "ns3/replay-records.h"
#include "ns3/workload.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Where the time of a rank went, over all iterations it has finished.
 */
struct RankStatistics
{
    uint32_t iterations{0};                             //!< iterations finished
    Time start;                                         //!< when the rank began the first one
    Time end;                                           //!< when it finished the last one
    Time compute;                                       //!< time in which the compute stream worked
    std::array<Time, N_DIMENSIONS> exposed;             //!< see IterationRecord
    Time bubble;                                        //!< see IterationRecord
    std::array<Time, N_DIMENSIONS> hidden;              //!< see IterationRecord
    WorkloadProgram::OpIndex longestWaitOp{UINT32_MAX}; //!< see IterationRecord, over all of them
    Time longestWait;                                   //!< how long that wait was
};

/**
 * @ingroup workload-replay
 * @brief Collectives that are counted together.
 */
struct CollectiveClass
{
    Dimension dimension{}; //!< dimension of the communicator
    CollectiveKind kind{}; //!< what was done
    std::string algorithm; //!< name of the algorithm
    uint64_t bytes{0};     //!< bytes as CollectiveKind counts them
    uint32_t ranks{0};     //!< members of the communicator

    /**
     * @param other another class
     * @return true if this one comes first in reports
     */
    bool operator<(const CollectiveClass& other) const;
};

/**
 * @ingroup workload-replay
 * @brief How long the collectives of a class took, from the first call to the last end.
 */
struct CollectiveStatistics
{
    uint64_t count{0}; //!< collectives, each counted once for all its members
    Time total;        //!< sum of their times
    Time max;          //!< the longest one

    /**
     * @return mean time, s; 0 = none took any time
     */
    double GetMeanSeconds() const;
};

/**
 * @ingroup workload-replay
 * @brief What bytes over time is multiplied by to get the bus bandwidth of nccl-tests
 *        (doc/PERFORMANCE.md).
 *
 * 2 (N - 1) / N for all-reduce; (N - 1) / N for all-gather, reduce-scatter, all-to-all, gather and
 * scatter; 1 for shift, broadcast and reduce; 0 for a barrier, which has no bytes.
 *
 * @param kind the kind of collective
 * @param ranks number of members
 * @return the factor
 */
double GetBusBandwidthFactor(CollectiveKind kind, uint32_t ranks);

/**
 * @ingroup workload-replay
 * @brief Bus bandwidth as nccl-tests defines it: what the busiest link of an ideal algorithm would
 *        carry, comparable to link rates whatever the number of ranks.
 *
 * Bytes over mean time, times GetBusBandwidthFactor().
 *
 * @param key the class
 * @param statistics its collectives
 * @return bytes per second; 0 = no time was taken
 */
double GetBusBandwidth(const CollectiveClass& key, const CollectiveStatistics& statistics);

/**
 * @ingroup workload-replay
 * @brief The account of a rank in nanoseconds.
 *
 * The parts add up exactly to the time of all iterations. Simulated times may be finer than a
 * nanosecond, so the parts are not rounded one by one: laid end to end in the order of the members
 * below, the boundaries between them are rounded, and each part is what lies between its two
 * boundaries. No part is off by a nanosecond or more.
 */
struct RankAccount
{
    int64_t compute{0};                        //!< ns
    std::array<int64_t, N_DIMENSIONS> exposed; //!< ns, by Dimension
    int64_t bubble{0};                         //!< ns
    int64_t idle{0};                           //!< ns in which other ranks were still at work
    std::array<int64_t, N_DIMENSIONS> hidden;  //!< ns, by Dimension, rounded one by one, since they
                                               //!< are no part of the sum
    int64_t end{0};                            //!< ns from the start of the replay to its end
};

/**
 * @ingroup workload-replay
 * @brief When the members of a collective called it and were done with it.
 */
struct CollectiveSpan
{
    uint32_t members{0}; //!< members that are done with it
    Time firstArrival;   //!< when the first of them called it
    Time lastArrival;    //!< when the last of them called it
    Time end;            //!< when the last of them was done

    /**
     * @return time from the first call to the last end
     */
    Time GetDuration() const;
};

/**
 * @ingroup workload-replay
 * @brief Puts together what the members of collectives report.
 *
 * Memory is kept for the collectives only that some but not all members are done with.
 */
class CollectiveSpans
{
  public:
    /**
     * @param workload the job
     */
    explicit CollectiveSpans(std::shared_ptr<const Workload> workload);

    /**
     * @param record a collective that a member is done with
     * @return the whole of it if the member was the last one
     */
    std::optional<CollectiveSpan> Add(const CollectiveRecord& record);

  private:
    std::shared_ptr<const Workload> m_workload;                     //!< the job
    std::map<std::pair<uint32_t, uint32_t>, CollectiveSpan> m_open; //!< by communicator, sequence
};

/**
 * @ingroup workload-replay
 * @brief Messages that are counted together.
 */
struct MessageTotals
{
    uint64_t count{0}; //!< messages
    uint64_t bytes{0}; //!< their payload, bytes

    /**
     * @param other others
     * @return this, with both
     */
    MessageTotals& operator+=(const MessageTotals& other)
    {
        count += other.count;
        bytes += other.bytes;
        return *this;
    }

    /**
     * @param record what is visited, const or not
     * @param visit is given each member
     */
    template <typename R, typename V>
    static void Visit(R& record, const V& visit)
    {
        visit(record.count);
        visit(record.bytes);
    }
};

/**
 * @ingroup workload-replay
 * @brief Listens to the ranks of a replay and adds up what the reports give.
 *
 * Memory does not grow with the length of the run: it is kept per rank, per iteration, per class of
 * collectives, and for the collectives that some but not all members have finished.
 */
class ReplayStatistics
{
  public:
    /// Statistics of collectives by class.
    using CollectiveTable = std::map<CollectiveClass, CollectiveStatistics>;

    /**
     * @param workload the job whose ranks are listened to
     */
    explicit ReplayStatistics(std::shared_ptr<const Workload> workload);

    /**
     * Listen to one of several jobs, in whose numbers the ranks are then counted.
     *
     * @param merged what MergeJobs() has made of them
     * @param job index of the job
     */
    ReplayStatistics(std::shared_ptr<const Workload> merged, uint32_t job);

    /**
     * Listen to ranks. This object must outlive the simulation.
     *
     * @param applications applications of ReplayHelper
     */
    void ConnectApplications(const ApplicationContainer& applications);

    /**
     * Listen to transports. This object must outlive the simulation.
     *
     * @param transports transports of ranks, or of NVSwitches that take part in collectives; null
     *                   ones are left out
     */
    void ConnectTransports(const std::vector<Ptr<MessageTransport>>& transports);

    /**
     * @param record an iteration that a rank has finished
     */
    void AddIteration(const IterationRecord& record);

    /**
     * @param record a collective that a member has finished
     */
    void AddCollective(const CollectiveRecord& record);

    /**
     * @param messages the first one of some that have arrived, with the bytes of all
     * @param count how many
     */
    void AddMessages(const Message& messages, uint64_t count);

    /**
     * Count messages that were not sent, see CollectiveReuse.
     *
     * @param communicator id of their communicator
     * @param messages the messages
     */
    void AddSkipped(uint32_t communicator, const PortIsolation::MessageGroup& messages);

    /**
     * Add messages that somebody else has listened to.
     *
     * @param all what has arrived anywhere
     * @param ranks what of it has arrived at ranks
     */
    void AddTotals(const MessageTotals& all, const MessageTotals& ranks);

    /**
     * @return the job
     */
    const Workload& GetWorkload() const;

    /**
     * @return the job and those beside it, whose ranks are listened to
     */
    const std::shared_ptr<const Workload>& ShareWorkload() const;

    /**
     * @return number of ranks
     */
    uint32_t GetNRanks() const;

    /**
     * @param rank a rank
     * @return its statistics; all 0 if it has not finished an iteration
     */
    const RankStatistics& GetRank(uint32_t rank) const;

    /**
     * @return statistics of the collectives that all members have finished
     */
    const CollectiveTable& GetCollectives() const;

    /**
     * @return true if some rank has finished an iteration
     */
    bool HasIterations() const;

    /**
     * @return messages that have arrived at ranks or NVSwitches
     */
    const MessageTotals& GetMessages() const;

    /**
     * @return those of them that have arrived at ranks, but for background traffic
     */
    const MessageTotals& GetRankMessages() const;

    /**
     * An iteration lasts from the end of the one before, on the rank that ended it last, to its own
     * end, on the rank that ends it last; so the times of all iterations add up to the whole.
     *
     * @return time of each iteration that all ranks have finished
     */
    std::vector<Time> GetIterationTimes() const;

    /**
     * @return time from the first start of a rank to the last end of an iteration on any rank
     */
    Time GetTotalTime() const;

    /**
     * @param rank a rank
     * @return time in which it had nothing to do while others were at work
     */
    Time GetIdleTime(uint32_t rank) const;

    /**
     * @param rank a rank
     * @return its account in whole nanoseconds
     */
    RankAccount GetAccount(uint32_t rank) const;

  private:
    /// An iteration of all ranks.
    struct IterationEnd
    {
        uint32_t ranks{0}; //!< ranks that have finished it
        Time end;          //!< when the last one so far did
    };

    std::shared_ptr<const Workload> m_workload; //!< the job
    std::shared_ptr<const Workload> m_merged;   //!< it and those beside it; the job if it is alone
    std::map<uint32_t, RankStatistics> m_ranks; //!< of those that have finished an iteration
    Time m_start{Time::Max()};                  //!< when the first rank began; Max() = none has
    std::vector<IterationEnd> m_iterations;     //!< by iteration
    CollectiveSpans m_spans;                    //!< not yet whole
    CollectiveTable m_collectives;              //!< by class
    MessageTotals m_messages;                   //!< arrived anywhere
    MessageTotals m_rankMessages;               //!< arrived at ranks
};

/**
 * @ingroup workload-replay
 * @brief Round times so that their sum is the rounded sum of the times; see RankAccount.
 *
 * @param picoseconds times, ps, not negative
 * @return each in nanoseconds
 */
std::vector<int64_t> RoundToNanoseconds(const std::vector<int64_t>& picoseconds);

} // namespace ns3

#endif /* REPLAY_STATISTICS_H */
