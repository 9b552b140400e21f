/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "nccl-topology.h"

#include "input-values.h"
#include "xml-file.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace ns3
{

namespace
{

/// Classes of PCI devices, by the digits that identify them.
/// @{
const std::vector<std::string> GPU_CLASSES{"0x0300", "0x0302", "0x0380", "0x1200"};
const std::vector<std::string> NIC_CLASSES{"0x0200", "0x0207"};
/// @}

/// Rates of a link of NVLink of a direction, Mb/s, from which compute capability (times ten) on
/// (NVIDIA's whitepapers of P100, V100, A100, H100 and Blackwell; of A40 and RTX A6000, which have
/// 112.5 GB/s in both directions by four links).
const std::map<int64_t, uint64_t> NVLINK_RATES{{0, 160000},
                                               {70, 200000},
                                               {86, 112500},
                                               {90, 200000},
                                               {100, 400000}};

/// Compute capability of GPUs of which the file does not say it.
constexpr int64_t USUAL_CAPABILITY = 80;

/// Rates of a link of xGMI of a direction, Mb/s, that RCCL counts on, by the beginning of the name
/// of an architecture without gfx; 910 is an older name of 90a (ROCm/rccl, src/graph/topo.h,
/// ncclTopoXGMISpeed).
const std::map<std::string, uint64_t> XGMI_RATES{{"90a", 288000},
                                                 {"910", 288000},
                                                 {"94", 384000},
                                                 {"95", 384000}};

/// That of older architectures.
constexpr uint64_t XGMI_RATE = 192000;

/// Largest number of a file.
constexpr int64_t MOST_NCCL = 1000000000;

/// A GPU or a NIC.
struct NcclDevice
{
    int64_t dev{-1};                //!< its number; -1 = the file does not say it
    std::string busId;              //!< its place on the bus
    ServerDescription::Place place; //!< where it stands
    uint64_t rate{0};               //!< rate of its NVLinks or its ports, Mb/s; 0 = not said

    /// @return what devices are numbered by
    auto GetOrder() const
    {
        return std::tuple(dev, busId);
    }
};

/**
 * @param element a device
 * @param classes beginnings of classes
 * @return whether its class is one of them
 */
bool
HasClass(const XmlElement& element, const std::vector<std::string>& classes)
{
    const auto type = element.Get("class").substr(0, 6);
    return std::find(classes.begin(), classes.end(), type) != classes.end();
}

/**
 * @param gpu what NCCL says of a GPU
 * @return rate of one of its NVLinks, Mb/s
 */
uint64_t
GetNvlinkRate(const XmlElement& gpu)
{
    const auto capability =
        gpu.attributes.count("sm") > 0 ? gpu.GetWhole("sm", 0, MOST_NCCL) : USUAL_CAPABILITY;
    return std::prev(NVLINK_RATES.upper_bound(capability))->second;
}

/**
 * @param gpu what RCCL says of a GPU
 * @return rate of one of its links of xGMI, Mb/s
 */
uint64_t
GetXgmiRate(const XmlElement& gpu)
{
    const std::string prefix = "gfx";
    auto name = gpu.Get("gcn");
    name = BeginsWith(name, prefix) ? name.substr(prefix.size()) : name;
    const auto found = std::find_if(XGMI_RATES.begin(), XGMI_RATES.end(), [&name](const auto& row) {
        return BeginsWith(name, row.first);
    });
    return found == XGMI_RATES.end() ? XGMI_RATE : found->second;
}

/**
 * @ingroup workload-replay
 * @brief Reads one file.
 */
class NcclTopologyReader
{
  public:
    /**
     * @param system the outermost element
     */
    explicit NcclTopologyReader(const XmlElement& system)
    {
        for (const auto& cpu : system.children)
        {
            if (cpu.name != "cpu" || !IsOfFirstServer(cpu))
            {
                continue;
            }
            for (const auto& child : cpu.children)
            {
                // Each child of a CPU is a PCIe tree of its own: paths between two of them lead
                // through the CPU.
                AddDevices(child, 0);
                ++m_place.bridge;
            }
            ++m_place.cpu;
        }
    }

    /**
     * @param where the file
     * @return what it describes
     */
    NcclServer Make(const SourceLocation& where)
    {
        if (m_gpus.empty() || m_nics.empty())
        {
            throw WorkloadError(where,
                                "GPUs (class 0x0302) and NICs (class 0x0200 or 0x0207, or a <net>) "
                                "behind a <cpu>",
                                m_gpus.empty() ? "no GPU (where a file leaves them to be found on "
                                                 "the machine, NCCL_TOPO_DUMP_FILE there writes "
                                                 "one that has them)"
                                               : "no NIC");
        }
        DropSlowNics(where.source);
        NcclServer result;
        for (auto* devices : {&m_gpus, &m_nics})
        {
            std::sort(devices->begin(), devices->end(), [](const auto& a, const auto& b) {
                return a.GetOrder() < b.GetOrder();
            });
            auto& places = devices == &m_gpus ? result.server.gpus : result.server.nics;
            for (const auto& device : *devices)
            {
                places.push_back(device.place);
            }
        }
        SetRates(result, where.source);
        AddLinkNotes(result, where.source);
        result.notes.insert(result.notes.end(), m_notes.begin(), m_notes.end());
        return result;
    }

  private:
    /**
     * What NCCL writes of GPUs whose NVLinks join several servers has the CPUs of all of them.
     *
     * @param cpu a CPU
     * @return whether it is of the server whose CPUs come first
     */
    bool IsOfFirstServer(const XmlElement& cpu)
    {
        m_servers.insert(cpu.Get("host_hash"));
        m_firstServer = m_firstServer.value_or(cpu.Get("host_hash"));
        return cpu.Get("host_hash") == *m_firstServer;
    }

    /**
     * @param element a device or a bridge, or what is in it
     * @param depth how many devices it is in
     */
    void AddDevices(const XmlElement& element, uint32_t depth)
    {
        const auto find = [&element](const std::string& name) {
            const auto& children = element.children;
            const auto found =
                std::find_if(children.begin(), children.end(), [&name](const auto& child) {
                    return child.name == name;
                });
            return found == children.end() ? nullptr : &*found;
        };
        const auto* gpu = find("gpu");
        if (element.name == "nic")
        {
            AddNic(element, element);
        }
        else if (element.name == "pci" && (gpu || HasClass(element, GPU_CLASSES)))
        {
            AddGpus(element);
        }
        else if (element.name == "pci" && HasClass(element, NIC_CLASSES))
        {
            const auto* nic = find("nic");
            AddNic(element, nic ? *nic : element);
        }
        else if (element.name == "pci")
        {
            for (const auto& child : element.children)
            {
                AddDevices(child, depth + 1);
            }
        }
    }

    /**
     * @param pci the PCI device of a GPU; parts of one that are GPUs for CUDA share its NVLinks
     *        (NCCL, attribute mlopart)
     */
    void AddGpus(const XmlElement& pci)
    {
        const auto isGpu = [](const auto& child) { return child.name == "gpu"; };
        const auto& children = pci.children;
        const auto parts = std::count_if(children.begin(), children.end(), isGpu);
        if (parts == 0)
        {
            m_gpus.push_back({-1, pci.Get("busid"), m_place, 0});
            m_isDump = false;
        }
        for (const auto& child : children)
        {
            if (isGpu(child))
            {
                m_gpus.push_back({child.GetWhole("dev", 0, MOST_NCCL),
                                  pci.Get("busid"),
                                  m_place,
                                  SumLinks(child) / static_cast<uint64_t>(parts)});
            }
        }
    }

    /**
     * @param gpu what NCCL says of a GPU
     * @return rate of all its links to other GPUs or to switches of NVLink, Mb/s
     */
    uint64_t SumLinks(const XmlElement& gpu)
    {
        uint64_t rate = 0;
        for (const auto& link : gpu.children)
        {
            const bool isXgmi = link.name == "xgmi";
            if (isXgmi || link.name == "nvlink")
            {
                rate += link.GetWhole("count", 0, 1000) *
                        (isXgmi ? GetXgmiRate(gpu) : GetNvlinkRate(gpu));
                m_hasDirect = m_hasDirect || HasTarget(link, "0x0302");
                m_hasXgmi = m_hasXgmi || isXgmi;
            }
        }
        return rate;
    }

    /**
     * @param link links of NVLink
     * @param type beginning of the class of the far end
     * @return whether they lead there
     */
    static bool HasTarget(const XmlElement& link, const std::string& type)
    {
        return BeginsWith(link.Get("tclass"), type);
    }

    /**
     * @param pci its PCI device
     * @param nic what NCCL says of it, with its ports
     */
    void AddNic(const XmlElement& pci, const XmlElement& nic)
    {
        NcclDevice device{-1, pci.Get("busid"), m_place, 0};
        for (const auto& net : nic.children)
        {
            if (net.name == "net")
            {
                // A NIC of several ports is numbered by its first port.
                device.dev = device.dev < 0 ? net.GetWhole("dev", 0, MOST_NCCL) : device.dev;
                device.rate += net.GetWhole("speed", 0, MOST_NCCL);
            }
        }
        m_nics.push_back(device);
    }

    /**
     * Leave out NICs that are slower than the fastest one.
     *
     * @param file the file, for a note
     */
    void DropSlowNics(const std::string& file)
    {
        // NICs of another rate mostly carry storage or management traffic, and the model has one
        // rate for all NICs of a server.
        uint64_t most = 0;
        for (const auto& nic : m_nics)
        {
            most = std::max(most, nic.rate);
        }
        const auto before = m_nics.size();
        m_nics.erase(std::remove_if(m_nics.begin(),
                                    m_nics.end(),
                                    [most](const auto& nic) { return nic.rate < most; }),
                     m_nics.end());
        if (m_nics.size() < before)
        {
            m_notes.push_back(std::to_string(before - m_nics.size()) + " of the " +
                              std::to_string(before) + " NICs of " + file +
                              " are slower than the others and left out");
        }
    }

    /**
     * Set the rates that all GPUs and all NICs have in common.
     *
     * @param [in,out] server the server
     * @param file the file, for notes
     */
    void SetRates(NcclServer& server, const std::string& file)
    {
        // The model has one rate for all GPUs: that of the slowest, which holds collectives up.
        uint64_t nvlink = 0;
        for (const auto& gpu : m_gpus)
        {
            nvlink = nvlink == 0 || gpu.rate == 0 ? nvlink + gpu.rate : std::min(nvlink, gpu.rate);
        }
        server.nvlinkRate = nvlink * 1000000;
        server.nicRate = m_nics.front().rate * 1000000;
        server.isLinkless = nvlink == 0 && m_isDump;
        std::string missing = server.nicRate == 0 ? "rate of NICs (--nicRate)" : "";
        if (server.nvlinkRate == 0 && !server.isLinkless)
        {
            missing += missing.empty() ? "" : " nor the ";
            missing += "rate of NVLinks (--nvlinkRate)";
        }
        if (!missing.empty())
        {
            server.notes.push_back(file + " does not say the " + missing);
        }
    }

    /**
     * @param [in,out] server the server; receives what its links are taken for
     * @param file the file
     */
    void AddLinkNotes(NcclServer& server, const std::string& file) const
    {
        if (m_hasDirect || m_hasXgmi)
        {
            server.notes.push_back(std::string(m_hasXgmi ? "links of xGMI" : "NVLinks") +
                                   " from GPU to GPU are taken for links to an NVSwitch");
        }
        const auto without = std::count_if(m_gpus.begin(), m_gpus.end(), [](const auto& gpu) {
            return gpu.rate == 0;
        });
        if (without > 0 && server.nvlinkRate > 0)
        {
            server.notes.push_back(std::to_string(without) + " of the " +
                                   std::to_string(m_gpus.size()) + " GPUs of " + file +
                                   " have no NVLinks; they are taken to have those of the others");
        }
        if (m_servers.size() > 1)
        {
            server.notes.push_back(
                file + " has " + std::to_string(m_servers.size()) +
                " servers, of which the first is taken; --nvlinkServers says how "
                "many NVLinks join");
        }
    }

    ServerDescription::Place m_place;         //!< where the next device stands
    std::vector<NcclDevice> m_gpus;           //!< the GPUs
    std::vector<NcclDevice> m_nics;           //!< the NICs
    bool m_hasDirect{false};                  //!< NVLinks lead from GPU to GPU
    bool m_hasXgmi{false};                    //!< GPUs have links of AMD
    bool m_isDump{true};                      //!< all GPUs are described, not their classes alone
    std::set<std::string> m_servers;          //!< hashes of the servers of all CPUs
    std::optional<std::string> m_firstServer; //!< that of the first one
    std::vector<std::string> m_notes;         //!< what was left out
};

} // namespace

bool
IsServerFile(const std::string& text)
{
    // No description has a dot, and a slash between CPUs has blanks around it.
    return text.find('.') != std::string::npos ||
           (text.find('/') != std::string::npos && text.find_first_of(" +") == std::string::npos);
}

NcclServer
ReadNcclTopology(const std::string& file)
{
    const auto system = ReadXml(WorkloadText(file, {ForeignFile::NCCL_TOPOLOGY}));
    if (system.name != "system")
    {
        throw WorkloadError({file, 0, 0, ""},
                            "a topology of NCCL, whose outermost element is <system>",
                            "<" + system.name + ">");
    }
    return NcclTopologyReader(system).Make({file, 0, 0, ""});
}

ServerDescription
ReadServer(const TextField& field)
{
    return IsServerFile(field.text) ? ReadNcclTopology(field.text).server
                                    : ServerDescription::Parse(field);
}

} // namespace ns3
