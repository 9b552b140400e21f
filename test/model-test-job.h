/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MODEL_TEST_JOB_H
#define MODEL_TEST_JOB_H

#include "model-test-cases.h"
#include "replay-test-job.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief Runs a model on ideal ports without delay, with operators that take what a test says.
 */
class ModelTestJob
{
  public:
    /// Finds a path for a file.
    using Namer = std::function<std::string(const std::string&)>;

    /// Changes options.
    using Change = std::function<void(ModelOptions&)>;

    /// Shape of a job.
    struct Shape
    {
        uint32_t tp{1};           //!< tensor parallel ranks
        uint32_t cp{1};           //!< context parallel ranks
        uint32_t dp{1};           //!< replicas
        uint32_t pp{1};           //!< stages
        uint32_t microbatches{1}; //!< microbatches
    };

    /**
     * @param model content of the model's file: all of its layers have experts, or none has
     * @param shape how it is laid out
     * @param namer finds paths for files
     */
    ModelTestJob(const std::string& model, const Shape& shape, Namer namer);

    /**
     * @param keys keys of the accelerator; what they leave out is as fast as can be
     */
    void SetAccelerator(const std::string& keys);

    /**
     * @param rows rows of the table of operators: name, us forward, us of gradients of inputs and
     * of weights
     */
    void SetTimes(const std::string& rows);

    /**
     * Run the job once more.
     *
     * @param rate rate of each rank's port, each way
     * @param change changes the options; empty = they stay
     */
    void Run(DataRate rate, const Change& change = {});

    /// @return when the last rank ended
    Time GetIterationTime() const;

    /**
     * @param name name of an op
     * @param phase its phase
     * @param kind its kind
     * @param index how many such ops of the rank to leave out
     * @param rank the rank
     * @return its record; fails the simulation if there is none
     */
    OpRecord GetOp(const std::string& name,
                   OpPhase phase,
                   OpKind kind = OpKind::COMPUTE,
                   uint32_t index = 0,
                   uint32_t rank = 0) const;

  private:
    ModelOptions m_options;               //!< the job
    std::vector<std::string> m_operators; //!< names of its operators
    Namer m_namer;                        //!< finds paths for files
    std::shared_ptr<ReplayTestJob> m_run; //!< the latest run
};

} // namespace ns3

#endif /* MODEL_TEST_JOB_H */
