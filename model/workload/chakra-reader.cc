/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "chakra-reader.h"

#include "chakra-groups.h"
#include "chakra-index.h"
#include "chakra-lowering.h"
#include "chakra-ops.h"
#include "chakra-trace-files.h"

#include "ns3/workload-error.h"

#include <map>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @ingroup workload-replay
 * @brief Reads the traces of a job.
 */
class ChakraJob
{
  public:
    /**
     * @param path what the user has given
     * @param options what the traces do not say
     */
    ChakraJob(const std::string& path, const ChakraOptions& options)
        : m_options(options),
          m_files(FindChakraTraces(path, options.world)),
          m_world(static_cast<uint32_t>(m_files.traces.size())),
          m_path(path),
          m_groups(m_world, options.zeroIsWorld)
    {
    }

    /**
     * @return the workload
     */
    std::shared_ptr<const Workload> Read()
    {
        const auto& groupFile = m_options.groupFile.empty() ? m_files.groups : m_options.groupFile;
        if (!groupFile.empty())
        {
            m_groups.ReadFile(groupFile);
        }
        // All files are looked through first: any of them may define the groups of the others.
        for (uint32_t rank = 0; rank < m_world; ++rank)
        {
            m_indices.emplace_back(m_files.traces[rank], rank, m_groups);
        }
        m_workload = std::make_shared<Workload>("chakra", m_path, FindLayout());
        // In the order in which the exporter had them: what is drawn for a communicator, such as
        // the paths of its messages, then stays the same.
        for (const auto& group : m_groups.GetDescribed())
        {
            if (!m_groups.GetRanks(group).empty())
            {
                FindGroup(group);
            }
        }
        for (uint32_t rank = 0; rank < m_world; ++rank)
        {
            LowerRank(rank);
        }
        AddWarnings();
        return m_workload;
    }

  private:
    /**
     * @return the shape of the job: how it is parallel is known only of what was exported here
     */
    ParallelLayout FindLayout() const
    {
        ParallelLayout layout;
        layout.world = m_world;
        const auto& named = m_indices.front().GetLayout();
        // A layout is believed only if it makes as many ranks as there are traces.
        if (named && uint64_t{named->tp} * named->cp * named->dp * named->pp == m_world)
        {
            layout = *named;
            layout.world = m_world;
        }
        return layout;
    }

    /**
     * @param rank a rank
     */
    void LowerRank(uint32_t rank)
    {
        ChakraOpMaker maker(m_options, m_indices[rank], m_groups, rank, m_world, m_notes);
        auto program = ChakraLowering(m_options, m_indices[rank], maker, m_notes).Lower();
        std::vector<uint32_t> communicators;
        for (const auto& group : maker.GetSlots())
        {
            communicators.push_back(group ? FindGroup(*group) : FindPointToPoint());
        }
        m_workload->SetRank(rank, std::move(program), std::move(communicators));
    }

    /**
     * @param group a group, see ChakraGroups::GetRanks()
     * @return id of its communicator
     */
    uint32_t FindGroup(const std::string& group)
    {
        const auto [id, isNew] = m_ids.try_emplace(group);
        if (isNew)
        {
            const auto fact = m_groups.GetFact(group);
            // Groups of the same ranks have collectives in an order of their own each.
            id->second = m_workload->AddSeparateCommunicator(
                {fact.label, fact.dimension, m_groups.GetRanks(group)});
        }
        return id->second;
    }

    /**
     * @return id of the communicator of sends and receives
     */
    uint32_t FindPointToPoint()
    {
        return m_workload->AddCommunicator({"p2p", Dimension::PP, m_groups.GetRanks("")});
    }

    /// Say what was assumed.
    void AddWarnings()
    {
        for (const auto& warning : m_groups.GetWarnings())
        {
            m_workload->AddWarning(warning);
        }
        const auto add = [this](uint64_t count, const std::string& what) {
            if (count > 0)
            {
                m_workload->AddWarning(std::to_string(count) + what);
            }
        };
        add(m_notes.symbolic, " sizes were elements, not bytes, see --elementBytes");
        add(m_notes.untimed,
            " computations have operations or bytes but no time, and take none: --peakFlops and "
            "--memoryBandwidth give them one");
        add(m_notes.rootless, " collectives have a root: rank 0 of their group was taken");
        add(m_notes.unusedControls,
            " control dependencies were not used: they are the call stack, see "
            "--controlDependencies");
        add(m_notes.strayEdges, " dependencies on nodes that are not there were left out");
        add(m_notes.leaves,
            " computations of accelerators have nothing that waits for them: they run in the "
            "order of their streams");
    }

    const ChakraOptions& m_options;        //!< what the traces do not say
    ChakraTraceFiles m_files;              //!< the files
    uint32_t m_world;                      //!< number of ranks
    std::string m_path;                    //!< what the user has given
    ChakraGroups m_groups;                 //!< groups of ranks
    std::vector<ChakraIndex> m_indices;    //!< by rank: the first pass
    ChakraNotes m_notes;                   //!< what is to be reported
    std::map<std::string, uint32_t> m_ids; //!< communicators by group
    std::shared_ptr<Workload> m_workload;  //!< the workload
};

} // namespace

std::shared_ptr<const Workload>
ReadChakraTraces(const std::string& path, const ChakraOptions& options)
{
    return ChakraJob(path, options).Read();
}

} // namespace ns3
