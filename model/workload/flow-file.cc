/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "flow-file.h"

#include "ns3/input-table.h"
#include "ns3/input-values.h"
#include "ns3/workload-error.h"
#include "ns3/workload-text.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// Columns that are read, in the order of Column.
const std::vector<std::string> COLUMNS{"src_rank", "dst_rank", "bytes", "start_ns"};

/// Columns that flows.csv has besides, and that say nothing of what is sent. That of several jobs
/// has a column job, whose ranks are not hosts.
const std::vector<std::string> OTHERS{"communicator", "channel", "end_ns", "ideal_ns", "path"};

/// The columns by their index in COLUMNS.
enum Column : std::size_t
{
    SOURCE,      //!< host
    DESTINATION, //!< host
    BYTES,       //!< payload
    START        //!< ns
};

/// Latest start, ns: a million seconds, which ns3::Time can count in picoseconds.
constexpr uint64_t MAX_START = 1000000000000000ULL;

} // namespace

std::vector<BackgroundFlow>
ReadFlowFile(const std::string& file, uint32_t hosts)
{
    const WorkloadText text(file);
    const InputTable table(text, {"flows.csv of one job", ',', COLUMNS, OTHERS});
    std::vector<BackgroundFlow> flows;
    for (std::size_t row = 0; row < table.GetNRows(); ++row)
    {
        const auto fields = table.Read(row);
        BackgroundFlow flow;
        flow.source = static_cast<uint32_t>(ParseNumber(fields[SOURCE], 0, hosts - 1));
        const auto& destination = fields[DESTINATION];
        flow.destination = static_cast<uint32_t>(ParseNumber(destination, 0, hosts - 1));
        if (flow.source == flow.destination)
        {
            throw WorkloadError(destination.where,
                                "another host than the source",
                                Quoted(destination.text));
        }
        flow.bytes = ParseNumber(fields[BYTES], 1, 1ULL << 50);
        const auto start = ParseNumber(fields[START], 0, MAX_START);
        flow.start = NanoSeconds(static_cast<int64_t>(start));
        flows.push_back(flow);
    }
    // Flows that start together stay in the order of the file.
    std::stable_sort(flows.begin(), flows.end(), [](const auto& a, const auto& b) {
        return a.start < b.start;
    });
    return flows;
}

} // namespace ns3
