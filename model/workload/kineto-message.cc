/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "kineto-message.h"

#include "ns3/input-values.h"

#include <algorithm>
#include <map>

namespace ns3
{

namespace
{

/// Bytes of an element by what its type is called, in lower case.
const std::map<std::string, uint64_t> ELEMENTS{
    {"float", 4},         {"double", 8},      {"half", 2},  {"bfloat16", 2},      {"c10::half", 2},
    {"c10::bfloat16", 2}, {"int", 4},         {"long", 8},  {"long int", 8},      {"short", 2},
    {"char", 1},          {"signed char", 1}, {"byte", 1},  {"unsigned char", 1}, {"bool", 1},
    {"float8_e4m3fn", 1}, {"float8_e5m2", 1}, {"int64", 8}, {"int32", 4},         {"uint8", 1}};

/**
 * @param arguments arguments of an event with the tensors of a call
 * @return bytes of the first one
 */
std::optional<uint64_t>
CountTensorBytes(const KinetoJson& arguments)
{
    const auto* dims = KinetoValues::Find(arguments, "Input Dims");
    dims = dims ? dims : KinetoValues::Find(arguments, "Input dims");
    const auto* types = KinetoValues::Find(arguments, "Input type");
    if (!dims || !types || !dims->is_array() || !types->is_array() || dims->empty() ||
        types->empty() || !dims->front().is_array() || !types->front().is_string())
    {
        return std::nullopt;
    }
    const auto element = ELEMENTS.find(KinetoValues::ToLower(types->front().get<std::string>()));
    double bytes = element == ELEMENTS.end() ? -1 : static_cast<double>(element->second);
    for (const auto& length : dims->front())
    {
        bytes *= length.is_number_unsigned() ? length.get<double>() : -1;
    }
    // Lists of tensors have other types; what is too long is no length.
    const bool isCount = bytes >= 0 && bytes <= 1125899906842624.0;
    return isCount ? std::optional<uint64_t>(static_cast<uint64_t>(bytes)) : std::nullopt;
}

/// Kinds of collectives by how their names begin, letters alone, in lower case; longer ones first.
const std::vector<std::pair<std::string, CollectiveKind>> KINETO_COLLECTIVES{
    {"allreducebarrier", CollectiveKind::BARRIER},
    {"allreduce", CollectiveKind::ALL_REDUCE},
    {"allgather", CollectiveKind::ALL_GATHER},
    {"reducescatter", CollectiveKind::REDUCE_SCATTER},
    {"alltoall", CollectiveKind::ALL_TO_ALL},
    {"broadcast", CollectiveKind::BROADCAST},
    {"barrier", CollectiveKind::BARRIER},
    {"reduce", CollectiveKind::REDUCE},
    {"gather", CollectiveKind::GATHER},
    {"scatter", CollectiveKind::SCATTER},
};

} // namespace

bool
KinetoEvent::IsCommunication() const
{
    return kind == DEVICE && (BeginsWith(name, "ncclKernel") || BeginsWith(name, "ncclDevKernel"));
}

bool
KinetoEvent::IsWaiting() const
{
    // Of CUDA and HIP, and of SYCL's runtime.
    const auto has = [this](const char* word) { return name.find(word) != std::string::npos; };
    return kind == CALL && (has("Synchronize") || has("EventWait") || has("QueueFinish"));
}

bool
KinetoEvent::IsOrdering() const
{
    return kind == CALL && name.find("StreamWaitEvent") != std::string::npos;
}

std::string
KinetoValues::ToLower(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return text;
}

const KinetoJson*
KinetoValues::Find(const KinetoJson& object, const char* key)
{
    const auto found = object.is_object() ? object.find(key) : object.end();
    return object.is_object() && found != object.end() ? &*found : nullptr;
}

std::string
KinetoValues::GetText(const KinetoJson& object, const char* key)
{
    const auto* value = Find(object, key);
    return value && value->is_string() ? value->get<std::string>() : "";
}

std::optional<double>
KinetoValues::GetNumber(const KinetoJson& object, const char* key)
{
    const auto* value = Find(object, key);
    if (value && value->is_number())
    {
        return value->get<double>();
    }
    return value && value->is_string() ? ReadDecimal(value->get<std::string>()) : std::nullopt;
}

std::optional<uint64_t>
KinetoValues::GetCount(const KinetoJson& object, const char* key)
{
    const auto number = GetNumber(object, key);
    const bool isCount = number && *number >= 0 && *number <= 1125899906842624.0;
    return isCount ? std::optional<uint64_t>(static_cast<uint64_t>(*number)) : std::nullopt;
}

std::vector<uint64_t>
KinetoValues::GetList(const KinetoJson& object, const char* key)
{
    const auto* value = Find(object, key);
    const auto list = value && value->is_string()
                          ? KinetoJson::parse(value->get<std::string>(), nullptr, false)
                      : value ? *value
                              : KinetoJson();
    std::vector<uint64_t> numbers;
    for (const auto& number : list.is_array() ? list : KinetoJson::array())
    {
        if (!number.is_number_unsigned())
        {
            return {};
        }
        numbers.push_back(number.get<uint64_t>());
    }
    return numbers;
}

std::vector<uint32_t>
KinetoValues::ToRanks(const std::vector<uint64_t>& numbers)
{
    std::vector<uint32_t> ranks;
    for (const auto number : numbers)
    {
        if (number >= MOST_RANKS)
        {
            return {};
        }
        ranks.push_back(static_cast<uint32_t>(number));
    }
    return ranks;
}

KinetoMessage
KinetoValues::ReadMessage(const KinetoJson& arguments)
{
    KinetoMessage message;
    // Keys of ParamCommsUtils.hpp, which kernels have since PyTorch 2.2.
    message.name = GetText(arguments, "Collective name");
    message.group = GetText(arguments, "Process Group Name");
    message.ranks = ToRanks(GetList(arguments, "Process Group Ranks"));
    message.groupSize =
        static_cast<uint32_t>(std::min(GetCount(arguments, "Group size").value_or(0), MOST_RANKS));
    const auto element = ELEMENTS.find(ToLower(GetText(arguments, "dtype")));
    if (element != ELEMENTS.end())
    {
        const auto scale = [width = element->second](std::optional<uint64_t> count) {
            return count ? std::optional<uint64_t>(width * *count) : std::nullopt;
        };
        message.sent = scale(GetCount(arguments, "In msg nelems"));
        message.received = scale(GetCount(arguments, "Out msg nelems"));
        for (const auto part : GetList(arguments, "In split size"))
        {
            message.sentParts.push_back(element->second * part);
        }
        for (const auto part : GetList(arguments, "Out split size"))
        {
            message.receivedParts.push_back(element->second * part);
        }
    }
    else
    {
        message.sent = CountTensorBytes(arguments);
    }
    // Numbers in the group.
    const auto* end = message.name == "recv" ? "Src Rank" : "Dst Rank";
    const auto peer = GetCount(arguments, end);
    if (peer && *peer < MOST_RANKS)
    {
        message.peer = static_cast<uint32_t>(*peer);
    }
    return message;
}

std::string
KinetoValues::FindCommunication(const std::string& name)
{
    // all_reduce, _allgather_base, AllReduce and allreduce_coalesced are to look alike.
    auto text = BeginsWith(name, "nccl:") ? name.substr(5) : name;
    const auto kernel = text.find("Kernel_");
    if (kernel != std::string::npos)
    {
        // ncclDevKernel_AllReduce_Sum_f32_RING_LL
        text = text.substr(kernel + 7);
        text = text.substr(0, text.find('_'));
    }
    std::string word;
    for (const auto c : ToLower(text.substr(0, text.find(' '))))
    {
        word += c >= 'a' && c <= 'z' ? std::string(1, c) : "";
    }
    return word;
}

std::optional<CollectiveKind>
KinetoValues::FindCollective(const std::string& word)
{
    const auto found = std::find_if(KINETO_COLLECTIVES.begin(),
                                    KINETO_COLLECTIVES.end(),
                                    [&](const auto& kind) { return BeginsWith(word, kind.first); });
    return found == KINETO_COLLECTIVES.end() ? std::nullopt : std::optional(found->second);
}

std::optional<uint64_t>
KinetoValues::CountBytes(CollectiveKind kind, const KinetoMessage& message, uint64_t members)
{
    // Of these the whole counts, which all members bring a part of.
    if (kind == CollectiveKind::ALL_GATHER || kind == CollectiveKind::GATHER)
    {
        return message.sent ? std::optional(*message.sent * members) : message.received;
    }
    return message.sent ? message.sent : message.received;
}

void
KinetoValues::Complete(const KinetoEvent* note, KinetoMessage& message)
{
    // Kernels that say how many bytes there are say all else of them, too.
    if (note && !message.sent && !message.received)
    {
        message.sent = note->message.sent;
        message.received = note->message.received;
        message.sentParts = note->message.sentParts;
        message.receivedParts = note->message.receivedParts;
    }
    if (note && message.group.empty() && message.ranks.empty())
    {
        message.group = note->message.group;
        message.ranks = note->message.ranks;
        message.groupSize = std::max(message.groupSize, note->message.groupSize);
    }
}

const KinetoEvent*
KinetoValues::FindNote(const std::vector<const KinetoEvent*>& spans, const KinetoEvent& call)
{
    // Spans are by begin: the last one that is open began last.
    const auto found = std::find_if(spans.rbegin(), spans.rend(), [&call](const auto* span) {
        return span->start <= call.start && span->end >= call.start &&
               (BeginsWith(span->name, "nccl:") || !span->message.name.empty());
    });
    return found == spans.rend() ? nullptr : *found;
}

std::optional<AllToAllSplits>
KinetoValues::MakeSplits(CollectiveKind kind, const KinetoMessage& message, std::size_t members)
{
    const bool isSplit = kind == CollectiveKind::ALL_TO_ALL &&
                         message.sentParts.size() == members &&
                         message.receivedParts.size() == members;
    return isSplit ? std::optional(AllToAllSplits{message.sentParts, message.receivedParts})
                   : std::nullopt;
}

} // namespace ns3
