/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "pytorch-trace.h"

#include "recorded-groups.h"

#include "ns3/input-json.h"
#include "ns3/input-values.h"
#include "ns3/packed-file.h"
#include "ns3/workload-error.h"

#include <algorithm>
#include <utility>

namespace ns3
{

namespace
{

/// What tells a trace that was linked with one of the profiler.
const std::string LINKED = "exclusive_dur";

/**
 * @ingroup workload-replay
 * @brief Follows the parser of JSON, and keeps of each node what matters.
 */
class PytorchParser
{
  public:
    /**
     * @param file path of the file
     */
    explicit PytorchParser(const std::string& file)
    {
        m_trace.file = file;
    }

    /**
     * @param text what the file holds
     * @return the trace
     */
    PytorchTrace Parse(const std::string& text)
    {
        try
        {
            const auto rest = KinetoJson::parse(text, [this](int depth, auto event, auto& value) {
                return Follow(depth, event, value);
            });
        }
        catch (const KinetoJson::parse_error& error)
        {
            throw MakeJsonError(m_trace.file, text, error);
        }
        catch (const KinetoJson::exception& error)
        {
            throw WorkloadError({m_trace.file, 0, 0, ""},
                                "an execution trace of PyTorch in JSON",
                                "another format (" + std::string(error.what()).substr(0, 160) +
                                    ")");
        }
        std::stable_sort(m_trace.nodes.begin(),
                         m_trace.nodes.end(),
                         [](const auto& a, const auto& b) { return a.id < b.id; });
        return std::move(m_trace);
    }

  private:
    /**
     * @param depth how deep the value stands
     * @param event what the parser has met
     * @param value the value, or the key
     * @return whether to keep it: nodes are not
     */
    bool Follow(int depth, KinetoJson::parse_event_t event, const KinetoJson& value)
    {
        using Event = KinetoJson::parse_event_t;
        if (event == Event::key && depth == 1)
        {
            m_isNodes = value == "nodes";
        }
        const bool isNode = event == Event::object_end && m_isNodes && depth == 2;
        if (isNode)
        {
            Add(value);
        }
        return !isNode;
    }

    /**
     * @param value a node
     */
    void Add(const KinetoJson& value)
    {
        if (value.contains(LINKED))
        {
            throw WorkloadError({m_trace.file, 0, 0, ""},
                                "an execution trace as PyTorch writes it",
                                "one that chakra_trace_link has joined with a Kineto trace; "
                                "chakra_converter makes a file NAME.RANK.et of it, which "
                                "--workload reads");
        }
        auto node = ReadPytorchNode(value);
        if (!node.groups.empty())
        {
            ReadGroups(KinetoJson::parse(node.groups, nullptr, false));
        }
        if (node.message)
        {
            NameGroup(*node.message);
        }
        m_trace.nodes.push_back(std::move(node));
    }

    /**
     * @param groups the process groups: a list of objects
     */
    void ReadGroups(const KinetoJson& groups)
    {
        for (const auto& group : groups.is_array() ? groups : KinetoJson::array())
        {
            const auto name = KinetoValues::GetText(group, "pg_name");
            const auto ranks = KinetoValues::ToRanks(KinetoValues::GetList(group, "ranks"));
            // Groups of all ranks have no list.
            if (!ranks.empty())
            {
                m_trace.groups[name] = ranks;
            }
            const auto id = KinetoValues::GetCount(group, "backend_id");
            if (id)
            {
                m_names["#" + std::to_string(*id)] = name;
            }
            NoteSize(KinetoValues::GetCount(group, "group_size").value_or(0));
        }
    }

    /**
     * @param message what is said of a communication, with the number of its group in older schemas
     */
    void NameGroup(KinetoMessage& message)
    {
        NoteSize(message.groupSize);
        NoteSize(message.sentParts.size());
        if (!BeginsWith(message.group, "#") || message.name == "wait")
        {
            return;
        }
        // Numbers differ from rank to rank, their order does not.
        const auto [name, isNew] =
            m_names.try_emplace(message.group, "group-" + std::to_string(m_unnamed));
        m_unnamed += isNew ? 1 : 0;
        message.group = name->second;
    }

    /**
     * @param size number of ranks of a group
     */
    void NoteSize(uint64_t size)
    {
        m_trace.world = std::max(m_trace.world,
                                 static_cast<uint32_t>(std::min(size, KinetoValues::MOST_RANKS)));
    }

    PytorchTrace m_trace;                       //!< what was read so far
    std::map<std::string, std::string> m_names; //!< names of groups by their numbers
    uint32_t m_unnamed{0};                      //!< groups that have no other name
    bool m_isNodes{false}; //!< the present key of the outermost object is that of the nodes
};

} // namespace

PytorchTrace
ReadPytorchTrace(const std::string& file)
{
    auto trace = PytorchParser(file).Parse(ReadPackedTrace(file, "an execution trace of PyTorch"));
    trace.rank = FindRankInName(file);
    return trace;
}

} // namespace ns3
