/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef GOAL_BINARY_READER_H
#define GOAL_BINARY_READER_H

#include "goal-lowering.h"
#include "goal-schedule.h"

#include "ns3/workload-error.h"

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Little-endian numbers anywhere in a file, of which only a window is in memory.
 */
class BinaryWindow
{
  public:
    /**
     * @param file the file
     * @throws WorkloadError if it cannot be read
     */
    explicit BinaryWindow(const std::string& file);

    /**
     * @return bytes of the file
     */
    uint64_t GetSize() const;

    /**
     * @param offset offset in the file
     * @param bytes bytes of the number, 1 to 8
     * @return the number
     * @throws WorkloadError with the offset if the file ends before
     */
    uint64_t Read(uint64_t offset, std::size_t bytes);

    /**
     * @param offset offset in the file
     * @return the place of an error: FILE, byte OFFSET
     */
    SourceLocation At(uint64_t offset) const;

  private:
    std::string m_file;        //!< the file
    std::ifstream m_stream;    //!< the same, open
    uint64_t m_size{0};        //!< its bytes
    uint64_t m_begin{0};       //!< where the window begins in it
    std::vector<char> m_bytes; //!< the window
};

/**
 * @ingroup workload-replay
 * @brief Reads the binary form of a GOAL schedule, which txt2bin of LogGOPSim writes.
 *
 * A magic number, then, counted from there: the number of ranks, the highest CPU and NIC (a byte
 * each) and by rank where its part begins and ends. A part is made of the number of nodes, the
 * number of roots, the roots, a record for each node, and an appendix of node numbers, of which
 * records name ranges. Numbers are little-endian, nothing is aligned.
 *
 * Only pieces of the file are in memory.
 */
class GoalBinaryReader
{
  public:
    static constexpr uint64_t MAGIC = 4223;      //!< what the file begins with
    static constexpr uint64_t MAGIC_USED = 2342; //!< the same, if a simulator has counted down the
                                                 //!< dependencies in it

    /**
     * @param file the file
     */
    explicit GoalBinaryReader(const std::string& file);

    /**
     * @return the schedule
     * @throws WorkloadError with the byte offset
     */
    GoalSchedule Read();

  private:
    /// Where the part of a rank is, offsets in the file.
    struct Part
    {
        uint64_t begin{0};    //!< its begin
        uint64_t end{0};      //!< its end
        uint32_t nodes{0};    //!< number of its nodes
        uint32_t roots{0};    //!< number of its roots
        uint64_t records{0};  //!< where its records begin
        uint64_t appendix{0}; //!< where its appendix begins
        uint64_t entries{0};  //!< entries of the appendix
    };

    /**
     * @param offset offset in the file
     * @return the place of an error
     */
    SourceLocation At(uint64_t offset) const;

    /**
     * @param rank a rank
     * @param world number of ranks
     * @return where its part is
     */
    Part FindPart(uint32_t rank, uint32_t world);

    /**
     * Read what one rank does.
     *
     * @param rank the rank
     * @param part where its part is
     */
    void ReadRank(uint32_t rank, const Part& part);

    /**
     * @param offset where its record begins
     * @return the node
     */
    GoalNode ReadNode(uint64_t offset);

    /**
     * Read the dependencies on all nodes of a rank.
     *
     * @param part where its part is
     * @param [in,out] lowering makes its program
     */
    void ReadEdges(const Part& part, GoalLowering& lowering);

    /**
     * Compare the dependencies found with what records and roots say of them.
     *
     * @param part where the rank's part is
     * @param counts by node: dependencies found
     */
    void CheckCounts(const Part& part, const std::vector<uint32_t>& counts);

    std::string m_file;      //!< the file
    BinaryWindow m_records;  //!< its records
    BinaryWindow m_appendix; //!< its appendices
    bool m_isUsed{false};    //!< the dependencies have been counted down
    uint64_t m_taken{0};     //!< bytes of the parts read so far
    GoalSchedule m_schedule; //!< what has been read
};

} // namespace ns3

#endif /* GOAL_BINARY_READER_H */
