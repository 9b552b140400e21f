/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CHUNK_PIPELINE_H
#define CHUNK_PIPELINE_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @param number a number, at least 1
 * @return the ceiling of its logarithm to base 2
 */
uint32_t CeilLog2(uint64_t number);

/**
 * @ingroup workload-replay
 * @brief A contiguous part of a buffer.
 */
struct BufferPart
{
    uint64_t offset{0}; //!< where it begins, bytes
    uint64_t bytes{0};  //!< its length, bytes

    /**
     * Cut the part into equal parts; what division leaves over goes to the first ones, a byte each,
     * so that no part is longer than the first.
     *
     * @param count into how many, at least 1
     * @param index which of them, below count
     * @return that part
     */
    BufferPart Cut(uint64_t count, uint64_t index) const;
};

/**
 * @ingroup workload-replay
 * @brief One message of a step, as one member sees it.
 */
struct CollectiveTransfer
{
    /// What the member does with the bytes.
    enum Action : uint8_t
    {
        SEND,        //!< send them from its buffer
        RECV_COPY,   //!< receive them and keep them
        RECV_REDUCE, //!< receive them and add them to its own
        /// Send them to the NVSwitch of the server, which adds up what all members there send in
        /// this way and sends the sum to the peer, a member of the server.
        SWITCH_REDUCE,
        /// Send them to the NVSwitch of the server, which sends them on to all members there, this
        /// one too.
        SWITCH_MULTICAST,
        /// Receive from the NVSwitch what the peer, who may be this member, multicasts; keep it.
        SWITCH_RECV,
        /// Receive from the NVSwitch the sum of what all members there send it for the peer, which
        /// is this member; keep it.
        SWITCH_RECV_SUM,
        /// Send them up the tree of network switches that serves the channel, which adds up what
        /// the heads of all servers send in this way; the head of a server is its only member that
        /// does so.
        NETWORK_REDUCE,
        NETWORK_RECV //!< receive the sum from that tree and keep it
    };

    /// Offsets from here on are in the member's scratch memory: what it holds to pass it on.
    static constexpr uint64_t SCRATCH = uint64_t{1} << 63;

    /// Offset of bytes that stand somewhere: CollectiveChecker cannot follow them.
    static constexpr uint64_t SOMEWHERE = UINT64_MAX;

    Action action{SEND}; //!< what to do
    uint32_t peer{0};    //!< index of the other member; not looked at in a multicast, nor of
                         //!< what goes to or comes from switches of the network
    uint64_t offset{0};  //!< where the bytes stand in the member's buffer or scratch memory
    uint64_t bytes{0};   //!< how many; 0 only in a barrier
    /// Where they stand, in the order of the message, if in several places; empty = at offset.
    std::vector<BufferPart> parts{};
    /// Of what goes to or comes from an NVSwitch: how many of the server's stand between it and
    /// that of the channel. What is hashed over all of them takes them one after another.
    uint32_t stripe{0};

    /**
     * @return true if the member sends the bytes, to whomever
     */
    bool IsSend() const;

    /**
     * @return true if the bytes go to or come from the NVSwitch of the server
     */
    bool UsesSwitch() const;

    /**
     * @return true if the bytes go to or come from a switch of the network
     */
    bool UsesNetworkSwitch() const;
};

/// The transfers of a step are started together.
using CollectiveStep = std::vector<CollectiveTransfer>;

/**
 * @ingroup workload-replay
 * @brief Add a transfer to a step, unless there are no bytes.
 *
 * @param step the step
 * @param action what to do
 * @param peer index of the other member
 * @param part where the bytes stand
 */
void AddTransfer(CollectiveStep& step,
                 CollectiveTransfer::Action action,
                 uint32_t peer,
                 const BufferPart& part);

/**
 * @ingroup workload-replay
 * @brief Add a transfer of bytes that stand in several places, unless there are no bytes.
 *
 * Parts that follow each other in the buffer become one.
 *
 * @param step the step
 * @param action what to do
 * @param peer index of the other member
 * @param parts where the bytes stand, in the order of the message; any of them may be empty
 */
void AddTransfer(CollectiveStep& step,
                 CollectiveTransfer::Action action,
                 uint32_t peer,
                 const std::vector<BufferPart>& parts);

/**
 * @ingroup workload-replay
 * @brief A chain of steps: each starts when all receives of the step before are complete.
 *
 * Pipelines of one member are independent of each other, but see IsBlocked(). Pipeline k of one
 * member talks to pipeline k of the others, but for those that serve others, see Serve(). Steps are
 * made one by one, so that a pipeline takes the same memory however long it is.
 */
class ChunkPipeline
{
  public:
    /**
     * @param channel the channel its messages travel on, see Message::channel
     */
    explicit ChunkPipeline(uint32_t channel);
    virtual ~ChunkPipeline() = default;

    /**
     * Make the next step.
     *
     * @param [out] step its transfers, none of 0 bytes but in a barrier; may be empty
     * @return false if there is no step left
     */
    virtual bool Next(CollectiveStep& step) = 0;

    /**
     * @return whether its next step has to wait for steps that other pipelines of the member make;
     *         here it waits for none. Who only counts what is sent need not ask
     */
    virtual bool IsBlocked() const;

    /**
     * @return the channel its messages travel on, see Message::channel
     */
    uint32_t GetChannel() const;

    /**
     * Talk to a pipeline of the others that has another number: what a member does for others
     * besides its own part is a pipeline of its own, behind those that all members have.
     *
     * @param pipeline number of the pipelines that it talks to; its peers there are other ones than
     * those of the member's own pipeline of that number
     */
    void Serve(uint32_t pipeline);

    /**
     * @param own number of this pipeline
     * @return number of the pipelines that it talks to
     */
    uint32_t GetPeerPipeline(uint32_t own) const;

  private:
    uint32_t m_channel;               //!< the channel its messages travel on
    std::optional<uint32_t> m_serves; //!< pipeline that it talks to; none = that of its own number
};

/// The pipelines of one member.
using ChunkPipelines = std::vector<std::unique_ptr<ChunkPipeline>>;

/**
 * @ingroup workload-replay
 * @brief Which of several items, such as pieces of a buffer or distances, a pipeline deals with:
 * every stride-th one.
 */
struct PipelineItems
{
    uint64_t first{0};  //!< its first item
    uint64_t end{1};    //!< the items of all pipelines are below this
    uint64_t stride{1}; //!< from one item of the pipeline to the next, at least 1

    /**
     * Give each pipeline the next item in turn.
     *
     * @param begin the first item of all
     * @param end the one after the last of all
     * @param pipelines most pipelines, at least 1
     * @return the items of each pipeline; as many pipelines as items, if these are fewer
     */
    static std::vector<PipelineItems> Distribute(uint64_t begin, uint64_t end, uint64_t pipelines);

    /**
     * @param bytes length of what is to be moved, at least 1
     * @param chunkBytes length of the longest piece; 0 = any
     * @return number of equal pieces
     */
    static uint64_t CountPieces(uint64_t bytes, uint64_t chunkBytes);
};

/**
 * @ingroup workload-replay
 * @brief A pipeline that makes the same number of steps with each of its items, one item after
 * another.
 */
class SteppedPipeline : public ChunkPipeline
{
  public:
    /**
     * @param items the items
     * @param steps steps with each of them
     * @param channel the channel its messages travel on
     */
    SteppedPipeline(const PipelineItems& items, uint64_t steps, uint32_t channel = 0);

    bool Next(CollectiveStep& step) final;

  protected:
    /**
     * @param part a part of the buffer that is cut into as many pieces as there are items
     * @return the piece that is the present item
     */
    BufferPart CutPiece(const BufferPart& part) const;

  private:
    /**
     * Make a step.
     *
     * @param step where to add its transfers
     * @param item the present item
     * @param turn number of the step, counted from 0 with each item
     */
    virtual void MakeStep(CollectiveStep& step, uint64_t item, uint64_t turn) = 0;

    PipelineItems m_items; //!< the items
    uint64_t m_item;       //!< the present one
    uint64_t m_steps;      //!< steps with each of them
    uint64_t m_turn{0};    //!< steps made with the present one
};

/**
 * @ingroup workload-replay
 * @brief Has the pipelines of a member begin each stage together, when all have done with the one
 * before: who is done early would take links from those who are not.
 *
 * Copies have one state.
 */
class StageBarrier
{
  public:
    /**
     * @param pipelines how many pipelines it is for
     */
    explicit StageBarrier(std::size_t pipelines);

    /**
     * @param pipeline number of a pipeline
     * @param stage stage that it is to begin, counted from 0; the stages before are done
     * @return whether it has to wait for others
     */
    bool IsBlocked(std::size_t pipeline, uint64_t stage) const;

  private:
    std::shared_ptr<std::vector<uint64_t>> m_stages; //!< by pipeline: what it has last asked for
};

/**
 * @ingroup workload-replay
 * @brief A pipeline that deals with several of its pieces at a time, each at another stage.
 *
 * Time goes in rounds: what is done with the first piece in round r is done with the next one in
 * round r + 1. Rounds in which a member has nothing to do make no step.
 */
class StagedPipeline : public ChunkPipeline
{
  public:
    /**
     * @param share the share of the buffer
     * @param pieces the pieces of it that the pipeline moves
     * @param stages rounds from the first in which the member deals with a piece to the last
     * @param channel the channel its messages travel on
     */
    StagedPipeline(const BufferPart& share,
                   const PipelineItems& pieces,
                   uint64_t stages,
                   uint32_t channel);

    bool Next(CollectiveStep& step) final;

  protected:
    /**
     * @param start the round in which the pipeline's first piece is dealt with
     * @return what is dealt with in the present round; no bytes if nothing is
     */
    BufferPart GetPart(uint64_t start) const;

  private:
    /**
     * Add what is done in the present round.
     *
     * @param step where to add it
     */
    virtual void MakeRound(CollectiveStep& step) const = 0;

    BufferPart m_share;     //!< the share of the buffer
    PipelineItems m_pieces; //!< the pieces that the pipeline moves
    uint64_t m_round{0};    //!< the next round
    uint64_t m_end;         //!< number of rounds
};

} // namespace ns3

#endif /* CHUNK_PIPELINE_H */
