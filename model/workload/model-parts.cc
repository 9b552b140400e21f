/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "model-job.h"

#include <algorithm>
#include <numeric>
#include <string>

namespace ns3
{

namespace
{

/**
 * @ingroup workload-replay
 * @brief Shares out layers by one of the options.
 */
class LayerSharing
{
  public:
    /**
     * @param options what the user says
     * @param job the job
     */
    LayerSharing(const ModelOptions& options, const ModelJob& job)
        : m_options(options),
          m_job(job),
          m_parts(job.schedule->CountParts(job.shape))
    {
    }

    /// Refuse options that contradict each other.
    void CheckOptions() const
    {
        const auto exclude = [this](const std::string& chosen,
                                    const std::vector<std::string>& others) {
            for (const auto& other : others)
            {
                if (m_options.given.count(chosen) > 0 && IsUsed(other))
                {
                    Fail(other, "no " + other + " beside " + chosen, "one");
                }
            }
        };
        const std::vector<std::string> counted{"embeddingAsLayer", "lossAsLayer"};
        exclude("pipelineLayout", {"firstStageLayers", "lastStageLayers"});
        exclude("pipelineLayout", counted);
        exclude("firstStageLayers", counted);
        exclude("lastStageLayers", counted);
    }

    /**
     * @param option an option
     * @return whether it is given and not off, which says what is so anyway
     */
    bool IsUsed(const std::string& option) const
    {
        const bool isOff = (option == "embeddingAsLayer" && !m_options.embeddingAsLayer) ||
                           (option == "lossAsLayer" && !m_options.lossAsLayer);
        return m_options.given.count(option) > 0 && !isOff;
    }

    /// @return layers of each part as the layout says
    PipelineLayout ByLayout() const
    {
        const std::string option = "pipelineLayout";
        auto layout = ParsePipelineLayout({m_options.pipelineLayout, m_options.Locate(option)});
        const auto check = [&](std::size_t number, uint32_t right, const std::string& what) {
            if (number != right)
            {
                Fail(option, std::to_string(right) + " " + what, std::to_string(number));
            }
        };
        const auto chunks = m_job.schedule->CountChunks(m_job.shape);
        check(layout.layers.size(),
              m_parts,
              "parts between bars, which is pp " + std::to_string(m_job.layout.pp) +
                  (m_parts == m_job.layout.pp * chunks
                       ? " x " + std::to_string(chunks) + " model chunks of a stage"
                       : ", each part on two stages"));
        const auto sum = [](const auto& list) {
            return std::accumulate(list.begin(), list.end(), uint32_t{0});
        };
        const auto& model = m_job.model;
        check(sum(layout.layers), model.layers, "times t, the layers of " + model.name);
        check(sum(layout.mtpLayers),
              model.mtpLayers,
              "times m, the layers of " + model.name + " that predict further tokens");
        return layout;
    }

    /// @return layers of each part as those of the first and the last stage say
    PipelineLayout ByEnds() const
    {
        const auto stages = m_job.layout.pp;
        const auto chunks = m_job.schedule->CountChunks(m_job.shape);
        const std::string option =
            m_options.firstStageLayers ? "firstStageLayers" : "lastStageLayers";
        if (m_job.schedule->GetPlacement() != StagePlacement::IN_TURN || stages < 2)
        {
            Fail(option,
                 "two or more stages that hold the parts of the model in turn, as those of 1f1b do",
                 "pp " + std::to_string(stages) + ", " + m_job.schedule->GetName());
        }
        const auto first = GetPerPart("firstStageLayers", m_options.firstStageLayers, chunks);
        const auto last = GetPerPart("lastStageLayers", m_options.lastStageLayers, chunks);
        const auto ends =
            m_options.firstStageLayers.value_or(0) + m_options.lastStageLayers.value_or(0);
        const auto others = m_parts - (first ? chunks : 0) - (last ? chunks : 0);
        const auto layers = m_job.model.layers;
        if (ends > layers || (others == 0 ? ends != layers : layers - ends < others))
        {
            Fail(option,
                 "layers that leave one at least for each of the " + std::to_string(others) +
                     " other parts, of " + std::to_string(layers),
                 std::to_string(ends) + " in the first and the last stage");
        }
        auto rest = others > 0 ? SpreadLayers(layers - ends, others) : std::vector<uint32_t>{};
        PipelineLayout layout;
        auto next = rest.begin();
        for (uint32_t part = 0; part < m_parts; ++part)
        {
            const auto stage = part % stages;
            layout.layers.push_back(stage == 0 && first           ? *first
                                    : stage + 1 == stages && last ? *last
                                                                  : *next++);
        }
        return layout;
    }

    /// @return layers of each part if the embedding or the loss counts as one
    PipelineLayout ByCount() const
    {
        const uint32_t embedding = m_options.embeddingAsLayer ? 1 : 0;
        const uint32_t loss = m_options.lossAsLayer ? 1 : 0;
        const auto all = m_job.model.layers + embedding + loss;
        if (all % m_parts != 0 || m_parts < 2)
        {
            Fail(embedding > 0 ? "embeddingAsLayer" : "lossAsLayer",
                 "two or more parts, stages x model chunks, that divide the " +
                     std::to_string(all) + " layers with what counts as one",
                 std::to_string(m_parts));
        }
        PipelineLayout layout;
        layout.layers.assign(m_parts, all / m_parts);
        layout.layers.front() -= embedding;
        layout.layers.back() -= loss;
        return layout;
    }

    /// @return layers of each part, evenly but for what ends hold besides
    PipelineLayout Evenly() const
    {
        if (m_parts > m_job.model.layers)
        {
            Fail("pp",
                 "at most as many parts as the model has layers, " +
                     std::to_string(m_job.model.layers),
                 std::to_string(m_parts) + " (stages x model chunks)");
        }
        const auto layers = m_job.model.layers;
        const auto most = (layers + m_parts - 1) / m_parts;
        // Layers that predict further tokens are in the last part, each with an output layer of its
        // own. What does not come out even is missing there first, as Megatron-Bridge lays out
        // DeepSeek-V3: 61 layers are 15 times 4 and 1, 7 times 8 and 5, or 3 times 16 and 13.
        const auto lighter =
            std::min({most * m_parts - layers, 2 * m_job.model.mtpLayers, std::max(most, 2U) - 2});
        auto counts = SpreadLayers(layers + lighter, m_parts);
        counts.back() -= lighter;
        return {counts, {}};
    }

  private:
    /**
     * @param option option at fault
     * @param expected what would be right
     * @param found what is there
     */
    [[noreturn]] void Fail(const std::string& option,
                           const std::string& expected,
                           const std::string& found) const
    {
        throw WorkloadError(m_options.Locate(option), expected, found);
    }

    /**
     * @param option option that says the layers of a stage
     * @param layers its value
     * @param chunks model chunks of a stage
     * @return layers of each of them; nothing = the option was not given
     */
    std::optional<uint32_t> GetPerPart(const std::string& option,
                                       std::optional<uint32_t> layers,
                                       uint32_t chunks) const
    {
        if (layers && *layers % chunks != 0)
        {
            Fail(option,
                 "a multiple of the " + std::to_string(chunks) + " model chunks of a stage",
                 std::to_string(*layers));
        }
        return layers ? std::optional<uint32_t>(*layers / chunks) : std::nullopt;
    }

    const ModelOptions& m_options; //!< what the user says
    const ModelJob& m_job;         //!< the job
    uint32_t m_parts;              //!< parts of its model
};

} // namespace

std::vector<uint32_t>
SpreadLayers(uint32_t layers, uint32_t parts)
{
    std::vector<uint32_t> counts(parts, (layers + parts - 1) / parts);
    const auto missing = parts * counts.front() - layers;
    // The parts at both ends have fewer, alternately from the last one on: they hold the output
    // layer and the embedding besides.
    for (uint32_t i = 0; i < missing; ++i)
    {
        --counts[i % 2 == 0 ? parts - 1 - i / 2 : i / 2];
    }
    return counts;
}

PipelineLayout
ShareOutLayers(const ModelOptions& options, const ModelJob& job)
{
    const LayerSharing sharing(options, job);
    sharing.CheckOptions();
    if (!options.pipelineLayout.empty())
    {
        return sharing.ByLayout();
    }
    auto layout = options.firstStageLayers || options.lastStageLayers ? sharing.ByEnds()
                  : options.embeddingAsLayer || options.lossAsLayer   ? sharing.ByCount()
                                                                      : sharing.Evenly();
    layout.mtpLayers.assign(layout.layers.size(), 0);
    layout.mtpLayers.back() = job.model.mtpLayers;
    return layout;
}

} // namespace ns3
