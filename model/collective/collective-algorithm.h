/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_ALGORITHM_H
#define COLLECTIVE_ALGORITHM_H

#include "collective-placement.h"
#include "collective-protocol.h"

#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/workload-types.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

class CollectiveCosts;

/**
 * @ingroup workload-replay
 * @brief A collective as one member calls it.
 */
struct CollectiveCall
{
    CollectiveKind kind{CollectiveKind::ALL_REDUCE}; //!< what to do
    uint64_t bytes{0};                               //!< bytes, counted as CollectiveKind says
    uint32_t index{0};                               //!< index of the member in the communicator
    uint32_t size{1};                                //!< number of members, at least 1
    const AllToAllSplits* splits{nullptr}; //!< ALL_TO_ALL: null = in equal parts; must outlive it
    /// Where the members stand; null = all in one place; must outlive the call and its lanes.
    const CollectivePlacement* placement{nullptr};
    uint32_t root{0}; //!< index of the root in the communicator, if the kind has one: HasRoot()
};

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
        /// Receive from the NVSwitch what the peer multicasts or, if that is this member, also a
        /// sum; keep it.
        SWITCH_RECV
    };

    /// Offsets from here on are in the member's scratch memory: what it holds to pass it on.
    static constexpr uint64_t SCRATCH = uint64_t{1} << 63;

    Action action{SEND}; //!< what to do
    uint32_t peer{0};    //!< index of the other member; not looked at in a multicast
    uint64_t offset{0};  //!< where the bytes stand in the member's buffer or scratch memory
    uint64_t bytes{0};   //!< how many; 0 only in a barrier
    /// Where they stand, in the order of the message, if in several places; empty = at offset.
    std::vector<BufferPart> parts{};

    /**
     * @return true if the member sends the bytes, to whomever
     */
    bool IsSend() const;

    /**
     * @return true if the bytes go to or come from the NVSwitch of the server
     */
    bool UsesSwitch() const;
};

/// The transfers of a step are started together.
using CollectiveStep = std::vector<CollectiveTransfer>;

/**
 * @ingroup workload-replay
 * @brief A chain of steps: each starts when all receives of the step before are complete.
 *
 * Lanes of one member are independent of each other. Lane k of one member talks to lane k of the
 * others. Steps are made one by one, so that a lane takes the same memory however long it is.
 */
class CollectiveLane
{
  public:
    virtual ~CollectiveLane() = default;

    /**
     * Make the next step.
     *
     * @param [out] step its transfers, none of 0 bytes but in a barrier; may be empty
     * @return false if there is no step left
     */
    virtual bool Next(CollectiveStep& step) = 0;

    /**
     * @return the channel its messages travel on, see Message::channel
     */
    virtual uint32_t GetChannel() const = 0;
};

/**
 * @ingroup workload-replay
 * @brief A way to carry out collectives: from a call to one member's lanes of steps.
 *
 * Each member plans for itself from the call alone. Strategies are stateless and shared by all
 * ranks.
 */
class CollectiveAlgorithm : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    CollectiveAlgorithm();
    ~CollectiveAlgorithm() override;

    /**
     * @return name in reports and options: ring, direct, ...
     */
    virtual std::string GetName() const = 0;

    /**
     * @param kind a kind of collective
     * @return true if Plan() can do it
     */
    virtual bool Supports(CollectiveKind kind) const = 0;

    /**
     * @param call the collective, of a supported kind; which member calls it makes no difference
     * @return why Plan() cannot carry it out where the members stand, a clause; empty = it can
     */
    virtual std::string FindObstacle(const CollectiveCall& call) const;

    /**
     * @param call the collective, of a supported kind; which member calls it makes no difference
     * @return true if Plan() can carry it out where the members stand
     */
    bool Suits(const CollectiveCall& call) const;

    /**
     * @param call the collective, of a supported kind, one that suits
     * @return the member's lanes; none if there is nothing to move
     */
    virtual std::vector<std::unique_ptr<CollectiveLane>> Plan(const CollectiveCall& call) const = 0;

    /**
     * @param call the collective, of a supported kind
     * @return bytes the member will receive in all
     */
    virtual uint64_t GetReceivedBytes(const CollectiveCall& call) const = 0;

    /**
     * @param call the collective, of a supported kind
     * @return number of channels it uses, the same for all members
     */
    virtual uint32_t GetChannels(const CollectiveCall& call) const = 0;

    /**
     * Reckon how long a collective will take: what the automatic choice goes by.
     *
     * @param call the collective, of a supported kind; which member calls it makes no difference
     * @param protocol how it is to run
     * @param costs what latencies and wires cost
     * @return the time, seconds; none if it is not to be chosen by time, as is so here: such an
     *         algorithm runs on request, or where the choice is by kind alone
     */
    virtual std::optional<double> Estimate(const CollectiveCall& call,
                                           CollectiveProtocol protocol,
                                           const CollectiveCosts& costs) const;

    /**
     * @return time from the start of a step to that of each of its messages, at the sender
     */
    Time GetStepLatency() const;

    /**
     * @return time from the call to the start of the first steps
     */
    Time GetLaunchLatency() const;

  protected:
    /**
     * @param call the collective
     * @return one if its members stand in one server; otherwise NetworkChannels, or if that is 0 or
     *         no two members share a server, one for each member of the largest server
     */
    uint32_t CountNetworkChannels(const CollectiveCall& call) const;

  private:
    Time m_stepLatency;         //!< cost of a step that is not wire
    Time m_launchLatency;       //!< cost of a call that is not wire
    uint32_t m_networkChannels; //!< see CountNetworkChannels()
};

} // namespace ns3

#endif /* COLLECTIVE_ALGORITHM_H */
