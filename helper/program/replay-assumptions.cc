/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replay-assumptions.h"

#include "model-options.h"
#include "networked-job.h"
#include "step-time-record.h"
#include "transport-kind.h"
#include "unequal-rates.h"

#include "ns3/double.h"
#include "ns3/replay-application.h"
#include "ns3/topology-file.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <cstdint>
#include <sstream>

namespace ns3
{

namespace
{

/**
 * @param value a number
 * @return it in six digits at most
 */
std::string
FormatNumber(double value)
{
    std::ostringstream stream;
    stream << value;
    return stream.str();
}

/**
 * @param graph a topology
 * @return whether it has links that lose packets at random
 */
bool
HasRandomLoss(const TopologyGraph& graph)
{
    for (uint32_t i = 0; i < graph.GetNLinks(); ++i)
    {
        if (graph.GetLink(i).lossRate > 0)
        {
            return true;
        }
    }
    return false;
}

/**
 * @param rank a rank with its attributes
 * @param [in,out] sentences receives what communication takes from computations beside it
 */
void
AddCommunicationShares(Ptr<const ReplayApplication> rank, std::vector<std::string>& sentences)
{
    DoubleValue server;
    DoubleValue network;
    UintegerValue multiprocessors;
    rank->GetAttribute("ServerShare", server);
    rank->GetAttribute("NetworkShare", network);
    rank->GetAttribute("Multiprocessors", multiprocessors);
    std::string subject = "communication";
    if (multiprocessors.Get() > 0)
    {
        sentences.push_back("a kernel of communication takes one of " +
                            std::to_string(multiprocessors.Get()) +
                            " multiprocessors for each of its channels from computations beside "
                            "it (--communicationShare)");
        subject += " whose channels are not known";
    }
    if (server.Get() > 0 || network.Get() > 0)
    {
        sentences.push_back(subject + " takes " + FormatNumber(100 * server.Get()) +
                            " % of an accelerator from computations beside it within a server, " +
                            FormatNumber(100 * network.Get()) +
                            " % over the network (--communicationShare)");
    }
}

/**
 * @param options what holds for a job
 * @return what its ranks do to compute times, stragglers left out, whoever has asked for it: an
 *         option or an attribute's default
 */
std::vector<std::string>
ListComputeAssumptions(const ReplayOptions& options)
{
    const auto rank = CreateObject<ReplayApplication>();
    // No rank has this number, so that none is a straggler.
    SetComputeTimes(options, UINT32_MAX, rank);
    const auto get = [&rank](const std::string& attribute) {
        DoubleValue value;
        rank->GetAttribute(attribute, value);
        return value.Get();
    };
    std::vector<std::string> sentences;
    if (get("ComputeScale") != 1)
    {
        sentences.push_back("all compute times are " + FormatNumber(get("ComputeScale")) +
                            " times those of the workload (--computeScale)");
    }
    if (get("ComputeJitter") > 0)
    {
        sentences.push_back("the time of each compute op is log-normal around its mean, with a "
                            "standard deviation of " +
                            FormatNumber(100 * get("ComputeJitter")) + " % of it (--jitter)");
    }
    if (options.speedSpread > 0)
    {
        sentences.push_back("compute times of each rank have a factor of their own, normal around "
                            "1 with a standard deviation of " +
                            FormatNumber(100 * options.speedSpread) + " % (--speedSpread)");
    }
    AddCommunicationShares(rank, sentences);
    return sentences;
}

/**
 * @param kind a kind of jobs
 * @param [in,out] sentences receives how far step times of the kind are off that others measured
 */
void
AddStepTimeErrors(const std::string& kind, std::vector<std::string>& sentences)
{
    if (const auto errors = FindStepTimeErrors(kind))
    {
        // To a tenth: few rows justify no more.
        const auto percent = [](double error) {
            return FormatNumber(std::round(1000 * error) / 10) + " %";
        };
        sentences.push_back("step times from configurations of this kind (" + kind + ") are " +
                            percent(errors->mean) + " off in the mean of " +
                            std::to_string(errors->rows) + " published ones, at worst by " +
                            percent(errors->worst) + ", with a bias of " + percent(errors->bias) +
                            " (doc/truth.rst)");
    }
}

/**
 * @param options what holds for a job
 * @param workload the job
 * @return what its results rest on besides the workload itself, one sentence each
 */
std::vector<std::string>
ListJobAssumptions(const ReplayOptions& options, const Workload& workload)
{
    auto sentences = workload.GetWarnings();
    if (workload.GetFormat() == "op-table" && !options.layout.world && !options.layout.dp)
    {
        sentences.push_back("the file does not say how many workers there are: " +
                            std::to_string(workload.GetLayout().world) +
                            " were taken, see --world");
    }
    if (workload.GetFormat() == "model")
    {
        const auto& name = options.model.accelerator.text;
        const bool isDefault = options.model.efficiency == 1;
        sentences.push_back("operators take the times that the accelerator " + name +
                            " would take by its peaks and what it reaches of them" +
                            (isDefault ? ", which nobody has measured for this job (--stepTime)"
                                       : ", at " + FormatNumber(options.model.efficiency) +
                                             " times that speed (--efficiency)"));
        if (isDefault && options.model.operatorTimes.empty())
        {
            AddStepTimeErrors(GetStepTimeKind(GetModelOptions(options)), sentences);
        }
    }
    if (options.bytesScale != 1)
    {
        sentences.push_back("all messages and collectives have " +
                            FormatNumber(options.bytesScale) +
                            " times the bytes of the trace (--bytesScale)");
    }
    const auto computing = ListComputeAssumptions(options);
    sentences.insert(sentences.end(), computing.begin(), computing.end());
    for (const auto& [rank, straggler] : options.stragglers)
    {
        sentences.push_back("rank " + std::to_string(rank) + " computes " +
                            FormatNumber(straggler.factor) +
                            " times as long as it otherwise would (--straggler)");
    }
    if (options.sizes == "lenient")
    {
        sentences.emplace_back("messages are as long as their sends say, whatever their receives "
                               "expect (--sizes)");
    }
    return sentences;
}

/**
 * @param options what the user asks for, with logGops
 * @return what is to be reported of it
 */
std::string
DescribeLogGops(const NetworkOptions& options)
{
    return HasLogGopsNetwork(options)
               ? "the network is that of the LogGOPS model: the topology has no part in it "
                 "(--logGops)"
               : "messages cost o and O of the CPUs at both ends, and senders of more than S bytes "
                 "wait for the last acknowledgement; L, g and G are not used, as they are what the "
                 "transport " +
                     options.transport + " does itself (--logGops)";
}

} // namespace

std::vector<std::string>
ListAssumptions(const std::vector<JobRequest>& jobs,
                const NetworkOptions& options,
                const TopologyGraph& graph)
{
    std::vector<std::string> sentences;
    for (const auto& job : jobs)
    {
        for (const auto& sentence : ListJobAssumptions(job.options, *job.workload))
        {
            sentences.push_back((job.name.empty() ? "" : job.name + ": ") + sentence);
        }
    }
    const auto more = ListNetworkAssumptions(options, graph);
    sentences.insert(sentences.end(), more.begin(), more.end());
    return sentences;
}

std::vector<std::string>
ListNetworkAssumptions(const NetworkOptions& options, const TopologyGraph& graph)
{
    auto sentences = graph.GetNotes();
    sentences.insert(sentences.end(), options.configNotes.begin(), options.configNotes.end());
    if (TopologyFile::IsFileName(options.topology) && !HasLogGopsNetwork(options))
    {
        const auto unequal = ListUnequalNics(graph);
        sentences.insert(sentences.end(), unequal.begin(), unequal.end());
    }
    if (options.ncclGraph)
    {
        const auto compared = CompareNcclGraph(options);
        sentences.insert(sentences.end(), compared.begin(), compared.end());
    }
    if (TransportKind::Get(options)->Supports(TransportKind::Use::QUEUE_PAIRS) &&
        !options.trafficClasses.empty())
    {
        sentences.push_back("messages have traffic classes: " +
                            DescribeTrafficClasses(options.trafficClasses) + " (--trafficClass)");
    }
    if (options.logGops)
    {
        sentences.push_back(DescribeLogGops(options));
    }
    if (!TransportKind::Get(options)->Supports(TransportKind::Use::PACKETS) && HasRandomLoss(graph))
    {
        sentences.emplace_back("no packets are lost at random: the transport " + options.transport +
                               " ignores the loss rates of the topology file");
    }
    return sentences;
}

} // namespace ns3
