/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RANK_TRACE_TEST_LINES_H
#define RANK_TRACE_TEST_LINES_H

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief Writes lines of one rank of a hand-made rank trace.
 */
struct RankTraceLines
{
    uint32_t rank{0};                   //!< the rank
    uint32_t stage{0};                  //!< its stage
    std::string message{"[1000]"};      //!< shape of its messages, of bfloat16
    std::string gradients{"[1000000]"}; //!< shape of its gradients, of float32

    /**
     * @param name name of an op
     * @param batch microbatch
     * @param state part of the schedule
     * @param times duration and timestamp, such as "1.5 20"
     * @param subOperations the sub-operations, without brackets
     * @return its line
     */
    std::string Op(const std::string& name,
                   uint32_t batch,
                   const std::string& state,
                   const std::string& times,
                   const std::string& subOperations = "") const;

    /**
     * @param times duration and timestamp
     * @param group group
     * @param kind collective
     * @param shape shape of the input, of int8
     * @return a sub-operation
     */
    static std::string Sub(const std::string& times,
                           const std::string& group,
                           const std::string& kind,
                           const std::string& shape);
};

/**
 * @ingroup workload-replay-tests
 * @brief Make a trace of two microbatches in stage 0 of 2, with an exchange.
 *
 * @param rank the rank
 * @return the text of its file
 */
std::string MakeFirstStageTrace(uint32_t rank);

/**
 * @ingroup workload-replay-tests
 * @brief Make a trace of two microbatches in stage 1 of 2.
 *
 * @param rank the rank
 * @return the text of its file
 */
std::string MakeLastStageTrace(uint32_t rank);

/**
 * @ingroup workload-replay-tests
 * @brief Make a profile of one microbatch, recorded by one GPU alone.
 *
 * @param rank the rank
 * @param stage its stage; 1 computes a loss
 * @return the text of its file
 */
std::string MakeProfile(uint32_t rank, uint32_t stage);

/**
 * @ingroup workload-replay-tests
 * @brief Write a file into a directory, which is made if need be.
 *
 * @param directory the directory
 * @param rank the rank the file is named after
 * @param content what it holds
 * @return its path
 */
std::string WriteTrace(const std::string& directory, uint32_t rank, const std::string& content);

} // namespace ns3

#endif /* RANK_TRACE_TEST_LINES_H */
