/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_BENCH_OPTIONS_H
#define COLLECTIVE_BENCH_OPTIONS_H

#include "network-options.h"
#include "option-table.h"

#include "ns3/workload-types.h"

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What the user of wl-collective asks for.
 *
 * Set by name through the table of CreateCollectiveBenchOptionTable(). Names and defaults are those
 * of nccl-tests where it has them (minbytes, maxbytes, stepfactor, iters, root).
 */
struct CollectiveBenchOptions : NetworkOptions
{
    CollectiveKind kind{CollectiveKind::ALL_REDUCE}; //!< what to time
    uint32_t ranks{8};                               //!< members of the communicator, at least 2
    uint32_t servers{0};                             //!< servers that hold them; 0 = as few as can
    uint32_t root{0};                    //!< index of the root; unused unless HasRoot(kind)
    uint64_t minBytes{2 * 1024};         //!< first size, bytes, at least 1
    uint64_t maxBytes{64 * 1024 * 1024}; //!< no size is larger, bytes
    uint32_t factor{2};                  //!< from one size to the next, at least 2
    uint32_t iterations{1};              //!< calls of each size, one after the other, at least 1
    uint64_t elementBytes{4};            //!< bytes of an element, for the column count
    std::string algorithms{"auto"};      //!< the option collective as given
    bool check{false};                   //!< check algorithms instead of timing them
    bool csv{false};                     //!< print a CSV table and nothing else
    std::string reference;               //!< table to compare with; empty = none
    std::string fit;                     //!< tables to fit the fabric to; empty = none
    std::string output;                  //!< where the fitted fabric goes; empty = nowhere
    std::string outputDir;               //!< dry run: where files go; empty = no files

    /**
     * @return the sizes to time, bytes, ascending; a barrier has the one size 0
     */
    std::vector<uint64_t> GetSizes() const;

    /**
     * @param bytes a size
     * @return number of elements that the call is given, as nccl-tests counts them: those of the
     *         size or, where members bring or keep a part of it each, those of a part; rounded down
     */
    uint64_t CountElements(uint64_t bytes) const;
};

/**
 * @ingroup workload-replay
 * @param value name of a kind of collective
 * @return the kind
 * @throws WorkloadError if it is none
 */
CollectiveKind ParseCollectiveKind(const TextField& value);

/**
 * @ingroup workload-replay
 * @brief Make the table of the options of wl-collective.
 *
 * @param options what the options set; must outlive the table
 * @return the table
 */
OptionTable CreateCollectiveBenchOptionTable(CollectiveBenchOptions& options);

/**
 * @ingroup workload-replay
 * @brief Read the command line and the configuration file it names, see ParseArguments().
 *
 * @param arguments the arguments without the program's name
 * @return what they ask for, contradictions not checked
 * @throws WorkloadError if an argument is no option, or a value is wrong
 */
CollectiveBenchOptions ParseCollectiveBenchOptions(const std::vector<std::string>& arguments);

/**
 * @ingroup workload-replay
 * @brief Find options that contradict each other or would do nothing.
 *
 * @param options what the user asks for
 * @throws WorkloadError naming the option at fault
 */
void CheckCollectiveBenchOptions(const CollectiveBenchOptions& options);

/**
 * @ingroup workload-replay
 * @brief Print the help of wl-collective.
 *
 * @param os where to
 */
void PrintCollectiveBenchHelp(std::ostream& os);

} // namespace ns3

#endif /* COLLECTIVE_BENCH_OPTIONS_H */
