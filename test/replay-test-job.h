/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef REPLAY_TEST_JOB_H
#define REPLAY_TEST_JOB_H

#include "ns3/application-container.h"
#include "ns3/collective-selection.h"
#include "ns3/data-rate.h"
#include "ns3/ideal-network.h"
#include "ns3/message-transport.h"
#include "ns3/nstime.h"
#include "ns3/replay-application.h"
#include "ns3/replay-helper.h"
#include "ns3/workload.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A job on an ideal network, for tests: one of hand-made programs, or one that was read.
 *
 * In a hand-made job all ranks are in communicator slot 0, in the order of their numbers.
 */
class ReplayTestJob
{
  public:
    /// Number of iterations that leaves the attribute Iterations as it is.
    static constexpr uint32_t BY_ATTRIBUTE = 0;

    /**
     * @param world number of ranks
     * @param dimension dimension of communicator slot 0
     */
    ReplayTestJob(uint32_t world, Dimension dimension);

    /**
     * @param workload a job that was read; SetProgram() is not for it
     */
    explicit ReplayTestJob(std::shared_ptr<const Workload> workload);

    /**
     * @param rank a rank
     * @param program what it does
     */
    void SetProgram(uint32_t rank, std::shared_ptr<const WorkloadProgram> program);

    /**
     * @param program what every rank does
     */
    void SetProgram(std::shared_ptr<const WorkloadProgram> program);

    /**
     * Run the job to its end, on a port for each rank and paths of equal delay; the simulator is
     * left as new.
     *
     * @param rate rate of each rank's port, each way
     * @param delay delay of every path
     * @param algorithms how collectives are carried out; null = the default ones
     * @param iterations number of iterations, or BY_ATTRIBUTE
     */
    void Run(DataRate rate,
             Time delay,
             Ptr<CollectiveSelection> algorithms = nullptr,
             uint32_t iterations = 1);

    /**
     * Run the job to its end; the simulator is left as new.
     *
     * @param network what it runs on, with all ports and a path finder
     * @param algorithms how collectives are carried out; null = the default ones
     * @param iterations number of iterations, or BY_ATTRIBUTE
     */
    void Run(Ptr<IdealNetwork> network,
             Ptr<CollectiveSelection> algorithms = nullptr,
             uint32_t iterations = 1);

    /**
     * Run the job to its end; the simulator is left as new.
     *
     * @param transports move the messages of each rank
     * @param algorithms how collectives are carried out; null = the default ones
     * @param iterations number of iterations, or BY_ATTRIBUTE
     */
    void Run(const std::vector<Ptr<MessageTransport>>& transports,
             Ptr<CollectiveSelection> algorithms = nullptr,
             uint32_t iterations = 1);

    /**
     * @param rank a rank
     * @param name name of an op that the rank finished
     * @return the op's first record; all times 0 if there is none
     */
    OpRecord GetOp(uint32_t rank, const std::string& name) const;

    /// Sets attributes of the applications before they are made; empty = they have their defaults.
    std::function<void(ReplayHelper& helper)> configure;

    std::vector<OpRecord> ops;                 //!< finished ops in their order
    std::vector<CollectiveRecord> collectives; //!< finished collectives in their order
    std::vector<IterationRecord> iterations;   //!< finished iterations in their order
    std::vector<std::string> faults;           //!< contradictions found
    std::vector<std::string> waits;            //!< what ReplayHelper::DescribeWaits() said
    std::vector<uint64_t> expectedBytes;       //!< by rank: GetExpectedBytes()
    std::vector<uint64_t> receivedBytes;       //!< by rank: what it has received at the end
    Time stop;                                 //!< when to stop the applications; 0 = never
    Time end;                                  //!< when the simulation ended
    uint64_t events{0};                        //!< events that it took

  private:
    /**
     * @param record a finished op
     */
    void OpFinished(const OpRecord& record);

    /**
     * @param record a finished collective
     */
    void CollectiveFinished(const CollectiveRecord& record);

    /**
     * @param record a finished iteration
     */
    void IterationFinished(const IterationRecord& record);

    /**
     * @param fault a contradiction
     */
    void Failed(const ReplayFault& fault);

    std::shared_ptr<Workload> m_handMade;       //!< the job, if it is hand-made
    std::shared_ptr<const Workload> m_workload; //!< the job
    uint32_t m_communicator{0};                 //!< communicator of slot 0, if hand-made
};

/**
 * @ingroup workload-replay
 * @brief Builds small programs in few words, for tests.
 *
 * Has a stream "compute" (0), a collective stream "dp" (1) and streams "send" (2) and "recv" (3) of
 * dimension PP. The origin of an op is its number in the program, counted from 1.
 */
class TestProgram
{
  public:
    using OpIndex = WorkloadProgram::OpIndex; //!< index of an op

    /**
     * @param file name of the file it pretends to be read from
     */
    explicit TestProgram(const std::string& file = "test");

    /**
     * @param name name of the op
     * @param duration how long it takes
     * @param stream its stream
     * @return its index
     */
    OpIndex Compute(const std::string& name, Time duration, uint16_t stream = 0);

    /**
     * @param name name of the op
     * @param kind the collective
     * @param bytes its bytes
     * @return its index
     */
    OpIndex Collective(const std::string& name, CollectiveKind kind, uint64_t bytes);

    /**
     * @param name name of the op
     * @param peer the receiving rank
     * @param bytes its bytes
     * @param tag its tag
     * @return its index
     */
    OpIndex Send(const std::string& name, uint32_t peer, uint64_t bytes, uint32_t tag = 0);

    /**
     * @param name name of the op
     * @param peer the sending rank
     * @param bytes its bytes
     * @param tag its tag
     * @return its index
     */
    OpIndex Receive(const std::string& name, uint32_t peer, uint64_t bytes, uint32_t tag = 0);

    /**
     * @return the program
     */
    std::shared_ptr<const WorkloadProgram> Build();

    WorkloadProgramBuilder builder; //!< for edges

  private:
    /**
     * @param kind send or receive
     * @param stream its stream
     * @param name name of the op
     * @param peer the other rank
     * @param bytes its bytes
     * @param tag its tag
     * @return its index
     */
    OpIndex Transfer(OpKind kind,
                     uint16_t stream,
                     const std::string& name,
                     uint32_t peer,
                     uint64_t bytes,
                     uint32_t tag);

    uint32_t m_ops{0}; //!< ops added
};

} // namespace ns3

#endif /* REPLAY_TEST_JOB_H */
