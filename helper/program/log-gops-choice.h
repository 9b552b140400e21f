/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LOG_GOPS_CHOICE_H
#define LOG_GOPS_CHOICE_H

#include "ns3/workload-error.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What the option logGops says, see LogGopsCosts.
 */
struct LogGopsChoice
{
    uint64_t latency{0};    //!< L, ns
    uint64_t overhead{0};   //!< o, ns
    uint64_t gap{0};        //!< g, ns
    double byteGap{0};      //!< G, ns
    double byteOverhead{0}; //!< O, ns
    uint64_t eagerLimit{0}; //!< S, bytes
};

/**
 * @ingroup workload-replay
 * @param field L:o:g:G:O:S
 * @return what it says
 * @throws WorkloadError if it is anything else
 */
LogGopsChoice ParseLogGops(const TextField& field);

/**
 * @ingroup workload-replay
 * @brief Set the defaults of LogGopsCosts to what the option says.
 *
 * @param choice what it says
 */
void SetLogGopsDefaults(const LogGopsChoice& choice);

} // namespace ns3

#endif /* LOG_GOPS_CHOICE_H */
