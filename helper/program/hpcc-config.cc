/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-config.h"

#include "ns3/input-values.h"
#include "ns3/workload-text.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace ns3
{

namespace
{

/// How a value of the file is written as that of an option.
enum class HpccValue
{
    SAME,         //!< as it is
    MICROSECONDS, //!< a number of microseconds
    MEBIBYTES     //!< a number of MiB, as bytes
};

/// A key that one option stands for.
struct HpccKey
{
    const char* key;                  //!< the key
    const char* control;              //!< CC_MODE that it is for; empty = any
    const char* option;               //!< option or attribute
    HpccValue value{HpccValue::SAME}; //!< how its value is written
};

/// Keys that one option stands for.
const std::vector<HpccKey> SINGLE_KEYS{
    {"PACKET_PAYLOAD_SIZE", "", "mtu"},
    {"EWMA_GAIN", "dcqcn", "ns3::RdmaDcqcn::Gain"},
    {"DCTCP_GAIN", "dcqcn", "ns3::RdmaDcqcn::Gain"},
    {"ALPHA_RESUME_INTERVAL", "dcqcn", "ns3::RdmaDcqcn::AlphaPeriod", HpccValue::MICROSECONDS},
    {"RATE_DECREASE_INTERVAL", "dcqcn", "ns3::RdmaDcqcn::CutPeriod", HpccValue::MICROSECONDS},
    {"CLAMP_TARGET_RATE", "dcqcn", "ns3::RdmaDcqcn::ClampTarget"},
    {"RP_TIMER", "dcqcn", "ns3::RdmaDcqcn::Timer", HpccValue::MICROSECONDS},
    {"FAST_RECOVERY_TIMES", "dcqcn", "ns3::RdmaDcqcn::FastRecovery"},
    {"RATE_AI", "dcqcn", "ns3::RdmaDcqcn::RateAi"},
    {"RATE_HAI", "dcqcn", "ns3::RdmaDcqcn::RateHai"},
    {"MIN_RATE", "dcqcn", "ns3::RdmaDcqcn::MinRate"},
    {"U_TARGET", "hpcc", "ns3::RdmaHpcc::TargetUtilization"},
    {"MI_THRESH", "hpcc", "ns3::RdmaHpcc::MaxStage"},
    {"L2_ACK_INTERVAL", "", "ns3::RdmaNic::AckInterval"},
    {"BUFFER_SIZE", "", "ns3::RdmaSwitch::BufferSize", HpccValue::MEBIBYTES}};

/// Keys whose value, if it is this one, is what the module does anyway.
const std::map<std::string, std::string> USUAL_VALUES{{"ENABLE_QCN", "1"},
                                                      {"USE_DYNAMIC_PFC_THRESHOLD", "1"},
                                                      {"L2_BACK_TO_ZERO", "0"},
                                                      {"RATE_BOUND", "1"},
                                                      {"ACK_HIGH_PRIO", "1"},
                                                      {"ENABLE_PFC", "1"},
                                                      {"ENABLE_IRN", "0"},
                                                      {"ERROR_RATE_PER_LINK", "0"},
                                                      {"HAS_WIN", "0"},
                                                      {"LINK_DOWN", "0"}};

/// Keys of one congestion control, left without a word if it is another one's turn.
const std::map<std::string, std::string> KEYS_OF_CONTROLS{{"DCTCP_RATE_AI", "dctcp"},
                                                          {"FAST_REACT", "hpcc"},
                                                          {"INT_MULTI", "hpcc"},
                                                          {"MULTI_RATE", "hpcc"},
                                                          {"SAMPLE_FEEDBACK", "hpcc"},
                                                          {"GLOBAL_T", "hpcc"},
                                                          {"PINT_LOG_BASE", "hpcc-pint"},
                                                          {"PINT_PROB", "hpcc-pint"}};

/// Keys that are read by themselves; the window of HPCC always is variable.
const std::set<std::string> READ_KEYS{"CC_MODE",
                                      "LB_MODE",
                                      "KMIN_MAP",
                                      "KMAX_MAP",
                                      "PMAX_MAP",
                                      "VAR_WIN"};

/// Rate whose thresholds are taken where they differ by rate, bit/s: that of the default NIC.
constexpr uint64_t USUAL_RATE = 400000000000;

/// Rates, bit/s, and thresholds, KB, beyond these are slips; within them sending times fit a Time.
/// @{
constexpr double MIN_RATE = 1e6;
constexpr double MAX_RATE = 1e15;
constexpr double MAX_THRESHOLD = 1e9;

/// @}

/**
 * @ingroup workload-replay
 * @brief Reads one file.
 */
class HpccConfigReader
{
  public:
    /**
     * @param file path of the file
     */
    explicit HpccConfigReader(const std::string& file)
        : m_text(file, {ForeignFile::HPCC_CONFIG})
    {
        for (const auto& line : m_text.GetLines())
        {
            const auto words = m_text.SplitWords(line);
            const auto& key = words.front().text;
            if (key.front() == '#' || key.front() == '{')
            {
                continue;
            }
            if (words.size() < 2)
            {
                throw WorkloadError(words.front().where, "a value behind " + key, "none");
            }
            // The last one wins, as it does for the simulators that read such files.
            m_lines[key] = words;
        }
    }

    /**
     * @return options that mean the same
     */
    ForeignConfig Read()
    {
        ReadControl();
        ReadMarking();
        for (const auto& [key, words] : m_lines)
        {
            ReadKey(key, words[1]);
        }
        AddLeft(m_left, " of " + m_text.GetFile() + " have no counterpart and are left out");
        AddLeft(m_outputs,
                " are of no use: --outputDir and --timeSeries say what is written, "
                "--topology and --workload what is read");
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
     * @param key a key
     * @return its words, the key first; null = it is absent
     */
    const std::vector<TextField>* Find(const std::string& key) const
    {
        const auto found = m_lines.find(key);
        return found == m_lines.end() ? nullptr : &found->second;
    }

    /**
     * @param key a key whose value is a number that stands for a name
     * @param names the names
     * @param expected what there are counterparts of
     * @param option option that takes the name
     * @return the name; empty = the key is absent
     */
    std::string SetName(const std::string& key,
                        const std::map<std::string, std::string>& names,
                        const std::string& expected,
                        const std::string& option)
    {
        const auto* words = Find(key);
        if (!words)
        {
            return "";
        }
        const auto& mode = (*words)[1];
        const auto found = names.find(mode.text);
        if (found == names.end())
        {
            throw WorkloadError(mode,
                                key + " " + expected +
                                    ", which there are counterparts of, or no such line and --" +
                                    option);
        }
        Set(option, found->second, mode.where);
        return found->second;
    }

    /// Read which congestion control and which routing there is.
    void ReadControl()
    {
        m_control = SetName("CC_MODE",
                            {{"1", "dcqcn"}, {"3", "hpcc"}, {"7", "timely"}},
                            "1 (DCQCN), 3 (HPCC) or 7 (TIMELY)",
                            "cc");
        const auto* notification = Find("ENABLE_QCN");
        if (m_control.empty() && notification && (*notification)[1].text == "1")
        {
            // The simulator that HPCC's was made of has no other.
            m_control = "dcqcn";
            Set("cc", m_control, (*notification)[1].where);
        }
        SetName("LB_MODE",
                {{"0", "ecmp"}, {"3", "conga"}, {"6", "flowlet"}, {"9", "conweave"}},
                "0 (ECMP), 3 (CONGA), 6 (LetFlow) or 9 (ConWeave)",
                "routing");
        const auto* window = Find("HAS_WIN");
        if (window && (*window)[1].text == "1" && m_control != "hpcc")
        {
            // As the simulators have it: a bandwidth-delay product of the path.
            Set("ns3::RdmaNic::InFlightLimit", "1", (*window)[1].where);
        }
    }

    /// Read when switches mark.
    void ReadMarking()
    {
        // Thresholds are a sending time, which is one for all rates in most files.
        const auto setTime = [this](const std::string& attribute, const Number& number) {
            if (number.word)
            {
                // KB of 1000 bytes, at bit/s, in ps.
                const auto picoseconds = number.value * 8e3 / number.rate * 1e12;
                Set(attribute,
                    std::to_string(std::llround(picoseconds)) + "ps",
                    number.word->where);
            }
        };
        const auto least = Choose("KMIN_MAP", ReadMap("KMIN_MAP"), true);
        const auto most = Choose("KMAX_MAP", ReadMap("KMAX_MAP"), true);
        if (least.word && most.word && least.value / least.rate > most.value / most.rate)
        {
            throw WorkloadError(*most.word, "a threshold of at least that of KMIN_MAP");
        }
        setTime("ns3::RdmaEcnMarker::Kmin", least);
        setTime("ns3::RdmaEcnMarker::Kmax", most);
        const auto probability = Choose("PMAX_MAP", ReadMap("PMAX_MAP"), false);
        if (probability.word)
        {
            Set("ns3::RdmaEcnMarker::Pmax", probability.word->text, probability.word->where);
        }
    }

    /// A number for links of a rate.
    struct Number
    {
        double rate{0};        //!< bit/s
        double value{0};       //!< KB, or a share
        const TextField* word; //!< its word; null = there is no number
    };

    /**
     * @param key a key whose value is a count, then pairs of a rate and a number
     * @return the pairs
     */
    std::vector<Number> ReadMap(const std::string& key) const
    {
        std::vector<Number> numbers;
        const auto* words = Find(key);
        if (!words)
        {
            return numbers;
        }
        const auto count = ParseNumber((*words)[1], 1, 1000);
        if (words->size() < 2 + 2 * count)
        {
            throw WorkloadError((*words)[1], "as many pairs of a rate and a number as this says");
        }
        for (std::size_t i = 2; i < 2 + 2 * count; i += 2)
        {
            Number number{0, 0, nullptr};
            number.rate = ParseNonNegative((*words)[i], "a rate, bit/s,");
            number.value = ParseNonNegative((*words)[i + 1], "a number for links of that rate");
            if (number.rate < MIN_RATE || number.rate > MAX_RATE)
            {
                throw WorkloadError((*words)[i], "a rate of 1e6 to 1e15 bit/s");
            }
            if (number.value > MAX_THRESHOLD)
            {
                throw WorkloadError((*words)[i + 1], "a number of at most 1e9");
            }
            number.word = &(*words)[i + 1];
            numbers.push_back(number);
        }
        return numbers;
    }

    /**
     * @param key the key, for the note
     * @param numbers numbers by rate
     * @param isTime whether what counts is the time that they take at their rate
     * @return that of all rates or, if they differ, of the usual one, else of the highest; none =
     * there is none
     */
    Number Choose(const std::string& key, const std::vector<Number>& numbers, bool isTime)
    {
        if (numbers.empty())
        {
            return {0, 0, nullptr};
        }
        const auto measure = [isTime](const Number& n) {
            // Thresholds in proportion to the rates are one sending time for all.
            return isTime ? n.value / n.rate : n.value;
        };
        const auto less = [](const Number& a, const Number& b) { return a.rate < b.rate; };
        auto chosen = *std::max_element(numbers.begin(), numbers.end(), less);
        bool differ = false;
        for (const auto& number : numbers)
        {
            // Quotients of equal times may differ in their last digits.
            differ =
                differ || std::fabs(measure(number) - measure(chosen)) > 1e-9 * measure(chosen);
            if (number.rate == USUAL_RATE)
            {
                chosen = number;
            }
        }
        if (differ)
        {
            m_config.notes.push_back(key + " differs by rate: all ports have what it says for " +
                                     FormatRate(DataRate(static_cast<uint64_t>(chosen.rate))) +
                                     (isTime ? " (as a sending time)" : ""));
        }
        return chosen;
    }

    /**
     * Read a key that one option stands for, or note that there is none.
     *
     * @param key the key
     * @param value its first value
     */
    void ReadKey(const std::string& key, const TextField& value)
    {
        const auto single = std::find_if(SINGLE_KEYS.begin(),
                                         SINGLE_KEYS.end(),
                                         [&key](const auto& entry) { return key == entry.key; });
        const auto usual = USUAL_VALUES.find(key);
        const auto control = KEYS_OF_CONTROLS.find(key);
        const auto ends = [&key](const std::string& end) {
            return key.size() > end.size() && key.substr(key.size() - end.size()) == end;
        };
        if (key == "L2_ACK_INTERVAL" && m_control == "hpcc")
        {
            // HPCC has every packet acknowledged by itself: each acknowledgement brings its path.
            if (value.text != "1")
            {
                m_left.push_back(key + " " + value.text);
            }
        }
        else if (single != SINGLE_KEYS.end())
        {
            if (single->control[0] == '\0' || m_control == single->control)
            {
                Set(single->option, Convert(*single, value), value.where);
            }
            else if (key == "RATE_AI" || key == "MIN_RATE")
            {
                m_left.push_back(key + " " + value.text); // other controls have their own
            }
        }
        else if (ends("_FILE") || key.find("MON_") != std::string::npos ||
                 key == "SIMULATOR_STOP_TIME" || key == "ENABLE_TRACE")
        {
            m_outputs.push_back(key);
        }
        else if (usual != USUAL_VALUES.end())
        {
            const auto number = ReadDecimal(value.text);
            // A window that is asked for has been set by ReadControl().
            const bool isSet = key == "HAS_WIN" && value.text == "1";
            if (!isSet && (!number || *number != std::stod(usual->second)))
            {
                m_left.push_back(key + " " + value.text);
            }
        }
        else if (control != KEYS_OF_CONTROLS.end() ? m_control == control->second
                                                   : READ_KEYS.count(key) == 0)
        {
            m_left.push_back(key + " " + value.text);
        }
    }

    /**
     * @param key what is known of a key
     * @param value its value
     * @return it as a value of its option
     */
    static std::string Convert(const HpccKey& key, const TextField& value)
    {
        switch (key.value)
        {
        case HpccValue::MICROSECONDS:
            ParseNonNegative(value, std::string(key.key) + ", us,");
            return value.text + "us";
        case HpccValue::MEBIBYTES:
            // The simulators multiply by 1024 twice.
            return std::to_string(ParseNumber(value, 1, 1 << 20) << 20);
        default:
            return value.text;
        }
    }

    /**
     * @param keys keys
     * @param what what becomes of them
     */
    void AddLeft(const std::vector<std::string>& keys, const std::string& what)
    {
        if (!keys.empty())
        {
            m_config.notes.push_back(JoinWords(keys) + what);
        }
    }

    WorkloadText m_text;                                   //!< the file
    std::map<std::string, std::vector<TextField>> m_lines; //!< its lines by their first word
    std::string m_control;              //!< congestion control; empty = the file does not say
    std::vector<std::string> m_left;    //!< keys without a counterpart, with their values
    std::vector<std::string> m_outputs; //!< keys of files
    ForeignConfig m_config;             //!< what comes of it
};

} // namespace

ForeignConfig
ReadHpccConfig(const std::string& file)
{
    return HpccConfigReader(file).Read();
}

} // namespace ns3
