/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-spec.h"

#include "ns3/input-values.h"

namespace ns3
{

TopologySpec::TopologySpec(const std::string& text, const std::string& source)
    : KeyedValues(KeyedField{{text, {source, 0, 0, ""}}})
{
}

std::vector<uint32_t>
TopologySpec::GetShape(const std::string& key) const
{
    const auto text = Find(key);
    std::vector<uint32_t> sizes;
    if (!text)
    {
        return sizes;
    }
    for (const auto& item : SplitText(text->text, 'x'))
    {
        const auto size = ReadWhole(item);
        if (!size || *size < 1 || *size > UINT32_MAX)
        {
            throw WorkloadError(*text,
                                key + " to be whole numbers from 1 to 4294967295 joined by x, such "
                                      "as 4x4x4");
        }
        sizes.push_back(static_cast<uint32_t>(*size));
    }
    return sizes;
}

DataRate
TopologySpec::GetRate(const std::string& key, DataRate absent) const
{
    const auto rate = Find(key);
    return rate ? ParseRate(*rate, 1, key + " to be a rate") : absent;
}

} // namespace ns3
