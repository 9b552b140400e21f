/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef GOAL_TEXT_READER_H
#define GOAL_TEXT_READER_H

#include "goal-lowering.h"
#include "goal-scanner.h"
#include "goal-schedule.h"
#include "name-table.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Reads the text form of a GOAL schedule, as txt2bin of LogGOPSim takes it, but for the
 *        order of ranks and of the options of an op, and line ends, which are free.
 */
class GoalTextReader
{
  public:
    /**
     * @param file the file
     */
    explicit GoalTextReader(const std::string& file);

    /**
     * @return the schedule
     * @throws WorkloadError with line and column
     */
    GoalSchedule Read();

  private:
    using OpIndex = GoalLowering::OpIndex; //!< index of an op

    /// Read the number of ranks.
    void ReadWorld();

    /// Read what one rank does.
    void ReadRank();

    /// Read an op, or a dependency between two.
    void ReadStatement();

    /**
     * Read an op; the token at hand says what it does.
     *
     * @param label its label; empty = it has none
     * @param line line that it begins in
     */
    void ReadOp(const std::string& label, uint32_t line);

    /**
     * Read the other rank of a message.
     *
     * @param [in,out] node the message
     */
    void ReadPeer(GoalNode& node);

    /**
     * Read what follows an op: tag, cpu, nic.
     *
     * @param [in,out] node the op
     */
    void ReadOptions(GoalNode& node);

    /**
     * Read a dependency: the token at hand is the op that waits.
     */
    void ReadDependency();

    /**
     * @return the op whose label is the token at hand; goes on to the next one
     */
    OpIndex TakeLabel();

    /**
     * Read a number.
     *
     * @param expected what it is
     * @param most highest valid number
     * @return the number
     */
    uint64_t TakeNumber(const std::string& expected, uint64_t most = UINT64_MAX);

    /**
     * Go on to the next token if this one is a word.
     *
     * @param word the word
     * @param expected what is expected, if it is not
     */
    void TakeWord(const char* word, const std::string& expected);

    /**
     * @param text a word or a character
     * @return true if it is the token at hand
     */
    bool Is(const char* text) const;

    std::string m_file;                //!< the file
    GoalScanner m_scanner;             //!< splits it into tokens
    GoalSchedule m_schedule;           //!< what has been read
    GoalLowering* m_lowering{nullptr}; //!< makes the program of the rank that is read
    NameTable m_labels;                //!< labels of the rank that is read
    std::vector<OpIndex> m_labelled;   //!< ops by label
};

} // namespace ns3

#endif /* GOAL_TEXT_READER_H */
