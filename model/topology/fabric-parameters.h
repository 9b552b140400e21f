/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_PARAMETERS_H
#define FABRIC_PARAMETERS_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/server-description.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What the links of a training cluster are made of.
 *
 * Rates are per direction: every NIC has one link of nicRate to its leaf switch, and every rank
 * whose server holds more than one has an NVLink link to each NVSwitch of the server. The defaults
 * are those of a server with eight H800 or H100 class accelerators: 400 Gb/s InfiniBand or Ethernet
 * NICs, and NVLink of 900 GB/s counted over both directions, of which 450 GB/s per direction.
 */
struct FabricParameters
{
    uint32_t gpusPerServer{8};         //!< consecutive ranks behind NVSwitches, at least 1;
                                       //!< 1 = no NVLink anywhere
    uint32_t nicsPerServer{0};         //!< NICs of a full server: 0 = one per rank; fewer than
                                       //!< gpusPerServer: consecutive ranks share one; more:
                                       //!< ranks have several
    DataRate nicRate{400000000000ULL}; //!< NIC links, bit/s, above 0
    ServerDescription server;          //!< GPUs and NICs of a full server; empty = as
                                       //!< nicsPerServer says, which otherwise does not count
    DataRate hostMemoryRate{195200000000ULL}; //!< of a GPU that no NIC stands beside, through host
                                              //!< memory to its nearest one, bit/s, above 0
    DataRate nvlinkRate{3600000000000ULL};    //!< NVLink of a rank, bit/s, above 0
    bool pcie{false}; //!< GPUs have no NVLink: PCIe switches and CPUs of the server that
                      //!< is described join them, and their NICs
    DataRate pcieRate{504100000000ULL};  //!< links of PCIe, bit/s, above 0. The default is that of
                                         //!< 16 lanes at 32 GT/s, of which 128 bits in 130 are
                                         //!< data (PCI Express Base Specification 5.0)
    DataRate socketRate{80000000000ULL}; //!< link of two CPUs, bit/s, above 0. The default is what
                                         //!< NCCL counts on between Intel CPUs since Skylake
                                         //!< (topo.h, SKL_QPI_BW: 10 GB/s)
    uint32_t nvSwitches{1};    //!< NVSwitches of a server, at least 1; each has an equal share of
                               //!< the NVLink of every rank
    uint32_t nvlinkServers{1}; //!< consecutive servers whose NVSwitches a second level of
                               //!< NVSwitches joins, one for each of a server; 1 = there is none
    double nvlinkOversubscription{1};   //!< NVLink of a full server's ranks / that to the second
                                        //!< level, above 0
    Time nvlinkDelay{NanoSeconds(250)}; //!< propagation of a link inside a server, at least 0
    Time linkDelay{NanoSeconds(500)};   //!< propagation of any other link, at least 0. The
                                        //!< default is that of SimAI's topologies (500 ns),
                                        //!< which has no latencies besides
    Time nicLatency{0};                 //!< from a NIC's memory interface to its port, at least 0
    Time switchLatency{0};              //!< from a switch's port to another one, at least 0
    Time fecLatency{0};                 //!< forward error correction, per link that is not of a
                                        //!< server, at least 0
    uint32_t mtu{9000};                 //!< largest IPv4 packet of a link, bytes, 68 to 65535

    // What devices take is added to the delays of links: a path crosses two links of each switch on
    // it and one of each NIC at its ends, so who asks for the delay of a path has it whole.

    /**
     * @return delay of a link between a NIC and a switch
     */
    Time GetEdgeDelay() const
    {
        return linkDelay + fecLatency + nicLatency + switchLatency / 2;
    }

    /**
     * @return delay of a link between two switches
     */
    Time GetCoreDelay() const
    {
        return linkDelay + fecLatency + switchLatency;
    }

    /**
     * @return delay of a link between two NICs
     */
    Time GetDirectDelay() const
    {
        return linkDelay + fecLatency + nicLatency * 2;
    }
};

} // namespace ns3

#endif /* FABRIC_PARAMETERS_H */
