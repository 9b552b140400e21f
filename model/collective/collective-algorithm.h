/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_ALGORITHM_H
#define COLLECTIVE_ALGORITHM_H

#include "chunk-pipeline.h"
#include "collective-latencies.h"
#include "collective-placement.h"

#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/workload-types.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace ns3
{

class CollectiveCosts;
struct CollectiveLayout;
struct CollectiveTerms;

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
    /// Where the members stand; null = all in one place; must outlive the call and its pipelines.
    const CollectivePlacement* placement{nullptr};
    uint32_t root{0}; //!< index of the root in the communicator, if the kind has one: HasRoot()
    CollectiveProtocol protocol{CollectiveProtocol::SIMPLE}; //!< how it runs

    /**
     * @param distance a number of members, at most all
     * @return index of the member so far after this one; after the last comes the first
     */
    uint32_t GetMemberAfter(uint64_t distance) const;

    /**
     * @return position of the member in the order of the servers, see
     *         CollectivePlacement::GetOrder(); its index if there is no placement
     */
    uint32_t GetPosition() const;

    /**
     * @param position a position, or any number: after the last position comes the first
     * @return the member that stands there in the order of the servers
     */
    uint32_t GetMemberAt(uint64_t position) const;

    /**
     * @param transfer a transfer of the member
     * @return whether it crosses the network: the other member stands in another server, or it is
     *         a switch of the network
     */
    bool IsNetwork(const CollectiveTransfer& transfer) const;

    /**
     * Strip the call of what the other end of a message does not know: which member calls and, of
     * an all-to-all with splits, all parts but the one that the message carries. What both ends
     * must agree on follows from this.
     *
     * @param message payload of the message, bytes
     * @return the call as either end knows it; with splits one of equal parts, each as long as the
     *         message
     */
    CollectiveCall GetShared(uint64_t message) const;
};

/**
 * @ingroup workload-replay
 * @brief Channels of NCCL that do the same, so that one channel of the simulation stands for them.
 */
struct ChannelBundle
{
    double channels{1}; //!< how many
    double copyRate{0}; //!< bytes per second at which they write a message to another server into
                        //!< buffers before it goes; 0 = while it goes
};

/**
 * @ingroup workload-replay
 * @brief An algorithm of collectives: from a call to one member's pipelines of steps.
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

    ~CollectiveAlgorithm() override;

    /**
     * @return name in reports and options: ring, direct, ...
     */
    const std::string& GetName() const;

    /**
     * @param kind a kind of collective
     * @return true if Plan() can do it
     */
    bool Supports(CollectiveKind kind) const;

    /**
     * @param call the collective, of a supported kind; which member calls it makes no difference
     * @return why Plan() cannot carry it out where the members stand, a clause; empty = it can
     */
    virtual std::string FindUnsupportedReason(const CollectiveCall& call) const;

    /**
     * @param call a collective that it cannot carry out
     * @return whether it is left to the automatic choice although it was asked for; here not, as it
     *         is a mistake
     */
    virtual bool LeavesUnsupported(const CollectiveCall& call) const;

    /**
     * @return whether kernels of the accelerator carry it out, which are launched and take a share
     *         of it from computations
     */
    virtual bool RunsKernels() const;

    /**
     * A kernel of NCCL is a block of threads for each of its channels, and a block occupies a
     * multiprocessor from the start of the kernel to its end (src/enqueue.cc, the grid of a plan).
     *
     * @param call the collective, of a supported kind, with its protocol
     * @return multiprocessors of the accelerator that its kernel occupies on the member that calls;
     *         none = not known, as here and where the placement does not know its channels
     */
    virtual std::optional<uint32_t> CountMultiprocessors(const CollectiveCall& call) const;

    /**
     * @return the protocols that it can run with; here all. Switches that add up data cannot see
     *         flags among it, and copy engines write none
     */
    virtual std::vector<CollectiveProtocol> GetProtocols() const;

    /// Switches that take part in collectives, which networks then have transports for.
    enum class Switches
    {
        NONE,   //!< members send to each other alone
        NVLINK, //!< NVSwitches reduce and multicast
        NETWORK //!< switches of the network do
    };

    /**
     * @return which switches take part; here none
     */
    virtual Switches GetSwitches() const;

    /**
     * @param call the collective, of a supported kind; which member calls it makes no difference
     * @return true if Plan() can carry it out where the members stand
     */
    bool Suits(const CollectiveCall& call) const;

    /**
     * @param call the collective, of a supported kind; aborts unless it suits
     * @return the member's pipelines; none if there is nothing to move
     */
    ChunkPipelines Plan(const CollectiveCall& call) const;

    /**
     * @param call the collective, of a supported kind
     * @return bytes the member will receive in all
     */
    uint64_t GetReceivedBytes(const CollectiveCall& call) const;

    /**
     * @param call the collective, of a supported kind
     * @return number of channels it uses, the same for all members; here 1
     */
    virtual uint32_t GetChannels(const CollectiveCall& call) const;

    /**
     * @param call the collective, of a supported kind; which member calls it makes no difference
     * @return attribute and value, such as "ns3::DirectCollective::Concurrency=63", with which a
     *         member exchanges with all others at the same time; empty = it does, or there is no
     *         such attribute, as here
     */
    virtual std::string GetAllAtOnceOption(const CollectiveCall& call) const;

    /**
     * @param call the collective, of a supported kind
     * @return what reports should say of how it is laid out over the fabric, a sentence; here
     *         nothing
     */
    virtual std::string DescribeLayout(const CollectiveCall& call) const;

    /**
     * NCCL drives its links with several channels, and short calls use fewer of them.
     *
     * @param call the collective, of a supported kind, with its protocol
     * @return channels that it uses as a share of all, above 0; here 1
     */
    virtual double GetUsedShare(const CollectiveCall& call) const;

    /**
     * @param call the collective, of a supported kind, with its protocol
     * @return what each of its channels stands for; here a channel without delays
     */
    virtual ChannelBundle GetBundle(const CollectiveCall& call) const;

    /**
     * Estimate how long a collective will take: what the automatic choice goes by.
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
     * @param protocol how it is to run
     * @param layout where the members stand
     * @param costs what latencies and wires cost
     * @return what Estimate() reckons a call and its messages to wait for beside the wire, without
     *         the launch; here what costs say of its name, or of the ring if they do not know it
     */
    virtual CollectiveLatencies::Entry GetLatencies(CollectiveProtocol protocol,
                                                    const CollectiveLayout& layout,
                                                    const CollectiveCosts& costs) const;

    /**
     * @param protocol how it runs
     * @param layout where the members stand
     * @param costs what latencies and wires cost
     * @return what a call costs that is replayed; here GetLatencies() but for the propagation that
     *         is simulated, and the payload that the protocol leaves room for
     */
    virtual CollectiveTerms GetTerms(CollectiveProtocol protocol,
                                     const CollectiveLayout& layout,
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
     * @param name name in reports and options
     * @param kinds the kinds that it supports
     */
    CollectiveAlgorithm(const std::string& name, const std::set<CollectiveKind>& kinds);

    /**
     * @param call the collective
     * @return rings of the call: those that differ of the channels that NCCL would find, as many as
     *         it would use for so many bytes; or, where the servers are not described, one if the
     *         members stand in one server, otherwise one for each member of the largest server
     */
    uint32_t CountNetworkChannels(const CollectiveCall& call) const;

  private:
    /**
     * @param call a collective that suits, of two members or more, with something to move
     * @return the member's pipelines
     */
    virtual ChunkPipelines DoPlan(const CollectiveCall& call) const = 0;

    /**
     * Count what Plan() receives, which takes as long as to make all its steps: to be overridden
     * where there are many.
     *
     * @param call a collective of two members or more
     * @return bytes the member will receive in all
     */
    virtual uint64_t CountReceivedBytes(const CollectiveCall& call) const;

    std::string m_name;               //!< name in reports and options
    std::set<CollectiveKind> m_kinds; //!< the kinds that it supports
    Time m_stepLatency;               //!< cost of a step that is not wire
    Time m_launchLatency;             //!< cost of a call that is not wire
};

} // namespace ns3

#endif /* COLLECTIVE_ALGORITHM_H */
