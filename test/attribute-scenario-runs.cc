/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "attribute-scenario-test-case.h"
#include "nvls-test-job.h"
#include "server-test-tools.h"
#include "topology-test-graphs.h"
#include "workload-test-tools.h"

#include "ns3/collective-costs.h"
#include "ns3/collnet-chain-collective.h"
#include "ns3/goal-reader.h"
#include "ns3/log-gops-costs.h"
#include "ns3/log-gops-message-transport.h"
#include "ns3/msccl-collective.h"
#include "ns3/ns3-arguments.h"
#include "ns3/nvls-collective.h"
#include "ns3/replay-option-table.h"
#include "ns3/replay-session.h"
#include "ns3/string.h"
#include "ns3/tcp-message-transport.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <regex>
#include <sstream>
#include <utility>

namespace ns3
{

namespace
{

/// A program of wl-replay's: a computation, then an all-reduce.
const char* const OPS =
    "name\tforward_compute_time\tforward_comm_type\tforward_comm_size\tbackward_compute_time\t"
    "backward_comm_type\tbackward_comm_size\tweight_grad_compute_time\tweight_grad_comm_type\t"
    "weight_grad_comm_size\tprocess_time\n"
    "a\t10\tNone\t0\t10\tALLREDUCE\t1000000\t0\tNone\t0\t0\n";

/**
 * @return makes RED that marks all packets that can be marked behind ten others, and drops the rest
 */
ObjectFactory
MakeRed()
{
    ObjectFactory red("ns3::RedQueueDisc");
    red.Set("UseEcn", StringValue("true"));
    red.Set("UseHardDrop", StringValue("false"));
    red.Set("QW", StringValue("1"));
    red.Set("MinTh", StringValue("10"));
    red.Set("MaxTh", StringValue("10"));
    red.Set("MaxSize", StringValue("1000p"));
    return red;
}

/**
 * @param name name of a kind of collective
 * @return the kind
 */
CollectiveKind
FindKind(const std::string& name)
{
    const auto& kinds = GetCollectiveKinds();
    return *std::find_if(kinds.begin(), kinds.end(), [&name](CollectiveKind kind) {
        return ToString(kind) == name;
    });
}

/**
 * @param name name of a protocol
 * @return the protocol; none = there is none of that name
 */
std::optional<CollectiveProtocol>
FindProtocol(const std::string& name)
{
    for (const auto protocol : GetCollectiveProtocols())
    {
        if (ToString(protocol) == name)
        {
            return protocol;
        }
    }
    return std::nullopt;
}

/**
 * @param name name of the plan
 * @param gpus number of GPUs
 * @return a plan by which each GPU sends its chunk to the next one alone
 */
MscclPlan
MakeGatherPlan(const std::string& name, uint32_t gpus)
{
    MscclPlan plan;
    plan.file = name;
    plan.kind = CollectiveKind::ALL_GATHER;
    plan.chunks = gpus;
    MscclStep send;
    send.sends = true;
    send.count = 1;
    MscclStep receive;
    receive.receives = true;
    receive.count = 1;
    for (uint32_t gpu = 0; gpu < gpus; ++gpu)
    {
        send.receiver = (gpu + 1) % gpus;
        receive.sender = (gpu + gpus - 1) % gpus;
        MscclBlock block;
        block.steps = {send, receive};
        plan.gpus.push_back({block});
    }
    return plan;
}

/**
 * @return a plan of MSCCL++ of four GPUs: each has the NVSwitch add up a chunk, and multicast it
 */
std::string
MakeSwitchPlan()
{
    const std::string channels = R"("channels": [{"channel_type": "switch", )";
    std::string gpus;
    for (const std::string gpu : {"0", "1", "2", "3"})
    {
        const auto chunk = R"([{"switch_channel_id": 0, "size": 1, "index": )" + gpu + "}]";
        gpus += (gpus.empty() ? "" : ", ") + (R"({"id": )" + gpu) +
                R"(, "input_chunks": 4, "output_chunks": 4, "scratch_chunks": 0, )" + channels +
                R"("buffer_type": "i", "rank_groups": [{"size": 4, "ranks": [0, 1, 2, 3]}]}], )" +
                R"("threadblocks": [{"id": 0, )" + channels + R"("channel_ids": [0]}], )" +
                R"("ops": [{"name": "glres", "channel_type": "switch", "src_buff": )" + chunk +
                R"(, "dst_buff": )" + chunk + "}]}]}";
    }
    return R"({"name": "msccl", "collective": "allreduce", "protocol": "Simple", )"
           R"("inplace": true, "gpus": [)" +
           gpus + "]}";
}

} // namespace

void
AttributeScenarioTestCase::MakeTcpRanks()
{
    auto addresses = std::make_shared<std::vector<InetSocketAddress>>();
    for (uint32_t rank = 0; rank < m_tcp->GetHosts().GetN(); ++rank)
    {
        addresses->emplace_back(m_tcp->GetAddress(rank), 5000);
    }
    for (uint32_t rank = 0; rank < addresses->size(); ++rank)
    {
        auto transport = CreateObject<TcpMessageTransport>();
        transport->Install(m_tcp->GetHosts().Get(rank), rank, addresses);
        transport->TraceConnectWithoutContext(
            "Retransmission",
            MakeCallback(&AttributeScenarioTestCase::RetransmitSegment, this));
        transport->TraceConnectWithoutContext(
            "ConnectionFailed",
            MakeCallback(&AttributeScenarioTestCase::Disconnect, this));
        AddRank(transport);
    }
}

void
AttributeScenarioTestCase::RunTcp()
{
    m_tcp = std::make_unique<TcpFabricHelper>();
    m_tcp->SetQueueSize(static_cast<uint32_t>(std::stoul(Get("queue", "4000000"))));
    if (Get("disc", "") == "red")
    {
        m_tcp->SetQueueDisc(MakeRed());
    }
    m_tcp->Install(MakeGraph(), FabricParameters());
    m_tcp->AssignStreams(1);
    MakeTcpRanks();
    PostMessages();
    for (const auto& [word, isUp] : {std::pair("down", false), std::pair("up", true)})
    {
        if (m_words.count(word) > 0)
        {
            Simulator::Schedule(Time(Get(word, "")),
                                &TcpFabricHelper::SetLinkUp,
                                m_tcp.get(),
                                1,
                                isUp);
        }
    }
    Simulate();
    m_observed["hops"] = static_cast<double>(m_tcp->GetPacketHops());
}

void
AttributeScenarioTestCase::RetransmitSegment(uint32_t rank [[maybe_unused]],
                                             uint32_t peer [[maybe_unused]],
                                             uint32_t bytes [[maybe_unused]])
{
    ++m_observed["retransmissions"];
}

void
AttributeScenarioTestCase::Disconnect(uint32_t rank [[maybe_unused]],
                                      uint32_t peer [[maybe_unused]],
                                      const std::string& reason [[maybe_unused]])
{
    m_observed["failed"] = Simulator::Now().ToDouble(Time::NS);
}

Ptr<CollectiveSelection>
AttributeScenarioTestCase::MakeAlgorithms() const
{
    auto algorithms = ReplayHelper::CreateDefaultAlgorithms();
    const auto name = Get("algorithm", "");
    if (name == "msccl")
    {
        algorithms->Add(CreateObject<MscclCollective>(
            std::make_shared<const MscclFile>(MakeGatherPlan(name, 8))));
    }
    if (!name.empty())
    {
        algorithms->Choose(FindKind(Get("kind", "all-reduce")),
                           std::nullopt,
                           name,
                           FindProtocol(Get("protocol", "")));
    }
    if (Get("costs", "no") == "yes")
    {
        algorithms->SetCosts(CreateObject<CollectiveCosts>());
    }
    return algorithms;
}

void
AttributeScenarioTestCase::MakePipeline(ReplayTestJob& job)
{
    const auto bytes = std::stoull(Get("bytes", "4000000"));
    TestProgram sender;
    sender.Send("send", 1, bytes);
    job.SetProgram(0, sender.Build());
    TestProgram receiver;
    const auto late = receiver.Compute("compute", MilliSeconds(1));
    receiver.builder.AddFinishEdge(late, receiver.Receive("receive", 0, bytes));
    job.SetProgram(1, receiver.Build());
}

void
AttributeScenarioTestCase::MakeLatecomer(ReplayTestJob& job)
{
    for (uint32_t rank = 0; rank < 8; ++rank)
    {
        TestProgram program;
        const auto late = program.Compute("compute", MilliSeconds(rank == 7 ? 20 : 0));
        const auto collective =
            program.Collective("collective", FindKind(Get("kind", "broadcast")), 80000000);
        program.builder.AddFinishEdge(late, collective);
        job.SetProgram(rank, program.Build());
    }
}

void
AttributeScenarioTestCase::RunCollective(const Setting& setting)
{
    constexpr uint32_t world = 8;
    ReplayTestJob job(world, Dimension::DP);
    TestProgram program;
    program.Compute("compute", MicroSeconds(std::stoll(Get("compute", "10"))));
    if (m_name == "collective")
    {
        program.Collective("collective",
                           FindKind(Get("kind", "all-reduce")),
                           std::stoull(Get("bytes", "1000000")));
    }
    job.SetProgram(program.Build());
    if (m_name == "pipeline")
    {
        MakePipeline(job);
    }
    else if (m_name == "late-member")
    {
        MakeLatecomer(job);
    }
    const auto perServer = world / static_cast<uint32_t>(std::stoul(Get("servers", "1")));
    const bool isDescribed = Get("described", "no") == "yes";
    job.configure = [&setting, perServer, isDescribed](ReplayHelper& helper) {
        std::vector<uint32_t> servers;
        for (uint32_t rank = 0; rank < world; ++rank)
        {
            servers.push_back(rank / perServer);
        }
        helper.SetServers(servers);
        if (isDescribed)
        {
            helper.SetServerChannels(DescribeServer(REPORTED_SERVER, 8));
            helper.SetServers(BuildTestTopology("single-switch", world, perServer));
        }
        if (setting.type == "ReplayApplication")
        {
            helper.SetAttribute(setting.attribute, StringValue(setting.value));
        }
    };
    job.Run(DataRate("100Gbps"), MicroSeconds(1), MakeAlgorithms(), ReplayTestJob::BY_ATTRIBUTE);
    m_observed["end"] = job.end.ToDouble(Time::NS);
    m_observed["events"] = static_cast<double>(job.events);
    m_observed["iterations"] = static_cast<double>(job.iterations.size());
    m_observed["channels"] = job.collectives.empty() ? 0 : job.collectives.front().channels;
}

void
AttributeScenarioTestCase::RunSchedule()
{
    const auto file = CreateTempDirFilename("schedule.goal");
    WriteWorkloadFile(file,
                      "num_ranks 2 rank 0 { s1: send 1000b to 1 c: calc 20000 c requires s1\n"
                      "s2: send 1000b to 1 tag 2 s2 requires c\n"
                      "s3: send 1000b to 1 tag 3 s3 requires c }\n"
                      "rank 1 { c: calc 10000 r1: recv 1000b from 0 r1 requires c\n"
                      "recv 1000b from 0 tag 2 recv " +
                          Get("expected", "1000") + "b from 0 tag 3 }");
    const auto costs = CreateObject<LogGopsCosts>();
    auto ranks = std::make_shared<LogGopsMessageTransport::Ranks>();
    std::vector<Ptr<MessageTransport>> transports;
    for (uint32_t rank = 0; rank < 2; ++rank)
    {
        auto transport = CreateObject<LogGopsMessageTransport>();
        transport->Setup(ranks, costs);
        ranks->push_back(PeekPointer(transport));
        transports.emplace_back(transport);
    }
    ReplayTestJob job(ReadGoal(file));
    job.Run(transports);
    m_observed["end"] = job.end.ToDouble(Time::NS);
    m_observed["iterations"] = static_cast<double>(job.iterations.size());
}

void
AttributeScenarioTestCase::RunNvls()
{
    NvlsTestJob job({{4}, "400Gbps", NanoSeconds(200)});
    const auto all = job.AddCommunicator({0, 1, 2, 3});
    job.CallAll(all, CollectiveKind::ALL_REDUCE, std::stoull(Get("bytes", "4000000")));
    Ptr<CollectiveAlgorithm> algorithm = CreateObject<NvlsCollective>();
    if (Get("algorithm", "nvls") == "msccl")
    {
        const auto file = CreateTempDirFilename("plan.json");
        WriteWorkloadFile(file, MakeSwitchPlan());
        algorithm = CreateObject<MscclCollective>(std::make_shared<const MscclFile>(file));
    }
    job.Run("ideal", algorithm);
    m_observed["end"] = job.end.ToDouble(Time::NS);
    m_observed["events"] = static_cast<double>(Simulator::GetEventCount());
}

void
AttributeScenarioTestCase::RunCollnet()
{
    TopologyGraph graph;
    const auto leaf = graph.AddSwitch("leaf");
    for (uint32_t rank = 0; rank < 4; ++rank)
    {
        const auto host = graph.AddHost("host" + std::to_string(rank));
        graph.AddLink(host, leaf, DataRate("400Gbps"), NanoSeconds(200));
    }
    NvlsTestJob job(graph);
    job.CallAll(job.AddCommunicator({0, 1, 2, 3}), CollectiveKind::ALL_REDUCE, 4000000);
    auto algorithm = CreateObject<CollnetChainCollective>();
    if (Get("channels", "0") != "0")
    {
        algorithm->SetAttribute("Channels", StringValue(Get("channels", "0")));
    }
    job.Run("ideal", algorithm);
    m_observed["faults"] = static_cast<double>(job.faults.size());
    m_observed["end"] = job.end.ToDouble(Time::NS);
    m_observed["events"] = static_cast<double>(Simulator::GetEventCount());
}

void
AttributeScenarioTestCase::RunProgram(const Setting& setting)
{
    const auto file = CreateTempDirFilename("ops.tsv");
    WriteWorkloadFile(file, OPS);
    auto arguments = m_arguments;
    arguments.insert(arguments.begin(), {"--workload=" + file, "--world=8", "--progress=off"});
    if (!setting.type.empty())
    {
        arguments.push_back("--" + std::string("ns3::") + setting.type + "::" + setting.attribute +
                            "=" + setting.value);
    }
    const auto options = ParseReplayOptions(arguments);
    ApplyNs3Arguments("test", options.ns3Arguments);
    CheckReplayOptions(options);
    ReplaySession session(options);
    std::ostringstream report;
    std::ostringstream errors;
    std::exception_ptr fault;
    try
    {
        session.Run(report, errors);
    }
    catch (const WorkloadError& error)
    {
        fault = std::current_exception();
    }
    NS_TEST_EXPECT_MSG_EQ((fault == nullptr), true, "refused in the middle of the run");
    if (fault)
    {
        std::rethrow_exception(fault);
    }
    m_observed["end"] = Simulator::Now().ToDouble(Time::NS);
    // The simulator's count has the program's own looks at the clock, too.
    const std::string text = report.str();
    std::smatch events;
    const bool isReported = std::regex_search(text, events, std::regex(R"((\d+)\s+events)"));
    NS_TEST_ASSERT_MSG_EQ(isReported, true, "the report says how many events there were");
    m_observed["events"] = std::stod(events[1]);
}

} // namespace ns3
