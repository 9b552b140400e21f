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

/// Calculon's shares of the matrix peak by FLOP (systems/a100_80g.json; the same for H100).
const EfficiencyCurve MATRIX_EFFICIENCY({{128e9, 0.95}, {16e9, 0.9}, {1e9, 0.6}, {0, 0.1}});

/// Its shares of the vector peak by FLOP.
const EfficiencyCurve VECTOR_EFFICIENCY({{16e9, 0.95}, {1e9, 0.5}, {0, 0.1}});

/// Its shares of the memory's peak by bytes.
const EfficiencyCurve MEMORY_EFFICIENCY({{100e6, 0.9}, {10e6, 0.75}, {1e6, 0.6}, {0, 0.3}});

/// Peaks of an accelerator.
struct Peaks
{
    double bf16;    //!< of matrix units in bf16 and in fp16, TFLOP/s
    double fp8;     //!< of matrix units in fp8, TFLOP/s; 0 = it has none
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
                {312, 0, 78, 2039, 80},
                "A100 80GB SXM: NVIDIA A100 data sheet (2021), and A100 architecture white paper "
                "(vector units in fp16). Calculon has 2048 GB/s in place of 2039."),
        MakeSet("h100",
                {989.4, 1978.9, 133.8, 3350, 80},
                "H100 SXM: NVIDIA H100 architecture white paper 1.04, without sparsity, and data "
                "sheet. Calculon has the figures announced before: 1000, 2000 in fp8 "
                "and 120 TFLOP/s, 3072 GB/s."),
        MakeSet("h800",
                {989.4, 1978.9, 133.8, 3350, 80},
                "H800 SXM: an H100 but for NVLink and double precision (DeepSeek-AI, \"Insights "
                "into DeepSeek-V3\", ISCA 2025, section 4.1)."),
        MakeSet("b200",
                {2250, 4500, 150, 8000, 180},
                "B200 in a DGX: DGX B200 data sheet (72 PFLOP/s fp8 with sparsity, 64 TB/s, 1440 "
                "GB for 8), Blackwell data sheet (75 TFLOP/s fp32 of an HGX B200, twice that in "
                "16 bits). Efficiencies and shares of its predecessors."),
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
