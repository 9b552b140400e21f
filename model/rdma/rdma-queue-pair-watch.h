/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_QUEUE_PAIR_WATCH_H
#define RDMA_QUEUE_PAIR_WATCH_H

#include "rdma-nic.h"

#include "ns3/object.h"
#include "ns3/ptr.h"
#include "ns3/traced-value.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Rate and window of one queue pair as traced values, as DoubleProbe and so FileHelper and
 * GnuplotHelper of ns-3 take them.
 *
 * Queue pairs are made when they first send, so that they have no Config path before the simulation
 * runs. This object is there before, and gets a path by its name:
 *
 *     auto watch = CreateObject<RdmaQueuePairWatch>();
 *     watch->Watch(fabric.GetNic(0), fabric.GetNic(1)->GetAddress());
 *     Names::Add("pair", watch);
 *     plot.PlotProbe("ns3::DoubleProbe", "/Names/pair/Rate", "Output", "rate");
 */
class RdmaQueuePairWatch : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaQueuePairWatch();
    ~RdmaQueuePairWatch() override;

    /**
     * Watch a queue pair from now on. To be called once.
     *
     * @param nic NIC that it sends by
     * @param peer node that it sends to, see RdmaNic::GetAddress()
     * @param index which of the queue pairs to that node, counted from 0 in the order in which
     *              their rates first change
     */
    void Watch(Ptr<RdmaNic> nic, uint32_t peer, uint32_t index = 0);

  protected:
    void DoDispose() override;

  private:
    /// Listen no more.
    void Disconnect();

    /**
     * @param sender a queue pair of the NIC
     * @return whether it is the one
     */
    bool IsWatched(const RdmaSender& sender);

    /**
     * Trace sink, see RdmaNic::ControlTracedCallback.
     *
     * @param sender the queue pair
     * @param before rate before, bit/s
     * @param after rate now, bit/s
     */
    void HandleRate(const RdmaSender& sender, double before, double after);

    /**
     * Trace sink, see RdmaNic::ControlTracedCallback.
     *
     * @param sender the queue pair
     * @param before window before, bytes
     * @param after window now, bytes
     */
    void HandleWindow(const RdmaSender& sender, double before, double after);

    Ptr<RdmaNic> m_nic;              //!< the NIC; null = Watch() was not called
    uint32_t m_peer{0};              //!< node that the queue pair sends to
    uint32_t m_index{0};             //!< which one of those to that node
    std::vector<uint32_t> m_numbers; //!< numbers of those that have been heard of, in order
    TracedValue<double> m_rate;      //!< bit/s
    TracedValue<double> m_window;    //!< bytes of payload
};

} // namespace ns3

#endif /* RDMA_QUEUE_PAIR_WATCH_H */
