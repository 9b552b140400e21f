/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "layer-file-header.h"

#include "ns3/input-values.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace ns3
{

namespace
{

/// The policies by their number.
const std::vector<std::string> POLICIES{
    "DATA",
    "MODEL",
    "HYBRID_DATA_MODEL",
    "HYBRID_MODEL_DATA",
    "HYBRID_TRANSFORMER",
    "HYBRID_TRANSFORMER_FWD_IN_BCKWD",
    "HYBRID_DLRM",
    "HYBRID_DLRM_ENHANCED",
    "HYBRID_CUSTOMIZED",
    "MICRO",
};

/// The policies that a row of HYBRID_CUSTOMIZED may have.
const std::vector<std::string> ROW_POLICIES(POLICIES.begin(), POLICIES.begin() + 5);

/**
 * @param field a word that should be a policy
 * @param names the policies that are right here, the first ones of all
 * @return the policy
 */
LayerFilePolicy
ParsePolicy(const TextField& field, const std::vector<std::string>& names)
{
    return static_cast<LayerFilePolicy>(
        FindWord(field, names, "a policy (" + JoinWords(names) + ")"));
}

/// Keys of the header that stand for a count of the layout.
const std::vector<std::pair<std::string, std::optional<uint32_t> LayoutRequest::*>> LAYOUT_KEYS{
    {"model_parallel_NPU_group", &LayoutRequest::tp},
    {"ep", &LayoutRequest::ep},
    {"expert_parallel_npu_group", &LayoutRequest::ep},
    {"pp", &LayoutRequest::pp},
    {"vpp", &LayoutRequest::vpp},
    {"ga", &LayoutRequest::microbatches},
    {"all_gpus", &LayoutRequest::world},
};

/// The other keys of the header.
const std::vector<std::string> OTHER_KEYS{
    "pp_comm",
    "mode",
    "checkpoints",
    "checkpoint_initiates",
    "last_bottom_layer",
    "DLRM_LAST_BOTTOM_LAYER",
};

/**
 * Walks through the words of a header line.
 */
class LayerFileHeaderParser
{
  public:
    /**
     * @param text the file
     */
    explicit LayerFileHeaderParser(const WorkloadText& text)
        : m_words(text.SplitWords(text.GetLines().front(), ":"))
    {
        m_header.where = {text.GetFile(), text.GetLines().front().number, 0, ""};
    }

    /**
     * @return what the line says
     */
    LayerFileHeader Parse()
    {
        if (m_words.empty())
        {
            throw WorkloadError(m_header.where, "a policy", "a colon");
        }
        m_header.policy = ParsePolicy(m_words[m_next++], POLICIES);
        const bool isDlrm = m_header.policy == LayerFilePolicy::HYBRID_DLRM ||
                            m_header.policy == LayerFilePolicy::HYBRID_DLRM_ENHANCED;
        // ASTRA-sim 1.0 writes the last bottom layer without a key.
        if (isDlrm && m_words.size() > 1 && m_words[1].text.find_first_of("0123456789") == 0)
        {
            m_header.lastBottomLayer = m_words[m_next++];
        }
        std::vector<std::string> seen;
        while (m_next < m_words.size())
        {
            const auto& key = m_words[m_next++];
            if (std::find(seen.begin(), seen.end(), key.text) != seen.end())
            {
                throw WorkloadError(key.where, "each key once", Quoted(key.text) + " again");
            }
            seen.push_back(key.text);
            ParseValue(key);
        }
        CheckLastBottomLayer(isDlrm);
        return std::move(m_header);
    }

  private:
    /**
     * @param key a key; its value comes next
     */
    void ParseValue(const TextField& key)
    {
        std::vector<std::string> names;
        for (const auto& [name, count] : LAYOUT_KEYS)
        {
            names.push_back(name);
            if (key.text == name)
            {
                m_header.layout.*count = ParseCount32(key);
                return;
            }
        }
        names.insert(names.end(), OTHER_KEYS.begin(), OTHER_KEYS.end());
        if (key.text == "pp_comm")
        {
            m_header.pipelineBytes = ParseCount(TakeWord(key), "pp_comm in bytes");
        }
        else if (key.text == "mode")
        {
            m_header.isInference = ParseMode(TakeWord(key));
        }
        else if (key.text == "checkpoints" || key.text == "checkpoint_initiates")
        {
            auto& rows = key.text == "checkpoints" ? m_header.checkpoints : m_header.recomputations;
            for (auto n = ParseCount32(key); n > 0; --n)
            {
                rows.push_back(TakeWord(key));
            }
        }
        else if (std::find(names.begin(), names.end(), key.text) != names.end())
        {
            // Of the keys that are left, both name the last bottom layer.
            m_header.lastBottomLayer = TakeWord(key);
        }
        else
        {
            throw WorkloadError(key.where,
                                "a key of a layer file (" + JoinWords(names) + ")",
                                Quoted(key.text),
                                NearestName(key.text, names));
        }
    }

    /**
     * @param field the value of mode, as AICB's generators write it
     * @return whether it stands for inference
     */
    bool ParseMode(const TextField& field) const
    {
        if (field.text != "0" && field.text != "1")
        {
            throw WorkloadError(field, "mode 0 (training) or 1 (inference)");
        }
        const bool isInference = field.text == "1";
        if (isInference && m_header.policy != LayerFilePolicy::HYBRID_TRANSFORMER &&
            m_header.policy != LayerFilePolicy::HYBRID_TRANSFORMER_FWD_IN_BCKWD)
        {
            throw WorkloadError(field,
                                "mode 0 (training), because only HYBRID_TRANSFORMER and "
                                "HYBRID_TRANSFORMER_FWD_IN_BCKWD have rows of inference");
        }
        return isInference;
    }

    /**
     * @param key the key whose value is read
     * @return the next word of the value
     */
    const TextField& TakeWord(const TextField& key)
    {
        if (m_next == m_words.size())
        {
            throw WorkloadError(key.where,
                                "a value behind " + Quoted(key.text),
                                "the end of the line");
        }
        return m_words[m_next++];
    }

    /**
     * @param key the key whose value is read
     * @return the count that is the next word
     */
    uint32_t ParseCount32(const TextField& key)
    {
        constexpr uint64_t largest = std::numeric_limits<uint32_t>::max();
        const auto& field = TakeWord(key);
        const auto count = ParseCount(field, key.text);
        if (count > largest)
        {
            throw WorkloadError(field, key.text + " of at most " + std::to_string(largest));
        }
        return static_cast<uint32_t>(count);
    }

    /**
     * @param isDlrm whether the policy has a last bottom layer
     */
    void CheckLastBottomLayer(bool isDlrm) const
    {
        if (isDlrm && !m_header.lastBottomLayer)
        {
            throw WorkloadError(m_header.where,
                                "last_bottom_layer behind " + ToString(m_header.policy),
                                "a header without it");
        }
        if (!isDlrm && m_header.lastBottomLayer)
        {
            throw WorkloadError(m_header.lastBottomLayer->where,
                                "a last bottom layer only behind HYBRID_DLRM",
                                "one behind " + ToString(m_header.policy));
        }
    }

    std::vector<TextField> m_words; //!< the words of the line
    std::size_t m_next{0};          //!< number of the next word
    LayerFileHeader m_header;       //!< what was read
};

} // namespace

std::string
ToString(LayerFilePolicy policy)
{
    return POLICIES[static_cast<std::size_t>(policy)];
}

std::optional<LayerFilePolicy>
FindLayerFilePolicy(const std::string& word)
{
    const auto name = std::find(POLICIES.begin(), POLICIES.end(), word);
    if (name == POLICIES.end())
    {
        return std::nullopt;
    }
    return static_cast<LayerFilePolicy>(name - POLICIES.begin());
}

LayerFilePolicy
ParseLayerRowPolicy(const TextField& field)
{
    return ParsePolicy(field, ROW_POLICIES);
}

LayerGroups
GetLayerGroups(LayerFilePolicy file, LayerFilePolicy row, bool isFirst)
{
    const bool isCustomized = file == LayerFilePolicy::HYBRID_CUSTOMIZED;
    // The groups that DATA and MODEL mean; in HYBRID_CUSTOMIZED both are all ranks.
    const auto model = isCustomized ? Dimension::WORLD : Dimension::TP;
    const auto data = isCustomized ? Dimension::WORLD : Dimension::DP;
    // Groups of forward pass, input gradient and weight gradient; nullopt = no communication.
    switch (row)
    {
    case LayerFilePolicy::HYBRID_DLRM:
    case LayerFilePolicy::HYBRID_DLRM_ENHANCED:
        // The first row exchanges embeddings between all ranks; the others are data parallel.
        return isFirst ? LayerGroups{data, data, data}
                       : LayerGroups{std::nullopt, std::nullopt, data};
    case LayerFilePolicy::DATA:
    case LayerFilePolicy::MICRO:
        return {std::nullopt, std::nullopt, data};
    case LayerFilePolicy::MODEL:
        return {model, model, std::nullopt};
    case LayerFilePolicy::HYBRID_MODEL_DATA:
        // The model is split over the ranks that are replicas otherwise, so that the groups change
        // places.
        return {Dimension::DP, Dimension::DP, Dimension::TP};
    default:
        return {Dimension::TP, Dimension::TP, Dimension::DP};
    }
}

LayerFileHeader
ParseLayerFileHeader(const WorkloadText& text)
{
    return LayerFileHeaderParser(text).Parse();
}

} // namespace ns3
