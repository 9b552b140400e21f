/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup workload-replay
 * What a dragonfly carries at most with shortest and other paths, beside what is known of it.
 *
 * Loads are those of J. Kim et al., "Technology-driven, highly-scalable dragonfly topology", ISCA
 * 2008, section 4.2: all hosts send packets to any host (uniform), or all of a group to any host of
 * the next group (adversarial), as fast as they can. The dragonfly is the balanced one, p = h and a
 * = 2h. Shortest paths carry the uniform load whole and 1 / (a h) of the adversarial one, as a
 * group has one link to the next; Valiant's routing half of any; UGAL about the better of both.
 *
 * Each with switches of one large buffer under priority flow control, which hardly ever pause, and
 * with credits for a few packets, as in the paper: there full buffers hold packets back up to the
 * switch that decides.
 */

#include "ns3/core-module.h"
#include "ns3/rdma-credits.h"
#include "ns3/rdma-fabric-helper.h"
#include "ns3/text-table.h"
#include "ns3/topology-builder.h"
#include "ns3/topology-spec.h"

#include <cstdint>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// Payload of a packet, bytes: the most that links of InfiniBand carry.
constexpr uint32_t MTU = 4096;

/// Rate of all links, bytes in a ns: 100 Gb/s.
constexpr double RATE = 12.5;

/// How a dragonfly is run.
struct Run
{
    std::string routing;   //!< TypeId of the routing, without prefix and suffix
    bool comparesChannels; //!< UGAL-L_VCH
    uint32_t credits;      //!< packets for which a virtual lane has credits; 0 = PFC
};

/// Until then queues fill.
const Time WARM_UP = MicroSeconds(100);

/// For so long packets are counted.
const Time COUNTED = MicroSeconds(200);

/// @brief A dragonfly whose hosts send as fast as they can.
class Load
{
  public:
    /**
     * @param h global links of a router
     * @param run how it is run
     * @param isAdversarial whether all of a group send to the next one
     * @param window packets that a host has under way
     */
    Load(uint32_t h, const Run& run, bool isAdversarial, uint32_t window)
        : m_group(2 * h * h),
          m_hosts(m_group * (2 * h * h + 1)),
          m_isAdversarial(isAdversarial),
          m_random(CreateObject<UniformRandomVariable>())
    {
        FabricParameters parameters;
        parameters.gpusPerServer = 1;
        parameters.nicRate = DataRate("100Gbps");
        m_fabric.SetCongestionControl("ns3::RdmaNoCongestionControl");
        m_fabric.SetRouting("ns3::Rdma" + run.routing + "Routing");
        m_fabric.SetMtu(MTU);
        const RdmaLinkLayer& layer =
            run.credits > 0 ? RdmaLinkLayer::INFINIBAND : RdmaLinkLayer::ETHERNET;
        const uint32_t frame = layer.GetDataBytes(MTU);
        m_packetTime = layer.GetWireBytes(frame) / RATE;
        if (run.credits > 0)
        {
            m_fabric.SetDeviceAttribute("FlowControl", StringValue("credits"));
            m_fabric.SetDeviceAttribute("LaneBuffer",
                                        UintegerValue(run.credits * RdmaCredits::BLOCK_BYTES *
                                                      RdmaCredits::GetBlocks(frame)));
        }
        Config::SetDefault("ns3::RdmaUgalRouting::ChannelQueues",
                           BooleanValue(run.comparesChannels));
        m_fabric.Install(TopologyBuilder::Build(TopologySpec("dragonfly:p=" + std::to_string(h)),
                                                m_hosts,
                                                parameters));
        m_random->SetStream(m_fabric.AssignStreams(0) + 1);
        for (const auto& transport : m_fabric.GetTransports())
        {
            transport->SetCallbacks(MakeCallback(&Load::Arrive, this),
                                    MakeCallback(&Load::SendNext, this));
        }
        for (uint32_t host = 0; host < m_hosts; ++host)
        {
            for (uint32_t i = 0; i < window; ++i)
            {
                Simulator::Schedule(Time(0), &Load::SendNext, this, uint64_t{host});
            }
        }
    }

    /// @return what hosts receive, as a share of what their links carry
    double Measure()
    {
        Simulator::Stop(WARM_UP + COUNTED);
        Simulator::Run();
        Simulator::Destroy();
        return static_cast<double>(m_arrived) * m_packetTime / m_hosts / COUNTED.ToDouble(Time::NS);
    }

  private:
    /**
     * @param message a message that has arrived
     */
    void Arrive(const Message& message [[maybe_unused]])
    {
        m_arrived += Simulator::Now() > WARM_UP ? 1 : 0;
    }

    /**
     * @param source rank that sends a packet
     */
    void SendNext(uint64_t source)
    {
        Message message;
        message.source = static_cast<uint32_t>(source);
        message.bytes = MTU;
        message.cookie = source;
        do
        {
            const uint32_t next = message.source / m_group * m_group + m_group;
            const uint32_t drawn = m_random->GetInteger(0, m_hosts - 1);
            message.destination = m_isAdversarial ? (next + drawn % m_group) % m_hosts : drawn;
        } while (message.destination == message.source);
        m_fabric.GetTransports()[message.source]->Send(message);
    }

    uint32_t m_group;                    //!< hosts of a group
    uint32_t m_hosts;                    //!< hosts
    bool m_isAdversarial;                //!< all of a group send to the next one
    Ptr<UniformRandomVariable> m_random; //!< receivers
    RdmaFabricHelper m_fabric;           //!< the fabric
    double m_packetTime;                 //!< time of a packet on a link, ns
    uint64_t m_arrived{0};               //!< packets that have arrived and count
};

} // namespace

int
main(int argc, char* argv[])
{
    uint32_t h = 2;
    uint32_t window = 64;
    uint32_t credits = 16;
    CommandLine cmd(__FILE__);
    cmd.AddValue("h", "Global links of a router, and hosts; it has 2 h - 1 others", h);
    cmd.AddValue("window", "Packets that a host has under way", window);
    cmd.AddValue("credits", "Packets for which a virtual lane has credits", credits);
    cmd.Parse(argc, argv);
    Time::SetResolution(Time::PS);
    GlobalValue::Bind("SchedulerType", StringValue("ns3::RadixHeapScheduler"));
    std::cout << "h = " << h << ", hosts: " << 2 * h * h * (2 * h * h + 1)
              << ", 1 / (a h) = " << FormatFixed(1.0 / (2 * h * h), 3)
              << "\nflow control  routing     queues   uniform  adversarial" << std::endl;
    const std::vector<Run> runs{{"Ecmp", false, 0},
                                {"Valiant", false, 0},
                                {"Ugal", false, 0},
                                {"Ugal", true, 0},
                                {"UgalGlobal", false, 0},
                                {"Valiant", false, credits},
                                {"Ugal", false, credits},
                                {"Ugal", true, credits},
                                {"UgalGlobal", false, credits}};
    for (const auto& run : runs)
    {
        std::cout << std::left << std::setw(14) << (run.credits > 0 ? "credits" : "pfc")
                  << std::setw(12) << run.routing << std::setw(8)
                  << (run.comparesChannels ? "channel" : "port") << std::right;
        for (const bool isAdversarial : {false, true})
        {
            const auto share = Load(h, run, isAdversarial, window).Measure();
            std::cout << std::setw(isAdversarial ? 13 : 10) << FormatFixed(share, 3);
        }
        std::cout << std::endl;
    }
    return 0;
}
