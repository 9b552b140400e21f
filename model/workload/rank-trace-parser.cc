/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rank-trace-parser.h"

#include "rank-trace-fields.h"

#include "ns3/input-values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace ns3
{

namespace
{

/// What the name of an op means.
struct OpName
{
    const char* name;       //!< the name
    RankTraceAction action; //!< what it does
    bool forward;           //!< SEND, RECV: towards the last stage
    const char* group;      //!< ALL_REDUCE: its group if the line names none
};

/// All ops.
constexpr std::array<OpName, 14> OP_NAMES{{
    {"get_batch", RankTraceAction::GET_BATCH, true, ""},
    {"forward_step", RankTraceAction::FORWARD, true, ""},
    {"loss_func", RankTraceAction::LOSS, true, ""},
    {"backward_step", RankTraceAction::BACKWARD, false, ""},
    {"send_forward", RankTraceAction::SEND, true, ""},
    {"recv_forward", RankTraceAction::RECV, true, ""},
    {"send_backward", RankTraceAction::SEND, false, ""},
    {"recv_backward", RankTraceAction::RECV, false, ""},
    {"dp_allreduce", RankTraceAction::ALL_REDUCE, true, "dp"},
    {"ep_dp_allreduce", RankTraceAction::ALL_REDUCE, true, "ep_dp"},
    {"exp_dp_allreduce", RankTraceAction::ALL_REDUCE, true, "exp_dp"},
    {"ep_allreduce", RankTraceAction::ALL_REDUCE, true, "ep"},
    {"pep_allreduce", RankTraceAction::ALL_REDUCE, true, "pep"},
    {"optimizer_step", RankTraceAction::OPTIMIZER, true, ""},
}};

/// What the name of a group means.
struct GroupName
{
    const char* name;    //!< the name
    Dimension dimension; //!< the dimension of its communicator
    bool alone;          //!< true: the rank is its only member
};

/// All groups. The position embeddings stand in the first stage only, so nobody shares them.
constexpr std::array<GroupName, 8> GROUP_NAMES{{
    {"tp", Dimension::TP, false},
    {"dp", Dimension::DP, false},
    {"pp", Dimension::PP, false},
    {"exp", Dimension::EP, false},
    {"ep", Dimension::EMBEDDING, false},
    {"ep_dp", Dimension::EDP, false},
    {"exp_dp", Dimension::EDP, false},
    {"pep", Dimension::EMBEDDING, true},
}};

/// What the name of a collective means.
struct CollectiveName
{
    const char* name;    //!< the name
    CollectiveKind kind; //!< the collective
    bool isShard;        //!< see RankTraceCollective::isShard
};

/// All collectives. The root of a broadcast is the first member of the group.
constexpr std::array<CollectiveName, 8> COLLECTIVE_NAMES{{
    {"allreduce", CollectiveKind::ALL_REDUCE, false},
    {"allgather", CollectiveKind::ALL_GATHER, true},
    {"all_gather", CollectiveKind::ALL_GATHER, true},
    {"reduce_scatter", CollectiveKind::REDUCE_SCATTER, false},
    {"reducescatter", CollectiveKind::REDUCE_SCATTER, false},
    {"all_to_all", CollectiveKind::ALL_TO_ALL, false},
    {"alltoall", CollectiveKind::ALL_TO_ALL, false},
    {"broadcast", CollectiveKind::BROADCAST, false},
}};

/// A word and what it stands for.
template <typename T>
struct Word
{
    const char* name; //!< the word
    T value;          //!< what it stands for
};

/// The types of PyTorch, and the bytes of an element.
constexpr std::array<Word<uint64_t>, 10> TYPE_NAMES{{
    {"torch.float32", 4},
    {"torch.float16", 2},
    {"torch.bfloat16", 2},
    {"torch.float64", 8},
    {"torch.int64", 8},
    {"torch.int32", 4},
    {"torch.int16", 2},
    {"torch.int8", 1},
    {"torch.uint8", 1},
    {"torch.bool", 1},
}};

/// All states.
constexpr std::array<Word<RankTraceState>, 6> STATE_NAMES{{
    {"None", RankTraceState::NONE},
    {"warmup", RankTraceState::WARMUP},
    {"help", RankTraceState::HELP},
    {"steady", RankTraceState::STEADY},
    {"cooldown", RankTraceState::COOLDOWN},
    {"finalize", RankTraceState::FINALIZE},
}};

/// Fields of an op that are read or that end a description.
const std::vector<std::string> OP_KEYS{"stage_id",
                                       "batch_id",
                                       "mg_state",
                                       "duration",
                                       "description",
                                       "group_kind",
                                       "input__shape",
                                       "input__dtype",
                                       "timestamp",
                                       "sub_operations"};

/// Fields of a sub-operation that are read.
const std::vector<std::string> SUB_OPERATION_KEYS{"trace_src_func",
                                                  "duration",
                                                  "timestamp",
                                                  "input__shape",
                                                  "input__dtype",
                                                  "func_name",
                                                  "group",
                                                  "comm_func"};

/**
 * @param table table of entries with a name
 * @param word a word of the trace
 * @param what what the word says, for the message
 * @return the entry of that name
 */
template <typename T, std::size_t N>
const T&
Find(const std::array<T, N>& table, const RankTraceSpan& word, const std::string& what)
{
    std::vector<std::string> names;
    for (const auto& entry : table)
    {
        if (word.Get() == entry.name)
        {
            return entry;
        }
        names.emplace_back(entry.name);
    }
    return table[FindWord(word.ToField(), names, what + " as one of " + JoinWords(names))];
}

/**
 * @param fields fields of an op or a sub-operation
 * @param key a time in ms, or None
 * @return the time in ns; 0 for None
 */
int64_t
ParseTime(const RankTraceFields& fields, const std::string& key)
{
    if (!fields.Has(key))
    {
        // The key must be there, even if it says None; this throws if it is not.
        fields.Get(key);
        return 0;
    }
    const auto field = fields.Get(key).ToField();
    constexpr double nsPerMs = 1e6;
    // About a hundred years, and no sum of two such times leaves 64 bits.
    constexpr double largest = 4e12;
    const double time = ParseNonNegative(field, key + " in ms");
    if (time > largest)
    {
        throw WorkloadError(field, key + " of at most 4e12 ms");
    }
    return std::llround(time * nsPerMs);
}

/**
 * @param span a whole number
 * @param what what it counts
 * @return the number
 */
uint32_t
ParseIndex(const RankTraceSpan& span, const std::string& what)
{
    const auto number = ParseCount(span.ToField(), what);
    if (number > std::numeric_limits<int32_t>::max())
    {
        span.Fail(what + " below 2^31");
    }
    return static_cast<uint32_t>(number);
}

/**
 * @param fields fields of an op or a sub-operation
 * @return bytes of its tensor
 */
uint64_t
ParseBytes(const RankTraceFields& fields)
{
    const auto shape = fields.Get("input__shape");
    const auto elements = ParseShape(shape);
    const auto size = Find(TYPE_NAMES, fields.Get("input__dtype"), "input__dtype").value;
    if (elements > std::numeric_limits<uint64_t>::max() / size)
    {
        shape.Fail("a tensor of less than 2^64 bytes");
    }
    return elements * size;
}

/**
 * @param span a sub-operation
 * @return the collective it is
 */
RankTraceCollective
ParseSubOperation(const RankTraceSpan& span)
{
    const RankTraceFields fields(span, SUB_OPERATION_KEYS);
    const auto& kind = Find(COLLECTIVE_NAMES, fields.Get("comm_func"), "comm_func");
    const auto& group = Find(GROUP_NAMES, fields.Get("group"), "group");
    RankTraceCollective collective;
    collective.name = kind.name;
    if (fields.Has("func_name"))
    {
        collective.name = std::string(fields.Get("func_name").Get());
    }
    collective.kind = kind.kind;
    collective.isShard = kind.isShard;
    collective.dimension = group.dimension;
    // A group of the rank alone moves nothing.
    collective.bytes = group.alone ? 0 : ParseBytes(fields);
    // Timestamps are those of the end.
    collective.end = ParseTime(fields, "timestamp");
    collective.start = collective.end - ParseTime(fields, "duration");
    return collective;
}

/**
 * Make the one collective of an op that is an all-reduce as a whole.
 *
 * @param fields fields of the op
 * @param name its name
 * @param op the op
 * @return the collective
 */
RankTraceCollective
ParseAllReduce(const RankTraceFields& fields, const OpName& name, const RankTraceOp& op)
{
    const auto* group = std::find_if(GROUP_NAMES.begin(), GROUP_NAMES.end(), [&](const auto& g) {
        return std::string(g.name) == name.group;
    });
    if (fields.Has("group_kind"))
    {
        group = &Find(GROUP_NAMES, fields.Get("group_kind"), "group_kind");
    }
    RankTraceCollective collective;
    collective.name = op.name;
    collective.dimension = group->dimension;
    collective.bytes = group->alone ? 0 : ParseBytes(fields);
    collective.start = op.start;
    collective.end = op.end;
    return collective;
}

/**
 * Give times to an op or collectives recorded without a timestamp: collectives are taken to end the
 * op, one right after the other.
 *
 * @param op the op
 */
void
LayOut(RankTraceOp& op)
{
    const bool complete = std::all_of(op.collectives.begin(),
                                      op.collectives.end(),
                                      [](const auto& c) { return c.end != 0; });
    if (op.hasClock && complete)
    {
        return;
    }
    auto end = op.end;
    for (auto collective = op.collectives.rbegin(); collective != op.collectives.rend();
         ++collective)
    {
        // The difference holds without a timestamp as well, when the end is 0.
        const auto duration = collective->end - collective->start;
        collective->end = end;
        collective->start = end - duration;
        end = collective->start;
    }
}

/**
 * @param fields fields of an op
 * @param name its name
 * @param [in,out] op the op, of which rank and line are known
 */
void
ParseFields(const RankTraceFields& fields, const OpName& name, RankTraceOp& op)
{
    op.name = name.name;
    op.action = name.action;
    op.forward = name.forward;
    op.stage = ParseIndex(fields.Get("stage_id"), "stage_id");
    if (fields.Has("batch_id"))
    {
        op.microbatch = ParseIndex(fields.Get("batch_id"), "batch_id");
    }
    op.state = Find(STATE_NAMES, fields.Get("mg_state"), "mg_state").value;
    const auto duration = ParseTime(fields, "duration");
    op.end = ParseTime(fields, "timestamp");
    op.hasClock = op.end != 0;
    // Without a timestamp the op begins at 0.
    op.end = op.hasClock ? op.end : duration;
    op.start = op.end - duration;
    if (fields.Has("group_kind"))
    {
        Find(GROUP_NAMES, fields.Get("group_kind"), "group_kind");
    }
    for (const auto& text : ParsePythonStrings(fields.Get("sub_operations")))
    {
        op.collectives.push_back(ParseSubOperation(text));
    }
    if (op.IsMessage())
    {
        op.bytes = ParseBytes(fields);
    }
    if (op.action == RankTraceAction::ALL_REDUCE && op.collectives.empty())
    {
        op.collectives.push_back(ParseAllReduce(fields, name, op));
    }
    LayOut(op);
}

/**
 * Take the text up to a delimiter.
 *
 * @param rest what is left of a line; the text and the delimiter are removed
 * @param delimiter ends the text
 * @param line the line
 * @return the text
 * @throws WorkloadError if the delimiter does not follow
 */
RankTraceSpan
TakeUntil(std::string_view& rest, char delimiter, const RankTraceSpan& line)
{
    const auto end = rest.find(delimiter);
    if (end == std::string_view::npos)
    {
        line.Fail("rank:R:OP(KEY=VALUE,...)");
    }
    const auto taken = line.Narrow(rest.substr(0, end));
    rest.remove_prefix(end + 1);
    return taken;
}

/**
 * @param line a line
 * @param prefix how it may begin
 * @return true if it does
 */
bool
BeginsWith(const WorkloadText::Line& line, const std::string& prefix)
{
    return line.text.compare(0, prefix.size(), prefix) == 0;
}

/**
 * @param text the trace
 * @param line a line of an op
 * @return the op
 */
RankTraceOp
ParseLine(const WorkloadText& text, const WorkloadText::Line& line)
{
    const RankTraceSpan whole(text, line, line.text);
    auto rest = whole.Get();
    if (TakeUntil(rest, ':', whole).Get() != "rank")
    {
        whole.Fail("rank:R:OP(KEY=VALUE,...)");
    }
    RankTraceOp op;
    op.rank = ParseIndex(TakeUntil(rest, ':', whole), "a rank");
    const auto& name = Find(OP_NAMES, TakeUntil(rest, '(', whole), "an op");
    rest = rest.substr(0, rest.find_last_not_of(" \t") + 1);
    if (rest.empty() || rest.back() != ')')
    {
        whole.Narrow(rest.substr(rest.size()))
            .Fail("')' at the end of the op", "the end of the line; it may be cut off");
    }
    rest.remove_suffix(1);
    op.line = line.number;
    ParseFields(RankTraceFields(whole.Narrow(rest), OP_KEYS), name, op);
    return op;
}

} // namespace

std::vector<RankTraceOp>
ParseRankTrace(const WorkloadText& text)
{
    std::vector<RankTraceOp> ops;
    for (const auto& line : text.GetLines())
    {
        // A plan of the schedule, which has no times.
        if (BeginsWith(line, "stage:"))
        {
            continue;
        }
        ops.push_back(ParseLine(text, line));
        const auto& first = ops.front();
        const auto& op = ops.back();
        if (op.rank != first.rank || op.stage != first.stage)
        {
            throw WorkloadError(
                {text.GetFile(), line.number, 0, ""},
                "rank " + std::to_string(first.rank) + " in stage " + std::to_string(first.stage) +
                    ", as on line " + std::to_string(first.line),
                "rank " + std::to_string(op.rank) + " in stage " + std::to_string(op.stage));
        }
    }
    if (ops.empty())
    {
        throw WorkloadError({text.GetFile(), 0, 0, ""},
                            "ops recorded on a rank (rank:R:OP(...))",
                            "a schedule plan only, which states no times");
    }
    return ops;
}

} // namespace ns3
