/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MEASUREMENT_TEST_CASE_H
#define MEASUREMENT_TEST_CASE_H

#include "ns3/test.h"

#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief Base of cases that need the directory of measurements, which is not shipped.
 *
 * It is called shared and stands beside the clone, or where WORKLOAD_REPLAY_SHARED says.
 */
class MeasurementTestCase : public TestCase
{
  protected:
    /**
     * Without it the case is skipped, which a line of the file tells that WORKLOAD_REPLAY_SKIPPED
     * in the environment names, or of standard output.
     *
     * @param name name of the case
     * @param part the directory in there that is needed
     */
    MeasurementTestCase(const std::string& name, const std::string& part);

    /// Check what the measurements show.
    virtual void Check() = 0;

    /**
     * @param name name of something in the part
     * @return its path
     */
    std::string Find(const std::string& name) const;

  private:
    void DoRun() final;

    std::string m_part; //!< the directory that is needed
    std::string m_path; //!< its path
};

} // namespace ns3

#endif // MEASUREMENT_TEST_CASE_H
