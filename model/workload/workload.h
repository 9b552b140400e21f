/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WORKLOAD_H
#define WORKLOAD_H

#include "workload-program.h"
#include "workload-types.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief An ordered set of ranks that communicate collectively.
 */
struct Communicator
{
    std::string name;                      //!< name in reports, such as dp0
    Dimension dimension{Dimension::WORLD}; //!< the parallelism it serves
    std::vector<uint32_t> ranks;           //!< members in the order of the ring

    /**
     * @param rank a rank
     * @return its index among the members, or the number of members if it is none
     */
    uint32_t IndexOf(uint32_t rank) const;
};

/**
 * @ingroup workload-replay
 * @brief How the parts of a model, each some consecutive layers, lie on the stages of a pipeline.
 */
enum class StagePlacement : uint8_t
{
    IN_TURN, //!< part after part on stage after stage, and round again if there are more
    FOLDED,  //!< up the stages and back down, so that the first one holds both ends of the model
    TWICE //!< each part on two stages, up for one half of the microbatches and down for the other
};

/**
 * @ingroup workload-replay
 * @brief The shape of a training job. A count of 1 means: not parallel in this dimension.
 */
struct ParallelLayout
{
    /// Most microbatches that are taken. DeepSeek-V3's batches have 15360 sequences (technical
    /// report, section 4.2), so that more in one pipeline are a slip of the keyboard. Each takes
    /// memory for its ops on every stage.
    static constexpr uint32_t MAX_MICROBATCHES = 20000;

    uint32_t world{1};        //!< ranks in all
    uint32_t tp{1};           //!< tensor parallel ranks
    uint32_t cp{1};           //!< context parallel ranks
    uint32_t ep{1};           //!< expert parallel ranks
    uint32_t dp{1};           //!< data parallel ranks
    uint32_t pp{1};           //!< pipeline stages
    uint32_t microbatches{1}; //!< microbatches of one iteration and pipeline
    StagePlacement placement{StagePlacement::IN_TURN}; //!< what the stages hold of the model
    uint32_t etp{0}; //!< tensor parallel ranks of an expert, and experts laid out over tp cp dp; 0
                     //!< = those of everything else, and ep some of the dp ranks
};

class Workload;

/**
 * @ingroup workload-replay
 * @brief A job among others in one network.
 */
struct PlacedJob
{
    std::string name;                         //!< distinguishes it from the others in reports
    std::shared_ptr<const Workload> workload; //!< what it does, in numbers of its own
    std::vector<uint32_t> hosts;              //!< where its ranks stand, by rank
};

/**
 * @ingroup workload-replay
 * @brief A job ready to run: communicators, and one program per distinct rank. Or several jobs that
 *        run at once, see MergeJobs().
 *
 * Every format lowers to this; nothing after the readers asks which format it was. Filled by a
 * reader, immutable afterwards and shared by the applications of all ranks.
 */
class Workload
{
  public:
    /**
     * @param format the format it was read from: op-table, simai, megatron, chakra, goal
     * @param file the file or directory it was read from
     * @param layout the shape of the job
     */
    Workload(std::string format, std::string file, ParallelLayout layout);

    /**
     * Add a communicator, once: one with the same dimension and the same ranks is reused.
     *
     * @param communicator the communicator; its ranks must be in the world
     * @return its id
     */
    uint32_t AddCommunicator(Communicator communicator);

    /**
     * Add a communicator even if another one has the same ranks: its collectives have an order of
     * their own.
     *
     * @param communicator the communicator; its ranks must be in the world
     * @return its id
     */
    uint32_t AddSeparateCommunicator(Communicator communicator);

    /**
     * Give a rank its program.
     *
     * @param rank a rank of the world
     * @param program what it does, shared with all ranks that do the same
     * @param communicators ids of its communicators; the program's communicator slots index this
     */
    void SetRank(uint32_t rank,
                 std::shared_ptr<const WorkloadProgram> program,
                 std::vector<uint32_t> communicators);

    /**
     * @param schedule name of the pipeline schedule; empty = no pipeline
     * @param order order of the rows (megatron, literal); empty = the format knows one order only
     */
    void SetSchedule(const std::string& schedule, const std::string& order);

    /**
     * @param placement what the stages of the pipeline hold of the model
     */
    void SetPlacement(StagePlacement placement);

    /**
     * @param warning something that was assumed because the file does not say it, one sentence
     */
    void AddWarning(const std::string& warning);

    /**
     * Say that this is several jobs.
     *
     * @param jobs the jobs; a host serves one rank
     */
    void SetJobs(std::vector<PlacedJob> jobs);

    /**
     * @return the jobs that this consists of; empty = it is one job
     */
    const std::vector<PlacedJob>& GetJobs() const;

    /// A rank as its job knows it.
    struct JobRank
    {
        /// Stands for the job of a rank that belongs to none.
        static constexpr uint32_t NO_JOB = UINT32_MAX;

        uint32_t job{NO_JOB}; //!< index of the job
        uint32_t rank{0};     //!< its rank there; of a rank that belongs to none, itself
    };

    /**
     * @param rank a rank of the world
     * @return the same in its job; itself in job 0 where there are no several jobs
     */
    JobRank GetJobRank(uint32_t rank) const;

    /**
     * @param rank a rank of the world
     * @return what follows its number in messages: " of NAME" of its job; empty = there is one job
     */
    std::string GetJobSuffix(uint32_t rank) const;

    /**
     * @return name of the format
     */
    const std::string& GetFormat() const;

    /**
     * @return file or directory
     */
    const std::string& GetFile() const;

    /**
     * @return the shape of the job
     */
    const ParallelLayout& GetLayout() const;

    /**
     * @return name of the pipeline schedule; empty = no pipeline
     */
    const std::string& GetScheduleName() const;

    /**
     * @return order of the rows; empty = the format knows one order only
     */
    const std::string& GetOrder() const;

    /**
     * @return what was assumed, one sentence each
     */
    const std::vector<std::string>& GetWarnings() const;

    /**
     * @return all communicators by their id
     */
    const std::vector<Communicator>& GetCommunicators() const;

    /**
     * @param rank a rank of the world
     * @return what it does
     */
    const WorkloadProgram& GetProgram(uint32_t rank) const;

    /**
     * @param rank a rank of the world
     * @return its program, for a workload in which another rank does the same
     */
    const std::shared_ptr<const WorkloadProgram>& ShareProgram(uint32_t rank) const;

    /**
     * @param rank a rank of the world
     * @return ids of its communicators by the program's slots
     */
    const std::vector<uint32_t>& GetCommunicatorSlots(uint32_t rank) const;

    /**
     * Look whether it is complete: readers need not be of this module. Who replays it does so
     * before.
     *
     * @throws WorkloadError if a rank has no program, or an op is of a communicator that its rank
     *         has not, or of a member that is not there
     */
    void Validate() const;

  private:
    /// A rank's program and what binds it to the rank.
    struct Binding
    {
        std::shared_ptr<const WorkloadProgram> program; //!< what the rank does
        std::vector<uint32_t> communicators;            //!< communicator ids by slot
    };

    /**
     * @param op an op that communicates
     * @param rank a rank that runs it
     * @throws WorkloadError if it is not of a communicator that the rank has, or of a member that
     *         is not there
     */
    void Check(const WorkloadOp& op, uint32_t rank) const;

    std::string m_format;                                                  //!< name of the format
    std::string m_file;                                                    //!< file or directory
    ParallelLayout m_layout;                                               //!< shape of the job
    std::string m_schedule;                                                //!< pipeline schedule
    std::string m_order;                                                   //!< order of rows
    std::vector<std::string> m_warnings;                                   //!< what was assumed
    std::vector<Communicator> m_communicators;                             //!< communicators by id
    std::map<std::pair<Dimension, std::vector<uint32_t>>, uint32_t> m_ids; //!< ids by content
    std::vector<Binding> m_bindings;                                       //!< by rank
    std::vector<PlacedJob> m_jobs;   //!< the jobs; empty = it is one job
    std::vector<JobRank> m_jobRanks; //!< by rank; empty = it is one job
};

} // namespace ns3

#endif /* WORKLOAD_H */
