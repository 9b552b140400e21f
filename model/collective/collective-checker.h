/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_CHECKER_H
#define COLLECTIVE_CHECKER_H

#include "collective-algorithm.h"
#include "collective-fault.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

class SymbolicRun;
class SymbolicSums;

/**
 * @ingroup workload-replay
 * @brief Checks that an algorithm brings every member of a collective the data that it should have.
 *
 * It runs the plans of all members on symbolic data: bytes that know where they stood, and whose
 * they are the sum of. Found are steps that wait for each other for ever, or for room where the
 * slots of a connection are full; messages that nobody receives, or of another length than the
 * receive; bytes that are sent before they have come, or stand beyond the buffer; contributions
 * that are missing or added twice; and results that are not what the kind of collective asks for.
 * As members and pipelines run in no particular order, all is run twice, in opposite orders.
 *
 * All members share one layout of the buffer: what a member brings to a gather and gets from a
 * scatter stands where its block is. In an all-to-all and a shift receives have a buffer of their
 * own, parts one after another in the order of the members; a member's own part is not moved.
 * Of transfers that do not say where their bytes stand (CollectiveTransfer::SOMEWHERE: plans of
 * MSCCL, which CheckMscclPlan() follows) only messages and their lengths are checked.
 *
 *     CollectiveChecker checker(CreateObject<RingCollective>(), {CollectiveKind::ALL_REDUCE,
 *                                                                 1 << 20, 0, 8});
 *     if (const auto fault = checker.Check())
 *     {
 *         std::cerr << fault->Describe() << "\n";
 *     }
 */
class CollectiveChecker
{
  public:
    /**
     * @param algorithm the algorithm
     * @param call the collective as any member calls it, which suits the algorithm; its placement
     *             must outlive this object
     * @param splits of an all-to-all, how each member shares out its buffers; empty = in equal
     *               parts
     */
    CollectiveChecker(Ptr<const CollectiveAlgorithm> algorithm,
                      const CollectiveCall& call,
                      const std::vector<AllToAllSplits>& splits = {});

    // Calls refer to its splits.
    CollectiveChecker(const CollectiveChecker&) = delete;
    CollectiveChecker& operator=(const CollectiveChecker&) = delete;

    /**
     * @param slots room of each connection; without a call, NCCL's
     */
    void SetSlots(const CollectiveSlots& slots);

    /**
     * Give up early: checks take about as long as there are messages.
     *
     * @param messages most that are followed; without a call, all
     */
    void SetMostMessages(uint64_t messages);

    /**
     * @return what is wrong; none = nothing, as far as was looked
     */
    std::optional<CollectiveFault> Check();

    /**
     * @return messages that Check() has followed
     */
    uint64_t CountMessages() const;

    /**
     * @param member index of a member
     * @return what it has sent and received; Check() has been called
     */
    const CollectiveTraffic& GetTraffic(uint32_t member) const;

    /**
     * @param kind a kind of collective
     * @param size number of members, at least 1
     * @return the roots to check it with: of few members all, of more those at both ends and in the
     *         middle, and member 0 where the kind has none
     */
    static std::vector<uint32_t> ListRoots(CollectiveKind kind, uint32_t size);

  private:
    /// A part of the result.
    struct Result
    {
        uint64_t place;  //!< where it stands
        uint64_t bytes;  //!< its length
        uint64_t origin; //!< where it stood when it was brought
        uint32_t sum;    //!< whose it is, see SymbolicSums
    };

    /**
     * @param isReversed the order, see SymbolicRun
     * @return a run of the collective, all members with what they bring
     */
    SymbolicRun MakeRun(bool isReversed) const;

    /**
     * @param run a run
     * @param member a member
     * @return what it should end with
     */
    std::vector<Result> ListResults(SymbolicRun& run, uint32_t member) const;

    /**
     * @param sums sets of members
     * @param member a member
     * @return what it should end with, in an all-to-all
     */
    std::vector<Result> ListExchanged(const SymbolicSums& sums, uint32_t member) const;

    /**
     * @param run a run that is over
     * @param member a member
     * @return what is wrong with what the member ends with; none = nothing
     */
    std::optional<CollectiveFault> CheckResult(SymbolicRun& run, uint32_t member) const;

    /**
     * Run all once more, to see who has written what is wrong at the end.
     *
     * @param isReversed the order, see SymbolicRun
     * @param fault what is wrong
     * @return the last step that writes there, in words
     */
    std::string DescribeWriter(bool isReversed, const CollectiveFault& fault) const;

    /**
     * @param member a member
     * @return its block of the buffer
     */
    BufferPart GetBlock(uint32_t member) const;

    Ptr<const CollectiveAlgorithm> m_algorithm; //!< the algorithm
    CollectiveSlots m_slots;                    //!< room of each connection
    uint64_t m_mostMessages{UINT64_MAX};        //!< most that are followed
    uint64_t m_messages{0};                     //!< followed so far
    std::vector<AllToAllSplits> m_splits;       //!< by member; empty = equal parts
    std::vector<CollectiveCall> m_calls;        //!< by member
    std::vector<CollectiveTraffic> m_traffic;   //!< by member, of the last run
};

} // namespace ns3

#endif /* COLLECTIVE_CHECKER_H */
