/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-htsim-file.h"

#include "ns3/input-values.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/// Keys before the first tier.
const std::vector<std::string> FILE_KEYS{"Nodes", "Tiers", "Podsize", "Tier"};

/// Keys of a tier.
const std::vector<std::string> TIER_KEYS{"Downlink_speed_Gbps",
                                         "Downlink_Latency_ns",
                                         "Radix_Down",
                                         "Radix_Up",
                                         "Bundle",
                                         "Switch_Latency_ns",
                                         "Oversubscribed",
                                         "Tier"};

/// Most hosts, and most cables of a tier.
constexpr uint64_t MOST_HTSIM_CABLES = 1000000;

/**
 * @ingroup workload-replay
 * @brief Reads a fat tree of htsim.
 */
class HtsimTree
{
  public:
    /**
     * @param text the file
     */
    explicit HtsimTree(const WorkloadText& text)
        : m_text(text)
    {
        for (const auto& line : text.GetLines())
        {
            const auto words = text.SplitWords(line);
            if (words.front().text.front() != '#')
            {
                ReadLine(words);
            }
        }
    }

    /**
     * @return the graph
     */
    TopologyGraph Make()
    {
        CountSwitches();
        TopologyGraph graph;
        const auto hosts = Get(m_nodes, "Nodes");
        const auto hostsPerTor = GetRadix(0, true);
        for (uint64_t i = 0; i < hosts; ++i)
        {
            graph.AddHost("host" + std::to_string(i));
        }
        const std::vector<std::string> names{"tor", "agg", "core"};
        std::vector<uint32_t> first;
        for (std::size_t tier = 0; tier < m_counts.size(); ++tier)
        {
            for (uint64_t i = 0; i < m_counts[tier]; ++i)
            {
                const auto node = graph.AddSwitch(names[tier] + std::to_string(i));
                first.resize(tier + 1, node);
            }
        }
        for (uint64_t host = 0; host < hosts; ++host)
        {
            AddCable(graph, 0, host, first[0] + host / hostsPerTor);
        }
        for (std::size_t tier = 1; tier < m_counts.size(); ++tier)
        {
            // Switches of a pod, below and in this tier; the highest tier is no part of pods.
            const bool isCore = tier == 2;
            const auto below = m_counts[tier - 1] / m_pods;
            const auto uplinks = GetRadix(tier - 1, false);
            const auto bundle = GetBundle(tier);
            for (uint64_t i = 0; i < m_counts[tier - 1]; ++i)
            {
                for (uint64_t link = 0; link < uplinks; ++link)
                {
                    // The uplinks of a switch go to the switches above in order, Bundle of them to
                    // each.
                    const auto upper = link / bundle;
                    // As htsim's fat trees: switch i of every pod has the same cores, those that
                    // leave its rest when divided by the switches of a pod.
                    const auto to = isCore ? i % below + below * upper
                                           : i / below * (m_counts[tier] / m_pods) + upper;
                    AddCable(graph, tier, first[tier - 1] + i, first[tier] + to);
                }
            }
        }
        AddNotes(graph);
        return graph;
    }

  private:
    /// A number of the file.
    using Number = std::optional<TextField>;

    /// What the file says of a tier, by index in TIER_KEYS.
    using Tier = std::vector<Number>;

    /**
     * @param words words of a line
     */
    void ReadLine(const std::vector<TextField>& words)
    {
        // Keys before the first Tier are of the file, later ones of the tier that was named last.
        const auto& keys = m_tiers.empty() ? FILE_KEYS : TIER_KEYS;
        const auto key = FindWord(words.front(),
                                  keys,
                                  (m_tiers.empty() ? "" : "a key of a tier: ") + JoinWords(keys));
        if (words.size() < 2)
        {
            throw WorkloadError(words.front().where,
                                "a number behind " + words.front().text,
                                "none");
        }
        const auto& value = words[1];
        if (keys[key] == "Tier")
        {
            if (value.text != std::to_string(m_tiers.size()) || m_tiers.size() == 3)
            {
                throw WorkloadError(value, "tiers from 0 on, at most 3, each once");
            }
            m_tiers.emplace_back(TIER_KEYS.size());
            return;
        }
        auto& number = m_tiers.empty() ? (key == 0   ? m_nodes
                                          : key == 1 ? m_nTiers
                                                     : m_podsize)
                                       : m_tiers.back()[key];
        if (number)
        {
            throw WorkloadError(words.front().where, "each key once", "a second " + keys[key]);
        }
        number = value;
    }

    /**
     * @param number a number
     * @param key its key
     * @return the number
     */
    uint64_t Get(const Number& number, const std::string& key) const
    {
        if (!number)
        {
            throw WorkloadError({m_text.GetFile(), 0, 0, ""}, "the key " + key, "none");
        }
        return ParseNumber(*number, 1, MOST_HTSIM_CABLES);
    }

    /**
     * @param tier a tier
     * @param down whether to find the ports down, not up
     * @return ports of its switches
     */
    uint64_t GetRadix(std::size_t tier, bool down) const
    {
        const std::size_t key = down ? 2 : 3;
        return Get(m_tiers[tier][key], TIER_KEYS[key] + " of tier " + std::to_string(tier));
    }

    /**
     * @param tier a tier
     * @return parallel cables of a downlink
     */
    uint64_t GetBundle(std::size_t tier) const
    {
        return m_tiers[tier][4] ? Get(m_tiers[tier][4], "Bundle") : 1;
    }

    /**
     * @param number what is divided
     * @param divisor what divides it
     * @param what what both are
     * @return the quotient
     */
    uint64_t Divide(uint64_t number, uint64_t divisor, const std::string& what) const
    {
        if (number % divisor != 0 || number == 0)
        {
            throw WorkloadError({m_text.GetFile(), 0, 0, ""},
                                what,
                                std::to_string(number) + " and " + std::to_string(divisor));
        }
        return number / divisor;
    }

    /// Find how many switches each tier has.
    void CountSwitches()
    {
        const auto tiers = Get(m_nTiers, "Tiers");
        if (tiers < 2 || tiers > 3 || m_tiers.size() != tiers)
        {
            throw WorkloadError(*m_nTiers, "2 or 3 tiers, with a section Tier for each");
        }
        const auto hosts = Get(m_nodes, "Nodes");
        // Two tiers are one pod, so that Podsize may be left out.
        const auto podsize = tiers == 3 || m_podsize ? Get(m_podsize, "Podsize") : hosts;
        m_pods = tiers == 3 ? Divide(hosts, podsize, "Nodes to be a multiple of Podsize") : 1;
        m_counts.push_back(
            Divide(hosts, GetRadix(0, true), "Nodes to be a multiple of Radix_Down of tier 0"));
        Divide(m_counts[0], m_pods, "as many switches of tier 0 in each pod");
        for (std::size_t tier = 1; tier < tiers; ++tier)
        {
            const auto name = "tier " + std::to_string(tier);
            const auto uplinks = GetRadix(tier - 1, false);
            if (m_counts.back() > MOST_HTSIM_CABLES / uplinks)
            {
                throw WorkloadError({m_text.GetFile(), 0, 0, ""},
                                    "at most " + std::to_string(MOST_HTSIM_CABLES) + " cables to " +
                                        name,
                                    "more");
            }
            const auto cables = m_counts.back() * uplinks;
            const auto count = Divide(cables,
                                      GetRadix(tier, true),
                                      "uplinks below " + name + " that fill its Radix_Down");
            // What a switch below sees of the tier: its uplinks, as many at a time as are parallel.
            const auto seen = Divide(uplinks,
                                     GetBundle(tier),
                                     "Radix_Up below " + name + " to be a multiple of its Bundle");
            // Each switch of a pod has a group of cores, each pod a group of its own switches.
            const auto groups = tier == 2 ? m_counts[1] / m_pods : m_pods;
            if (count != seen * groups)
            {
                throw WorkloadError({m_text.GetFile(), 0, 0, ""},
                                    "radices that give " + name + " " +
                                        std::to_string(seen * groups) +
                                        " switches, as its bundles do",
                                    std::to_string(count));
            }
            m_counts.push_back(count);
        }
    }

    /**
     * @param graph receives a cable
     * @param tier the tier that it goes down from
     * @param a its lower end
     * @param b its upper end
     */
    void AddCable(TopologyGraph& graph, std::size_t tier, uint32_t a, uint32_t b) const
    {
        const auto& speed = m_tiers[tier][0];
        const auto& latency = m_tiers[tier][1];
        const auto name = " of tier " + std::to_string(tier);
        if (!speed || !latency)
        {
            Get(std::nullopt, (speed ? TIER_KEYS[1] : TIER_KEYS[0]) + name);
        }
        const auto gigabits = ParseNonNegative(*speed, TIER_KEYS[0]);
        const auto nanoseconds = ParseNonNegative(*latency, TIER_KEYS[1]);
        if (gigabits < 1e-9 || gigabits > 1e6)
        {
            throw WorkloadError(*speed, "a rate up to 1000000 Gb/s");
        }
        if (nanoseconds > 1e15)
        {
            throw WorkloadError(*latency, "a latency up to 1e15 ns");
        }
        // Rounded: a decimal fraction such as 12.8 has no exact binary form.
        graph.AddLink(a,
                      b,
                      DataRate(static_cast<uint64_t>(std::llround(gigabits * 1e9))),
                      PicoSeconds(std::llround(nanoseconds * 1e3)));
    }

    /**
     * @param graph receives a note of what it does not have
     */
    void AddNotes(TopologyGraph& graph) const
    {
        for (std::size_t tier = 0; tier < m_tiers.size(); ++tier)
        {
            const auto& latency = m_tiers[tier][5];
            if (latency && ParseNonNegative(*latency, TIER_KEYS[5]) > 0)
            {
                graph.AddNote("switches of tier " + std::to_string(tier) + " take " +
                              latency->text +
                              " ns, which is left out; --switchLatency sets it for all");
            }
        }
    }

    const WorkloadText& m_text;     //!< the file
    Number m_nodes;                 //!< hosts
    Number m_nTiers;                //!< tiers
    Number m_podsize;               //!< hosts of a pod
    std::vector<Tier> m_tiers;      //!< the tiers
    std::vector<uint64_t> m_counts; //!< switches by tier
    uint64_t m_pods{1};             //!< pods
};

} // namespace

TopologyGraph
ReadHtsimTopology(const WorkloadText& text)
{
    return HtsimTree(text).Make();
}

} // namespace ns3
