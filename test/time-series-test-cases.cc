/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "output-test-cases.h"

#include "ns3/time-series.h"

#include <string>

using namespace ns3;

namespace
{

/// First line of the file.
const std::string HEADER{"end_ns,kind,number,from,to,ports,rate_bps,queue_bytes,max_queue_bytes,"
                         "pause_share,ecn_marked,dropped,limit_bps,window_bytes\n"};

/// Four ports of one tier, two of them in another process.
const TimeSeries::Key TIER{TimeSeries::Kind::LINKS, 0, "host", "leaf", 4};

/// A link.
const TimeSeries::Key LINK{TimeSeries::Kind::LINK, 7, "leaf0", "spine1"};

/// A queue pair.
const TimeSeries::Key PAIR{TimeSeries::Kind::QUEUE_PAIR, 2, "host0", "host3"};

/**
 * @param bytes bytes sent
 * @param queue bytes that wait
 * @param maxQueue most bytes that have waited
 * @return what was seen of a port: besides, a pause of 1 us, 3 marks and 2 losses
 */
SeriesSample
MakePort(double bytes, uint64_t queue, uint64_t maxQueue)
{
    return {bytes, queue, maxQueue, MicroSeconds(1), 3, 2};
}

} // namespace

TimeSeriesTestCase::TimeSeriesTestCase()
    : TestCase("timeseries.csv: ports of a group add up, intervals are joined, processes merged")
{
}

std::string
TimeSeriesTestCase::Write(const TimeSeries& series)
{
    const auto directory = CreateTempDirFilename("");
    NS_TEST_EXPECT_MSG_EQ(series.WriteFile(directory, "timeseries.csv"), "", "it is written");
    return ReadFile(directory, "timeseries.csv");
}

void
TimeSeriesTestCase::DoRun()
{
    NS_TEST_EXPECT_MSG_EQ(Write(TimeSeries(MicroSeconds(10), 4)), HEADER, "nothing was seen");

    // 12,500 bytes in 10 us are 10 Gb/s.
    TimeSeries series(MicroSeconds(10), 4);
    TimeSeries other(MicroSeconds(10), 4);
    series.Add(LINK, MakePort(12500, 100, 500));
    series.Add(TIER, MakePort(12500, 100, 500));
    series.Add(TIER, MakePort(25000, 200, 300));
    other.Add(TIER, MakePort(25000, 0, 600));
    other.Add(TIER, MakePort(0, 0, 0));
    series.EndInterval();
    other.EndInterval();
    SeriesSample pair;
    pair.bytes = 1250;
    pair.limit = 2e9;
    pair.window = 4096;
    series.Add(LINK, MakePort(0, 0, 100));
    series.Add(PAIR, pair);
    const std::string first = "10000,link,7,leaf0,spine1,1,10000000000,100,500,0.100000,3,2,,\n";
    NS_TEST_EXPECT_MSG_EQ(Write(series),
                          HEADER + first +
                              "10000,links,,host,leaf,4,30000000000,300,500,0.050000,6,4,,\n" +
                              "20000,link,7,leaf0,spine1,1,0,0,100,0.100000,3,2,,\n" +
                              "20000,queue-pair,2,host0,host3,1,1000000000,,,,,,2000000000,4096\n",
                          "by time, and by series; a queue pair from when on it is there");

    ByteWriter writer;
    other.Write(writer);
    ByteReader reader(writer.GetBytes());
    series.Merge(reader);
    NS_TEST_EXPECT_MSG_EQ(reader.IsAtEnd(), true, "all is read");
    const std::string merged = "10000,links,,host,leaf,4,50000000000,300,600,0.100000,12,8,,\n";
    NS_TEST_EXPECT_MSG_EQ((Write(series).find(first + merged) != std::string::npos),
                          true,
                          "ports of all processes: " << Write(series));

    // The third interval has nothing, the fourth ends with another queue; then there are too many.
    series.EndInterval();
    series.EndInterval();
    pair.window = UINT64_MAX;
    series.Add(LINK, MakePort(2500, 40, 50));
    series.Add(PAIR, pair);
    series.EndInterval();
    NS_TEST_EXPECT_MSG_EQ(series.GetInterval(), MicroSeconds(20), "twice as long");
    NS_TEST_EXPECT_MSG_EQ(Write(series),
                          HEADER + "20000,link,7,leaf0,spine1,1,5000000000,0,500,0.100000,6,4,,\n" +
                              "20000,links,,host,leaf,4,25000000000,300,600,0.050000,12,8,,\n" +
                              "20000,queue-pair,2,host0,host3,1,500000000,,,,,,2000000000,4096\n" +
                              "40000,link,7,leaf0,spine1,1,1000000000,40,50,0.050000,3,2,,\n" +
                              "40000,queue-pair,2,host0,host3,1,500000000,,,,,,2000000000,\n",
                          "sums of both, the state at the end, and the larger of the largest");
    series.Add(LINK, MakePort(25000, 0, 0));
    NS_TEST_EXPECT_MSG_EQ(
        (Write(series).find("60000,link,7,leaf0,spine1,1,10000000000,0,0,0.050000,3,2,,\n") !=
         std::string::npos),
        true,
        "the next one is as long");
}
