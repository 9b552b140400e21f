/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CHAKRA_DEVICE_ORDER_H
#define CHAKRA_DEVICE_ORDER_H

#include "workload-program.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief The order that a recorded trace leaves out: that of the streams of the accelerator.
 *
 * A kernel depends on the call that launches it, and hardly anything depends on a kernel, so that
 * by dependencies alone kernels of a stream would run side by side, and collectives before what
 * they reduce has been computed. As on the device, the ops of a stream run in the order in which
 * they were launched; and a call of the host that waits for the device (cudaDeviceSynchronize and
 * the like) waits for what was launched before it, for as long as that takes now: the time that
 * was recorded is waiting.
 */
class ChakraDeviceOrder
{
  public:
    using OpIndex = WorkloadProgram::OpIndex; //!< index of an op

    /**
     * Take in the next op of the accelerator.
     *
     * @param op the op
     * @param stream the stream that it ran in, as the trace numbers it
     * @param computes whether it is a computation
     */
    void AddDeviceOp(OpIndex op, int64_t stream, bool computes);

    /**
     * Take in the next op of the host.
     *
     * @param op the op
     * @param name its name
     */
    void AddHostOp(OpIndex op, const std::string& name);

    /**
     * @param name name of an op of the host
     * @return whether it does nothing but wait for the device
     */
    static bool IsWait(const std::string& name);

    /**
     * Put each op of the accelerator after what launches it, before what is launched later.
     *
     * @param program all ops and their edges
     * @param order an order that the edges allow
     * @return such an order that the edges allow too
     */
    std::vector<OpIndex> SortByLaunch(const WorkloadProgram& program,
                                      const std::vector<OpIndex>& order) const;

    /**
     * Add the edges of streams and of waits for them.
     *
     * @param order what SortByLaunch() has returned
     * @param [in,out] builder takes the edges
     */
    void AddEdges(const std::vector<OpIndex>& order, WorkloadProgramBuilder& builder) const;

  private:
    /// What an op is here, beyond the numbers of streams.
    enum Role : uint16_t
    {
        HOST = UINT16_MAX,            //!< an op of the host
        STREAM_WAIT = HOST - 1,       //!< a call that waits for a stream or an event
        DEVICE_WAIT = STREAM_WAIT - 1 //!< a call that waits for all streams
    };

    /**
     * @param op an op
     * @param role its role, or the number of its stream here
     */
    void Add(OpIndex op, uint16_t role);

    std::vector<uint16_t> m_roles;                   //!< by op: stream, or Role
    std::unordered_map<int64_t, uint16_t> m_numbers; //!< numbers of streams here; never iterated
    std::vector<bool> m_computes;                    //!< by stream here: it has computations
};

} // namespace ns3

#endif /* CHAKRA_DEVICE_ORDER_H */
