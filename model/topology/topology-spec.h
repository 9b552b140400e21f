/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TOPOLOGY_SPEC_H
#define TOPOLOGY_SPEC_H

#include "ns3/data-rate.h"
#include "ns3/keyed-values.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief The text of an option of the form `NAME[:key=value,...]` that says what a topology is
 * like, taken apart.
 *
 * A builder asks for the keys that it knows, then calls CheckUnusedKeys(), which complains about
 * all others. Every fault is a WorkloadError at the location given.
 */
class TopologySpec : public KeyedValues
{
  public:
    /**
     * @param text the text, as typed
     * @param source the option or file that it comes from, for error messages
     * @throws WorkloadError if the text is not of the form
     */
    explicit TopologySpec(const std::string& text, const std::string& source = "--topology");

    /**
     * @param key name of a key
     * @return the value: sizes from 1 to 2^32 - 1, joined by x, such as 4x4x4; empty = it is not
     *         given
     */
    std::vector<uint32_t> GetShape(const std::string& key) const;

    /**
     * @param key name of a key
     * @param absent what to return if the key is not given
     * @return the value, a rate with its unit such as 400Gbps, above 0
     */
    DataRate GetRate(const std::string& key, DataRate absent) const;
};

} // namespace ns3

#endif /* TOPOLOGY_SPEC_H */
