/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RCCL_TESTS_RECORDS_H
#define RCCL_TESTS_RECORDS_H

#include "ns3/workload-text.h"
#include "ns3/workload-types.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A record of what rccl-tests writes as JSON (-Z json): one size, out of place or in place.
 */
struct RcclTestsRecord
{
    TextField size;                     //!< bytes
    TextField time;                     //!< us
    bool isInPlace{false};              //!< whether the call was made in place
    std::optional<CollectiveKind> kind; //!< what was timed; nothing = its name is not known
    uint32_t ranks{0};                  //!< ranks
    uint32_t servers{0};                //!< nodes that they run on
};

/**
 * @ingroup workload-replay
 * @brief What a file of rccl-tests has of a collective.
 */
struct RcclTestsRecords
{
    std::vector<RcclTestsRecord> records; //!< those of the collective
    std::set<std::string> leftOut;        //!< the others, each once: collective, ranks
};

/**
 * @ingroup workload-replay
 * @param text a file
 * @return whether it is JSON of rccl-tests: a list of records, or one in each line
 */
bool HasRcclTestsRecords(const WorkloadText& text);

/**
 * @ingroup workload-replay
 * @param text a file for which HasRcclTestsRecords() holds
 * @param kind the collective whose records count; nothing = all
 * @return its records, those that count of one collective, number of ranks, type and reduction
 * @throws WorkloadError if it is no JSON, or a record is wrong or of something else than the first
 *         one that counts
 */
RcclTestsRecords ReadRcclTestsRecords(const WorkloadText& text, std::optional<CollectiveKind> kind);

} // namespace ns3

#endif /* RCCL_TESTS_RECORDS_H */
