/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "time-series.h"

#include "csv-file.h"
#include "text-table.h"

#include "ns3/assert.h"
#include "ns3/byte-record.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace ns3
{

namespace
{

/**
 * @param kind what a series is of
 * @return its name in the file
 */
std::string
GetName(TimeSeries::Kind kind)
{
    switch (kind)
    {
    case TimeSeries::Kind::LINK:
        return "link";
    case TimeSeries::Kind::LINKS:
        return "links";
    case TimeSeries::Kind::QUEUE_PAIR:
        return "queue-pair";
    }
    return "";
}

/// Adds a number to another.
const auto ADD = [](auto& to, const auto& from) { to += from; };

/**
 * @param [in,out] to a port, or several of a group
 * @param from another port of the group, in the same interval
 */
void
AddPort(SeriesSample& to, const SeriesSample& from)
{
    SeriesSample::VisitSums(ADD, to, from);
    SeriesSample::VisitStates(ADD, to, from);
    // The largest queue of one port: several ports may have had theirs at different times.
    to.maxQueue = std::max(to.maxQueue, from.maxQueue);
}

/**
 * @param first an interval
 * @param second the one after it
 * @return both as one
 */
SeriesSample
Join(const SeriesSample& first, const SeriesSample& second)
{
    // Queues, limits and windows are those at the end.
    SeriesSample both = second;
    SeriesSample::VisitSums(ADD, both, first);
    both.maxQueue = std::max(first.maxQueue, second.maxQueue);
    return both;
}

} // namespace

bool
TimeSeries::Key::operator<(const Key& other) const
{
    return std::tie(kind, number, from, to) <
           std::tie(other.kind, other.number, other.from, other.to);
}

TimeSeries::TimeSeries(Time interval, std::size_t most)
    : m_interval(interval),
      m_most(most)
{
    NS_ASSERT_MSG(most > 0 && most % 2 == 0, "two intervals become one");
}

void
TimeSeries::Add(const Key& key, const SeriesSample& sample)
{
    const auto [found, isNew] = m_series.try_emplace(key);
    auto& series = found->second;
    // A series begins with the interval in which it is first heard of.
    series.first = isNew ? m_now : series.first;
    const auto index = m_now - series.first;
    if (index >= series.samples.size())
    {
        series.samples.resize(index + 1);
    }
    AddPort(series.samples[index], sample);
}

void
TimeSeries::EndInterval()
{
    ++m_now;
    if (m_now == m_most)
    {
        Fold();
    }
}

void
TimeSeries::Fold()
{
    for (auto& [key, series] : m_series)
    {
        std::vector<SeriesSample> folded;
        auto sample = series.samples.begin();
        // The first interval is the second half of its pair: the series began in between.
        if (series.first % 2 == 1 && sample != series.samples.end())
        {
            folded.push_back(*sample++);
        }
        for (; sample != series.samples.end(); ++sample)
        {
            // The last interval may have no second half yet.
            const auto second = std::next(sample);
            folded.push_back(second != series.samples.end() ? Join(*sample, *second) : *sample);
            sample = second != series.samples.end() ? second : sample;
        }
        series.first /= 2;
        series.samples = std::move(folded);
    }
    m_now /= 2;
    m_interval = m_interval * 2;
}

Time
TimeSeries::GetInterval() const
{
    return m_interval;
}

void
TimeSeries::Write(ByteWriter& writer) const
{
    RecordWriter{writer}(m_series);
}

void
TimeSeries::Merge(ByteReader& reader)
{
    std::map<Key, Samples> others;
    RecordReader{reader}(others);
    // Keys are the same in all processes, see TimeSeriesSampler; each adds the ports that it has.
    for (const auto& [key, other] : others)
    {
        const auto [found, isNew] = m_series.try_emplace(key);
        auto& series = found->second;
        series.first = isNew ? other.first : series.first;
        NS_ASSERT_MSG(series.first == other.first, "groups have ports from the beginning on");
        series.samples.resize(std::max(series.samples.size(), other.samples.size()));
        for (std::size_t i = 0; i < other.samples.size(); ++i)
        {
            AddPort(series.samples[i], other.samples[i]);
        }
    }
}

void
TimeSeries::Visit(const Visitor& visit) const
{
    std::size_t end = 0;
    for (const auto& [key, series] : m_series)
    {
        end = std::max(end, series.first + series.samples.size());
    }
    for (std::size_t i = 0; i < end; ++i)
    {
        for (const auto& [key, series] : m_series)
        {
            if (i >= series.first && i < series.first + series.samples.size())
            {
                visit(key,
                      m_interval * static_cast<int64_t>(i + 1),
                      series.samples[i - series.first]);
            }
        }
    }
}

std::size_t
TimeSeries::GetNPortSeries() const
{
    return static_cast<std::size_t>(
        std::count_if(m_series.begin(), m_series.end(), [](const auto& series) {
            return series.first.kind != Kind::QUEUE_PAIR;
        }));
}

std::string
TimeSeries::WriteFile(const std::string& directory, const std::string& name) const
{
    CsvFile file(
        directory,
        name,
        "end_ns,kind,number,from,to,ports,rate_bps,queue_bytes,max_queue_bytes,pause_share,"
        "ecn_marked,dropped,limit_bps,window_bytes");
    const double seconds = m_interval.GetSeconds();
    Visit([&file, seconds](const Key& key, Time end, const SeriesSample& sample) {
        const bool isPair = key.kind == Kind::QUEUE_PAIR;
        const auto unlessPair = [isPair](const std::string& text) { return isPair ? "" : text; };
        const auto ofPair = [isPair](const std::string& text) { return isPair ? text : ""; };
        // No window limits the queue pair.
        const bool isOpen = sample.window == UINT64_MAX;
        file.AddRow(end,
                    GetName(key.kind),
                    key.kind == Kind::LINKS ? "" : std::to_string(key.number),
                    key.from,
                    key.to,
                    key.ports,
                    // Bytes of the interval as bits per second.
                    std::llround(8 * sample.bytes / seconds),
                    unlessPair(std::to_string(sample.queue)),
                    unlessPair(std::to_string(sample.maxQueue)),
                    unlessPair(FormatFixed(sample.paused.GetSeconds() / seconds / key.ports, 6)),
                    unlessPair(std::to_string(sample.marks)),
                    unlessPair(std::to_string(sample.drops)),
                    ofPair(std::to_string(std::llround(sample.limit))),
                    ofPair(isOpen ? "" : std::to_string(sample.window)));
    });
    return file.Finish();
}

} // namespace ns3
