/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_RUN_H
#define COLLECTIVE_RUN_H

#include "rank-messenger.h"

#include "ns3/callback.h"
#include "ns3/collective-selection.h"
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
 * The run asks its lanes for steps and hands their transfers to the messenger; its owner tells it
 * when they are complete. It is done when all lanes have ended and all messages are sent.
 */
class CollectiveRun
{
  public:
    /// Tells the owner that the track's run is done; the owner may delete the run in it.
    using DoneCallback = Callback<void, std::size_t>;

    /**
     * @param collective the collective
     * @param plan how to carry it out
     * @param messenger starts its transfers; a receive may complete within the call
     * @param done called when the run is done, possibly within Start()
     */
    CollectiveRun(const OpenedCollective& collective,
                  const CollectivePlan& plan,
                  RankMessenger& messenger,
                  DoneCallback done);
    ~CollectiveRun();

    CollectiveRun(const CollectiveRun&) = delete;
    CollectiveRun& operator=(const CollectiveRun&) = delete;

    /**
     * Start the first steps, after the launch latency.
     */
    void Start();

    /**
     * Be done without a message: what the run would have done is known. To be called in place of
     * Start().
     *
     * @param received payload that it would have received, bytes
     */
    void Skip(uint64_t received);

    /**
     * Have another track. To be called before Start().
     *
     * @param track the track, for which its messages are sent and received
     */
    void SetTrack(std::size_t track)
    {
        m_collective.track = track;
    }

    /**
     * @return payload that a run receives, bytes
     */
    uint64_t CountReceivedBytes() const;

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
    const OpenedCollective& GetCollective() const;

    /**
     * @return how it is carried out
     */
    const CollectivePlan& GetPlan() const;

  private:
    /// A message to send, and when.
    struct Delayed
    {
        Time due;                    //!< when
        CollectiveTransfer transfer; //!< the message
    };

    /// A lane and where it stands.
    struct Lane
    {
        std::unique_ptr<CollectiveLane> steps; //!< makes its steps
        uint32_t pending{0};                   //!< receives of the step that are not complete
        uint32_t expected{UINT32_MAX};         //!< member told last that it is received from
        uint64_t reduced{0};                   //!< bytes the step receives to add them
        EventId reduction;                     //!< the end of adding them
        std::vector<Delayed> delayed;          //!< messages whose latency is not over, by time
        EventId latency;                       //!< the start of the first of them
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
     * @param step the step
     */
    void StartTransfers(uint32_t lane, const CollectiveStep& step);

    /**
     * Start a message of the lane's step, now or after its latency.
     *
     * @param lane index of the lane
     * @param transfer the message
     */
    void Send(uint32_t lane, const CollectiveTransfer& transfer);

    /**
     * The latency of the lane's first delayed message is over.
     *
     * @param lane index of the lane
     */
    void LatencyOver(uint32_t lane);

    /**
     * All receives of the lane's step are complete.
     *
     * @param lane index of the lane
     */
    void StepReceived(uint32_t lane);

    /**
     * What the lane's step has received is added.
     *
     * @param lane index of the lane
     */
    void ReductionOver(uint32_t lane);

    /**
     * Hand a transfer to the messenger.
     *
     * @param lane index of the lane
     * @param transfer the transfer
     */
    void StartTransfer(uint32_t lane, const CollectiveTransfer& transfer);

    /**
     * Let all lanes go on that can. Must be the last thing its caller does: the run may be gone.
     */
    void Drain();

    OpenedCollective m_collective; //!< the collective
    CollectivePlan m_plan;         //!< how it is carried out
    RankMessenger& m_messenger;    //!< starts transfers
    DoneCallback m_done;           //!< called at the end
    std::vector<Lane> m_lanes;     //!< all lanes
    std::vector<uint32_t> m_ready; //!< lanes whose next step can be made
    std::size_t m_openLanes{0};    //!< lanes that have not ended
    std::size_t m_unsent{0};       //!< messages started and not sent
    bool m_draining{false};        //!< Drain() is at work
    EventId m_launch;              //!< the end of the launch latency
};

} // namespace ns3

#endif /* COLLECTIVE_RUN_H */
