/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CHAKRA_GROUPS_H
#define CHAKRA_GROUPS_H

#include "chakra-facts.h"

#include "ns3/workload-error.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief The groups of ranks that collectives of Chakra traces name (pg_name).
 *
 * The name that is missing is the whole world, and so is 0 unless a group of that name is defined,
 * or as ChakraOptions::zeroIsWorld says.
 * A name like 1.0, which some converters write, is 1. Groups are defined by a JSON file,
 * {"NAME": [RANKS]}, and by nodes of the traces; the file wins. A group that nobody defines has
 * the ranks whose traces have a collective of it: all members of a group take part in each of its
 * collectives.
 */
class ChakraGroups
{
  public:
    /**
     * @param world number of ranks
     * @param zeroIsWorld see ChakraOptions
     */
    ChakraGroups(uint32_t world, std::string zeroIsWorld);

    /**
     * Take in the definitions of a JSON file.
     *
     * @param file the file
     * @throws WorkloadError if something is wrong with it
     */
    void ReadFile(const std::string& file);

    /**
     * Take in the definitions of a node: text that lists, in the manner of JSON or Python, groups
     * with pg_name and ranks, which may be empty for all.
     *
     * @param text the text
     * @param where the node, for errors
     * @throws WorkloadError if a rank is none of the world
     */
    void ReadNode(const std::string& text, const SourceLocation& where);

    /**
     * Take in that a trace has a collective.
     *
     * @param name name of its group
     * @param rank rank of the trace
     */
    void AddUse(const std::string& name, uint32_t rank);

    /**
     * @param name name that a collective gives
     * @param isLenient false = where there is a file, it must define the group
     * @return whether its ranks are known
     */
    bool IsKnown(const std::string& name, bool isLenient) const;

    /**
     * @param name name that a collective gives
     * @return the name that the group has here; empty = all ranks
     */
    std::string Resolve(const std::string& name) const;

    /**
     * @param resolved what Resolve() has returned
     * @return its ranks, in their order
     */
    std::vector<uint32_t> GetRanks(const std::string& resolved) const;

    /**
     * Take in what a group is for.
     *
     * @param fact what is known; of several facts of one group the first counts
     */
    void Describe(const ChakraGroupFact& fact);

    /**
     * @param resolved what Resolve() has returned
     * @return what is known of the group: what Describe() has taken in, or what its name says
     */
    ChakraGroupFact GetFact(const std::string& resolved) const;

    /**
     * @return names of the groups that Describe() has taken in, by number
     */
    std::vector<std::string> GetDescribed() const;

    /**
     * @return names of all groups that are defined
     */
    std::vector<std::string> GetNames() const;

    /**
     * @return what was assumed, one sentence each
     */
    std::vector<std::string> GetWarnings() const;

  private:
    /**
     * @param name name of a group
     * @param ranks its ranks, maybe empty for all
     * @param where the place of the definition
     * @param [out] groups where to add it, if it is not there
     */
    void Define(const std::string& name,
                const std::vector<uint64_t>& ranks,
                const SourceLocation& where,
                std::map<std::string, std::vector<uint32_t>>& groups) const;

    /**
     * @param name name that a collective gives, or the whole number that it is
     * @return whether it is all ranks by its name alone, if nothing defines it
     */
    bool IsWorld(const std::string& name) const;

    /**
     * @param name name of a group
     * @return its ranks, if it is defined
     */
    const std::vector<uint32_t>* FindDefined(const std::string& name) const;

    uint32_t m_world;                                       //!< number of ranks
    std::string m_zeroIsWorld;                              //!< see ChakraOptions
    std::string m_file;                                     //!< file of groups; empty = none
    std::map<std::string, std::vector<uint32_t>> m_ofFile;  //!< groups of the file
    std::map<std::string, std::vector<uint32_t>> m_ofNodes; //!< groups of nodes
    std::map<std::string, std::set<uint32_t>> m_uses;       //!< who uses a name
    std::map<std::string, ChakraGroupFact> m_facts;         //!< what Describe() has taken in
    std::map<std::string, Dimension> m_dimensions;          //!< what nodes say that groups are for
};

} // namespace ns3

#endif /* CHAKRA_GROUPS_H */
