/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "flow-file.h"

#include "ns3/input-values.h"
#include "ns3/workload-error.h"
#include "ns3/workload-text.h"

#include <algorithm>
#include <array>

namespace ns3
{

namespace
{

/// Columns that are needed, in the order of Column.
const std::vector<std::string> COLUMNS{"src_rank", "dst_rank", "bytes", "start_ns"};

/// Columns that flows.csv has besides, and that say nothing of what is sent.
const std::vector<std::string> OTHERS{"communicator", "channel", "end_ns", "ideal_ns", "path"};

/// The columns by their index in COLUMNS.
enum Column : std::size_t
{
    SOURCE,      //!< host
    DESTINATION, //!< host
    BYTES,       //!< payload
    START,       //!< ns
    N_COLUMNS    //!< number of columns
};

/// Where each column stands.
using Places = std::array<std::size_t, N_COLUMNS>;

/// Latest start, ns: a million seconds, which ns3::Time can count in picoseconds.
constexpr uint64_t MAX_START = 1000000000000000ULL;

/**
 * @param text the file
 * @return where its columns stand
 */
Places
ReadHeader(const WorkloadText& text)
{
    const auto& line = text.GetLines().front();
    const auto names = text.Split(line, ',');
    Places places;
    // The number of columns stands for a column that has not been found.
    places.fill(names.size());
    for (std::size_t i = 0; i < names.size(); ++i)
    {
        const auto& name = names[i].text;
        const auto found = std::find(COLUMNS.begin(), COLUMNS.end(), name) - COLUMNS.begin();
        if (static_cast<std::size_t>(found) < N_COLUMNS)
        {
            places[found] = i;
        }
        else if (std::count(OTHERS.begin(), OTHERS.end(), name) == 0)
        {
            throw WorkloadError(names[i].where,
                                name == "job" ? "flows of one job, whose hosts are its ranks"
                                              : "a column of flows.csv: " + JoinWords(COLUMNS) +
                                                    ", " + JoinWords(OTHERS),
                                Quoted(name),
                                NearestName(name, COLUMNS));
        }
    }
    for (std::size_t column = 0; column < N_COLUMNS; ++column)
    {
        if (places[column] == names.size())
        {
            throw WorkloadError(text.Locate(line, 0),
                                "the columns " + JoinWords(COLUMNS),
                                Quoted(line.text));
        }
    }
    return places;
}

} // namespace

std::vector<BackgroundFlow>
ReadFlowFile(const std::string& file, uint32_t hosts)
{
    const WorkloadText text(file);
    const auto places = ReadHeader(text);
    const auto columns = text.Split(text.GetLines().front(), ',').size();
    std::vector<BackgroundFlow> flows;
    for (std::size_t i = 1; i < text.GetLines().size(); ++i)
    {
        const auto& line = text.GetLines()[i];
        const auto fields = text.Split(line, ',');
        if (fields.size() != columns)
        {
            throw WorkloadError(text.Locate(line, 0),
                                std::to_string(columns) + " fields, as many as there are columns",
                                std::to_string(fields.size()));
        }
        BackgroundFlow flow;
        flow.source = static_cast<uint32_t>(ParseNumber(fields[places[SOURCE]], 0, hosts - 1));
        const auto& destination = fields[places[DESTINATION]];
        flow.destination = static_cast<uint32_t>(ParseNumber(destination, 0, hosts - 1));
        if (flow.source == flow.destination)
        {
            throw WorkloadError(destination.where,
                                "another host than the source",
                                Quoted(destination.text));
        }
        flow.bytes = ParseNumber(fields[places[BYTES]], 1, 1ULL << 50);
        const auto start = ParseNumber(fields[places[START]], 0, MAX_START);
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
