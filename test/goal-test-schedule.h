/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef GOAL_TEST_SCHEDULE_H
#define GOAL_TEST_SCHEDULE_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief Writes GOAL schedules, in text and binary.
 */
class GoalTestSchedule
{
  public:
    /// Any rank, any tag.
    static constexpr int64_t ANY = -1;

    /**
     * @param world number of ranks
     */
    explicit GoalTestSchedule(uint32_t world);

    /**
     * Add a node.
     *
     * @param rank its rank
     * @param type 1 (send), 2 (recv), 3 (calc)
     * @param amount bytes or ns
     * @param peer the other rank
     * @param tag its tag
     * @param cpu its CPU
     * @param nic its NIC
     * @return its number, counted from 0
     */
    uint32_t Add(uint32_t rank,
                 uint8_t type,
                 uint64_t amount,
                 int64_t peer = 0,
                 int64_t tag = 0,
                 uint32_t cpu = 0,
                 uint32_t nic = 0);

    /**
     * Add a send; see Add().
     *
     * @param rank its rank
     * @param bytes its size
     * @param peer the other rank
     * @param tag its tag
     * @param after the node that it requires; negative = none
     * @return its number
     */
    uint32_t Send(uint32_t rank,
                  uint64_t bytes,
                  uint32_t peer,
                  int64_t tag = 0,
                  int64_t after = -1);

    /**
     * Add a receive; see Send().
     *
     * @param rank its rank
     * @param bytes its size
     * @param peer the other rank, or ANY
     * @param tag its tag, or ANY
     * @param after the node that it requires; negative = none
     * @return its number
     */
    uint32_t Receive(uint32_t rank,
                     uint64_t bytes,
                     int64_t peer,
                     int64_t tag = 0,
                     int64_t after = -1);

    /**
     * Add a computation; see Send().
     *
     * @param rank its rank
     * @param nanoseconds its time
     * @param after the node that it requires; negative = none
     * @param cpu its CPU
     * @return its number
     */
    uint32_t Calc(uint32_t rank, uint64_t nanoseconds, int64_t after = -1, uint32_t cpu = 0);

    /**
     * Let a node require another one.
     *
     * @param rank rank of both
     * @param node the node that waits
     * @param before the other one
     * @param isStart it waits for the start of the other one alone (irequires)
     */
    void Require(uint32_t rank, uint32_t node, uint32_t before, bool isStart = false);

    /**
     * @return the text form; node 3 has the label n3
     */
    std::string GetText() const;

    /**
     * @param magic what it begins with
     * @return the binary form
     */
    std::string GetBinary(uint64_t magic = 4223) const;

  private:
    /// A node.
    struct Node
    {
        uint8_t type;                   //!< see Add()
        uint64_t amount;                //!< bytes or ns
        int64_t peer;                   //!< the other rank
        int64_t tag;                    //!< its tag
        uint32_t cpu;                   //!< its CPU
        uint32_t nic;                   //!< its NIC
        uint32_t required{0};           //!< nodes that it requires
        std::vector<uint32_t> finish{}; //!< nodes that require it
        std::vector<uint32_t> start{};  //!< nodes that irequire it
    };

    /**
     * @param rank a rank
     * @return its part of the binary form
     */
    std::string GetPart(uint32_t rank) const;

    std::vector<std::vector<Node>> m_ranks;  //!< nodes by rank
    std::vector<std::string> m_requirements; //!< by rank: lines of the text
};

} // namespace ns3

#endif /* GOAL_TEST_SCHEDULE_H */
