/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef OP_TABLE_PARSER_H
#define OP_TABLE_PARSER_H

#include "workload-types.h"

#include "ns3/workload-text.h"

#include <cstdint>
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
 * @brief Turn the text of an op table into rows.
 *
 * The first line names the columns, in any order; all eleven must be there. Fields are separated
 * by one tab each and are not trimmed.
 *
 * @param text the table
 * @param elementBytes see OpTableOptions
 * @param backwardScale see OpTableOptions
 * @return the rows as the file has them
 * @throws WorkloadError naming the first place that is wrong
 */
std::vector<OpTableRow> ParseOpTable(const WorkloadText& text,
                                     uint64_t elementBytes,
                                     double backwardScale);

} // namespace ns3

#endif /* OP_TABLE_PARSER_H */
