/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TIME_SERIES_H
#define TIME_SERIES_H

#include "ns3/byte-buffer.h"
#include "ns3/nstime.h"
#include "ns3/workload-error.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What a user wants to see over time.
 */
struct TimeSeriesRequest
{
    Time interval;               //!< length of an interval; 0 = nothing is to be seen
    std::string links{"tiers"};  //!< tiers, all, or ends of links such as a-b with commas between
    SourceLocation linksWhere;   //!< where it was given
    std::vector<uint32_t> ranks; //!< ranks whose queue pairs are to be seen
    SourceLocation ranksWhere;   //!< where they were given
};

/**
 * @ingroup workload-replay
 * @brief What has been seen of a port, a group of ports or a queue pair in an interval.
 */
struct SeriesSample
{
    double bytes{0};      //!< bytes sent, headers included; of a queue pair, payload acknowledged
    uint64_t queue{0};    //!< bytes that wait at the end of the interval
    uint64_t maxQueue{0}; //!< most bytes that have waited in it
    Time paused{};        //!< time in which a priority was paused by the far end
    uint64_t marks{0};    //!< packets marked by ECN
    uint64_t drops{0};    //!< packets lost
    double limit{0};      //!< queue pairs: rate that congestion control allows at the end, bit/s
    uint64_t window{0};   //!< queue pairs: bytes that may be under way at the end; UINT64_MAX = any

    /**
     * Visit the members that are sums over the interval.
     *
     * @param visit is given the same member of each of the samples
     * @param samples one or more, const or not
     */
    template <typename V, typename... S>
    static void VisitSums(const V& visit, S&... samples)
    {
        visit(samples.bytes...);
        visit(samples.paused...);
        visit(samples.marks...);
        visit(samples.drops...);
    }

    /**
     * Visit the members that report the end of the interval.
     *
     * @param visit is given the same member of each of the samples
     * @param samples one or more, const or not
     */
    template <typename V, typename... S>
    static void VisitStates(const V& visit, S&... samples)
    {
        visit(samples.queue...);
        visit(samples.limit...);
        visit(samples.window...);
    }

    /**
     * @param sample what is visited, const or not
     * @param visit is given each member
     */
    template <typename S, typename V>
    static void Visit(S& sample, const V& visit)
    {
        VisitSums(visit, sample);
        VisitStates(visit, sample);
        visit(sample.maxQueue);
    }
};

/**
 * @ingroup workload-replay
 * @brief What ports and queue pairs do over time, in intervals of equal length.
 *
 * There is a bound to the number of intervals: where a run reaches it, two intervals become one,
 * and the following ones are twice as long. So memory and the size of the file do not grow with the
 * run. How often that has happened does not depend on which process has which ports.
 */
class TimeSeries
{
  public:
    /// What a series is of.
    enum class Kind : uint8_t
    {
        LINK,      //!< a direction of a link
        LINKS,     //!< all directions between nodes of two kinds
        QUEUE_PAIR //!< a queue pair, as its sender sees it
    };

    /// What distinguishes series, in the order in which they are written.
    struct Key
    {
        Kind kind;         //!< what it is of
        uint32_t number;   //!< of the link or, at its sender, the queue pair; LINKS: 0
        std::string from;  //!< name of the sending node; LINKS: without its numbers
        std::string to;    //!< the same of the receiving one
        uint32_t ports{1}; //!< LINKS: how many they are, in all processes; else 1

        /**
         * @param other another one
         * @return whether this one is written first
         */
        bool operator<(const Key& other) const;

        /**
         * @param record what is visited, const or not
         * @param visit is given each member
         */
        template <typename R, typename V>
        static void Visit(R& record, const V& visit)
        {
            visit(record.kind);
            visit(record.number);
            visit(record.from);
            visit(record.to);
            visit(record.ports);
        }
    };

    TimeSeries() = default;

    /**
     * @param interval length of an interval, above 0
     * @param most most intervals, even
     */
    TimeSeries(Time interval, std::size_t most);

    /**
     * Add to the interval that is going on.
     *
     * @param key series; samples of a port of a group add up
     * @param sample what was seen
     */
    void Add(const Key& key, const SeriesSample& sample);

    /// The interval that was going on ends, and another begins.
    void EndInterval();

    /**
     * @return length of an interval
     */
    Time GetInterval() const;

    /**
     * @param [in,out] writer receives all of it
     */
    void Write(ByteWriter& writer) const;

    /**
     * Add what another process has seen in the same intervals.
     *
     * @param [in,out] reader what its Write() has written
     */
    void Merge(ByteReader& reader);

    /// Takes a series, the end of an interval, and what was seen in it.
    using Visitor = std::function<void(const Key& key, Time end, const SeriesSample& sample)>;

    /**
     * @param visit called for each series and interval, by time
     */
    void Visit(const Visitor& visit) const;

    /**
     * @return series of ports or groups of ports
     */
    std::size_t GetNPortSeries() const;

    /**
     * Write timeseries.csv: a row for each series and interval, by time.
     *
     * @param directory where to
     * @param name its name
     * @return what OutputFile::Finish() returns
     */
    std::string WriteFile(const std::string& directory, const std::string& name) const;

  private:
    /// Intervals of a series, from a first one on.
    struct Samples
    {
        std::size_t first{0};              //!< number of the first one
        std::vector<SeriesSample> samples; //!< what was seen

        /**
         * @param record what is visited, const or not
         * @param visit is given each member
         */
        template <typename R, typename V>
        static void Visit(R& record, const V& visit)
        {
            visit(record.first);
            visit(record.samples);
        }
    };

    /// Make one interval of each two.
    void Fold();

    Time m_interval;                 //!< length of an interval
    std::size_t m_most{0};           //!< most intervals
    std::size_t m_now{0};            //!< number of the one that goes on
    std::map<Key, Samples> m_series; //!< the series
};

} // namespace ns3

#endif /* TIME_SERIES_H */
