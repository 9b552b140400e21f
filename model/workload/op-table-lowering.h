/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef OP_TABLE_LOWERING_H
#define OP_TABLE_LOWERING_H

#include "workload-program.h"
#include "workload-types.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A communication of a row of an op table.
 */
struct OpTableCommunication
{
    uint64_t bytes{0};                               //!< size as its kind counts it; 0 = none
    CollectiveKind kind{CollectiveKind::ALL_REDUCE}; //!< which collective
    bool blocking{true};                             //!< the compute after it waits for it
};

/**
 * @ingroup workload-replay
 * @brief A row of an op table, checked and in the units of the replay.
 */
struct OpTableRow
{
    std::string name;                             //!< name of the op
    uint32_t line{0};                             //!< line in the file, counted from 1
    int32_t layer{-1};                            //!< repetition it belongs to; -1 = not repeated
    uint64_t forwardTime{0};                      //!< forward compute in ps; 0 = none
    uint64_t backwardTime{0};                     //!< input gradient compute in ps; 0 = none
    uint64_t weightGradTime{0};                   //!< weight gradient compute in ps; 0 = none
    uint64_t processTime{0};                      //!< time after each communication in ps; 0 = none
    OpTableCommunication forwardCommunication;    //!< after the forward compute
    OpTableCommunication backwardCommunication;   //!< after the input gradient
    OpTableCommunication weightGradCommunication; //!< after the weight gradient
};

/**
 * @ingroup workload-replay
 * @brief Make the program that every worker of an op table runs.
 *
 * Stream 0 is the worker's compute, stream 1 its data-parallel communication, in communicator slot
 * 0. A communication starts after the compute before it; the compute after it waits for it only if
 * it blocks. A process time follows each communication of its row in the communication's stream,
 * so that it delays what waits for the communication; without one it follows the row's backward.
 *
 * @param file path of the table, the file of the origins
 * @param rows the rows in forward order, repetitions written out
 * @return the program
 */
std::shared_ptr<const WorkloadProgram> LowerOpTable(const std::string& file,
                                                    const std::vector<OpTableRow>& rows);

} // namespace ns3

#endif /* OP_TABLE_LOWERING_H */
