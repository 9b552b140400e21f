/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_BENCH_TEST_CASES_H
#define COLLECTIVE_BENCH_TEST_CASES_H

#include "ns3/collective-bench-options.h"
#include "ns3/test.h"

#include <string>
#include <vector>

/// A command line, without the name of the program.
using Arguments = std::vector<std::string>;

/**
 * @ingroup workload-replay-tests
 * @param arguments a command line
 * @return what it asks for, checked
 */
ns3::CollectiveBenchOptions ParseBenchOptions(const Arguments& arguments);

/**
 * @ingroup workload-replay-tests
 * @param arguments a command line
 * @return the message of the error it is, the topology and reference included; empty if it is right
 */
std::string GetBenchError(const Arguments& arguments);

/**
 * @ingroup workload-replay-tests
 * @param arguments a command line of one size
 * @return time of the collective, s
 */
double TimeCollective(const Arguments& arguments);

/**
 * @ingroup workload-replay-tests
 * @brief Options of wl-collective: right values, wrong ones, contradictions.
 */
class CollectiveBenchOptionsTestCase : public ns3::TestCase
{
  public:
    CollectiveBenchOptionsTestCase();

  private:
    void DoRun() override;

    /// Give every option a right value.
    void CheckValues();

    /// Choose algorithms.
    void CheckAlgorithms();

    /// Choose those that cannot be.
    void CheckAlgorithmErrors();

    /// Read the help.
    void CheckHelp();
};

/**
 * @ingroup workload-replay-tests
 * @brief Which hosts the ranks of wl-collective stand on.
 */
class CollectiveBenchClusterTestCase : public ns3::TestCase
{
  public:
    CollectiveBenchClusterTestCase();

  private:
    void DoRun() override;

    /**
     * Deal out ranks to servers that do not hold them.
     *
     * @param file servers of three hosts and of one
     */
    void CheckErrors(const std::string& file);
};

/**
 * @ingroup workload-replay-tests
 * @brief Algorithms and protocols of wl-collective on a named fabric: those that run, and those
 *        that a dry run lists.
 */
class CollectiveBenchFabricTestCase : public ns3::TestCase
{
  public:
    CollectiveBenchFabricTestCase();

  private:
    void DoRun() override;

    /// Choose one that cannot run.
    void CheckUnsupported();
};

/**
 * @ingroup workload-replay-tests
 * @brief Times of collectives of servers against what their NICs carry, at all levels.
 */
class CollectiveBoundTestCase : public ns3::TestCase
{
  public:
    CollectiveBoundTestCase();

  private:
    void DoRun() override;
};

/**
 * @ingroup workload-replay-tests
 * @brief Tables that wl-collective compares with: what they may hold, every fault, and the
 *        arithmetic of ratios.
 */
class CollectiveReferenceTestCase : public ns3::TestCase
{
  public:
    CollectiveReferenceTestCase();

  private:
    void DoRun() override;

    /// Read right tables.
    void CheckTables();

    /// Read logs of several collectives.
    void CheckKinds();

    /// Read wrong ones.
    void CheckErrors();

    /// Compare times.
    void CheckRatios();
};

/**
 * @ingroup workload-replay-tests
 * @brief Searches on lattices.
 */
class LatticeSearchTestCase : public ns3::TestCase
{
  public:
    LatticeSearchTestCase();

  private:
    void DoRun() override;
};

/**
 * @ingroup workload-replay-tests
 * @brief What logs of nccl-tests tell of the job beside its times.
 */
class NcclTestsJobTestCase : public ns3::TestCase
{
  public:
    NcclTestsJobTestCase();

  private:
    void DoRun() override;
};

/**
 * @ingroup workload-replay-tests
 * @brief Runs of several numbers of ranks and servers in one log: chosen, all fitted to, or
 * refused.
 */
class NcclTestsRanksTestCase : public ns3::TestCase
{
  public:
    NcclTestsRanksTestCase();

  private:
    void DoRun() override;
    /// @param text a log of all-reduces of 2 ranks on 1 and 2 servers, and of 4 on 2
    void CheckReference(const std::string& text);
    /**
     * @param text the same
     * @param alone a run of one rank in the same form
     */
    void CheckFit(const std::string& text, const std::string& alone);
};

#endif /* COLLECTIVE_BENCH_TEST_CASES_H */
