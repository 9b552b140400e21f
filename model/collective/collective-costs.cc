/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-costs.h"

#include "collective-algorithm.h"

#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "ns3/workload-error.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("CollectiveCosts");

NS_OBJECT_ENSURE_REGISTERED(CollectiveCosts);

namespace
{

/// Latencies of NCCL 2.18.6: base, NVLink, network. Base of tree/simple, PAT, CollNet: 2.30.
/// Copies end with a flag, as all data of LL comes with one: NVLink as of a ring.
const char* const NCCL_LATENCIES = "ring/ll=6.6us:0.6us:2.7us,"
                                   "ring/ll128=14us:1.9us:4us,"
                                   "ring/simple=8.4us:3.4us:14us,"
                                   "tree/ll=6.8us:0.6us:5us,"
                                   "tree/ll128=14us:1.25us:8.5us,"
                                   "tree/simple=8.4us:4us:14us,"
                                   "nvls/simple=23us:0us:18us,"
                                   "nvls-tree/simple=23us:0us:19us,"
                                   "pat/simple=8us:4us:14us,"
                                   "collnet-chain/simple=0us:2.8us:30us,"
                                   "collnet-direct/simple=0us:3.7us:31us,"
                                   "copy/simple=0us:0.6us:0us";

/// Compute capability of Hopper times 10.
constexpr uint32_t HOPPER = 90;

/// PCIe of 16 lanes at 16 GT/s, MB/s (topo.cc, kvDictPciGen).
constexpr int64_t AMPERE_PCIE_RATE = 24000;

/// Between CPUs of AMD, MB/s: no limit (topo.cc, ncclTopoGetInterCpuBw).
constexpr int64_t AMD_RATE = 5000000;

/// Most payload that LL carries between two servers, and between more, bytes per second.
/// @{
constexpr double LL_TWO_SERVERS = 39e9;
constexpr double LL_SEVERAL_SERVERS = 20.4e9;
/// @}

/// Time in which a proxy posts to the network, us, by CPU (tuning.cc, getNetOverhead); for Simple
/// three times as long.
/// @{
constexpr uint64_t POST_INTEL = 1;
constexpr uint64_t POST_AMD = 2;
/// @}

} // namespace

uint64_t
CollectiveTerms::GetWireBytes(uint64_t payload, bool isNetwork, bool hasNic) const
{
    const double ofNetwork = hasNic ? networkShare * nicShare : networkShare;
    const double share = isNetwork ? ofNetwork : serverShare;
    return share == 1 ? payload
                      // The share is that of payload on the wire, or of the rate that the algorithm
                      // reaches.
                      : static_cast<uint64_t>(std::ceil(static_cast<double>(payload) / share));
}

Time
CollectiveTerms::GetLatency(uint64_t payload, bool isNetwork) const
{
    if (!isNetwork)
    {
        return serverLatency;
    }
    const auto bytes = static_cast<double>(payload);
    // bytes by bytes/s: the copy into the buffer that the proxy sends from.
    double seconds = copyRate > 0 ? bytes / copyRate : 0;
    if (channels > 1)
    {
        const double wire = bytes / (networkShare * channels * nicRate);
        // The proxy posts for one channel after the other: what wires do not hide delays the last
        // one.
        seconds += (channels - 1) * std::max(0.0, post - wire);
    }
    return networkLatency + Seconds(seconds);
}

bool
CollectiveTerms::HasLatency() const
{
    return !launch.IsZero() || !serverLatency.IsZero() || !networkLatency.IsZero() ||
           copyRate > 0 || channels > 1;
}

CollectiveLayout
CollectiveLayout::Of(const CollectiveCall& call)
{
    return call.placement
               ? CollectiveLayout{static_cast<uint32_t>(call.placement->GetServers().size()),
                                  call.placement->GetLargestServer()}
               : CollectiveLayout{1, call.size};
}

TypeId
CollectiveCosts::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::CollectiveCosts")
            .SetParent<Object>()
            .SetGroupName("WorkloadReplay")
            .AddConstructor<CollectiveCosts>()
            .AddAttribute("LaunchLatency",
                          "Time from the call of a collective to the start of its kernel on the "
                          "GPU. 0 = nothing. Kernel launches take 5 to 10 us; calls of nccl-tests "
                          "measured one by one some 30 us.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&CollectiveCosts::m_launchLatency),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("CallLatency",
                          "Time from the call of a collective to its first steps, whatever "
                          "LaunchLatency and Latencies say. Negative = as they say.",
                          TimeValue(NanoSeconds(-1)),
                          MakeTimeAccessor(&CollectiveCosts::m_callLatency),
                          MakeTimeChecker())
            .AddAttribute("StepLatency",
                          "Latency of every message of a collective, whatever Latencies says. "
                          "Negative = as Latencies says.",
                          TimeValue(NanoSeconds(-1)),
                          MakeTimeAccessor(&CollectiveCosts::m_stepLatency),
                          MakeTimeChecker())
            .AddAttribute("Latencies",
                          "Latencies by algorithm and protocol: "
                          "ALGORITHM/PROTOCOL=BASE:SERVER:NETWORK with commas between; what is not "
                          "named stays. BASE is taken once per call, SERVER or NETWORK before each "
                          "message, by where it goes. Algorithms without entry take those of the "
                          "ring; nvls-tree is nvls in several servers. The defaults are NCCL's "
                          "(tuning.cc of 2.18.6, base and hardware latencies; the base of "
                          "tree/simple is that of 2.30, since 2.18.6 has 0 to favour trees).",
                          StringValue(NCCL_LATENCIES),
                          MakeStringAccessor(&CollectiveCosts::SetLatencies,
                                             &CollectiveCosts::GetLatencyText),
                          MakeStringChecker())
            .AddAttribute("ServerLatencyScale",
                          "What messages inside a server wait, as a multiple of what Latencies "
                          "says. NCCL's choice goes by Latencies alone, whatever the machine is "
                          "like.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&CollectiveCosts::m_serverLatencyScale),
                          MakeDoubleChecker<double>(0.01, 100))
            .AddAttribute("NetworkExtraLatency",
                          "What messages between servers wait beyond what Latencies says, such as "
                          "with a NIC or a plugin that is slower than InfiniBand, of which NCCL's "
                          "choice knows nothing.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&CollectiveCosts::m_networkExtraLatency),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("LlShare",
                          "Payload as a share of what a message of protocol LL has inside a "
                          "server: 4 bytes of data stand beside a flag of 4 bytes.",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&CollectiveCosts::m_llShare),
                          MakeDoubleChecker<double>(0.01, 1))
            .AddAttribute("LlNetworkShare",
                          "The same between servers, where LL loses another half to its small "
                          "buffers: NCCL assumes a quarter (tuning.cc of 2.17; today with a "
                          "share of 1 / 3.8 for trees).",
                          DoubleValue(0.25),
                          MakeDoubleAccessor(&CollectiveCosts::m_llNetworkShare),
                          MakeDoubleChecker<double>(0.01, 1))
            .AddAttribute("Ll128Share",
                          "Payload as a share of a message of protocol LL128: 120 bytes of data "
                          "in a line of 128.",
                          DoubleValue(120.0 / 128),
                          MakeDoubleAccessor(&CollectiveCosts::m_ll128Share),
                          MakeDoubleChecker<double>(0.01, 1))
            .AddAttribute("NvlsShare",
                          "Payload as a share of what NVLink carries when the NVSwitch reduces: "
                          "NCCL's efficiency factor of NVLS on Hopper. 0 = it cannot reduce, as on "
                          "Ampere.",
                          DoubleValue(0.85),
                          MakeDoubleAccessor(&CollectiveCosts::m_nvlsShare),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("NvlsTreeShare",
                          "The same of NVLS in several servers, where the members to which the "
                          "NVSwitches reduce also add and pass on what other servers send: NCCL's "
                          "efficiency of NVLSTree (tuning.cc of 2.18.6).",
                          DoubleValue(0.7),
                          MakeDoubleAccessor(&CollectiveCosts::m_nvlsTreeShare),
                          MakeDoubleChecker<double>(0.01, 1))
            .AddAttribute("GpuGeneration",
                          "Compute capability of the GPUs times 10, 80 Ampere, 90 Hopper, by which "
                          "NCCL chooses its constants where the server is described. With Ampere "
                          "it reckons with PCIe of 24 GB/s and CPUs of AMD, as in the DGX A100, "
                          "later with 48 GB/s and CPUs of Intel, as in the DGX H100.",
                          UintegerValue(90),
                          MakeUintegerAccessor(&CollectiveCosts::m_gpuGeneration),
                          MakeUintegerChecker<uint32_t>(80, 120))
            .AddAttribute("SearchNvlinkRate",
                          "NVLink of a GPU as NCCL reckons it where the server is described: 20 "
                          "GB/s for each link of Ampere and Hopper (topo.h of 2.18.6, SM80 and "
                          "SM90_NVLINK_BW).",
                          DataRateValue(DataRate(18 * 160000000000ULL)),
                          MakeDataRateAccessor(&CollectiveCosts::m_searchNvlinkRate),
                          MakeDataRateChecker())
            .AddAttribute("ReductionRate",
                          "Rate at which a member adds what it has received to its own before it "
                          "goes on. 0 = while it arrives, as the kernels of NCCL do.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&CollectiveCosts::m_reductionRate),
                          MakeDataRateChecker())
            .AddAttribute("NvlinkRate",
                          "NVLink of a member per direction, which the automatic choice assumes. "
                          "wl-replay sets it from the option nvlinkRate.",
                          DataRateValue(DataRate(3600000000000ULL)),
                          MakeDataRateAccessor(&CollectiveCosts::m_nvlinkRate),
                          MakeDataRateChecker())
            .AddAttribute("NicRate",
                          "NIC per direction, which the automatic choice assumes. wl-replay "
                          "sets it from the option nicRate.",
                          DataRateValue(DataRate(400000000000ULL)),
                          MakeDataRateAccessor(&CollectiveCosts::m_nicRate),
                          MakeDataRateChecker())
            .AddAttribute("HostMemoryRate",
                          "Rate at which what goes to another server passes through host memory, "
                          "as the buffers of LL do where the server is described (NCCL, "
                          "transport/net.cc). wl-replay sets it from the option hostMemoryRate.",
                          DataRateValue(DataRate(200000000000ULL)),
                          MakeDataRateAccessor(&CollectiveCosts::m_hostMemoryRate),
                          MakeDataRateChecker())
            .AddAttribute("NetworkDelay",
                          "Propagation between servers that is simulated and also part of the "
                          "network latencies, since NCCL's are those of messages through a switch. "
                          "It is taken off these. wl-replay sets it to twice the option "
                          "linkDelay.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&CollectiveCosts::m_networkDelay),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("NicsPerServer",
                          "NICs of a server, which the automatic choice assumes; wl-replay "
                          "sets it from the option nicsPerServer. 0 = one for each member.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&CollectiveCosts::m_nicsPerServer),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("LlMaxRate",
                          "Most payload that LL carries inside a server, which the automatic "
                          "choice assumes: 141 GB/s on Hopper, 87.7 GB/s on Ampere.",
                          DataRateValue(DataRate(8 * 141000000000ULL)),
                          MakeDataRateAccessor(&CollectiveCosts::m_llMaxRate),
                          MakeDataRateChecker());
    return tid;
}

CollectiveCosts::CollectiveCosts()
{
    NS_LOG_FUNCTION(this);
    // What an attribute sets takes the place of some of them only.
    SetLatencies(NCCL_LATENCIES);
}

CollectiveCosts::~CollectiveCosts()
{
    NS_LOG_FUNCTION(this);
}

CollectiveLatencies::Entry
CollectiveCosts::GetMessageLatencies(CollectiveLatencies::Entry latencies) const
{
    latencies.server = ScaleServerLatency(latencies.server);
    latencies.network =
        // NCCL's latency contains the network's, which the simulation adds by itself.
        std::max(Time(0), latencies.network - m_networkDelay) + m_networkExtraLatency;
    return latencies;
}

Time
CollectiveCosts::ScaleServerLatency(Time latency) const
{
    return m_serverLatencyScale == 1
               ? latency
               : PicoSeconds(std::llround(m_serverLatencyScale *
                                          static_cast<double>(latency.GetPicoSeconds())));
}

CollectiveTerms
CollectiveCosts::MakeTerms(const CollectiveLatencies::Entry& latencies,
                           CollectiveProtocol protocol) const
{
    CollectiveTerms terms;
    // Below 0: as NCCL estimates it.
    terms.launch = m_callLatency >= Time(0) ? m_callLatency : m_launchLatency + latencies.base;
    const bool isAsSaid = m_stepLatency >= Time(0);
    terms.serverLatency = isAsSaid ? m_stepLatency : latencies.server;
    terms.networkLatency = isAsSaid ? m_stepLatency : latencies.network;
    if (protocol == CollectiveProtocol::LL)
    {
        terms.serverShare = m_llShare;
        terms.networkShare = m_llNetworkShare;
    }
    else if (protocol == CollectiveProtocol::LL128)
    {
        terms.serverShare = m_ll128Share;
        terms.networkShare = m_ll128Share;
    }
    // bytes/s
    terms.reductionRate = m_reductionRate.GetBitRate() / 8;
    return terms;
}

CollectiveLatencies::Entry
CollectiveCosts::GetLatencies(const std::string& algorithm, CollectiveProtocol protocol) const
{
    return m_latencies.Find(algorithm, protocol);
}

void
CollectiveCosts::AddBundle(CollectiveTerms& terms,
                           CollectiveProtocol protocol,
                           const ChannelBundle& bundle) const
{
    // A latency that the user sets stands for all that delays a step.
    if (m_stepLatency >= Time(0))
    {
        return;
    }
    terms.copyRate = bundle.copyRate;
    terms.channels = bundle.channels;
    terms.post = GetNetworkOverhead(protocol).GetSeconds();
    terms.nicRate = static_cast<double>(m_nicRate.GetBitRate()) / 8;
}

Time
CollectiveCosts::GetNetworkOverhead(CollectiveProtocol protocol) const
{
    const uint64_t posts = protocol == CollectiveProtocol::SIMPLE ? 3 : 1;
    return MicroSeconds(posts * (m_gpuGeneration < HOPPER ? POST_AMD : POST_INTEL));
}

double
CollectiveCosts::GetLlHostShare() const
{
    return std::min(1.0,
                    static_cast<double>(m_hostMemoryRate.GetBitRate()) /
                        static_cast<double>(m_nicRate.GetBitRate()));
}

ServerModel
CollectiveCosts::MakeServerModel(const ServerDescription& layout) const
{
    const auto getMegabytes = [](const DataRate& rate) {
        // The search counts whole MB/s.
        return static_cast<int64_t>(rate.GetBitRate() / 8000000);
    };
    ServerModel model;
    model.layout = layout;
    model.generation = m_gpuGeneration;
    model.nvlinkRate = getMegabytes(m_searchNvlinkRate);
    model.nicRate = getMegabytes(m_nicRate);
    if (m_gpuGeneration < HOPPER)
    {
        model.pcieRate = AMPERE_PCIE_RATE;
        model.interCpuRate = AMD_RATE;
        model.hasIntelCpus = false;
    }
    return model;
}

double
CollectiveCosts::GetBusRate(const CollectiveLayout& layout) const
{
    const double nvlink = static_cast<double>(m_nvlinkRate.GetBitRate()) / 8;
    if (layout.servers == 1)
    {
        return nvlink;
    }
    const uint32_t nics =
        m_nicsPerServer == 0 ? layout.perServer : std::min(layout.perServer, m_nicsPerServer);
    const double network = nics * static_cast<double>(m_nicRate.GetBitRate()) / 8;
    // One rank per server sends nothing over NVLink.
    return layout.perServer == 1 ? network : std::min(nvlink, network);
}

double
CollectiveCosts::GetLlMaxRate(const CollectiveLayout& layout) const
{
    if (layout.servers == 1)
    {
        return static_cast<double>(m_llMaxRate.GetBitRate()) / 8;
    }
    return layout.servers == 2 ? LL_TWO_SERVERS : LL_SEVERAL_SERVERS;
}

double
CollectiveCosts::GetNvlsShare() const
{
    return m_nvlsShare;
}

double
CollectiveCosts::GetNvlsTreeShare() const
{
    return m_nvlsTreeShare;
}

void
CollectiveCosts::SetLatencies(const std::string& text)
{
    const auto fault = m_latencies.Parse(text);
    if (!fault.empty())
    {
        throw WorkloadError({"ns3::CollectiveCosts::Latencies", 0, 0, ""},
                            "ALGORITHM/PROTOCOL=BASE:SERVER:NETWORK, such as "
                            "ring/ll=6.6us:0.6us:2.7us, several with commas between (" +
                                fault + ")",
                            Quoted(text));
    }
}

std::string
CollectiveCosts::GetLatencyText() const
{
    return m_latencies.ToText();
}

} // namespace ns3
