/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "kineto-trace.h"

#include "recorded-groups.h"

#include "ns3/input-json.h"
#include "ns3/input-values.h"
#include "ns3/packed-file.h"
#include "ns3/workload-error.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

namespace ns3
{

namespace
{

/// Largest time of an event, us: a hundred years, so that sums of picoseconds are exact enough.
constexpr double LATEST_KINETO = 3.2e15;

/// Categories of events of other accelerators, and of counters in place of kernels, that are not
/// read (Kineto, libkineto/src/ActivityType.cpp).
const std::set<std::string> OTHER_CATEGORIES{"cuda_profiler_range",
                                             "mtia_ccp_events",
                                             "mtia_runtime",
                                             "mtia_insight",
                                             "mtia_workloadd",
                                             "hpu_op",
                                             "glow_runtime",
                                             "privateuse1_runtime",
                                             "privateuse1_driver"};

/**
 * @ingroup workload-replay
 * @brief Follows the parser of JSON, and keeps of each event what matters.
 */
class KinetoParser
{
  public:
    /**
     * @param file path of the file
     */
    explicit KinetoParser(const std::string& file)
    {
        m_trace.file = file;
    }

    /**
     * @param text what the file holds
     * @return the trace
     */
    KinetoTrace Parse(const std::string& text)
    {
        try
        {
            const auto rest = KinetoJson::parse(text, [this](int depth, auto event, auto& value) {
                return Follow(depth, event, value);
            });
            ReadJob(rest);
        }
        catch (const KinetoJson::parse_error& error)
        {
            throw MakeJsonError(m_trace.file, text, error);
        }
        catch (const KinetoJson::exception& error)
        {
            throw WorkloadError({m_trace.file, 0, 0, ""},
                                "a Kineto trace in JSON",
                                "another format (" + std::string(error.what()).substr(0, 160) +
                                    ")");
        }
        DropIdleCalls();
        std::stable_sort(m_trace.events.begin(),
                         m_trace.events.end(),
                         [](const auto& a, const auto& b) { return a.start < b.start; });
        return std::move(m_trace);
    }

  private:
    /**
     * Leave out calls that neither launch nor wait: what they take lies between others and is
     * counted there, and before the first of these, such as the start of CUDA, it is no part of
     * the job.
     */
    void DropIdleCalls()
    {
        std::set<int64_t> launched;
        for (const auto& event : m_trace.events)
        {
            if (event.kind == KinetoEvent::DEVICE)
            {
                launched.insert(event.correlation);
            }
        }
        if (launched.empty())
        {
            throw WorkloadError(
                {m_trace.file, 0, 0, ""},
                "kernels or copies of an accelerator (category kernel, gpu_memcpy "
                "or gpu_memset; record with ProfilerActivity.CUDA or XPU, too)",
                "none in " + std::to_string(m_number) + " events" +
                    (m_otherCategories.empty()
                         ? ""
                         : "; these categories are not read: " +
                               JoinWords({m_otherCategories.begin(), m_otherCategories.end()})));
        }
        const auto isIdle = [&launched](const auto& event) {
            return event.kind == KinetoEvent::CALL && !event.IsWaiting() && !event.IsOrdering() &&
                   launched.count(event.correlation) == 0;
        };
        auto& events = m_trace.events;
        events.erase(std::remove_if(events.begin(), events.end(), isIdle), events.end());
    }

    /**
     * @param depth how deep the value stands
     * @param event what the parser has met
     * @param value the value, or the key
     * @return whether to keep it: events are not
     */
    bool Follow(int depth, KinetoJson::parse_event_t event, const KinetoJson& value)
    {
        using Event = KinetoJson::parse_event_t;
        // Other lists of the outermost object are small.
        if (event == Event::key && depth == 1)
        {
            m_isEvents = value == "traceEvents";
        }
        // Old traces are the list of events alone.
        m_isList = m_isList || (event == Event::array_start && depth == 0);
        const bool isEvent =
            event == Event::object_end && ((m_isEvents && depth == 2) || (m_isList && depth == 1));
        if (isEvent)
        {
            Add(value, m_number++);
        }
        return !isEvent;
    }

    /**
     * @param value an event
     * @param number its place in the file
     */
    void Add(const KinetoJson& value, uint32_t number)
    {
        const auto kind = FindKind(value);
        const auto start = KinetoValues::GetNumber(value, "ts");
        if (!kind || !start)
        {
            const auto category = KinetoValues::GetText(value, "cat");
            if (OTHER_CATEGORIES.count(category) > 0)
            {
                m_otherCategories.insert(category);
            }
            return;
        }
        const auto* found = KinetoValues::Find(value, "args");
        const auto arguments = found ? *found : KinetoJson::object();
        // Numbers may be fractions of microseconds, since PyTorch 2.3.
        const auto duration = KinetoValues::GetNumber(value, "dur").value_or(0);
        if (!(*start >= 0 && duration >= 0 && *start + duration <= LATEST_KINETO))
        {
            throw WorkloadError({m_trace.file + ", event " + std::to_string(number), 0, 0, ""},
                                "times of 0 or more, us",
                                "others");
        }
        KinetoEvent event;
        event.kind = *kind;
        event.number = number;
        event.name = KinetoValues::GetText(value, "name");
        event.start = *start;
        event.end = *start + duration;
        const auto track = *kind == KinetoEvent::DEVICE
                               ? KinetoValues::GetNumber(arguments, "stream")
                               : KinetoValues::GetNumber(value, "tid");
        event.track = ToWhole(track ? track : KinetoValues::GetNumber(value, "tid"));
        event.correlation = ToWhole(KinetoValues::GetNumber(arguments, "correlation"));
        event.message = KinetoValues::ReadMessage(arguments);
        m_trace.events.push_back(std::move(event));
    }

    /**
     * @param number a number
     * @return it as a whole one; 0 = there is none
     */
    static int64_t ToWhole(std::optional<double> number)
    {
        return number && std::abs(*number) < 9e15 ? static_cast<int64_t>(*number) : 0;
    }

    /**
     * @param value an event
     * @return what it is; none = it does not matter
     */
    static std::optional<KinetoEvent::Kind> FindKind(const KinetoJson& value)
    {
        if (KinetoValues::GetText(value, "ph") != "X")
        {
            return std::nullopt;
        }
        // Old traces have "Kernel", "Memcpy", "Runtime" and the like.
        const auto category = KinetoValues::ToLower(KinetoValues::GetText(value, "cat"));
        const auto name = KinetoValues::GetText(value, "name");
        if (category == "kernel" || category == "memcpy" || category == "memset" ||
            category == "gpu_memcpy" || category == "gpu_memset")
        {
            return KinetoEvent::DEVICE;
        }
        if (category == "runtime" || category == "driver" || category == "cuda_runtime" ||
            category == "cuda_driver" || category == "xpu_runtime" || category == "xpu_driver")
        {
            return KinetoEvent::CALL;
        }
        // Other spans and ops of the host lie between calls, and count as its work there.
        const bool isNote = BeginsWith(name, "nccl:") || name == "record_param_comms";
        const bool isHost = category == "user_annotation" || category == "cpu_op";
        return isNote && isHost ? std::optional(KinetoEvent::NOTE) : std::nullopt;
    }

    /**
     * @param rest the trace without its events
     */
    void ReadJob(const KinetoJson& rest)
    {
        const auto* job = KinetoValues::Find(rest, "distributedInfo");
        if (!job)
        {
            return;
        }
        const auto rank = KinetoValues::GetCount(*job, "rank");
        if (rank && *rank < KinetoValues::MOST_RANKS)
        {
            m_trace.rank = static_cast<uint32_t>(*rank);
        }
        m_trace.world =
            static_cast<uint32_t>(std::min(KinetoValues::GetCount(*job, "world_size").value_or(0),
                                           KinetoValues::MOST_RANKS));
        // Since PyTorch 2.3.
        const auto* groups = KinetoValues::Find(*job, "pg_config");
        for (const auto& group : groups && groups->is_array() ? *groups : KinetoJson::array())
        {
            const auto ranks = KinetoValues::ToRanks(KinetoValues::GetList(group, "ranks"));
            if (!ranks.empty())
            {
                m_trace.groups[KinetoValues::GetText(group, "pg_name")] = ranks;
            }
        }
    }

    KinetoTrace m_trace;                     //!< what was read so far
    std::set<std::string> m_otherCategories; //!< of events that are not read
    uint32_t m_number{0};                    //!< events met
    bool m_isEvents{false}; //!< the present key of the outermost object is that of the events
    bool m_isList{false};   //!< the outermost value is their list
};

} // namespace

KinetoTrace
ReadKinetoTrace(const std::string& file)
{
    const auto text = ReadPackedTrace(file, "a Kineto trace");
    auto trace = KinetoParser(file).Parse(text);
    trace.rank = trace.rank ? trace.rank : FindRankInName(file);
    return trace;
}

std::vector<std::string>
ListKinetoTraces(const std::string& path)
{
    return ListPackedFiles(path, ForeignFile::KINETO);
}

} // namespace ns3
