/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "accelerator-set.h"

#include "ns3/input-values.h"

namespace ns3
{

namespace
{

/// Bytes of a GiB, in which memories are counted.
constexpr uint64_t GIB = 1073741824;

/// FLOP/s of a TFLOP/s.
constexpr double TERA = 1e12;

/// Calculon's shares of the matrix peak by FLOP (systems/a100_80g.json; the same for H100),
/// relative to the largest one: what large multiplications reach has been measured since.
const EfficiencyCurve MATRIX_EFFICIENCY(
    {{128e9, 1}, {16e9, 0.9 / 0.95}, {1e9, 0.6 / 0.95}, {0, 0.1 / 0.95}});

/// Its shares of the vector peak by FLOP.
const EfficiencyCurve VECTOR_EFFICIENCY({{16e9, 0.95}, {1e9, 0.5}, {0, 0.1}});

/// Its shares of the memory's peak by bytes.
const EfficiencyCurve MEMORY_EFFICIENCY({{100e6, 0.9}, {10e6, 0.75}, {1e6, 0.6}, {0, 0.3}});

/// Peaks of an accelerator.
struct Peaks
{
    double bf16;    //!< of the largest multiplications in bf16 and in fp16, TFLOP/s
    double fp8;     //!< of those in fp8, TFLOP/s; 0 = it has none
    double vector;  //!< of vector units in 16 bits, TFLOP/s
    double memory;  //!< GB/s of memory
    uint64_t bytes; //!< GiB of memory
};

/**
 * @param name name of a set
 * @param peaks peaks of its accelerator
 * @param source where they come from
 * @return the set, with Calculon's efficiencies and shares of communication
 */
AcceleratorSet
MakeSet(const std::string& name, const Peaks& peaks, const std::string& source)
{
    AcceleratorSet set;
    auto& p = set.parameters;
    p.name = name;
    p.matrixFlops = {{Precision::BF16, peaks.bf16 * TERA}, {Precision::FP16, peaks.bf16 * TERA}};
    if (peaks.fp8 > 0)
    {
        p.matrixFlops[Precision::FP8] = peaks.fp8 * TERA;
    }
    p.vectorFlops = peaks.vector * TERA;
    p.memoryBandwidth = peaks.memory * 1e9;
    p.memoryBytes = peaks.bytes * GIB;
    p.matrixEfficiency = MATRIX_EFFICIENCY;
    p.vectorEfficiency = VECTOR_EFFICIENCY;
    p.memoryEfficiency = MEMORY_EFFICIENCY;
    p.combination = Accelerator::SUM;
    p.serverShare = 0.15;
    p.networkShare = 0.02;
    set.source = source + " Shares of the peaks by size, their sum, and the share that collectives "
                          "take (15 % over NVLink, 2 % over the network) as in Calculon, "
                          "systems/a100_80g.json and h100_80g_nvl8.json.";
    return set;
}

} // namespace

const std::vector<AcceleratorSet>&
GetAcceleratorSets()
{
    static const std::vector<AcceleratorSet> sets{
        MakeSet("a100",
                {271.2, 0, 78, 2039, 80},
                "A100 80GB SXM: NVIDIA A100 data sheet (2021), and A100 architecture white paper "
                "(vector units in fp16). Matrix multiplications of bf16 have been measured to "
                "reach 271.2 of 312 TFLOP/s (S. Bekman, Machine Learning Engineering, maximum "
                "achievable matmul FLOPS)."),
        MakeSet("h100",
                {794.5, 1402.6, 133.8, 3350, 80},
                "H100 SXM: NVIDIA H100 data sheet and architecture white paper 1.04. Matrix "
                "multiplications have been measured to reach 794.5 of 989.4 TFLOP/s in bf16 and "
                "1402.6 of 1978.9 in fp8 (as for a100)."),
        MakeSet("h800",
                {794.5, 1402.6, 133.8, 3350, 80},
                "H800 SXM: an H100 but for NVLink and double precision (DeepSeek-AI, \"Insights "
                "into DeepSeek-V3\", ISCA 2025, section 4.1)."),
        MakeSet("b200",
                {1807, 3190, 150, 8000, 180},
                "B200 in a DGX: DGX B200 data sheet (72 PFLOP/s fp8 with sparsity, 64 TB/s, 1440 "
                "GB for 8), Blackwell data sheet (75 TFLOP/s fp32 of an HGX B200, twice that in "
                "16 bits); of the 2250 and 4500 TFLOP/s the shares that an H100 reaches, for want "
                "of a measurement. Efficiencies and shares of its predecessors."),
    };
    return sets;
}

const AcceleratorSet&
FindAcceleratorSet(const TextField& value, const std::string& otherwise)
{
    std::vector<std::string> names;
    for (const auto& set : GetAcceleratorSets())
    {
        names.push_back(set.parameters.name);
    }
    return GetAcceleratorSets()[FindWord(value, names, JoinWords(names) + otherwise)];
}

} // namespace ns3
