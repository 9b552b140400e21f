/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TOPOLOGY_ERROR_TEST_CASE_H
#define TOPOLOGY_ERROR_TEST_CASE_H

#include "ns3/test.h"

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief Messages about counts that cannot be.
 */
class TopologyErrorTestCase : public TestCase
{
  public:
    TopologyErrorTestCase();

  private:
    void DoRun() override;
};

} // namespace ns3

#endif /* TOPOLOGY_ERROR_TEST_CASE_H */
