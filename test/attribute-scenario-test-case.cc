/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "attribute-scenario-test-case.h"

#include "ns3/config.h"
#include "ns3/rdma-channel.h"
#include "ns3/rdma-ecmp-routing.h"
#include "ns3/rdma-message-transport.h"
#include "ns3/rdma-no-congestion-control.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

namespace
{

/// Every class is in it.
const std::string NAME_SPACE = "ns3::";

} // namespace

bool
AttributeScenarioTestCase::HasHelper(const std::string& type)
{
    return type == "RdmaNic" || type == "RdmaSwitch" || type == "RdmaNetDevice" ||
           type == "ReplayApplication";
}

AttributeScenarioTestCase::Observation
AttributeScenarioTestCase::Observe(const std::string& scenario,
                                   const Setting& setting,
                                   const Setting& byHelper)
{
    DoTeardown();
    Read(scenario);
    if (!setting.type.empty() && m_name != "program")
    {
        Config::SetDefault(NAME_SPACE + setting.type + "::" + setting.attribute,
                           StringValue(setting.value));
    }
    if (m_name == "program")
    {
        RunProgram(setting);
    }
    else if (m_name == "collective" || m_name == "compute" || m_name == "pipeline" ||
             m_name == "late-member")
    {
        RunCollective(byHelper);
    }
    else if (m_name == "schedule")
    {
        RunSchedule();
    }
    else if (m_name == "nvls")
    {
        RunNvls();
    }
    else if (m_name == "collnet")
    {
        RunCollnet();
    }
    else if (m_name == "hand-incast")
    {
        RunByHand();
    }
    else if (m_name.compare(0, 3, "tcp") == 0)
    {
        RunTcp();
    }
    else
    {
        RunRdma(byHelper);
    }
    const auto observed = m_observed;
    DoTeardown();
    return observed;
}

void
AttributeScenarioTestCase::DoTeardown()
{
    RdmaTestCase::DoTeardown();
    m_tcp.reset();
    m_words.clear();
    m_arguments.clear();
    m_observed.clear();
    Config::Reset();
}

std::string
AttributeScenarioTestCase::Get(const std::string& key, const std::string& absent) const
{
    const auto word = m_words.find(key);
    return word == m_words.end() ? absent : word->second;
}

void
AttributeScenarioTestCase::Read(const std::string& scenario)
{
    std::istringstream line(scenario);
    line >> m_name;
    m_traffic = m_name.substr(m_name.find('-') + 1);
    if (m_traffic == "incast")
    {
        // A few messages fill it.
        Config::SetDefault(NAME_SPACE + "RdmaSwitch::BufferSize", StringValue("2500000"));
    }
    for (std::string word; line >> word;)
    {
        if (word.compare(0, 2, "--") == 0)
        {
            m_arguments.push_back(word);
            continue;
        }
        const auto equals = word.find('=');
        const auto key = word.substr(0, equals);
        const auto value = word.substr(equals + 1);
        if (key.find("::") == std::string::npos)
        {
            m_words[key] = value;
        }
        else
        {
            Config::SetDefault(NAME_SPACE + key, StringValue(value));
        }
    }
}

TopologyGraph
AttributeScenarioTestCase::MakeClos()
{
    TopologyGraph graph;
    const DataRate rate("100Gbps");
    for (uint32_t host = 0; host < 4; ++host)
    {
        graph.AddHost("h" + std::to_string(host));
    }
    const uint32_t leaves[] = {graph.AddSwitch("l0"), graph.AddSwitch("l1")};
    const uint32_t spines[] = {graph.AddSwitch("s0"), graph.AddSwitch("s1")};
    for (uint32_t host = 0; host < 4; ++host)
    {
        graph.AddLink(host, leaves[host / 2], rate, NanoSeconds(500));
    }
    for (const auto leaf : leaves)
    {
        graph.AddLink(leaf, spines[0], rate, NanoSeconds(500));
        graph.AddLink(leaf, spines[1], rate, MicroSeconds(3));
    }
    return graph;
}

TopologyGraph
AttributeScenarioTestCase::MakeNvlinkStar()
{
    TopologyGraph graph;
    for (uint32_t host = 0; host < 3; ++host)
    {
        graph.AddHost("h" + std::to_string(host), 0);
    }
    const auto center = graph.AddNvswitch("n", 0);
    for (uint32_t host = 0; host < 3; ++host)
    {
        graph.AddLink(host, center, DataRate("100Gbps"), NanoSeconds(500), true);
    }
    return graph;
}

TopologyGraph
AttributeScenarioTestCase::MakeGraph() const
{
    if (m_traffic == "clos" || m_traffic == "bursts" || m_traffic == "cross")
    {
        return MakeClos();
    }
    if (m_traffic == "nvlink")
    {
        return MakeNvlinkStar();
    }
    const std::map<std::string, uint32_t> hosts = {{"incast", 5},
                                                   {"sizes", 5},
                                                   {"shared", 3},
                                                   {"latecomer", 3},
                                                   {"priorities", 3}};
    const auto found = hosts.find(m_traffic);
    auto graph = MakeStar(found == hosts.end() ? 2 : found->second, "100Gbps", NanoSeconds(500));
    graph.SetLossRate(1, m_traffic == "loss" ? 0.01 : 0);
    return graph;
}

void
AttributeScenarioTestCase::PostMessages()
{
    const auto bytes = std::stoull(Get("bytes", "1000000"));
    if (m_traffic == "incast" || m_traffic == "priorities" || m_traffic == "nvlink")
    {
        const uint32_t receiver = m_traffic == "incast" ? 4 : 2;
        for (uint32_t sender = 0; sender < receiver; ++sender)
        {
            Post(Time(), sender, receiver, bytes);
        }
        return;
    }
    if (m_traffic == "sizes")
    {
        for (uint32_t sender = 0; sender < 4; ++sender)
        {
            // The longest one first, each next one half as long.
            Post(Time(), sender, 4, bytes >> sender);
        }
        return;
    }
    if (m_traffic == "cross")
    {
        for (const uint32_t sender : {0, 1, 3})
        {
            Post(Time(), sender, 2, bytes);
        }
        return;
    }
    if (m_traffic == "clos" || m_traffic == "bursts")
    {
        const Time pause = MicroSeconds(m_traffic == "bursts" ? 20 : 0);
        for (uint32_t i = 0; i < 20; ++i)
        {
            Post(pause * i, 0, 2, bytes / 10, i % 2);
            Post(pause * i, 1, 3, bytes / 10, i % 2);
        }
        return;
    }
    Post(Time(), 0, 1, m_traffic == "duplex" ? bytes / 10 : bytes);
    if (m_traffic == "duplex")
    {
        Post(Time(), 1, 0, bytes);
    }
    else if (m_traffic == "shared" || m_traffic == "latecomer")
    {
        for (uint32_t i = 0; i < 5; ++i)
        {
            Post(MicroSeconds(30 * i), 0, 2, m_traffic == "shared" ? bytes : 4000);
        }
    }
}

void
AttributeScenarioTestCase::Simulate()
{
    Simulator::Run();
    for (const auto& fate : m_fates)
    {
        auto& end = m_observed["end"];
        end = std::max(end, fate.arrivedAt.ToDouble(Time::NS));
    }
    m_observed["first"] = m_fates.front().sentAt.ToDouble(Time::NS);
    m_observed["events"] = static_cast<double>(Simulator::GetEventCount());
}

void
AttributeScenarioTestCase::SetByHelper(const Setting& setting)
{
    const StringValue value(setting.value);
    if (setting.type == "RdmaNic")
    {
        m_fabric->SetNicAttribute(setting.attribute, value);
    }
    else if (setting.type == "RdmaSwitch")
    {
        m_fabric->SetSwitchAttribute(setting.attribute, value);
    }
    else if (setting.type == "RdmaNetDevice")
    {
        m_fabric->SetDeviceAttribute(setting.attribute, value);
    }
}

void
AttributeScenarioTestCase::RunRdma(const Setting& setting)
{
    m_fabric = std::make_unique<RdmaFabricHelper>();
    const auto control = Get("cc", "NoCongestionControl");
    if (!control.empty())
    {
        m_fabric->SetCongestionControl(NAME_SPACE + "Rdma" + control);
    }
    m_fabric->SetRouting(NAME_SPACE + "Rdma" + Get("routing", "Ecmp") + "Routing");
    m_fabric->SetProtocol(NAME_SPACE + Get("protocol", "RdmaRc") + "Protocol");
    SetByHelper(setting);
    Install(MakeGraph());
    if (m_traffic == "priorities")
    {
        m_transports[0]->SetAttribute("Priority", StringValue("5"));
    }
    PostMessages();
    for (uint32_t rank = 0; rank < m_fabric->GetHosts().GetN(); ++rank)
    {
        const auto nic = m_fabric->GetNic(rank);
        nic->TraceConnectWithoutContext("Retransmission",
                                        MakeCallback(&AttributeScenarioTestCase::Retransmit, this));
        nic->TraceConnectWithoutContext("QueuePairFailed",
                                        MakeCallback(&AttributeScenarioTestCase::GiveUp, this));
    }
    const auto network = m_fabric->GetNetwork();
    const auto link = static_cast<uint32_t>(std::stoul(Get("link", "1")));
    if (m_words.count("down") > 0)
    {
        Simulator::Schedule(Time(Get("down", "")), &RdmaNetwork::SetLinkUp, network, link, false);
    }
    if (m_words.count("up") > 0)
    {
        Simulator::Schedule(Time(Get("up", "")), &RdmaNetwork::SetLinkUp, network, link, true);
    }
    Simulate();
    ReadPorts(*network);
}

void
AttributeScenarioTestCase::ReadPorts(const RdmaNetwork& network)
{
    const TopologyGraph& graph = network.GetGraph();
    for (uint32_t link = 0; link < graph.GetNLinks(); ++link)
    {
        for (const auto node : {graph.GetLink(link).a, graph.GetLink(link).b})
        {
            const auto counters = network.GetPort(link, node)->GetCounters();
            m_observed["hops"] += static_cast<double>(counters.packets);
            m_observed["drops"] += static_cast<double>(counters.drops);
            m_observed["marks"] += static_cast<double>(counters.marks);
            m_observed["pauses"] += static_cast<double>(counters.pauses);
            m_observed["paused"] += counters.paused.ToDouble(Time::NS);
            auto& queue = m_observed["queue"];
            queue = std::max(queue, static_cast<double>(counters.maxQueue));
        }
    }
}

void
AttributeScenarioTestCase::RunByHand()
{
    const auto graph = MakeGraph();
    auto network = CreateObject<RdmaNetwork>();
    network->SetGraph(graph, CreateObject<RdmaEcmpRouting>());
    const NodeContainer nodes(graph.GetNNodes());
    const auto hosts = std::make_shared<const std::vector<uint32_t>>(graph.GetHosts());
    const auto center = static_cast<uint32_t>(hosts->size());
    auto forwarding = CreateObject<RdmaSwitch>();
    forwarding->SetNetwork(network, center);
    nodes.Get(center)->AggregateObject(forwarding);
    for (const auto host : *hosts)
    {
        auto nic = CreateObject<RdmaNic>();
        nic->SetNetwork(network, host);
        if (!nic->GetCongestionControl())
        {
            nic->SetCongestionControl(CreateObject<RdmaNoCongestionControl>());
        }
        nodes.Get(host)->AggregateObject(nic);
        auto port = CreateObject<RdmaNetDevice>();
        auto farPort = CreateObject<RdmaNetDevice>();
        nodes.Get(host)->AddDevice(port);
        nodes.Get(center)->AddDevice(farPort);
        CreateObject<RdmaChannel>()->Connect(port, farPort);
        network->SetPorts(host, port, farPort);
        nic->AddPort(port);
        forwarding->AddPort(farPort);
        auto transport = CreateObject<RdmaMessageTransport>();
        transport->SetNic(nic, hosts);
        AddRank(transport);
    }
    forwarding->Configure(RdmaLinkLayer::ETHERNET.GetDataBytes(4096));
    PostMessages();
    Simulate();
    ReadPorts(*network);
}

void
AttributeScenarioTestCase::Retransmit(const RdmaPacket& packet [[maybe_unused]])
{
    ++m_observed["retransmissions"];
}

void
AttributeScenarioTestCase::GiveUp(uint32_t node [[maybe_unused]], uint32_t peer [[maybe_unused]])
{
    m_observed["failed"] = Simulator::Now().ToDouble(Time::NS);
}

} // namespace ns3
