/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-choice.h"

#include "ns3/collective-selection.h"
#include "ns3/input-values.h"
#include "ns3/msccl-collective.h"
#include "ns3/replay-helper.h"
#include "ns3/text-table.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// What a choice looks like.
const std::string FORM =
    "auto or KIND[.DIMENSION]=ALGORITHM[/PROTOCOL], several with commas between, such as "
    "all-reduce=tree,broadcast.dp=chain";

/**
 * @param text what stands for an algorithm
 * @param [in,out] choice its kind is set; algorithm and protocol are set here
 * @return whether it is a file: no algorithm has a dot in its name, and none an empty name
 * @throws WorkloadError if it is a file, and none of an algorithm of that kind
 */
bool
ParsePlan(const std::string& text, CollectiveChoice& choice)
{
    if (text.find('.') == std::string::npos && text.find('/') != 0)
    {
        return false;
    }
    choice.plan = std::make_shared<const MscclFile>(text);
    const auto& plan = choice.plan->GetPlan();
    if (plan.kind != choice.kind)
    {
        throw WorkloadError({text, 0, 0, ""},
                            "an algorithm of MSCCL for " + ToString(choice.kind),
                            "one for " + ToString(plan.kind));
    }
    // Reports name the algorithm as it was typed.
    choice.algorithm = text;
    choice.protocol = plan.protocol;
    return true;
}

/**
 * @param algorithms all algorithms
 * @param name a name
 * @return the kinds of collectives that an algorithm of this name serves
 */
std::vector<std::string>
ListKinds(const CollectiveSelection& algorithms, const std::string& name)
{
    std::vector<std::string> kinds;
    for (const auto kind : GetCollectiveKinds())
    {
        if (algorithms.Find(kind, name))
        {
            kinds.push_back(ToString(kind));
        }
    }
    return kinds;
}

/**
 * @param value the option
 * @param text ALGORITHM[/PROTOCOL]
 * @param [in,out] choice its kind is set; algorithm and protocol are set here
 * @throws WorkloadError if there is no such algorithm or protocol
 */
void
ParseMethod(const TextField& value, const std::string& text, CollectiveChoice& choice)
{
    if (ParsePlan(text, choice))
    {
        return;
    }
    const auto slash = text.find('/');
    const auto algorithms = ReplayHelper::CreateDefaultAlgorithms();
    auto names = algorithms->GetNames(choice.kind);
    // The automatic choice has protocols of its own.
    if (slash == std::string::npos)
    {
        names.insert(names.begin(), CollectiveSelection::AUTO);
    }
    const auto expected = "an algorithm for " + ToString(choice.kind) + ": " + JoinWords(names);
    const auto* algorithm = algorithms->Find(choice.kind, text.substr(0, slash));
    choice.algorithm = algorithm ? algorithm->GetName() : text.substr(0, slash);
    const auto kinds = ListKinds(*algorithms, choice.algorithm);
    if (!algorithm && !kinds.empty())
    {
        throw WorkloadError(value.where,
                            expected,
                            Quoted(choice.algorithm) + ", which is one for " + JoinWords(kinds));
    }
    FindWord({choice.algorithm, value.where}, names, expected);
    if (slash != std::string::npos)
    {
        const auto valid = algorithm->GetProtocols();
        std::vector<std::string> words;
        words.reserve(valid.size());
        for (const auto protocol : valid)
        {
            words.push_back(ToString(protocol));
        }
        const bool hasAll = valid == GetCollectiveProtocols();
        const std::string what =
            hasAll ? "a protocol: " : "a protocol of " + choice.algorithm + ": ";
        choice.protocol =
            valid[FindWord({text.substr(slash + 1), value.where}, words, what + JoinWords(words))];
    }
}

/**
 * @param choices what was chosen
 * @param switches switches that may take part in collectives
 * @return whether one of the algorithms chosen has them take part
 */
bool
NeedSwitches(const std::vector<CollectiveChoice>& choices, CollectiveAlgorithm::Switches switches)
{
    if (choices.empty())
    {
        return false;
    }
    const auto algorithms = ReplayHelper::CreateDefaultAlgorithms();
    return std::any_of(choices.begin(), choices.end(), [&](const CollectiveChoice& choice) {
        if (choice.plan)
        {
            return MscclCollective(choice.plan).GetSwitches() == switches;
        }
        // Names were checked when the choice was read; AUTO is no algorithm, so nothing is found.
        const auto* algorithm = algorithms->Find(choice.kind, choice.algorithm);
        return algorithm && algorithm->GetSwitches() == switches;
    });
}

/**
 * @param value the option
 * @param text one choice of its value
 * @return the choice
 * @throws WorkloadError if it is none
 */
CollectiveChoice
ParseChoice(const TextField& value, const std::string& text)
{
    const auto equals = text.find('=');
    if (equals == std::string::npos)
    {
        throw WorkloadError(value.where, FORM, Quoted(text));
    }
    const auto scope = text.substr(0, equals);
    const auto dot = scope.find('.');
    CollectiveChoice choice;

    std::vector<std::string> words;
    for (const auto kind : GetCollectiveKinds())
    {
        words.push_back(ToString(kind));
    }
    const auto kind = FindWord({scope.substr(0, dot), value.where},
                               words,
                               "a kind of collective: " + JoinWords(words));
    choice.kind = GetCollectiveKinds()[kind];
    if (dot != std::string::npos)
    {
        choice.dimension = ParseDimension({scope.substr(dot + 1), value.where});
    }
    ParseMethod(value, text.substr(equals + 1), choice);
    return choice;
}

} // namespace

std::vector<CollectiveChoice>
ParseCollectiveChoices(const TextField& value)
{
    std::vector<CollectiveChoice> choices;
    if (value.text == CollectiveSelection::AUTO)
    {
        return choices;
    }
    // getline() does not see an empty entry at the end.
    if (value.text.empty() || value.text.back() == ',')
    {
        throw WorkloadError(value, FORM);
    }
    for (const auto& text : SplitText(value.text, ','))
    {
        const auto choice = ParseChoice(value, text);
        for (const auto& other : choices)
        {
            if (other.kind == choice.kind && other.dimension == choice.dimension)
            {
                throw WorkloadError(value.where,
                                    "one algorithm for " + text.substr(0, text.find('=')),
                                    other.algorithm + " and " + choice.algorithm);
            }
        }
        choices.push_back(choice);
    }
    return choices;
}

bool
NeedsSwitches(const std::vector<CollectiveChoice>& choices)
{
    return NeedSwitches(choices, CollectiveAlgorithm::Switches::NVLINK);
}

bool
NeedsNetworkSwitches(const std::vector<CollectiveChoice>& choices)
{
    return NeedSwitches(choices, CollectiveAlgorithm::Switches::NETWORK);
}

std::vector<CollectiveChoice>
ParseCollectiveChoicesFor(const TextField& value, CollectiveKind kind)
{
    const bool isAuto = value.text == CollectiveSelection::AUTO;
    // An algorithm alone is for the kind that is timed.
    if (!isAuto && value.text.find_first_of("=,") == std::string::npos)
    {
        CollectiveChoice choice;
        choice.kind = kind;
        ParseMethod(value, value.text, choice);
        return {choice};
    }
    const auto names = ReplayHelper::CreateDefaultAlgorithms()->GetNames(kind);
    const auto choices = ParseCollectiveChoices(value);
    const bool isMeant = std::any_of(choices.begin(), choices.end(), [kind](const auto& choice) {
        return choice.kind == kind &&
               choice.dimension.value_or(Dimension::WORLD) == Dimension::WORLD;
    });
    if (!choices.empty() && !isMeant)
    {
        throw WorkloadError(value,
                            "an algorithm for " + ToString(kind) + ", such as " + ToString(kind) +
                                "=" + names.front());
    }
    return choices;
}

void
PrintAlgorithmHelp(std::ostream& os)
{
    os << "\nAlgorithms of collectives:\n";
    const auto algorithms = ReplayHelper::CreateDefaultAlgorithms();
    for (const auto kind : GetCollectiveKinds())
    {
        PrintHanging(os,
                     "  ",
                     "    ",
                     ToString(kind) + ": " + JoinWords(algorithms->GetNames(kind)));
    }
    os << "  or a FILE.xml of MSCCL (msccl-tools), for all but shift, barrier\n"
          "  or a FILE.json of MSCCL++, for all but barrier\n";
}

} // namespace ns3
