/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CHAKRA_WRITER_H
#define CHAKRA_WRITER_H

#include "workload.h"

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Writes a workload as Chakra execution traces of the schema 0.0.4, one a rank.
 *
 * An op becomes a node, in the order of the program and with its index as the id. What it waits
 * for, the order of its stream included, becomes data dependencies, which all readers of Chakra
 * follow. A communicator becomes the group of its id plus 1, for ASTRA-sim takes numbers above 0.
 * Sizes and times are those that ASTRA-sim takes them for: an all-gather has the bytes that a rank
 * brings, a computation whole microseconds, rounded so that the sum over a stream is that of the
 * workload.
 *
 * What Chakra has no words for stands in attributes that others ignore (see ChakraFacts); by them
 * ReadChakraTraces() makes the same program again. They alone have the unequal parts of an
 * all-to-all and the root of a collective.
 */
class ChakraWriter
{
  public:
    /**
     * @param workload what is to be written
     * @throws WorkloadError naming an op that Chakra cannot say
     */
    explicit ChakraWriter(std::shared_ptr<const Workload> workload);
    ~ChakraWriter();

    /**
     * @param os takes the groups, a JSON object {"NUMBER": [RANKS]}, as ASTRA-sim's
     *           --comm-group-configuration
     */
    void WriteGroups(std::ostream& os) const;

    /**
     * @param rank a rank
     * @param os takes its trace
     */
    void WriteTrace(uint32_t rank, std::ostream& os);

    /**
     * @return number of nodes of all traces
     */
    uint64_t GetNodeCount() const;

    /**
     * @return what readers that do not know our attributes take otherwise, one sentence each
     */
    std::vector<std::string> GetWarnings() const;

  private:
    /// What each op of a program waits for, said as Chakra can.
    class Dependencies;

    /**
     * Refuse what cannot be said, and count what others do not understand.
     *
     * @param rank a rank
     * @param isNew whether its program is no other rank's before
     */
    void Check(uint32_t rank, bool isNew);

    /**
     * Two ranks send to each other in one communicator, because others distinguish messages by
     * ranks and tag alone.
     *
     * @param rank a rank
     */
    void CheckPeers(uint32_t rank) const;

    std::shared_ptr<const Workload> m_workload; //!< what is written
    /// Of the program written last, which the next rank may share; null = none was written.
    std::unique_ptr<Dependencies> m_dependencies;
    const WorkloadProgram* m_program{nullptr}; //!< the program written last; null = none
    uint64_t m_nodes{0};                       //!< nodes of all traces
    uint64_t m_uneven{0};                      //!< all-to-alls of unequal parts
    uint64_t m_rooted{0};                      //!< collectives with a root
};

} // namespace ns3

#endif /* CHAKRA_WRITER_H */
