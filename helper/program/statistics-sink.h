/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef STATISTICS_SINK_H
#define STATISTICS_SINK_H

#include "ns3/replay-sink.h"
#include "ns3/replay-statistics.h"
#include "ns3/workload.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Tells statistics, of all ranks and of the jobs that they belong to, what several processes
 * have seen. Messages are left out: they are counted where they arrive.
 */
class StatisticsSink : public ReplaySink
{
  public:
    /**
     * @param all statistics of all ranks; must outlive this
     */
    explicit StatisticsSink(ReplayStatistics& all)
        : m_all(all)
    {
    }

    /**
     * @param job statistics of the next job; must outlive this
     */
    void AddJob(ReplayStatistics& job)
    {
        m_jobs.push_back(&job);
    }

    void AddOp(const OpRecord& /* record */) override
    {
    }

    void AddCollective(const CollectiveRecord& record) override
    {
        m_all.AddCollective(record);
        if (auto* job = FindJob(record.rank))
        {
            job->AddCollective(record);
        }
    }

    void AddIteration(const IterationRecord& record) override
    {
        m_all.AddIteration(record);
        if (auto* job = FindJob(record.rank))
        {
            job->AddIteration(record);
        }
    }

    void AddMessage(const Message& /* message */, Time /* arrival */) override
    {
    }

  private:
    /**
     * @param rank a rank
     * @return statistics of its job; null = there is one job, or it belongs to none
     */
    ReplayStatistics* FindJob(uint32_t rank) const
    {
        const auto job = m_all.GetWorkload().GetJobRank(rank).job;
        return job < m_jobs.size() ? m_jobs[job] : nullptr;
    }

    ReplayStatistics& m_all;               //!< of all ranks
    std::vector<ReplayStatistics*> m_jobs; //!< by job
};

} // namespace ns3

#endif /* STATISTICS_SINK_H */
