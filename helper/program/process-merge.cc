/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "process-merge.h"

#include "process-agreement.h"
#include "process-group.h"
#include "statistics-sink.h"

#include "ns3/byte-buffer.h"
#include "ns3/rdma-fabric-helper.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace ns3
{

void
MergeProcesses(ReplayPart& part,
               NetworkedJob& job,
               BackgroundRun* background,
               ReplaySpool& spool,
               ReplayFiles* files)
{
    const auto fault = spool.Finish();
    Agree(fault.empty() ? ""
                        : "error: expected a temporary file for what ranks have done: " + fault,
          {});
    ByteWriter writer;
    part.Write(writer);
    if (background)
    {
        background->Write(writer);
    }
    if (part.series)
    {
        part.series->Write(writer);
    }
    const auto all = ProcessGroup::Gather(writer.GetBytes());
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
        // In the order of the writes above.
        ByteReader reader(all[process]);
        ReplayPart other;
        other.Read(reader, *workload);
        part.Add(other);
        if (background)
        {
            background->Add(reader);
        }
        if (part.series)
        {
            part.series->Merge(reader);
        }
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
    ByteWriter writer;
    for (const auto& [link, node] : fabric.FindUnmarkedPorts())
    {
        writer.Put(link);
        writer.Put(node);
    }
    std::vector<std::pair<uint32_t, uint32_t>> ports;
    for (const auto& bytes : ProcessGroup::Gather(writer.GetBytes()))
    {
        for (ByteReader reader(bytes); !reader.IsAtEnd();)
        {
            const auto link = reader.Get<uint32_t>();
            ports.emplace_back(link, reader.Get<uint32_t>());
        }
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
