/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "flow-list.h"

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

void
FlowList::CheckEnds(const Flow& flow, const SourceLocation& where)
{
    if (flow.source == flow.destination)
    {
        throw WorkloadError(where,
                            "a flow between two hosts",
                            "one from host " + std::to_string(flow.source) + " to itself");
    }
}

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

void
NumberByHost(FlowList& list, const std::vector<uint32_t>& hosts)
{
    for (auto& flow : list.flows)
    {
        for (auto* end : {&flow.source, &flow.destination})
        {
            // Hosts are sorted by node: their place is their rank.
            const auto found = std::lower_bound(hosts.begin(), hosts.end(), *end);
            if (found == hosts.end() || *found != *end)
            {
                throw WorkloadError({list.file, flow.line, 0, ""},
                                    "flows between the " + std::to_string(hosts.size()) +
                                        " hosts of the topology, by the numbers of their nodes",
                                    "node " + std::to_string(*end) + ", which is none");
            }
            *end = static_cast<uint32_t>(found - hosts.begin());
        }
    }
    list.byNode = false;
    list.hosts = static_cast<uint32_t>(hosts.size());
}

std::vector<BackgroundFlow>
MakeBackgroundFlows(const FlowList& list)
{
    std::vector<BackgroundFlow> flows;
    for (const auto& flow : list.flows)
    {
        if (flow.trigger)
        {
            throw WorkloadError({list.file, flow.line, 0, ""},
                                "flows that begin at a time (with triggers it is a workload: "
                                "--workload=" +
                                    list.file + ")",
                                "trigger " + std::to_string(*flow.trigger));
        }
        flows.push_back({flow.start, flow.source, flow.destination, flow.bytes});
    }
    // Background is sent in order of time; equal starts keep the order of the file.
    std::stable_sort(flows.begin(), flows.end(), [](const auto& a, const auto& b) {
        return a.start < b.start;
    });
    const auto idle = list.startsLate ? flows.front().start : Time();
    for (auto& flow : flows)
    {
        flow.start -= idle;
    }
    return flows;
}

} // namespace ns3
