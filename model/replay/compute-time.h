/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COMPUTE_TIME_H
#define COMPUTE_TIME_H

#include "ns3/ptr.h"
#include "ns3/random-variable-stream.h"
#include "ns3/workload-program.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief How long the computations of a rank take each time: as long as its program says, scaled
 *        and varied.
 */
class ComputeTime
{
  public:
    ComputeTime();

    /**
     * Draw a time.
     *
     * @param program a program
     * @param op a computation of it
     * @return the time, ps
     */
    uint64_t Draw(const WorkloadProgram& program, const WorkloadOp& op);

    /**
     * Fix the random numbers that are drawn.
     *
     * @param stream index of the stream to use
     */
    void SetStream(int64_t stream);

    double scale{1};     //!< factor of all times
    double deviation{0}; //!< standard deviation of a time as a share of it; 0 = none, nothing drawn

  private:
    Ptr<LogNormalRandomVariable> m_factor; //!< draws factors
};

} // namespace ns3

#endif /* COMPUTE_TIME_H */
