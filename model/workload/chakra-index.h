/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CHAKRA_INDEX_H
#define CHAKRA_INDEX_H

#include "chakra-groups.h"
#include "chakra-trace.pb.h"
#include "workload.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What a first pass through a Chakra trace finds: which nodes it has, and where they stand.
 */
class ChakraIndex
{
  public:
    /// Stands where there is no node.
    static constexpr uint32_t NONE = UINT32_MAX;

    /// Who wrote the trace, as far as it matters.
    enum Producer
    {
        OTHER,   //!< dependencies are all there is to know
        PYTORCH, //!< recorded: order by streams, control dependencies are the call stack
        STAGE    //!< symbolic: sizes are elements
    };

    /**
     * Read a trace.
     *
     * @param path the trace
     * @param rank its rank
     * @param [in,out] groups takes in what the trace says of groups
     * @throws WorkloadError if the trace is damaged, or has two nodes of one id
     */
    ChakraIndex(const std::string& path, uint32_t rank, ChakraGroups& groups);

    /**
     * @return the trace
     */
    const std::string& GetPath() const;

    /**
     * @return who wrote it
     */
    Producer GetProducer() const;

    /**
     * @return its streams, if it was exported by this module (see ChakraFacts); else empty
     */
    const std::vector<WorkloadStream>& GetStreams() const;

    /**
     * @return shape of the job, likewise
     */
    const std::optional<ParallelLayout>& GetLayout() const;

    /**
     * @return ids of its nodes, in the order of the file
     */
    const std::vector<uint64_t>& GetIds() const;

    /**
     * @return number of dependencies, or a little more
     */
    uint64_t GetDependencyCount() const;

    /**
     * @param id id of a node
     * @return its place in the order of the file, counted from 0; NONE = there is no such node
     */
    uint32_t Find(uint64_t id) const;

  private:
    /**
     * @param metadata metadata of the trace
     * @param [in,out] groups takes in what it reports of groups
     */
    void ReadFacts(const chakra::GlobalMetadata& metadata, ChakraGroups& groups);

    /// Make Find() work.
    void Sort();

    std::string m_path;                     //!< the trace
    Producer m_producer{OTHER};             //!< who wrote it
    std::vector<WorkloadStream> m_streams;  //!< streams that it names
    std::optional<ParallelLayout> m_layout; //!< shape of the job that it names
    std::vector<uint64_t> m_ids;            //!< ids of its nodes
    std::vector<uint32_t> m_sorted;         //!< places by id; empty = the ids ascend in the file
    uint64_t m_dependencies{0};             //!< number of dependencies, or more
};

} // namespace ns3

#endif /* CHAKRA_INDEX_H */
