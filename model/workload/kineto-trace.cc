/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "kineto-trace.h"

#include "ns3/foreign-file.h"
#include "ns3/input-json.h"
#include "ns3/input-values.h"
#include "ns3/workload-error.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <zlib.h>

namespace ns3
{

namespace
{

/// Most bytes of an unpacked trace.
constexpr std::size_t LONGEST_KINETO = std::size_t{4} << 30;

/// Bytes of a file by which it is recognized.
constexpr std::size_t KINETO_HEAD = 65536;

/// Largest time of an event, us: a hundred years, so that sums of picoseconds are exact enough.
constexpr double LATEST_KINETO = 3.2e15;

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
        std::stable_sort(m_trace.events.begin(),
                         m_trace.events.end(),
                         [](const auto& a, const auto& b) { return a.start < b.start; });
        return std::move(m_trace);
    }

  private:
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
            category == "cuda_driver")
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

    KinetoTrace m_trace;    //!< what was read so far
    uint32_t m_number{0};   //!< events met
    bool m_isEvents{false}; //!< the present key of the outermost object is that of the events
    bool m_isList{false};   //!< the outermost value is their list
};

/**
 * @param file path of a file
 * @param most bytes to read at most
 * @return what it holds, unpacked if it is compressed
 */
std::string
Unpack(const std::string& file, std::size_t most)
{
    // zlib hands on what is not compressed as it is.
    const std::unique_ptr<gzFile_s, int (*)(gzFile)> stream(gzopen(file.c_str(), "rb"), &gzclose);
    std::string text;
    int got = stream ? 1 : 0;
    while (got > 0 && text.size() < most)
    {
        const auto before = text.size();
        const auto room = std::min<std::size_t>(most - before, std::size_t{1} << 24);
        text.resize(before + room);
        got = gzread(stream.get(), text.data() + before, static_cast<unsigned>(room));
        text.resize(before + static_cast<std::size_t>(std::max(got, 0)));
    }
    return got < 0 ? "" : text;
}

/**
 * @param file path of a trace that does not say its rank
 * @return the rank in its name, behind "rank" or "worker"; none = there is none
 */
std::optional<uint32_t>
FindRankInName(const std::string& file)
{
    // torch.profiler.tensorboard_trace_handler() writes HOST_PID or "worker0".
    const auto name = std::filesystem::path(file).filename().string();
    for (const std::string word : {"rank", "worker"})
    {
        const auto place = name.find(word);
        const auto first =
            place == std::string::npos ? place : name.find_first_of("0123456789", place);
        if (first != std::string::npos)
        {
            const auto end = name.find_first_not_of("0123456789", first);
            const auto rank = ReadWhole(name.substr(first, end - first));
            return rank && *rank < UINT32_MAX ? std::optional(static_cast<uint32_t>(*rank))
                                              : std::nullopt;
        }
    }
    return std::nullopt;
}

} // namespace

KinetoTrace
ReadKinetoTrace(const std::string& file)
{
    const auto text = Unpack(file, LONGEST_KINETO);
    if (text.empty() || text.size() >= LONGEST_KINETO)
    {
        throw WorkloadError({file, 0, 0, ""},
                            "a Kineto trace of 1 to 4294967295 bytes",
                            text.empty() ? "nothing that can be read" : "more");
    }
    auto trace = KinetoParser(file).Parse(text);
    trace.rank = trace.rank ? trace.rank : FindRankInName(file);
    return trace;
}

bool
LooksLikeKineto(const std::string& file)
{
    return FindForeignKind(Unpack(file, KINETO_HEAD)) == ForeignFile::KINETO;
}

std::vector<std::string>
ListKinetoTraces(const std::string& path)
{
    std::error_code error;
    if (!std::filesystem::is_directory(path, error))
    {
        const bool isTrace = std::filesystem::is_regular_file(path, error) && LooksLikeKineto(path);
        return isTrace ? std::vector<std::string>{path} : std::vector<std::string>();
    }
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(path, error))
    {
        const auto file = entry.path().string();
        // Of other files there may be many, and large ones.
        if (file.find(".json") != std::string::npos && entry.is_regular_file(error) &&
            LooksLikeKineto(file))
        {
            files.push_back(file);
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

} // namespace ns3
