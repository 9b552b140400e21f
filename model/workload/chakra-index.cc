/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "chakra-index.h"

#include "chakra-attributes.h"
#include "chakra-facts.h"
#include "chakra-file.h"
#include "chakra-schema.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ns3
{

namespace
{

/**
 * @param metadata metadata of a trace
 * @return who wrote it
 */
ChakraIndex::Producer
FindProducer(const chakra::GlobalMetadata& metadata)
{
    const auto* schema = FindChakraAttribute(metadata, "schema");
    if (schema && schema->text_value() == "symbolic_tensor_network")
    {
        return ChakraIndex::STAGE;
    }
    // The converters of texts and of algorithms write a schema too, but no process.
    const bool isRecorded = FindChakraAttribute(metadata, "pid") != nullptr;
    return isRecorded ? ChakraIndex::PYTORCH : ChakraIndex::OTHER;
}

} // namespace

ChakraIndex::ChakraIndex(const std::string& path, uint32_t rank, ChakraGroups& groups)
    : m_path(path)
{
    ChakraFile file(path);
    m_producer = FindProducer(file.GetMetadata());
    ReadFacts(file.GetMetadata(), groups);
    chakra::Node node;
    while (file.Next())
    {
        const auto head = file.ReadHead();
        if (m_ids.size() == NONE)
        {
            throw WorkloadError(file.AtNode(head.id), "fewer than 2^32 nodes", "more");
        }
        m_ids.push_back(head.id);
        m_dependencies += head.dependencies;
        if (head.type == ChakraNodeType::COMM_COLL)
        {
            file.Read(node);
            if (IsChakraCollective(node))
            {
                groups.AddUse(GetChakraGroup(node), rank);
            }
            continue;
        }
        // PyTorch's table of groups is metadata, or a computation in traces of older converters.
        const bool mayTell = m_producer == PYTORCH || m_ids.size() == 1;
        if (head.type == ChakraNodeType::METADATA || mayTell)
        {
            file.Read(node);
            const bool isRecorded = m_producer == OTHER && ChakraAttributes(node).Has("rf_id");
            m_producer = isRecorded ? PYTORCH : m_producer;
            if (head.type == ChakraNodeType::METADATA ||
                node.name().find("process_group") != std::string::npos)
            {
                groups.ReadNode(node.inputs().values(), file.AtNode(head.id));
            }
        }
    }
    Sort();
}

void
ChakraIndex::ReadFacts(const chakra::GlobalMetadata& metadata, ChakraGroups& groups)
{
    auto facts = ReadChakraFacts(metadata, m_path);
    m_streams = std::move(facts.streams);
    m_layout = facts.layout;
    for (const auto& fact : facts.groups)
    {
        groups.Describe(fact);
    }
}

const std::vector<WorkloadStream>&
ChakraIndex::GetStreams() const
{
    return m_streams;
}

const std::optional<ParallelLayout>&
ChakraIndex::GetLayout() const
{
    return m_layout;
}

const std::string&
ChakraIndex::GetPath() const
{
    return m_path;
}

ChakraIndex::Producer
ChakraIndex::GetProducer() const
{
    return m_producer;
}

const std::vector<uint64_t>&
ChakraIndex::GetIds() const
{
    return m_ids;
}

uint64_t
ChakraIndex::GetDependencyCount() const
{
    return m_dependencies;
}

void
ChakraIndex::Sort()
{
    // A vector that has grown may hold twice what it needs, and traces have millions of nodes.
    m_ids.shrink_to_fit();
    // Ids that ascend need no index of their own: Find() searches them where they are.
    const auto isAfter = [](uint64_t a, uint64_t b) { return a >= b; };
    if (std::adjacent_find(m_ids.begin(), m_ids.end(), isAfter) == m_ids.end())
    {
        return;
    }
    m_sorted.resize(m_ids.size());
    std::iota(m_sorted.begin(), m_sorted.end(), 0);
    const auto isBefore = [this](uint32_t a, uint32_t b) { return m_ids[a] < m_ids[b]; };
    std::sort(m_sorted.begin(), m_sorted.end(), isBefore);
    const auto isSame = [this](uint32_t a, uint32_t b) { return m_ids[a] == m_ids[b]; };
    const auto twice = std::adjacent_find(m_sorted.begin(), m_sorted.end(), isSame);
    if (twice != m_sorted.end())
    {
        throw WorkloadError({m_path + ", node " + std::to_string(m_ids[*twice]), 0, 0, ""},
                            "one node of each id",
                            "two of this one");
    }
}

uint32_t
ChakraIndex::Find(uint64_t id) const
{
    if (m_sorted.empty())
    {
        // Most traces number their nodes without gaps, or nearly so.
        // An id below the first one wraps around and is no place either.
        const uint64_t guess = m_ids.empty() ? 0 : id - m_ids.front();
        if (guess < m_ids.size() && m_ids[guess] == id)
        {
            return static_cast<uint32_t>(guess);
        }
        const auto place = std::lower_bound(m_ids.begin(), m_ids.end(), id);
        const bool isThere = place != m_ids.end() && *place == id;
        return isThere ? static_cast<uint32_t>(place - m_ids.begin()) : NONE;
    }
    const auto isBefore = [this](uint32_t place, uint64_t other) { return m_ids[place] < other; };
    const auto place = std::lower_bound(m_sorted.begin(), m_sorted.end(), id, isBefore);
    return place != m_sorted.end() && m_ids[*place] == id ? *place : NONE;
}

} // namespace ns3
