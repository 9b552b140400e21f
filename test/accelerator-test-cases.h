/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ACCELERATOR_TEST_CASES_H
#define ACCELERATOR_TEST_CASES_H

#include "workload-test-tools.h"

#include "ns3/accelerator-file.h"
#include "ns3/test.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief Base of cases that look at accelerators by name, or by what a file says of them.
 */
class AcceleratorTestCase : public TestCase
{
  public:
    using TestCase::TestCase;

  protected:
    /**
     * @param value name of an accelerator or of a file
     * @return the accelerator
     */
    static Accelerator Find(const std::string& value)
    {
        return FindAccelerator({value, {"--accelerator", 0, 0, ""}});
    }

    /**
     * @param content what a file is to hold
     * @return the accelerator that it describes
     */
    Accelerator Read(const std::string& content)
    {
        return Find(Write(content));
    }

    /**
     * @param content what a file is to hold
     * @param message what is to be said of it after its name
     * @param what what is wrong
     */
    void ExpectFault(const std::string& content,
                     const std::string& message,
                     const std::string& what)
    {
        const auto file = Write(content);
        NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf([&file] { Find(file); }), file + message, what);
    }

  private:
    /**
     * @param content what a file is to hold
     * @return its path
     */
    std::string Write(const std::string& content)
    {
        const auto file = CreateTempDirFilename("accelerator.json");
        WriteWorkloadFile(file, content);
        return file;
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases about times of operators that are measured.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeOperatorTimeTestCases();

} // namespace ns3

#endif /* ACCELERATOR_TEST_CASES_H */
