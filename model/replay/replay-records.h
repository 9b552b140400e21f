/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef REPLAY_RECORDS_H
#define REPLAY_RECORDS_H

#include "ns3/nstime.h"
#include "ns3/workload.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief An op of a rank that has finished.
 */
struct OpRecord
{
    uint32_t rank{0};                        //!< the rank
    uint32_t iteration{0};                   //!< iteration, counted from 0
    const WorkloadProgram* program{nullptr}; //!< the rank's program
    WorkloadProgram::OpIndex op{0};          //!< the op, index in the program
    Time start;                              //!< when it started
    Time end;                                //!< when it finished

    /**
     * @param record what is visited, const or not
     * @param visit is given each member but the program, which follows from the rank
     */
    template <typename R, typename V>
    static void Visit(R& record, const V& visit)
    {
        visit(record.rank);
        visit(record.iteration);
        visit(record.op);
        visit(record.start);
        visit(record.end);
    }
};

/**
 * @ingroup workload-replay
 * @brief A collective that has finished on one of its members.
 */
struct CollectiveRecord
{
    uint32_t rank{0};         //!< the member
    uint32_t communicator{0}; //!< id of the communicator in the workload
    uint32_t sequence{0};     //!< how many collectives ran in the communicator before
    CollectiveKind kind{};    //!< what it was
    std::string algorithm;    //!< name of the algorithm that ran
    uint32_t channels{0};     //!< channels of the algorithm
    uint64_t bytes{0};        //!< bytes as CollectiveKind counts them
    Time arrival;             //!< when this member called it
    Time end;                 //!< when this member was done with it

    /**
     * @param record what is visited, const or not
     * @param visit is given each member
     */
    template <typename R, typename V>
    static void Visit(R& record, const V& visit)
    {
        visit(record.rank);
        visit(record.communicator);
        visit(record.sequence);
        visit(record.kind);
        visit(record.algorithm);
        visit(record.channels);
        visit(record.bytes);
        visit(record.arrival);
        visit(record.end);
    }
};

/**
 * @ingroup workload-replay
 * @brief An iteration that has finished on one rank, and where the rank's time went.
 *
 * compute + all exposed + bubble = end - start, exactly, but for waits for the host.
 */
struct IterationRecord
{
    uint32_t rank{0};      //!< the rank
    uint32_t iteration{0}; //!< iteration, counted from 0
    Time start;            //!< when the rank began it
    Time end;              //!< when all its ops had finished
    Time compute;          //!< time in which the compute stream worked
    /// Time in which the compute stream waited for communication, by Dimension.
    std::array<Time, N_DIMENSIONS> exposed;
    /// Time in which it waited for a message its pipeline neighbour had not yet sent.
    Time bubble;
    /// Time in which communication ran while the compute stream worked, by Dimension.
    std::array<Time, N_DIMENSIONS> hidden;
    /// The wait that cost most: op waited for, index in the program; UINT32_MAX = no wait.
    WorkloadProgram::OpIndex longestWaitOp{UINT32_MAX};
    Time longestWait; //!< how long that wait was

    /**
     * @param record what is visited, const or not
     * @param visit is given each member
     */
    template <typename R, typename V>
    static void Visit(R& record, const V& visit)
    {
        visit(record.rank);
        visit(record.iteration);
        visit(record.start);
        visit(record.end);
        visit(record.compute);
        visit(record.exposed);
        visit(record.bubble);
        visit(record.hidden);
        visit(record.longestWaitOp);
        visit(record.longestWait);
    }
};

/**
 * @ingroup workload-replay
 * @brief What an unfinished rank waits in, and for whom.
 */
struct WaitRecord
{
    uint32_t rank{0};                  //!< the unfinished rank
    std::string op;                    //!< name of the op it waits in
    std::string origin;                //!< FILE:LINE of that op
    std::string what;                  //!< what it does there, one phrase
    std::vector<uint32_t> waitsFor;    //!< ranks whose messages it lacks, ascending
    bool isCompute{false};             //!< it computes, and waits for nobody
    const Workload* workload{nullptr}; //!< says what jobs call the ranks; null = as they are here

    /**
     * @param record what is visited, const or not
     * @param visit is given each member but the workload, which is another object in each process
     */
    template <typename R, typename V>
    static void Visit(R& record, const V& visit)
    {
        visit(record.rank);
        visit(record.op);
        visit(record.origin);
        visit(record.what);
        visit(record.waitsFor);
        visit(record.isCompute);
    }
};

/**
 * @ingroup workload-replay
 * @brief Two ranks contradict each other; the replay cannot go on.
 */
struct ReplayFault
{
    uint32_t rank{0};    //!< the rank that noticed
    std::string message; //!< one line that names both ranks and both origins
};

/**
 * @ingroup workload-replay
 * @brief What has come to a rank.
 */
struct ReceivedData
{
    uint64_t bytes{0};     //!< payload received
    uint64_t unclaimed{0}; //!< messages that have come and that no op has wanted yet
};

} // namespace ns3

#endif /* REPLAY_RECORDS_H */
