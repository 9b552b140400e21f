/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef REPLAY_FIGURES_H
#define REPLAY_FIGURES_H

#include "replay-result.h"

#include "ns3/nstime.h"
#include "ns3/replay-statistics.h"
#include "ns3/workload.h"

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A figure of a replay, for the report and for summary.json alike.
 *
 * In the report a figure is a cell of a table, or a part of a sentence with the words beside it.
 * Where the two have another order, one figure stands for each.
 */
struct Figure
{
    /// A value as summary.json has it.
    using Value = std::variant<std::string, uint64_t, int64_t, double>;

    std::string key;   //!< name in summary.json, with its unit; empty = not there
    std::string label; //!< heading in a table of the report, with its unit; empty = in no table
    Value value;       //!< value in summary.json
    std::string text;  //!< what the report has; empty = nothing
};

/// Figures that belong together, in the order of summary.json and of the report.
using Figures = std::vector<Figure>;

/**
 * @ingroup workload-replay
 * @brief Where a part of the time of ranks went.
 */
struct TimePart
{
    std::string key;       //!< name in summary.json; empty = not there
    std::string dimension; //!< name in the object of that name; empty = there is no such object
    std::string label;     //!< name in the report
    bool isAlways{false};  //!< the report has it, whether or not there is any

    /// Gives the part of a rank.
    std::function<Time(uint32_t rank)> getTime;

    /// Gives it in ns, rounded so that what has a key adds up.
    std::function<int64_t(const RankAccount& account)> getNanoseconds;
};

/**
 * @ingroup workload-replay
 * @param workload a job
 * @return what it is, a sentence in the report
 */
Figures ListWorkload(const Workload& workload);

/**
 * @ingroup workload-replay
 * @param fabric what ranks run on
 * @return the same, a sentence in the report
 */
Figures ListFabric(const FabricDescription& fabric);

/**
 * @ingroup workload-replay
 * @param statistics what ranks did
 * @return the parts of their time: computing, waiting by dimension, bubbles, idle time, and, beside
 *         all these, communication behind computation by dimension; summary.json has the dimension
 *         world only if some rank waited for it, as few jobs have it
 */
std::vector<TimePart> ListTimeParts(const ReplayStatistics& statistics);

/**
 * @ingroup workload-replay
 * @param key a class of collectives
 * @param entry how long they took
 * @return the same, a row of a table in the report
 */
Figures ListCollective(const CollectiveClass& key, const CollectiveStatistics& entry);

/**
 * @ingroup workload-replay
 * @param result a result
 * @return what the network did, and in the report a sentence of what was lost and sent again
 */
Figures ListNetwork(const ReplayResult& result);

/**
 * @ingroup workload-replay
 * @param background how long background flows took
 * @return the same, a row of a table in the report
 */
Figures ListBackground(const BackgroundTotals& background);

/**
 * @ingroup workload-replay
 * @param result a result
 * @return what the replay cost, a sentence in the report
 */
Figures ListRun(const ReplayResult& result);

/**
 * @ingroup workload-replay
 * @param run what a replay cost
 * @return what reuse of collectives has spared, a sentence in the report; empty = nothing was to be
 *         reused
 */
Figures ListReuse(const RunCost& run);

/**
 * @ingroup workload-replay
 * @param process what a replay cost one of several processes
 * @return the same; the report shows all together
 */
Figures ListProcess(const ProcessCost& process);

} // namespace ns3

#endif /* REPLAY_FIGURES_H */
