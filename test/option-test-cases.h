/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef OPTION_TEST_CASES_H
#define OPTION_TEST_CASES_H

#include "ns3/test.h"

#include <string>
#include <vector>

/// A command line, without the name of the program.
using Arguments = std::vector<std::string>;

/**
 * @ingroup workload-replay-tests
 * @param arguments a command line of wl-replay
 * @return the message of the error it is; empty if it is right
 */
std::string GetOptionError(const Arguments& arguments);

/**
 * @ingroup workload-replay-tests
 * @brief Every option stores a right value, and none is without a case here.
 */
class OptionValuesTestCase : public ns3::TestCase
{
  public:
    OptionValuesTestCase();

  private:
    void DoRun() override;
};

/**
 * @ingroup workload-replay-tests
 * @brief Wrong values and arguments are answered with exactly one right line.
 */
class OptionErrorsTestCase : public ns3::TestCase
{
  public:
    OptionErrorsTestCase();

  private:
    void DoRun() override;
};

/**
 * @ingroup workload-replay-tests
 * @brief Names that a script has set itself, without a table that looks at them.
 */
class ScriptOptionsTestCase : public ns3::TestCase
{
  public:
    ScriptOptionsTestCase();

  private:
    void DoRun() override;
};

/**
 * @ingroup workload-replay-tests
 * @brief Options that contradict each other, or are missing.
 */
class OptionContradictionsTestCase : public ns3::TestCase
{
  public:
    OptionContradictionsTestCase();

  private:
    void DoRun() override;
};

namespace ns3
{

/// @return new cases about configurations of SimAI's and HPCC's network, which the caller owns
std::vector<TestCase*> MakeHpccConfigTestCases();

/**
 * @ingroup workload-replay-tests
 * @brief Make the case about system configurations of ASTRA-sim.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeAstraSystemTestCases();

} // namespace ns3

#endif /* OPTION_TEST_CASES_H */
