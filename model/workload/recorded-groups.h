/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RECORDED_GROUPS_H
#define RECORDED_GROUPS_H

#include "kineto-message.h"
#include "workload.h"

#include "ns3/workload-error.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief The process groups of a job of PyTorch, as traces of its ranks record them, and what their
 * members call.
 *
 * There is a trace of each rank, or one alone, which stands for all if all its groups are all
 * ranks.
 */
class RecordedGroups
{
  public:
    /// A group: its name and its ranks.
    using Group = std::pair<std::string, std::vector<uint32_t>>;

    /// Kind and bytes of collectives, in order; 0 bytes if they are cut into parts of any length.
    using Calls = std::vector<std::pair<CollectiveKind, uint64_t>>;

    /**
     * @param path what the user has given
     * @param what what traces are called, many of them
     */
    RecordedGroups(const std::string& path, const std::string& what);

    /**
     * @param groups ranks of groups, by name, as a trace tells them
     */
    void Define(const std::map<std::string, std::vector<uint32_t>>& groups);

    /**
     * @param world number of ranks
     * @param ranks those of which there are traces, at least one
     * @throws WorkloadError if that is neither all of them nor one
     */
    void SetRanks(uint32_t world, const std::set<uint32_t>& ranks);

    /**
     * @return number of ranks
     */
    uint32_t GetWorld() const;

    /**
     * @param rank a rank that has a trace
     * @return the ranks that it stands for: from the first one to before the second
     */
    std::pair<uint32_t, uint32_t> GetRanksLike(uint32_t rank) const;

    /**
     * @param rank a rank
     * @param message what is said of a communication of it
     * @param where its place
     * @return the ranks of its group
     * @throws WorkloadError if they are not known
     */
    std::vector<uint32_t> FindRanks(uint32_t rank,
                                    const KinetoMessage& message,
                                    const SourceLocation& where) const;

    /**
     * @param rank a rank
     * @param groups its groups
     * @param calls what it calls in each
     * @throws WorkloadError if the trace cannot stand for those of other ranks
     */
    void Note(uint32_t rank, const std::vector<Group>& groups, const std::vector<Calls>& calls);

    /**
     * Check that members call the same, and find the bytes of what differs in them: their mean.
     *
     * @return number of such calls
     * @throws WorkloadError if they call something else
     */
    uint64_t Agree();

    /**
     * @param group a group
     * @param number number of a call in it
     * @param said bytes that the rank's trace says
     * @return bytes that all members have
     */
    uint64_t GetBytes(const Group& group, std::size_t number, uint64_t said) const;

    /**
     * Give a rank its program, and those that it stands for.
     *
     * @param rank a rank that has a trace
     * @param program the program
     * @param groups its groups, by slot
     * @param [in,out] workload takes in program and communicators
     */
    void Bind(uint32_t rank,
              const std::shared_ptr<const WorkloadProgram>& program,
              const std::vector<Group>& groups,
              Workload& workload);

  private:
    /// Calls by rank.
    using ByRank = std::map<uint32_t, Calls>;

    /**
     * @param group a group
     * @param first a rank of it and what it calls
     * @param other another one
     * @throws WorkloadError if they differ
     */
    void CheckSame(const Group& group,
                   const ByRank::value_type& first,
                   const ByRank::value_type& other) const;

    std::string m_path;                                    //!< what the user has given
    std::string m_what;                                    //!< what traces are called
    uint32_t m_world{0};                                   //!< number of ranks
    bool m_isForAll{false};                                //!< one trace stands for all of them
    std::map<std::string, std::vector<uint32_t>> m_groups; //!< ranks of groups, by name
    std::map<Group, ByRank> m_calls;                       //!< what is called, by group
    std::map<Group, std::vector<uint64_t>> m_even;         //!< bytes of each call
    std::map<Group, uint32_t> m_ids;                       //!< communicators by group
};

/**
 * @ingroup workload-replay
 * @param file path of a trace that does not say its rank
 * @return the rank in its name, behind "rank" or "worker"; none = there is none
 */
std::optional<uint32_t> FindRankInName(const std::string& file);

} // namespace ns3

#endif /* RECORDED_GROUPS_H */
