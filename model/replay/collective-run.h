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
 * The run asks its pipelines for steps and hands their transfers to the messenger; its owner
 * notifies it when they are complete. It is done when all pipelines have ended and all messages are
 * sent.
 */
class CollectiveRun
{
  public:
    /// Notifies the owner that the track's run is done; the owner may delete the run in it.
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
     * Let the latencies of the first steps begin, and keep what is to go after them until Start().
     * These are events among others of their time, so that their order is that of a run which was
     * started. Without latencies nothing is done.
     */
    void Wait();

    /**
     * Start the first steps, after the launch latency. A run that waits has what it has kept go as
     * much later as latencies were.
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
     * @param pipeline the pipeline it belongs to
     */
    void Received(uint32_t pipeline);

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

    /// A transfer that is kept.
    struct Kept
    {
        Time delay;                  //!< since Wait()
        uint32_t pipeline;           //!< index of its pipeline
        CollectiveTransfer transfer; //!< the transfer
        EventId start;               //!< its start, after Start()
    };

    /// A pipeline and where it stands.
    struct Pipeline
    {
        std::unique_ptr<ChunkPipeline> steps; //!< makes its steps
        uint32_t pending{0};                  //!< receives of the step that are not complete
        uint32_t expected{UINT32_MAX};        //!< member that was notified last that
                                              //!< it is received from
        uint64_t reduced{0};                  //!< bytes the step receives to add them
        EventId reduction;                    //!< the end of adding them
        std::vector<Delayed> delayed;         //!< messages whose latency is not over, by time
        EventId latency;                      //!< the start of the first of them
    };

    /// Make all pipelines, and begin the launch latency.
    void Begin();

    /**
     * Start transfers that were kept.
     *
     * @param first the first of them
     * @param end behind the last of them
     */
    void StartKept(std::size_t first, std::size_t end);

    /// The launch latency is over.
    void Launch();

    /**
     * Make the pipeline's next step.
     *
     * @param pipeline index of a pipeline with nothing pending
     */
    void NextStep(uint32_t pipeline);

    /**
     * Start the transfers of the pipeline's step.
     *
     * @param pipeline index of the pipeline
     * @param step the step
     */
    void StartTransfers(uint32_t pipeline, const CollectiveStep& step);

    /**
     * Start a message of the pipeline's step, now or after its latency.
     *
     * @param pipeline index of the pipeline
     * @param transfer the message
     */
    void Send(uint32_t pipeline, const CollectiveTransfer& transfer);

    /**
     * The latency of the pipeline's first delayed message is over.
     *
     * @param pipeline index of the pipeline
     */
    void LatencyOver(uint32_t pipeline);

    /**
     * All receives of the pipeline's step are complete.
     *
     * @param pipeline index of the pipeline
     */
    void StepReceived(uint32_t pipeline);

    /**
     * What the pipeline's step has received is added.
     *
     * @param pipeline index of the pipeline
     */
    void ReductionOver(uint32_t pipeline);

    /**
     * Hand a transfer to the messenger.
     *
     * @param pipeline index of the pipeline
     * @param transfer the transfer
     */
    void StartTransfer(uint32_t pipeline, const CollectiveTransfer& transfer);

    /**
     * Let all pipelines go on that can. Must be the last thing its caller does: the run may be
     * gone.
     */
    void Drain();

    OpenedCollective m_collective;     //!< the collective
    CollectivePlan m_plan;             //!< how it is carried out
    RankMessenger& m_messenger;        //!< starts transfers
    DoneCallback m_done;               //!< called at the end
    std::vector<Pipeline> m_pipelines; //!< all pipelines
    std::vector<uint32_t> m_ready;     //!< pipelines whose next step can be made
    std::vector<uint32_t> m_blocked;   //!< pipelines that wait for others of the run
    std::size_t m_openPipelines{0};    //!< pipelines that have not ended
    std::size_t m_unsent{0};           //!< messages started and not sent
    bool m_draining{false};            //!< Drain() is at work
    EventId m_launch;                  //!< the end of the launch latency
    bool m_waits{false};               //!< transfers are kept
    Time m_waitsSince;                 //!< when Wait() was called, if it was
    std::vector<Kept> m_kept;          //!< transfers that are, or were, kept
};

} // namespace ns3

#endif /* COLLECTIVE_RUN_H */
