/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef OP_TABLE_READER_H
#define OP_TABLE_READER_H

#include "workload.h"

#include <cstdint>
#include <memory>
#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What an op table does not say itself.
 */
struct OpTableOptions
{
    uint32_t workers{1};      //!< data-parallel workers, at least 1; each runs the whole table
    double backwardScale{0};  //!< backward time of a row that states neither a backward nor a
                              //!< weight-gradient time, as a multiple of its forward time, at
                              //!< least 0; 0 = such rows take none
    uint64_t elementBytes{4}; //!< bytes of one element of a communication size, at least 1
    std::string repeatFirst;  //!< first row of a range to repeat, a name that only one row has;
                              //!< empty = nothing is repeated
    std::string repeatLast;   //!< last row of that range, likewise; may be the first one
    uint32_t repeatCount{1};  //!< how often the range stands in the model, at least 1; 1 = once,
                              //!< as the file has it
};

/**
 * @ingroup workload-replay
 * @brief Read a tab-separated op table and lower it to a workload of data-parallel workers.
 *
 * The table has one header line with the columns name, forward_compute_time, forward_comm_type,
 * forward_comm_size, the same three of backward and weight_grad, and process_time, in any order.
 * Types are None, ALLREDUCE, ALLREDUCE_ASYNC, ALLGATHER, REDUCESCATTER, ALLTOALL and SENDRECV
 * (each worker sends to the next one); a size of 0 is no communication. The ops of a repeated row
 * have the repetition, counted from 0, as layer.
 *
 * Forward runs the rows in order; backward walks them in reverse. A communication blocks the rows
 * after it, unless its type ends in _ASYNC: then it queues in the data-parallel stream and
 * overlaps. Times of the file are milliseconds, kept as picoseconds. A process time is spent after
 * each communication of its row, and after the row's backward if the row has none.
 *
 * @param file path of the table
 * @param options what the table does not say
 * @return the workload
 * @throws WorkloadError with file, line and column if the table or an option is wrong
 */
std::shared_ptr<const Workload> ReadOpTable(const std::string& file, const OpTableOptions& options);

} // namespace ns3

#endif /* OP_TABLE_READER_H */
