/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The part of model-job.h that puts a job together and finds what does not go together.

#include "model-job.h"
#include "model-recomputation.h"

#include "ns3/input-values.h"

#include <cmath>
#include <numeric>
#include <utility>

namespace ns3
{

namespace
{

/**
 * @ingroup workload-replay
 * @brief Puts a job together, option by option.
 */
class ModelJobMaker
{
  public:
    /**
     * @param options what the user says
     */
    explicit ModelJobMaker(const ModelOptions& options)
        : m_options(options)
    {
        m_job.model = ReadModelDescription(options.model);
        m_job.training = options.training;
    }

    /**
     * @return the job
     */
    ModelJob Make()
    {
        SetLayout();
        SetSchedule();
        // SetTraining() counts replicas, for which SetSchedule() has set the copies.
        SetTraining();
        CheckTensorRanks();
        CheckContextRanks();
        CheckOverlapOfExperts();
        CheckExperts();
        SetExperts();
        return m_job;
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
     * @param option option that is to divide something
     * @param divisor its value
     * @param number what it is to divide
     * @param what what that is
     */
    void CheckDivides(const std::string& option,
                      uint64_t divisor,
                      uint64_t number,
                      const std::string& what) const
    {
        if (number % divisor != 0)
        {
            Fail(option,
                 "a number that divides the " + std::to_string(number) + " " + what,
                 std::to_string(divisor));
        }
    }

    /**
     * @param option option that only works together with something
     * @param reason what is missing
     */
    void Refuse(const std::string& option, const std::string& reason) const
    {
        if (m_options.given.count(option) > 0)
        {
            throw WorkloadError(m_options.Locate(option),
                                "no " + option + ", because " + reason,
                                "one");
        }
    }

    /**
     * Refuse an option that is on where it cannot be. Off says what is so anyway, as files that
     * name all options do, and sweeps.
     *
     * @param option the option
     * @param isOn whether it is on
     * @param reason what is missing
     */
    void RefuseOn(const std::string& option, bool isOn, const std::string& reason) const
    {
        if (isOn)
        {
            Refuse(option, reason);
        }
    }

    /// Set the layout and the microbatches.
    void SetLayout()
    {
        auto request = m_options.layout;
        // Experts have a layout of their own, so that ep need not divide dp.
        const auto ep = request.ep.value_or(1);
        request.ep.reset();
        m_job.layout = CompleteLayout({}, {m_job.model.file, 0, 0, ""}, request);
        auto& layout = m_job.layout;
        layout.ep = ep;
        layout.etp = m_job.model.experts ? m_options.etp.value_or(layout.tp) : 0;
        if (m_options.globalBatch)
        {
            const uint64_t replicas = uint64_t{layout.dp} * m_job.training.microbatchSize;
            const uint64_t batch = *m_options.globalBatch;
            if (batch % replicas != 0)
            {
                Fail("globalBatch",
                     "a multiple of dp " + std::to_string(layout.dp) + " x microbatchSize " +
                         std::to_string(m_job.training.microbatchSize),
                     std::to_string(batch));
            }
            const auto microbatches = static_cast<uint32_t>(batch / replicas);
            if (microbatches > ParallelLayout::MAX_MICROBATCHES)
            {
                Fail("globalBatch",
                     "at most " + std::to_string(ParallelLayout::MAX_MICROBATCHES) +
                         " microbatches, so at most " +
                         std::to_string(ParallelLayout::MAX_MICROBATCHES * replicas),
                     std::to_string(batch));
            }
            if (m_options.layout.microbatches && *m_options.layout.microbatches != microbatches)
            {
                Fail("microbatches",
                     std::to_string(microbatches) + ", which is globalBatch " +
                         std::to_string(batch) + " / (dp " + std::to_string(layout.dp) +
                         " x microbatchSize " + std::to_string(m_job.training.microbatchSize) + ")",
                     std::to_string(*m_options.layout.microbatches));
            }
            layout.microbatches = microbatches;
        }
    }

    /// Set the pipeline, and share out the layers.
    void SetSchedule()
    {
        const auto& layout = m_job.layout;
        const auto vpp = m_options.layout.vpp.value_or(FindLayoutChunks());
        auto name = m_options.schedule;
        if (name == "1f1b" && vpp > 1)
        {
            name = "interleaved";
        }
        m_job.schedule = PipelineSchedule::Create(name);
        m_job.shape.stages = layout.pp;
        m_job.shape.microbatches = layout.microbatches;
        m_job.shape.chunks = vpp;
        // Whether there is anything to hide is checked with the experts.
        m_job.shape.pairs = m_job.training.overlapExperts && layout.ep > 1 && m_job.model.experts;
        const auto reason = m_job.schedule->GetUnsupportedReason(m_job.shape);
        if (!reason.empty())
        {
            Fail(m_options.given.count("schedule") > 0 || vpp < 2 ? "schedule" : "vpp",
                 "a schedule that fits pp " + std::to_string(layout.pp) + " and microbatches " +
                     std::to_string(layout.microbatches),
                 reason);
        }
        auto parts = ShareOutLayers(m_options, m_job);
        m_job.partLayers = std::move(parts.layers);
        m_job.partMtpLayers = std::move(parts.mtpLayers);
        m_job.layout.placement = m_job.schedule->GetPlacement();
    }

    /// @return model chunks of a stage that a layout by hand of 1f1b has; 0 = there is none
    uint32_t FindLayoutChunks() const
    {
        if (m_options.pipelineLayout.empty() || m_options.schedule != "1f1b")
        {
            return 0;
        }
        const auto parts =
            ParsePipelineLayout({m_options.pipelineLayout, m_options.Locate("pipelineLayout")});
        const auto chunks = static_cast<uint32_t>(parts.layers.size()) / m_job.layout.pp;
        return chunks > 1 && chunks * m_job.layout.pp == parts.layers.size() ? chunks : 0;
    }

    /// Set how the model is trained.
    void SetTraining()
    {
        auto& training = m_job.training;
        training.sequence = m_options.sequence.value_or(m_job.model.sequence);
        training.sequenceParallel = m_options.sequenceParallel.value_or(m_job.layout.tp > 1);
        const auto choose = [this](const std::string& option,
                                   const std::string& value,
                                   const std::vector<std::string>& words) {
            return FindWord({value, m_options.Locate(option)}, words, JoinWords(words));
        };
        const auto framework =
            choose("framework", m_options.framework, {"auto", "megatron", "pytorch"});
        training.framework = framework == 2 || (framework == 0 && training.zero == 3)
                                 ? Framework::PYTORCH
                                 : Framework::MEGATRON;
        training.precision =
            static_cast<Precision>(choose("precision", m_options.precision, GetPrecisionNames()));
        training.recompute = static_cast<Recomputation>(
            choose("recompute", m_options.recompute, {"none", "selective", "full"}));
        SetRecomputedModules();
        training.context = static_cast<ContextExchange>(
            choose("context", m_options.context, {"ring", "all-gather", "all-to-all"}));
        SetAttentionKernel();
        const bool hasReplicas = m_job.GetReplicas() > 1;
        if (!hasReplicas)
        {
            RefuseOn("zero", training.zero > 0, "there are no replicas to share anything with");
            RefuseOn("overlapGradients",
                     training.overlapGradients,
                     "there are no replicas to reduce gradients with");
            RefuseOn("overlapParameters",
                     training.overlapParameters,
                     "there are no replicas to gather parameters from");
            training.zero = 0;
        }
        else if (training.zero == 0)
        {
            RefuseOn("overlapParameters",
                     training.overlapParameters,
                     "with zero 0 every replica keeps all parameters");
        }
    }

    /// Set what selective recomputation runs again.
    void SetRecomputedModules()
    {
        auto& training = m_job.training;
        if (training.recompute != Recomputation::SELECTIVE)
        {
            Refuse("recomputeModules", "recomputation is not selective (--recompute)");
            return;
        }
        if (training.IsPytorch())
        {
            Refuse("recomputeModules",
                   "in PyTorch it goes by operator, as in TorchTitan (--framework)");
        }
        training.againModules =
            ReadLayerModules({m_options.recomputeModules, m_options.Locate("recomputeModules")},
                             m_job.model);
    }

    /// Set the library of fused attention.
    void SetAttentionKernel()
    {
        auto& training = m_job.training;
        auto words = GetAttentionKernelNames();
        words.insert(words.begin(), "auto");
        const auto word = FindWord({m_options.attentionKernel, m_options.Locate("attentionKernel")},
                                   words,
                                   JoinWords(words));
        if (word > 0)
        {
            training.attentionKernel = static_cast<AttentionKernel>(word - 1);
        }
        else
        {
            training.attentionKernel =
                training.IsPytorch() ? AttentionKernel::FA2 : AttentionKernel::CUDNN;
        }
        if (!training.fusedAttention)
        {
            Refuse("attentionKernel", "attention is not fused (--fusedAttention=off)");
        }
    }

    /// Check what tensor parallel ranks share out.
    void CheckTensorRanks() const
    {
        const auto& model = m_job.model;
        const uint32_t tp = m_job.layout.tp;
        CheckHeads();
        for (uint32_t layer = 0; layer < model.layers; ++layer)
        {
            CheckDivides("tp",
                         tp,
                         GetFfn(model, layer),
                         "inner elements of a feed-forward layer (ffn)");
        }
        const auto heads = model.reach.linear ? model.reach.linear->GetSharedHeads() : 0;
        CheckDivides("tp", tp, heads, "heads of linear attention");
        const auto& training = m_job.training;
        const auto needsTensorRanks = "there are no tensor parallel ranks (--tp)";
        if (tp == 1)
        {
            RefuseOn("sequenceParallel", training.sequenceParallel, needsTensorRanks);
            RefuseOn("overlapTensor", training.overlapTensor, needsTensorRanks);
            RefuseOn("scatterMessages", training.scatterMessages, needsTensorRanks);
        }
        if (m_job.layout.pp == 1)
        {
            RefuseOn("scatterMessages", training.scatterMessages, "there is one stage (--pp)");
        }
        if (training.sequenceParallel)
        {
            RefuseOn("scatterMessages",
                     training.scatterMessages,
                     "ranks send parts of the sequence (--sequenceParallel=off)");
        }
        else
        {
            RefuseOn("overlapTensor",
                     training.overlapTensor,
                     "it works on parts of the sequence (--sequenceParallel=on)");
        }
        if (m_job.training.sequenceParallel)
        {
            CheckDivides("tp", tp, m_job.GetTokens(), "tokens of a microbatch on a rank");
        }
        if (model.experts)
        {
            CheckDivides("tp", tp, model.experts->sharedFfn, "inner elements of shared experts");
        }
    }

    /// Check that tensor parallel ranks have whole heads, if there are any, and whole ones of keys
    /// and values, or these whole ranks.
    void CheckHeads() const
    {
        const auto& model = m_job.model;
        const uint32_t tp = m_job.layout.tp;
        if (!HasHeads(model))
        {
            return;
        }
        CheckDivides("tp", tp, model.heads, "heads of " + model.name);
        if (model.mla || model.queryRank > 0 || model.kvHeads % tp == 0)
        {
            return;
        }
        const auto heads =
            std::to_string(model.kvHeads) + " heads of keys and values of " + model.name;
        // TorchTitan gives each rank whole heads (models/llama/model.py).
        if (m_job.training.IsPytorch())
        {
            Fail("tp",
                 "a number that divides the " + heads + " (in PyTorch heads are not split)",
                 std::to_string(tp));
        }
        if (tp % model.kvHeads != 0)
        {
            Fail("tp", "a divisor or a multiple of the " + heads, std::to_string(tp));
        }
    }

    /// Check what context parallel ranks share out.
    void CheckContextRanks() const
    {
        const auto& model = m_job.model;
        const auto& layout = m_job.layout;
        if (layout.cp == 1)
        {
            Refuse("context", "there are no context parallel ranks (--cp)");
            return;
        }
        // A rank has a piece of the first and of the second half, so that all do the same work.
        if (m_job.training.sequence % (2 * layout.cp) != 0)
        {
            Fail("cp",
                 "a number of which the double divides the " +
                     std::to_string(m_job.training.sequence) +
                     " tokens of a sequence, as each rank has a piece of both halves",
                 std::to_string(layout.cp));
        }
        if (model.reach.linear && model.reach.linear->rule == LinearRule::MAMBA_1)
        {
            Fail("cp",
                 "1 with Mamba-1, whose keys, queries and steps come of all channels of a token",
                 std::to_string(layout.cp));
        }
        if (model.reach.linear)
        {
            CheckDivides("cp",
                         layout.cp,
                         model.reach.linear->GetSharedHeads() / layout.tp,
                         "heads of linear attention of a rank");
        }
        if (m_job.training.context == ContextExchange::ALL_TO_ALL && HasHeads(model))
        {
            CheckDivides("cp", layout.cp, model.heads / layout.tp, "heads of a rank (heads / tp)");
            CheckDivides("cp",
                         layout.cp,
                         model.kvHeads / m_job.GetKeyValueRanks(),
                         "heads of keys and values of a rank (kvHeads / tp, at least 1)");
        }
        if (!m_job.training.fusedAttention)
        {
            Fail("fusedAttention",
                 "on, because attention over context parallel ranks is a fused kernel",
                 "off");
        }
    }

    /// Check that experts send what is to go beside other passes.
    void CheckOverlapOfExperts() const
    {
        const bool isOn = m_job.training.overlapExperts;
        RefuseOn("overlapExperts",
                 isOn && !m_job.model.experts,
                 m_job.model.name + " has no experts");
        RefuseOn("overlapExperts", isOn && m_job.layout.ep == 1, "a rank has all experts (--ep)");
    }

    /// Check how experts are laid out.
    void CheckExperts() const
    {
        const auto& layout = m_job.layout;
        if (!m_job.model.experts)
        {
            const auto dense = m_job.model.name + " has no experts";
            RefuseOn("ep", layout.ep > 1, dense);
            for (const auto* option :
                 {"etp", "dispatch", "dispatchRanks", "expertLoad", "expertCapacity"})
            {
                Refuse(option, dense);
            }
            return;
        }
        const auto& experts = *m_job.model.experts;
        CheckDivides("ep", layout.ep, experts.count, "experts of " + m_job.model.name);
        CheckDivides(m_options.etp ? "etp" : "tp",
                     m_job.layout.etp,
                     experts.ffn,
                     "inner elements of an expert");
        const uint64_t ranks = uint64_t{layout.tp} * layout.cp * layout.dp;
        if (ranks % (uint64_t{layout.etp} * layout.ep) != 0)
        {
            Fail("ep",
                 "ep x etp to divide the ranks of a pipeline stage, tp x cp x dp, which are " +
                     std::to_string(ranks),
                 "ep " + std::to_string(layout.ep) + " x etp " + std::to_string(layout.etp));
        }
        if (layout.tp > 1 && !m_job.training.sequenceParallel)
        {
            Fail("sequenceParallel",
                 "on, because tensor parallel ranks send different tokens to experts",
                 "off");
        }
        if (experts.denseLayers >= m_job.model.layers)
        {
            throw WorkloadError({m_job.model.file, 0, 0, "/experts/denseLayers"},
                                "fewer than the layers, " + std::to_string(m_job.model.layers),
                                std::to_string(experts.denseLayers));
        }
        if (experts.every > m_job.model.layers - experts.denseLayers)
        {
            throw WorkloadError({m_job.model.file, 0, 0, "/experts/everyNth"},
                                "at most the layers after the dense ones, " +
                                    std::to_string(m_job.model.layers - experts.denseLayers),
                                std::to_string(experts.every));
        }
    }

    /// Set how tokens go to experts.
    void SetExperts()
    {
        if (!m_job.model.experts)
        {
            return;
        }
        const auto& experts = *m_job.model.experts;
        auto& training = m_job.training;
        training.expertLoads = ReadLoads(experts.count);
        if (!training.HasUnevenExperts())
        {
            Refuse("expertCapacity", "all experts are sent the same (--expertLoad)");
        }
        SetDispatch();
    }

    /// Set how tokens go to experts.
    void SetDispatch()
    {
        const auto& experts = *m_job.model.experts;
        auto& training = m_job.training;
        const std::vector<std::string> words{"auto", "direct", "by-group"};
        const auto word =
            FindWord({m_options.dispatch, m_options.Locate("dispatch")}, words, JoinWords(words));
        const uint32_t ep = m_job.layout.ep;
        if (const auto ranks = m_options.dispatchRanks)
        {
            if (word == 1 || training.HasUnevenExperts())
            {
                Refuse("dispatchRanks",
                       word == 1 ? "copies of tokens go by themselves (--dispatch)"
                                 : "experts are sent tokens unevenly (--expertLoad)");
            }
            CheckDivides("dispatchRanks", *ranks, ep, "expert parallel ranks");
            training.dispatchGroups = ep / *ranks;
            return;
        }
        const bool canGroup = experts.groupLimit > 0 && ep % experts.groups == 0;
        if (word == 2 && (!canGroup || training.HasUnevenExperts()))
        {
            Fail("dispatch",
                 "direct",
                 training.HasUnevenExperts()
                     ? "by-group, which needs even loads"
                     : "by-group, which needs ranks of a group (--dispatchRanks), or a model with "
                       "a groupLimit, and as ep a multiple of its groups");
        }
        const bool isByGroup = canGroup && !training.HasUnevenExperts() && word != 1;
        training.dispatchGroups = isByGroup ? experts.groups : 0;
    }

    /**
     * @param count number of experts
     * @return share of the tokens that each one is sent; empty = all the same
     */
    std::vector<double> ReadLoads(uint32_t count) const
    {
        const auto& text = m_options.expertLoad;
        const auto where = m_options.Locate("expertLoad");
        if (text == "even")
        {
            return {};
        }
        std::vector<double> loads;
        const std::string zipf = "zipf:";
        if (text.compare(0, zipf.size(), zipf) == 0)
        {
            const auto exponent =
                ParseNonNegative({text.substr(zipf.size()), where}, "an exponent");
            // Expert i, counted from 1, gets a share in proportion to i^-exponent.
            for (uint32_t i = 0; i < count; ++i)
            {
                loads.push_back(std::pow(i + 1., -exponent));
            }
        }
        else
        {
            for (const auto& share : SplitText(text, ','))
            {
                loads.push_back(ParseNonNegative({share, where}, "a share"));
            }
        }
        const double sum = std::accumulate(loads.begin(), loads.end(), 0.);
        if (loads.size() != count || sum <= 0)
        {
            throw WorkloadError(where,
                                "even, zipf:EXPONENT, or " + std::to_string(count) +
                                    " shares with commas between, one for each expert, not all 0",
                                Quoted(text));
        }
        for (auto& load : loads)
        {
            load /= sum;
        }
        return loads;
    }

    const ModelOptions& m_options; //!< what the user says
    ModelJob m_job;                //!< what comes of it
};

} // namespace

ModelJob
CompleteModelJob(const ModelOptions& options)
{
    return ModelJobMaker(options).Make();
}

} // namespace ns3
