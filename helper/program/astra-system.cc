/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "astra-system.h"

#include "ns3/input-json.h"
#include "ns3/input-values.h"
#include "ns3/json-section.h"
#include "ns3/topology-file.h"
#include "ns3/torus-shape.h"

#include <algorithm>
#include <map>
#include <vector>

namespace ns3
{

namespace
{

/// Kinds of collectives that a file has algorithms for.
const std::vector<std::string> ASTRA_KINDS{"all-reduce",
                                           "all-gather",
                                           "reduce-scatter",
                                           "all-to-all"};

/// Algorithms of a dimension; "one" before them means one dimension of all ranks.
const std::vector<std::string> ASTRA_ALGORITHMS{"ring",
                                                "direct",
                                                "halvingDoubling",
                                                "doubleBinaryTree",
                                                "oneRing",
                                                "oneDirect",
                                                "oneHalvingDoubling"};

/// Keys of numbers or texts without a counterpart, and the value that is what happens anyway.
const std::map<std::string, std::string> ASTRA_LEFT{{"scheduling-policy", "\"FIFO\""},
                                                    {"collective-optimization", "\"baseline\""},
                                                    {"intra-dimension-scheduling", "\"FIFO\""},
                                                    {"inter-dimension-scheduling", "\"baseline\""},
                                                    {"active-chunks-per-dimension", ""},
                                                    {"preferred-dataset-splits", "1"},
                                                    {"local-reduction-delay", "0"},
                                                    {"model-shared-bus", "0"},
                                                    {"boost-mode", "0"},
                                                    {"trace-enabled", "0"},
                                                    {"replay-only", "0"},
                                                    {"track-local-mem", "0"},
                                                    {"local-mem-trace-filename", ""},
                                                    {"L", ""},
                                                    {"o", ""},
                                                    {"g", ""},
                                                    {"G", ""},
                                                    {"per-node-custom-implementation", ""}};

/**
 * @return all keys
 */
std::vector<std::string>
ListAstraKeys()
{
    std::vector<std::string> keys{"endpoint-delay",
                                  "roofline-enabled",
                                  "peak-perf",
                                  "local-mem-bw"};
    for (const auto& kind : ASTRA_KINDS)
    {
        keys.push_back(kind + "-implementation");
        keys.push_back(kind + "-implementation-custom");
    }
    for (const auto& left : ASTRA_LEFT)
    {
        keys.push_back(left.first);
    }
    return keys;
}

/**
 * @ingroup workload-replay
 * @brief Reads one file.
 */
class AstraSystemReader
{
  public:
    /**
     * @param text the file
     * @param value what it holds
     * @param topology what the option topology says
     * @param table the options that there are
     */
    AstraSystemReader(const WorkloadText& text,
                      const JsonSection::Json& value,
                      const std::string& topology,
                      const OptionTable& table)
        : m_value(value),
          m_file(value, {text.GetFile(), 0, 0, ""}, ListAstraKeys()),
          m_name(text.GetFile()),
          m_topology(topology),
          m_table(table)
    {
    }

    /**
     * @return options that mean the same
     */
    ForeignConfig Read()
    {
        std::string choices;
        for (const auto& kind : ASTRA_KINDS)
        {
            if (m_file.Has(kind + "-implementation"))
            {
                const auto algorithm = ChooseAlgorithm(kind);
                const auto separator = choices.empty() || algorithm.empty() ? "" : ",";
                choices += separator + (algorithm.empty() ? "" : kind + "=" + algorithm);
            }
            if (m_file.Has(kind + "-implementation-custom"))
            {
                m_left.push_back(kind + "-implementation-custom");
            }
        }
        if (!choices.empty())
        {
            Set("collective", choices, m_file.Locate());
        }
        if (m_file.Has("endpoint-delay"))
        {
            const auto delay = m_file.GetNumber("endpoint-delay");
            // From the start of a step to its message.
            ParseNonNegative(delay, "endpoint-delay in ns");
            Set("stepLatency", delay.text + "ns", delay.where);
        }
        ReadRoofline();
        for (const auto& [key, usual] : ASTRA_LEFT)
        {
            // A file that asks for what happens anyway loses nothing.
            if (m_file.Has(key) && m_value.at(key).dump() != usual)
            {
                m_left.push_back(key + " " + m_value.at(key).dump());
            }
        }
        if (!m_left.empty())
        {
            m_config.notes.push_back(JoinWords(m_left) + " of " + m_name +
                                     " have no counterpart and are left out");
        }
        return m_config;
    }

  private:
    /**
     * @param option an option or attribute
     * @param text its value
     * @param where where the file says it
     */
    void Set(const std::string& option, const std::string& text, const SourceLocation& where)
    {
        m_config.assignments.push_back({option, {{text, where}}});
    }

    /**
     * @param field an algorithm, behind which may stand the number of members that a member
     *              exchanges with at a time
     * @return its index in ASTRA_ALGORITHMS, without "one" before it; the second is true if there
     *         was one
     */
    std::pair<std::size_t, bool> ReadAlgorithm(const TextField& field)
    {
        const auto digits = field.text.find_first_of("0123456789");
        const auto name = field.text.substr(0, digits);
        const auto index = FindWord({name, field.where},
                                    ASTRA_ALGORITHMS,
                                    "one of " + JoinWords(ASTRA_ALGORITHMS));
        const std::size_t flat = 4; // the first with "one"
        if (digits != std::string::npos && index % flat == 1)
        {
            const auto window = field.text.substr(digits);
            ParseNumber({window, field.where}, 1, UINT32_MAX);
            // One attribute for all kinds: the last one wins.
            Set("ns3::DirectCollective::Concurrency", window, field.where);
        }
        else if (digits != std::string::npos)
        {
            throw WorkloadError(field, "a number behind direct and oneDirect alone");
        }
        return {index % flat, index >= flat};
    }

    /**
     * @param kind a kind of collective
     * @return the algorithm for it; empty = the automatic choice
     */
    std::string ChooseAlgorithm(const std::string& kind)
    {
        const auto key = kind + "-implementation";
        std::vector<std::size_t> algorithms;
        bool isFlat = false;
        for (const auto& field : m_file.GetValues(key, "string"))
        {
            const auto [algorithm, isOne] = ReadAlgorithm(field);
            algorithms.push_back(algorithm);
            isFlat = isFlat || isOne;
        }
        if (algorithms.empty())
        {
            throw WorkloadError(m_file.Locate(key), "an algorithm for each dimension", "none");
        }
        const auto chosen = isFlat || algorithms.size() == 1 ? ChooseFlat(kind, algorithms.front())
                                                             : ChooseByDimensions(kind, algorithms);
        if (chosen.empty())
        {
            m_left.push_back(key + " " + m_value.at(key).dump());
        }
        return chosen;
    }

    /**
     * @param kind a kind of collective
     * @param algorithm the algorithm of its one dimension
     * @return what does the same
     */
    std::string ChooseFlat(const std::string& kind, std::size_t algorithm)
    {
        const bool isReduced = kind == "all-reduce";
        // Parts for each member go straight to it: rings and trees of an all-to-all are not
        // modelled.
        if (kind == "all-to-all")
        {
            return algorithm == 1 ? "direct" : "";
        }
        if (algorithm == 1 && isReduced)
        {
            m_config.notes.push_back("all-reduce direct of " + m_name +
                                     " runs as hierarchical, which exchanges directly inside "
                                     "servers and along rings between them");
        }
        // In the order of ASTRA_ALGORITHMS.
        return std::vector<std::string>{"ring",
                                        isReduced ? "hierarchical" : "direct",
                                        "halving-doubling",
                                        isReduced ? "tree" : ""}[algorithm];
    }

    /**
     * @param kind a kind of collective
     * @param algorithms the algorithm of each of its dimensions
     * @return what does the same; empty = nothing does
     */
    std::string ChooseByDimensions(const std::string& kind,
                                   const std::vector<std::size_t>& algorithms)
    {
        const bool areRings = algorithms == std::vector<std::size_t>(algorithms.size(), 0);
        if (IsTorus())
        {
            return areRings ? "bucket" : "";
        }
        // Between servers there are rings, or direct exchanges of an all-to-all.
        const std::size_t outside = kind == "all-to-all" ? 1 : 0;
        if (algorithms.size() != 2 || algorithms.front() > 1 || algorithms.back() != outside)
        {
            return "";
        }
        if (algorithms.front() == 0)
        {
            m_config.notes.push_back(kind + ": members of a server exchange directly where " +
                                     m_name + " says ring");
        }
        return "hierarchical";
    }

    /**
     * @return whether ranks stand in a torus
     */
    bool IsTorus() const
    {
        if (FindForeignFile(m_topology) == ForeignFile::ASTRA_NETWORK)
        {
            return !FindTorusShape(TopologyFile::Read(m_topology, 0)).sizes.empty();
        }
        return BeginsWith(m_topology, "torus");
    }

    /// Read what computations without a time take.
    void ReadRoofline()
    {
        const std::vector<std::pair<std::string, std::string>> rates{
            {"peak-perf", "peakFlops"},
            {"local-mem-bw", "memoryBandwidth"}};
        const bool isOn = m_file.Has("roofline-enabled") &&
                          m_file.GetWhole("roofline-enabled", 0, UINT32_MAX) != 0;
        for (const auto& [key, option] : rates)
        {
            if (!m_file.Has(key))
            {
                continue;
            }
            const auto number = m_file.GetNumber(key);
            const auto value = ParseNonNegative(number, key);
            // A program that computes nothing has no such option.
            if (!isOn || !m_table.Find(option))
            {
                m_left.push_back(key + " " + number.text);
                continue;
            }
            // TFLOPS and GB/s.
            const bool isRate = option == "memoryBandwidth";
            Set(option,
                isRate ? number.text + "GB/s" : JsonSection::Json(value * 1e12).dump(),
                number.where);
        }
    }

    const JsonSection::Json& m_value; //!< what the file holds
    JsonSection m_file;               //!< the same, with places
    std::string m_name;               //!< its path
    std::string m_topology;           //!< what the option topology says
    const OptionTable& m_table;       //!< the options that there are
    std::vector<std::string> m_left;  //!< what has no counterpart
    ForeignConfig m_config;           //!< what comes of it
};

} // namespace

ForeignConfig
ReadAstraSystem(const std::string& file, const std::string& topology, const OptionTable& table)
{
    const WorkloadText text(file, {ForeignFile::ASTRA_SYSTEM});
    const auto value = ParseJson(text);
    return AstraSystemReader(text, value, topology, table).Read();
}

} // namespace ns3
