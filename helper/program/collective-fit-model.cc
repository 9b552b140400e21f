/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-fit-model.h"

#include "collective-bench-cluster.h"
#include "networked-job.h"

#include "ns3/config.h"
#include "ns3/input-values.h"
#include "ns3/replay-report.h"
#include "ns3/string.h"
#include "ns3/text-table.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// Size from which on calls take time in proportion to what they are longer by, bytes.
constexpr uint64_t LONG_CALL = uint64_t{256} << 20;

/**
 * @param table options
 * @param options what they set
 * @param values what a fabric sets
 */
void
AssignValues(const OptionTable& table,
             NetworkOptions& options,
             const std::vector<FabricSet::Value>& values)
{
    for (const auto& [name, text] : values)
    {
        if (table.Find(name) != nullptr)
        {
            table.Set(name, {{text, {"fit", 0, 0, name}}});
        }
        else
        {
            Config::SetDefault(name, StringValue(text));
        }
        options.fromFabric.insert(name);
    }
}

} // namespace

CollectiveFitModel::CollectiveFitModel(const CollectiveBenchOptions& options,
                                       const std::vector<CollectiveFitLog>& logs)
    : m_options(options),
      m_logs(logs),
      m_parameters(ListFitParameters(options))
{
    for (std::size_t log = 0; log < logs.size(); ++log)
    {
        for (const auto& [bytes, microseconds] : logs[log].times)
        {
            m_rows.push_back({log, bytes, microseconds});
        }
    }
}

const std::vector<CollectiveFitModel::Row>&
CollectiveFitModel::GetRows() const
{
    return m_rows;
}

const std::vector<FitParameter>&
CollectiveFitModel::GetParameters() const
{
    return m_parameters;
}

const CollectiveFitModel::Time&
CollectiveFitModel::Get(const LatticePoint& point, std::size_t row)
{
    // Searches that leave out a row meet the same points again.
    auto& times = m_times[point];
    auto found = times.find(row);
    if (found == times.end())
    {
        found = times.emplace(row, Extrapolate(point, {m_rows[row].log, m_rows[row].bytes})).first;
    }
    return found->second;
}

std::vector<LatticePoint>
CollectiveFitModel::ListWholePoints() const
{
    std::vector<LatticePoint> points;
    for (const auto& [point, times] : m_times)
    {
        if (times.size() == m_rows.size())
        {
            points.push_back(point);
        }
    }
    return points;
}

uint64_t
CollectiveFitModel::CountReplays() const
{
    return m_replays.size();
}

const CollectiveFitModel::Time&
CollectiveFitModel::FindReplay(const LatticePoint& point, const Size& size)
{
    auto found = m_replays.find({point, size});
    if (found == m_replays.end())
    {
        found = m_replays.emplace(std::pair(point, size), Replay(point, size)).first;
    }
    return found->second;
}

CollectiveFitModel::Time
CollectiveFitModel::Extrapolate(const LatticePoint& point, const Size& size)
{
    const auto [log, bytes] = size;
    // The first size is LONG_CALL; it doubles until the algorithm is the same at it and at half of
    // it.
    for (uint64_t most = LONG_CALL; most < bytes; most *= 2)
    {
        // Where the algorithm changes between the two, longer ones have to be used.
        const auto& longer = FindReplay(point, {log, most});
        const auto& shorter = FindReplay(point, {log, most / 2});
        if (longer.algorithm == shorter.algorithm)
        {
            // us per byte.
            const double slope =
                (longer.microseconds - shorter.microseconds) / static_cast<double>(most - most / 2);
            return {longer.microseconds + slope * static_cast<double>(bytes - most),
                    longer.algorithm};
        }
    }
    return FindReplay(point, size);
}

std::vector<FabricSet::Value>
CollectiveFitModel::MakeValues(const LatticePoint& point, const std::vector<bool>& which) const
{
    std::vector<FabricSet::Value> values;
    for (std::size_t i = 0; i < m_parameters.size(); ++i)
    {
        if (which[i])
        {
            const auto own = m_parameters[i].write(m_parameters[i].GetValue(point[i]));
            values.insert(values.end(), own.begin(), own.end());
        }
    }
    return values;
}

const CollectiveFitModel::Job&
CollectiveFitModel::FindJob(const LatticePoint& point, std::size_t log)
{
    if (!m_job || m_job->point != point || m_job->log != log)
    {
        // The same way as --fabric=FILE.json takes, so that the file gives the same times.
        auto options = m_options;
        options.kind = m_logs[log].kind;
        options.ranks = m_logs[log].ranks;
        options.servers = m_logs[log].servers;
        AssignValues(CreateCollectiveBenchOptionTable(options),
                     options,
                     MakeValues(point, std::vector<bool>(point.size(), true)));
        auto cluster = BuildCollectiveBenchCluster(options);
        m_job = Job{point, log, std::move(options), std::move(cluster)};
    }
    return *m_job;
}

CollectiveFitModel::Time
CollectiveFitModel::Replay(const LatticePoint& point, const Size& size)
{
    const auto& job = FindJob(point, size.first);
    const auto run = SimulateCollective(job.options, job.cluster, size.second);
    if (!run.reasons.empty() || run.microseconds <= 0)
    {
        throw WorkloadError({m_logs[size.first].file, 0, 0, ""},
                            "rows that can be replayed on the fabric " + m_options.fabricSet,
                            FormatCount(size.second, "byte") + ", which " +
                                (run.reasons.empty() ? "takes no time" : run.reasons.front()));
    }
    return {run.microseconds, run.algorithm};
}

} // namespace ns3
