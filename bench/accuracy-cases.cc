/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "accuracy-cases.h"

#include "message-traffic.h"

#include "ns3/config.h"
#include "ns3/replay-command.h"
#include "ns3/string.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace ns3
{

namespace
{

/**
 * Replay a job.
 *
 * @param run how
 * @param arguments options of wl-replay
 */
void
Replay(const AccuracyRun& run, std::vector<std::string> arguments)
{
    arguments.push_back("--maxTrain=" + std::to_string(run.maxTrain));
    arguments.push_back("--run=" + std::to_string(run.seed));
    arguments.push_back("--outputDir=" + run.folder);
    arguments.emplace_back("--progress=off");
    if (RunReplayCommand(arguments) != ReplaySession::DONE)
    {
        std::exit(1);
    }
}

/**
 * Replay a collective after 100 us of computing, with a jitter of 100 ns.
 *
 * @param run how
 * @param shape "TP WORLD"
 * @param row row of the layer file behind the layer's name
 * @param arguments options of wl-replay
 * @param layers how many of the layer there are
 */
void
ReplayCollective(const AccuracyRun& run,
                 const std::string& shape,
                 const std::string& row,
                 std::vector<std::string> arguments,
                 uint32_t layers)
{
    std::istringstream stream(shape);
    std::string tp;
    std::string world;
    stream >> tp >> world;
    const std::string file = run.folder + "/collective.txt";
    std::ofstream text(file);
    text << "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: " << tp
         << " ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus: " << world
         << " checkpoints: 0 checkpoint_initiates: 0\n"
         << layers << "\n";
    for (uint32_t layer = 0; layer < layers; ++layer)
    {
        text << "layer" << layer << " -1 " << row << " 100\n";
    }
    text.close();
    arguments.push_back("--workload=" + file);
    arguments.emplace_back("--jitter=0.001");
    Replay(run, arguments);
}

/**
 * Sixteen hosts send to one, in three waves.
 *
 * @param run how
 */
void
RunIncast(const AccuracyRun& run)
{
    MessageTraffic traffic("single-switch", 17, run.seed, run.maxTrain);
    for (uint32_t wave = 0; wave < 3; ++wave)
    {
        for (uint32_t source = 1; source < 17; ++source)
        {
            traffic.Post(source, 0, 8000000, MilliSeconds(6 * wave));
        }
    }
    traffic.Finish(run.folder);
}

/**
 * The same without congestion control: what the buffer does not take waits in the hosts, which the
 * switch pauses.
 *
 * @param run how
 */
void
RunPausedIncast(const AccuracyRun& run)
{
    Config::SetDefault("ns3::RdmaNic::CongestionControl",
                       StringValue("ns3::RdmaNoCongestionControl"));
    RunIncast(run);
}

/**
 * Eight hosts at other leaves send to one all the time, and cross the paths of sixteen others that
 * send to hosts that are not in demand.
 *
 * @param run how
 */
void
RunHotSpot(const AccuracyRun& run)
{
    MessageTraffic traffic("clos:hostsPerLeaf=8,spines=4", 32, run.seed, run.maxTrain);
    for (uint32_t i = 0; i < 8; ++i)
    {
        traffic.Post(8 + i, 0, 60000000, Time(0));
    }
    for (uint32_t wave = 0; wave < 10; ++wave)
    {
        for (uint32_t i = 0; i < 16; ++i)
        {
            traffic.Post(16 + i, (16 + i + 9) % 32, 4000000, MicroSeconds(900 * wave));
        }
    }
    traffic.Finish(run.folder);
}

} // namespace

std::vector<AccuracyCase>
MakeAccuracyCases(const std::string& files)
{
    const std::vector<std::string> moe{"--workload=" + files +
                                           "/moe-pp4-ep2-dp4-rank0.megatron.txt",
                                       "--world=16",
                                       "--tp=1",
                                       "--pp=4",
                                       "--ep=2"};
    const auto replay = [](std::vector<std::string> arguments,
                           const std::vector<std::string>& more) {
        arguments.insert(arguments.end(), more.begin(), more.end());
        return [arguments](const AccuracyRun& run) { Replay(run, arguments); };
    };
    const auto collective = [](const std::string& shape,
                               const std::string& row,
                               const std::vector<std::string>& arguments,
                               uint32_t layers = 1) {
        return [shape, row, arguments, layers](const AccuracyRun& run) {
            ReplayCollective(run, shape, row, arguments, layers);
        };
    };
    // Forward, input gradient, weight gradient: time, collective, bytes.
    const std::string reduce = "100000 ALLREDUCE 268435456 1 NONE 0 1 NONE 0";
    const std::string exchange = "100000 ALLTOALL 134217728 1 NONE 0 1 NONE 0";
    const std::string gradients = "1 NONE 0 1 NONE 0 100000 ALLREDUCE 134217728";
    // Small collectives of four ranks beside large ones of four others, twelve layers of them. Of
    // messages those of the small ones count.
    const std::string few = "20000 ALLREDUCE 8192 20000 ALLREDUCE 8192 20000 ALLREDUCE 33554432";
    const std::string blocks =
        "20000 ALLTOALL 1048576 20000 ALLTOALL 1048576 20000 ALLREDUCE 67108864";
    const std::vector<std::string> flat{"--topology=single-switch", "--gpusPerServer=1"};
    const std::vector<std::string> leaves{"--topology=clos:hostsPerLeaf=4,spines=2",
                                          "--gpusPerServer=1"};
    const std::vector<std::string> tree{"--topology=fat-tree:k=4", "--gpusPerServer=1"};
    const std::vector<std::string> narrow{"--topology=clos:hostsPerLeaf=8,spines=4",
                                          "--gpusPerServer=1"};
    // Two of four ways from a leaf, one of which the ring may take, for 2 of its 10 ms.
    const std::vector<std::string> cut{"--topology=clos:hostsPerLeaf=4,spines=4",
                                       "--gpusPerServer=1",
                                       "--linkDown=leaf0-spine0@4ms:6ms",
                                       "--linkDown=leaf0-spine1@4ms:6ms"};
    std::vector<std::string> ranked = flat;
    ranked.emplace_back("--trafficClass=tp:5,dp:1");
    std::vector<std::string> sprayed = tree;
    sprayed.emplace_back("--routing=spray");
    return {
        {"ring all-reduce, rail", 1, true, collective("32 32", reduce, {})},
        {"ring all-reduce, one switch",
         1,
         true,
         collective("16 16", reduce, {"--gpusPerServer=1", "--topology=single-switch"})},
        {"all-to-all, rail", 100, true, collective("32 32", exchange, {})},
        {"all-to-all, fat-tree", 100, false, collective("16 16", exchange, tree)},
        {"incast, 16 to 1", 100, true, RunIncast},
        {"incast, paused", 100, true, RunPausedIncast},
        {"ring all-reduce, link cut", 20, true, collective("16 16", reduce, cut)},
        {"ECMP collisions, 8 rings", 100, false, collective("8 32", gradients, narrow)},
        {"DCQCN, hot spot", 100, false, RunHotSpot},
        {"8 KB beside rings, switch", 20, true, collective("4 16", few, flat, 12), 2048},
        {"8 KB beside rings, clos", 100, false, collective("4 16", few, leaves, 12), 2048},
        {"1 MB beside rings, switch", 20, true, collective("4 16", blocks, flat, 12), 262144},
        {"1 MB beside rings, clos", 100, false, collective("4 16", blocks, leaves, 12), 262144},
        {"8 KB before rings, priorities", 20, true, collective("4 16", few, ranked, 12), 2048},
        {"512-GPU layers on 64 GPUs",
         1,
         false,
         replay({"--workload=" + files + "/layers-512gpu-tp8-pp4.simai.txt",
                 "--world=64",
                 "--microbatches=1"},
                {})},
        {"MoE trace, rail", 1, false, replay(moe, {})},
        {"MoE trace, fat-tree", 1, false, replay(moe, tree)},
        {"MoE trace, HPCC", 1, false, replay(moe, {"--cc=hpcc"})},
        {"MoE trace, spraying", 1, false, replay(moe, sprayed)},
    };
}

} // namespace ns3
