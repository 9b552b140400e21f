/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef OUTPUT_TEST_CASES_H
#define OUTPUT_TEST_CASES_H

#include "ns3/test.h"
#include "ns3/time-series.h"

#include <cstddef>
#include <string>

/**
 * @ingroup workload-replay-tests
 * @param directory a directory
 * @param name name of a file in it
 * @return what is in the file; empty if there is none
 */
std::string ReadFile(const std::string& directory, const std::string& name);

/**
 * @ingroup workload-replay-tests
 * @brief Parts rounded to nanoseconds add up to the rounded whole.
 */
class RoundingTestCase : public ns3::TestCase
{
  public:
    RoundingTestCase();

  private:
    void DoRun() override;
};

/**
 * @ingroup workload-replay-tests
 * @brief Quotes, escapes and times.
 */
class OutputTextTestCase : public ns3::TestCase
{
  public:
    OutputTextTestCase();

  private:
    void DoRun() override;
};

/**
 * @ingroup workload-replay-tests
 * @brief Tables stay within 100 characters where one blank between columns is enough for it.
 */
class TableWidthTestCase : public ns3::TestCase
{
  public:
    TableWidthTestCase();

  private:
    void DoRun() override;

    /**
     * @param width characters in the first column of a row of 100
     * @param gap what is to stand behind them
     */
    void CheckRow(std::size_t width, const std::string& gap);
};

/**
 * @ingroup workload-replay-tests
 * @brief A file is there whole or not at all, and faults are told.
 */
class OutputFileTestCase : public ns3::TestCase
{
  public:
    OutputFileTestCase();

  private:
    void DoRun() override;
};

/**
 * @ingroup workload-replay-tests
 * @brief A file whose name ends in .gz is one of gzip, and the same each time.
 */
class CompressedFileTestCase : public ns3::TestCase
{
  public:
    CompressedFileTestCase();

  private:
    void DoRun() override;
};

/**
 * @ingroup workload-replay-tests
 * @brief Lists of files say which are written, which compressed, and which are removed.
 */
class OutputSelectionTestCase : public ns3::TestCase
{
  public:
    OutputSelectionTestCase();

  private:
    void DoRun() override;

    /// Remove what an earlier run has left.
    void CheckRemoval();
};

/**
 * @ingroup workload-replay-tests
 * @brief Which ranks trace.json shows.
 */
class TraceSelectionTestCase : public ns3::TestCase
{
  public:
    TraceSelectionTestCase();

  private:
    void DoRun() override;

    /// Ask for ranks and stages that are not there.
    void CheckErrors();
};

/**
 * @ingroup workload-replay-tests
 * @brief Messages are arrows between the ops that send and receive them, in the order of both.
 */
class TraceArrowsTestCase : public ns3::TestCase
{
  public:
    TraceArrowsTestCase();

  private:
    void DoRun() override;
};

/**
 * @ingroup workload-replay-tests
 * @brief What timeseries.csv holds, by hand counts.
 */
class TimeSeriesTestCase : public ns3::TestCase
{
  public:
    TimeSeriesTestCase();

  private:
    void DoRun() override;

    /**
     * @param series what was seen
     * @return the file that it becomes
     */
    std::string Write(const ns3::TimeSeries& series);
};

#endif /* OUTPUT_TEST_CASES_H */
