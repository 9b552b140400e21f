/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "goal-text-reader.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// Labels that are compared with one that is wrong.
constexpr std::size_t MAX_SUGGESTIONS = 1000;

/**
 * @param word a word where an op is expected
 * @return true if it is a collective of GOAL that generators write before they expand it
 */
bool
IsCollective(const std::string& word)
{
    const std::vector<std::string> words{"AllReduce",
                                         "AllGather",
                                         "ReduceScatter",
                                         "Broadcast",
                                         "Reduce",
                                         "AllToAll",
                                         "SendRecv",
                                         "Send",
                                         "Recv"};
    return std::find(words.begin(), words.end(), word) != words.end();
}

} // namespace

GoalTextReader::GoalTextReader(const std::string& file)
    : m_file(file),
      m_scanner(file)
{
}

GoalSchedule
GoalTextReader::Read()
{
    ReadWorld();
    while (m_scanner.Get().kind != GoalToken::END)
    {
        ReadRank();
    }
    return std::move(m_schedule);
}

void
GoalTextReader::ReadWorld()
{
    TakeWord("num_ranks", "num_ranks, with which a GOAL schedule begins");
    const auto expected = "a number of ranks from 1 to " + std::to_string(GoalSchedule::MAX_WORLD);
    if (m_scanner.Get().number == 0)
    {
        m_scanner.Fail(expected);
    }
    m_schedule.programs.resize(TakeNumber(expected, GoalSchedule::MAX_WORLD));
}

void
GoalTextReader::ReadRank()
{
    TakeWord("rank", "rank, or the end of the file");
    const auto world = static_cast<uint32_t>(m_schedule.programs.size());
    const auto number = m_scanner.Get();
    const auto rank = static_cast<uint32_t>(
        TakeNumber("a rank from 0 to " + std::to_string(world - 1), world - 1));
    auto& program = m_schedule.programs[rank];
    if (program)
    {
        throw WorkloadError(m_scanner.Locate(number), "each rank once", number.text + " again");
    }
    TakeWord("{", "{");
    GoalLowering lowering(m_file, false, rank, world);
    m_lowering = &lowering;
    while (!Is("}"))
    {
        ReadStatement();
    }
    m_scanner.Advance();
    // Labels hold within their rank.
    m_labels = {};
    m_labelled = {};
    program = lowering.Build();
}

void
GoalTextReader::ReadStatement()
{
    const auto& next = m_scanner.GetNext();
    const auto line = m_scanner.Get().line;
    // The second token decides: "LABEL requires", "LABEL:", or an op.
    if (m_scanner.Get().kind == GoalToken::WORD && next.kind == GoalToken::WORD &&
        (next.text == "requires" || next.text == "irequires"))
    {
        ReadDependency();
        return;
    }
    std::string label;
    if (m_scanner.Get().kind == GoalToken::WORD && next.kind == GoalToken::OTHER &&
        next.text == ":")
    {
        label = m_scanner.Get().text;
        m_scanner.Advance();
        m_scanner.Advance();
    }
    ReadOp(label, line);
}

void
GoalTextReader::ReadOp(const std::string& label, uint32_t line)
{
    GoalNode node;
    if (Is("send") || Is("recv"))
    {
        node.kind = Is("send") ? OpKind::SEND : OpKind::RECV;
        m_scanner.Advance();
        node.amount =
            TakeNumber("a number of bytes up to " + std::to_string(GoalLowering::MAX_BYTES),
                       GoalLowering::MAX_BYTES);
        TakeWord("b", "b, the unit of sizes");
        ReadPeer(node);
    }
    else if (Is("calc"))
    {
        m_scanner.Advance();
        node.amount =
            TakeNumber("a time of at most " + std::to_string(GoalLowering::MAX_NANOSECONDS) + " ns",
                       GoalLowering::MAX_NANOSECONDS);
    }
    else
    {
        m_scanner.Fail(IsCollective(m_scanner.Get().text)
                           ? "send, recv or calc: the generator expands collectives to these if it "
                             "is run without --intermediate_goal"
                       : label.empty() ? "send, recv, calc, a label or }"
                                       : "send, recv or calc");
    }
    ReadOptions(node);
    m_schedule.longTags += node.tag > UINT32_MAX && node.tag != WorkloadOp::ANY_TAG ? 1 : 0;
    const auto op = m_lowering->Add(node, line, label);
    // Of two ops with the same label the first one has it.
    if (!label.empty() && m_labels.Add(label) == m_labelled.size())
    {
        m_labelled.push_back(op);
    }
}

void
GoalTextReader::ReadPeer(GoalNode& node)
{
    const bool isSend = node.kind == OpKind::SEND;
    TakeWord(isSend ? "to" : "from", isSend ? "to" : "from");
    const auto& token = m_scanner.Get();
    const bool isAny = token.kind == GoalToken::ANY;
    // No rank has the number that stands for any.
    node.peer = isAny ? WorkloadOp::ANY_PEER
                      : std::max<uint64_t>(token.number, token.isTooLarge ? UINT64_MAX : 0);
    node.peer += !isAny && node.peer == WorkloadOp::ANY_PEER ? 1 : 0;
    const auto fault = m_lowering->FindFault(node);
    if (!fault.empty() || (!isAny && token.kind != GoalToken::NUMBER))
    {
        m_scanner.Fail(fault.empty() ? "a rank" : fault);
    }
    m_scanner.Advance();
}

void
GoalTextReader::ReadOptions(GoalNode& node)
{
    const bool isMessage = node.kind != OpKind::COMPUTE;
    while (m_scanner.Get().kind == GoalToken::WORD &&
           (m_scanner.GetNext().kind == GoalToken::NUMBER ||
            m_scanner.GetNext().kind == GoalToken::ANY))
    {
        const bool isTag = Is("tag");
        if (!Is("cpu") && (!isMessage || (!isTag && !Is("nic"))))
        {
            return;
        }
        auto& value = isTag ? node.tag : Is("cpu") ? node.cpu : node.nic;
        m_scanner.Advance();
        if (isTag && m_scanner.Get().kind == GoalToken::ANY)
        {
            value = WorkloadOp::ANY_TAG;
            m_scanner.Advance();
        }
        else
        {
            value = isTag
                        ? TakeNumber("a tag below 2^64 - 1, or -1 (any)", UINT64_MAX - 1)
                        : TakeNumber("a number from 0 to " + std::to_string(GoalLowering::MAX_LANE),
                                     GoalLowering::MAX_LANE);
        }
    }
}

void
GoalTextReader::ReadDependency()
{
    const auto after = TakeLabel();
    const bool isStart = Is("irequires");
    m_scanner.Advance();
    m_lowering->AddEdge(TakeLabel(), after, isStart);
}

GoalTextReader::OpIndex
GoalTextReader::TakeLabel()
{
    if (m_scanner.Get().kind != GoalToken::WORD)
    {
        m_scanner.Fail("a label");
    }
    const auto& label = m_scanner.Get().text;
    // A label that is not known is added as well, but then reading ends here.
    const auto found = m_labels.Add(label);
    if (found == m_labelled.size())
    {
        std::vector<std::string> labels;
        for (uint32_t i = 0; i < std::min(m_labelled.size(), MAX_SUGGESTIONS); ++i)
        {
            labels.push_back(m_labels.Get(i));
        }
        m_scanner.Fail("a label that stands above in this rank", NearestName(label, labels));
    }
    m_scanner.Advance();
    return m_labelled[found];
}

uint64_t
GoalTextReader::TakeNumber(const std::string& expected, uint64_t most)
{
    const auto& token = m_scanner.Get();
    if (token.kind != GoalToken::NUMBER || token.isTooLarge || token.number > most)
    {
        m_scanner.Fail(expected);
    }
    const auto number = token.number;
    m_scanner.Advance();
    return number;
}

void
GoalTextReader::TakeWord(const char* word, const std::string& expected)
{
    if (!Is(word))
    {
        m_scanner.Fail(expected);
    }
    m_scanner.Advance();
}

bool
GoalTextReader::Is(const char* text) const
{
    const auto kind = m_scanner.Get().kind;
    return (kind == GoalToken::WORD || kind == GoalToken::OTHER) && m_scanner.Get().text == text;
}

} // namespace ns3
