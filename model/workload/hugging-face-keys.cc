/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hugging-face-keys.h"

#include "ns3/input-values.h"

#include <algorithm>

namespace ns3
{

HuggingFaceKeys::HuggingFaceKeys(const Json& json, const SourceLocation& where)
    : m_json(json),
      m_where(where)
{
}

JsonSection
HuggingFaceKeys::GetSection() const
{
    Names names;
    if (m_json.is_object())
    {
        for (const auto& item : m_json.items())
        {
            names.push_back(item.key());
        }
    }
    return {m_json, m_where, names};
}

std::string
HuggingFaceKeys::Find(const Names& names) const
{
    const auto found = std::find_if(names.begin(), names.end(), [this](const auto& name) {
        return m_json.contains(name) && !m_json.at(name).is_null();
    });
    return found == names.end() ? "" : *found;
}

std::optional<uint32_t>
HuggingFaceKeys::FindWhole(const Names& names, uint32_t least, uint32_t most) const
{
    const auto name = Find(names);
    if (name.empty())
    {
        return std::nullopt;
    }
    const auto& value = m_json.at(name);
    if (!value.is_array() || value.empty())
    {
        return GetSection().GetWhole(name, least, most);
    }
    for (const auto& entry : value)
    {
        if (entry != value.front())
        {
            throw WorkloadError(Locate(name),
                                "the same number for all layers, as others are not modelled",
                                value.front().dump() + " and " + entry.dump());
        }
    }
    const Json single{{name, value.front()}};
    return HuggingFaceKeys(single, m_where).GetSection().GetWhole(name, least, most);
}

uint32_t
HuggingFaceKeys::GetWhole(const Names& names, uint32_t most) const
{
    const auto number = FindWhole(names, 1, most);
    if (!number)
    {
        throw WorkloadError(m_where, "the key " + names.front(), "none");
    }
    return *number;
}

bool
HuggingFaceKeys::GetFlag(const std::string& name, bool otherwise) const
{
    return Find({name}).empty() ? otherwise : GetSection().Get(name, "boolean").get<bool>();
}

std::vector<uint32_t>
HuggingFaceKeys::FindLayers(const std::string& name, uint32_t layers, uint32_t first) const
{
    std::vector<uint32_t> list;
    if (Find({name}).empty())
    {
        return list;
    }
    const auto& value = m_json.at(name);
    // Step-3 has a text.
    const auto entries = value.is_string()
                             ? Json::parse("[" + value.get<std::string>() + "]", nullptr, false)
                             : GetSection().Get(name, "array");
    if (entries.is_discarded())
    {
        throw WorkloadError(Locate(name), "numbers of layers with commas between", value.dump());
    }
    for (const auto& entry : entries)
    {
        const auto number = entry.is_number_unsigned() ? entry.get<uint64_t>() : UINT64_MAX;
        if (number < first || number - first >= layers)
        {
            throw WorkloadError(Locate(name),
                                "layers from " + std::to_string(first) + " to " +
                                    std::to_string(layers - 1 + first),
                                entry.dump());
        }
        list.push_back(static_cast<uint32_t>(number - first));
    }
    return list;
}

std::vector<std::size_t>
HuggingFaceKeys::ReadWords(const std::string& name,
                           const Names& words,
                           uint32_t layers,
                           const std::string& what) const
{
    const auto& list = m_json.at(name);
    // Layers that predict further tokens stand at the end of the lists of Step-3.5.
    const auto further = FindWhole({"num_nextn_predict_layers"}, 0, MOST_PARTS).value_or(0);
    const auto most = std::size_t{layers} + further;
    if (!list.is_array() || (list.size() != layers && list.size() != most))
    {
        throw WorkloadError(
            Locate(name),
            "a list with an entry for each of the " + std::to_string(layers) + " layers",
            list.is_array() ? std::to_string(list.size()) + " entries" : list.type_name());
    }
    std::vector<std::size_t> indices;
    for (std::size_t layer = 0; layer < layers; ++layer)
    {
        const auto& entry = list[layer];
        const auto word = entry.is_string() ? entry.get<std::string>() : entry.dump();
        indices.push_back(FindWord({word, Locate(name)}, words, what + ": " + JoinWords(words)));
    }
    return indices;
}

std::optional<HuggingFaceKeys>
HuggingFaceKeys::FindObject(const std::string& name) const
{
    if (!m_json.is_object() || !m_json.contains(name) || m_json.at(name).is_null())
    {
        return std::nullopt;
    }
    return HuggingFaceKeys(GetSection().Get(name, "object"), Locate(name));
}

const HuggingFaceKeys::Json&
HuggingFaceKeys::GetValue(const std::string& name) const
{
    return m_json.at(name);
}

const HuggingFaceKeys::Json&
HuggingFaceKeys::GetAll() const
{
    return m_json;
}

SourceLocation
HuggingFaceKeys::Locate(const std::string& name) const
{
    return GetSection().Locate(name);
}

} // namespace ns3
