/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "flow-list-reader.h"

#include "connection-matrix.h"

#include "ns3/foreign-file.h"
#include "ns3/input-values.h"
#include "ns3/workload-text.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

namespace
{

/**
 * @param text a flow list of HPCC or conweave
 * @param line a line with a flow
 * @return the flow
 */
FlowList::Flow
ParseHpccFlow(const WorkloadText& text, const WorkloadText::Line& line)
{
    const auto fields = text.SplitWords(line);
    // Files of conweave have no port.
    const auto columns = fields.size();
    if (columns != 5 && columns != 6)
    {
        throw WorkloadError(text.Locate(line, 0),
                            "source, destination, priority group, port (not in files of "
                            "conweave), bytes and start of a flow",
                            std::to_string(columns) + " fields");
    }
    FlowList::Flow flow;
    // Hosts are numbered from 0.
    const auto most = FlowList::MAX_HOSTS - 1;
    flow.source = static_cast<uint32_t>(ParseNumber(fields[0], 0, most));
    flow.destination = static_cast<uint32_t>(ParseNumber(fields[1], 0, most));
    // Bytes and start are the last two columns, with a port or without.
    flow.bytes = ParseNumber(fields[columns - 2], 1, FlowList::MAX_BYTES);
    const auto seconds = ParseNonNegative(fields[columns - 1], "a start, s");
    if (seconds > FlowList::LATEST_START)
    {
        throw WorkloadError(fields[columns - 1], "a start, s, of at most 1000000");
    }
    // To the picosecond, the finest that ns3::Time has here.
    flow.start = PicoSeconds(std::llround(seconds * 1e12));
    flow.line = line.number;
    FlowList::CheckEnds(flow, fields[0].where);
    return flow;
}

/**
 * @param text a flow list of HPCC or conweave
 * @return its flows
 */
FlowList
ReadHpccFlows(const WorkloadText& text)
{
    FlowList list;
    // Numbers are those of nodes, see NumberByHost().
    list.byNode = true;
    // Files of these simulators have their first flows at 2 s or so.
    list.startsLate = true;
    const auto& lines = text.GetLines();
    const auto count = ParseNumber(text.SplitWords(lines.front()).front(), 1, UINT32_MAX);
    // The first line is the count.
    const auto given = std::min<uint64_t>(count, lines.size() - 1);
    for (std::size_t i = 1; i <= given; ++i)
    {
        const auto flow = ParseHpccFlow(text, lines[i]);
        // The file does not say how many hosts there are.
        list.hosts = std::max({list.hosts, flow.source + 1, flow.destination + 1});
        list.flows.push_back(flow);
    }
    if (given < count)
    {
        throw WorkloadError({text.GetFile(), lines.back().number + 1, 1, ""},
                            std::to_string(count) + " flows, as the first line says",
                            std::to_string(given));
    }
    const auto left = lines.size() - 1 - given;
    if (left > 0)
    {
        list.notes.push_back("the first line of " + text.GetFile() + " says " +
                             std::to_string(count) + " flows; " + std::to_string(left) +
                             " lines behind them were left");
    }
    return list;
}

} // namespace

bool
IsFlowList(const std::string& file)
{
    const auto kind = FindForeignFile(file);
    return kind == ForeignFile::HPCC_FLOWS || kind == ForeignFile::HTSIM_FLOWS;
}

FlowList
ReadFlowList(const std::string& file)
{
    const WorkloadText text(file, {ForeignFile::HPCC_FLOWS, ForeignFile::HTSIM_FLOWS});
    auto list = FindForeignFile(file) == ForeignFile::HTSIM_FLOWS ? ReadConnectionMatrix(text)
                                                                  : ReadHpccFlows(text);
    list.file = file;
    return list;
}

} // namespace ns3
