/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_RUN_H
#define COLLECTIVE_RUN_H

#include "ns3/callback.h"
#include "ns3/collective-algorithm.h"
#include "ns3/event-id.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Carries out one member's part of a collective, step by step.
 *
 * The run asks its lanes for steps and its owner to start their transfers; the owner tells it when
 * they are complete. It is done when all lanes have ended and all messages are sent.
 */
class CollectiveRun
{
  public:
    /**
     * Asks the owner to start a transfer: stream, lane, channel, transfer. A receive may complete
     * within the call.
     */
    using TransferCallback =
        Callback<void, std::size_t, uint32_t, uint32_t, const CollectiveTransfer&>;

    /// Tells the owner that the stream's run is done; the owner may delete the run in it.
    using DoneCallback = Callback<void, std::size_t>;

    /**
     * @param stream the owner's stream that the collective runs in
     * @param algorithm how to carry it out
     * @param call the collective
     * @param transfer starts a transfer
     * @param done called when the run is done, possibly within Start()
     */
    CollectiveRun(std::size_t stream,
                  const CollectiveAlgorithm& algorithm,
                  const CollectiveCall& call,
                  TransferCallback transfer,
                  DoneCallback done);
    ~CollectiveRun();

    CollectiveRun(const CollectiveRun&) = delete;
    CollectiveRun& operator=(const CollectiveRun&) = delete;

    /**
     * Start the first steps, after the algorithm's launch latency.
     */
    void Start();

    /**
     * A receive is complete.
     *
     * @param lane the lane it belongs to
     */
    void Received(uint32_t lane);

    /**
     * A message is sent.
     */
    void Sent();

    /**
     * @return the collective
     */
    const CollectiveCall& GetCall() const;

  private:
    /// A lane and where it stands.
    struct Lane
    {
        std::unique_ptr<CollectiveLane> steps; //!< makes its steps
        CollectiveStep step;                   //!< the step under way
        uint32_t pending{0};                   //!< receives of the step that are not complete
        EventId latency;                       //!< the start of the step's transfers
    };

    /// The launch latency is over.
    void Launch();

    /**
     * Make the lane's next step.
     *
     * @param lane index of a lane with nothing pending
     */
    void NextStep(uint32_t lane);

    /**
     * Start the transfers of the lane's step.
     *
     * @param lane index of the lane
     */
    void StartTransfers(uint32_t lane);

    /**
     * The step latency of the lane's step is over.
     *
     * @param lane index of the lane
     */
    void LatencyOver(uint32_t lane);

    /**
     * Let all lanes go on that can. Must be the last thing its caller does: the run may be gone.
     */
    void Drain();

    std::size_t m_stream;          //!< the owner's stream
    CollectiveCall m_call;         //!< the collective
    Time m_stepLatency;            //!< from the start of a step to its transfers
    Time m_launchLatency;          //!< from Start() to the first steps
    TransferCallback m_transfer;   //!< starts a transfer
    DoneCallback m_done;           //!< called at the end
    std::vector<Lane> m_lanes;     //!< all lanes
    std::vector<uint32_t> m_ready; //!< lanes whose next step can be made
    std::size_t m_openLanes;       //!< lanes that have not ended
    std::size_t m_unsent{0};       //!< messages started and not sent
    bool m_draining{false};        //!< Drain() is at work
    EventId m_launch;              //!< the end of the launch latency
};

} // namespace ns3

#endif /* COLLECTIVE_RUN_H */
