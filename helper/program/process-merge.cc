/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "process-merge.h"

#include "process-agreement.h"
#include "process-group.h"

#include "ns3/byte-record.h"
#include "ns3/rdma-fabric-helper.h"
#include "ns3/replay-sink.h"
#include "ns3/replay-statistics.h"
#include "ns3/workload.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @brief Reports to statistics, of all ranks and of the jobs that they belong to, what several
 * processes have seen. Messages are left out: they are counted where they arrive.
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

/**
 * @param part what this process reports
 * @param background what it has seen of traffic beside the jobs; null = there is none
 * @return the bytes of both, and of what was seen over time
 */
std::string
WriteOwn(const ReplayPart& part, const BackgroundRun* background)
{
    ByteWriter writer;
    const RecordWriter write{writer};
    write(part);
    if (background)
    {
        write(background->GetFlows());
    }
    if (part.series)
    {
        part.series->Write(writer);
    }
    return writer.GetBytes();
}

/**
 * @param bytes what WriteOwn() has returned in another process
 * @param workload says what jobs call the ranks
 * @param [in,out] part receives what that process reports
 * @param [in,out] background likewise; null = there is none
 */
void
AddOther(const std::string& bytes,
         const Workload& workload,
         ReplayPart& part,
         BackgroundRun* background)
{
    ByteReader reader(bytes);
    const RecordReader read{reader};
    ReplayPart other;
    read(other);
    // A pointer does not travel: the waits of another process refer to the workload of this one.
    for (auto& wait : other.waits)
    {
        wait.workload = &workload;
    }
    part.Add(other);
    if (background)
    {
        BackgroundStatistics::Flows flows;
        read(flows);
        background->Add(flows);
    }
    if (part.series)
    {
        part.series->Merge(reader);
    }
}

} // namespace

void
MergeProcesses(ReplayPart& part,
               NetworkedJob& job,
               BackgroundRun* background,
               ReplaySpool& spool,
               ReplayFiles* files)
{
    const auto fault = spool.Finish();
    // Before anything is gathered, since a process that stops here would leave the others waiting.
    Agree(fault.empty() ? ""
                        : "error: expected a temporary file for what ranks have done: " + fault,
          {});
    const auto all = ProcessGroup::Gather(WriteOwn(part, background));
    const auto& workload = job.statistics->ShareWorkload();
    // Blocks go to the first process one by one, an empty one last.
    if (!ProcessGroup::IsFirst())
    {
        std::string block;
        do
        {
            block = spool.ReadBlock();
            ProcessGroup::SendToFirst(block);
        } while (!block.empty());
        return;
    }
    std::vector<ReplaySpool::BlockSource> sources{[&spool] { return spool.ReadBlock(); }};
    for (uint32_t process = 1; process < all.size(); ++process)
    {
        AddOther(all[process], *workload, part, background);
        sources.emplace_back([process] { return ProcessGroup::ReceiveFrom(process); });
    }
    // Made anew of the records of all processes, its own included.
    job.statistics = std::make_shared<ReplayStatistics>(workload);
    job.statistics->AddTotals(part.messages, part.rankMessages);
    StatisticsSink sink(*job.statistics);
    for (uint32_t i = 0; i < job.jobStatistics.size(); ++i)
    {
        job.jobStatistics[i] = std::make_shared<ReplayStatistics>(workload, i);
        sink.AddJob(*job.jobStatistics[i]);
    }
    std::vector<ReplaySink*> sinks{&sink};
    if (files)
    {
        sinks.push_back(files);
    }
    ReplaySpool::Merge(sources, *workload, sinks);
}

std::vector<std::string>
GatherFabricWarnings(const ReplayFabric& fabric, const TopologyGraph& graph)
{
    using Ports = std::vector<std::pair<uint32_t, uint32_t>>;
    Ports ports;
    for (const auto& bytes : ProcessGroup::Gather(WriteRecord(fabric.FindUnmarkedPorts())))
    {
        const auto own = ReadRecord<Ports>(bytes);
        ports.insert(ports.end(), own.begin(), own.end());
    }
    // The order in which one process finds them: by link, its end a first.
    std::sort(ports.begin(), ports.end(), [&graph](const auto& a, const auto& b) {
        const auto isAtB = [&graph](const auto& port) {
            return graph.GetLink(port.first).b == port.second;
        };
        return std::make_pair(a.first, isAtB(a)) < std::make_pair(b.first, isAtB(b));
    });
    auto warnings = RdmaFabricHelper::DescribeUnmarkedPorts(ports, graph);
    const auto others = fabric.Describe().warnings;
    warnings.insert(warnings.end(), others.begin(), others.end());
    return warnings;
}

} // namespace ns3
