/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3-arguments.h"

#include "ns3/attribute.h"
#include "ns3/command-line.h"
#include "ns3/global-value.h"
#include "ns3/input-values.h"
#include "ns3/nstime.h"
#include "ns3/pointer.h"
#include "ns3/string.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <regex>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/// What ns3::CommandLine prints without a value.
const std::vector<std::string> PRINTERS{"PrintTypeIds",
                                        "PrintGroups",
                                        "PrintGlobals",
                                        "PrintVersion",
                                        "version"};

/// What ns3::CommandLine prints for a value.
const std::vector<std::string> PRINTERS_OF_VALUE{"PrintAttributes", "PrintGroup"};

/**
 * @param words words
 * @param word a word
 * @return true if it is one of them
 */
bool
Contains(const std::vector<std::string>& words, const std::string& word)
{
    return std::find(words.begin(), words.end(), word) != words.end();
}

/**
 * @return the names of all TypeIds
 */
std::vector<std::string>
GetTypeIdNames()
{
    std::vector<std::string> names;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        names.push_back(TypeId::GetRegistered(i).GetName());
    }
    return names;
}

/**
 * @param name name of a TypeId
 * @param where where it was written
 * @return the TypeId
 * @throws WorkloadError if there is none of that name
 */
TypeId
FindTypeId(const std::string& name, const SourceLocation& where)
{
    TypeId tid;
    if (!TypeId::LookupByNameFailSafe(name, &tid))
    {
        throw WorkloadError(where,
                            "the name of a TypeId, such as ns3::TcpSocket (--PrintTypeIds lists "
                            "all)",
                            Quoted(name),
                            NearestName(name, GetTypeIdNames()));
    }
    return tid;
}

/// Names of values that have bounds, by the class of the value.
const std::map<std::string, std::string> KINDS_IN_A_RANGE{{"ns3::TimeValue", "a duration"},
                                                          {"ns3::UintegerValue", "a whole number"},
                                                          {"ns3::IntegerValue", "a whole number"},
                                                          {"ns3::DoubleValue", "a number"}};

/**
 * @param word what goes before it
 * @param type class of the value
 * @param bound a bound, as ns-3 gives it: of times in the resolution of all times
 * @return word and bound; empty = none that anybody could mean
 */
std::string
DescribeBound(const std::string& word, const std::string& type, const std::string& bound)
{
    // About the largest number of 64 bits, which times have in picoseconds.
    constexpr double unlimited = 9e18;
    if (std::fabs(std::strtod(bound.c_str(), nullptr)) >= unlimited)
    {
        return "";
    }
    if (type != "ns3::TimeValue")
    {
        return word + bound;
    }
    constexpr std::array<std::pair<const char*, int64_t>, 4> units{
        {{"s", 1000000000000}, {"ms", 1000000000}, {"us", 1000000}, {"ns", 1000}}};
    const int64_t picoseconds = Time(bound).GetPicoSeconds();
    for (const auto& [unit, size] : units)
    {
        if (picoseconds % size == 0)
        {
            return word + std::to_string(picoseconds / size) + unit;
        }
    }
    return word + std::to_string(picoseconds) + "ps";
}

/**
 * @param checker checker of an attribute or a global value
 * @return what is valid
 */
std::string
DescribeValid(const AttributeChecker& checker)
{
    if (const auto* const pointer = dynamic_cast<const PointerChecker*>(&checker))
    {
        // Objects are made of the TypeIds of a class and of those that derive from it.
        const auto base = pointer->GetPointeeTypeId();
        std::vector<std::string> names;
        for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
        {
            const auto tid = TypeId::GetRegistered(i);
            if (tid.HasConstructor() && (tid == base || tid.IsChildOf(base)))
            {
                names.push_back(tid.GetName());
            }
        }
        return "a TypeId (" + JoinWords(names) + "), with or without attributes in brackets";
    }
    const auto type = checker.GetValueTypeName();
    const auto information = checker.GetUnderlyingTypeInformation();
    // Checkers of ns-3 give the C++ type and the bounds.
    std::smatch bounds;
    const auto kind = KINDS_IN_A_RANGE.find(type);
    if (kind != KINDS_IN_A_RANGE.end() &&
        std::regex_match(information, bounds, std::regex("\\w+ ([^ :]+):([^ :]+)")))
    {
        return kind->second + DescribeBound(" from ", type, bounds[1]) +
               DescribeBound(" to ", type, bounds[2]);
    }
    return "a valid " + type + (information.empty() ? "" : " (" + information + ")");
}

/**
 * Check a text against the shape of an attribute's values, where ns-3 would abort or guess.
 *
 * @param type name of the class of the attribute's values
 * @param checker checker of the attribute
 * @param value the text
 * @throws WorkloadError if it is wrong
 */
void
CheckShape(const std::string& type, const AttributeChecker& checker, const TextField& value)
{
    // The parsers below take no sign.
    TextField magnitude = value;
    if (!value.text.empty() && value.text.front() == '-')
    {
        magnitude.text.erase(0, 1);
    }
    if (type == "ns3::TimeValue")
    {
        ParseDuration(magnitude);
    }
    else if (type == "ns3::DataRateValue")
    {
        ParseRate(value, 0);
    }
    else if (type == "ns3::UintegerValue")
    {
        // The range of the attribute, whatever is wrong with the number.
        if (!ReadWhole(value.text))
        {
            throw WorkloadError(value, DescribeValid(checker));
        }
    }
    else if (type == "ns3::IntegerValue")
    {
        ParseNumber(magnitude, 0, INT64_MAX);
    }
    else if (type == "ns3::DoubleValue")
    {
        ParseFactor(magnitude);
    }
    else if (type == "ns3::TypeIdValue")
    {
        FindTypeId(value.text, value.where);
    }
    else if (type == "ns3::ObjectFactoryValue" || type == "ns3::PointerValue")
    {
        // Of an object, too, the text is that of the factory that makes it.
        FindTypeId(value.text.substr(0, value.text.find('[')), value.where);
    }
    else if (type.rfind("ns3::EnumValue", 0) == 0)
    {
        ParseWord(value, SplitText(checker.GetUnderlyingTypeInformation(), '|'));
    }
}

/**
 * @param checker checker of an attribute or a global value
 * @param value a text for it
 * @throws WorkloadError if it is wrong
 */
void
CheckAttributeText(const Ptr<const AttributeChecker>& checker, const TextField& value)
{
    CheckShape(checker->GetValueTypeName(), *checker, value);
    if (!checker->CreateValidValue(StringValue(value.text)))
    {
        throw WorkloadError(value, DescribeValid(*checker));
    }
}

/**
 * @param name TYPEID::ATTRIBUTE
 * @param value the attribute's default
 * @throws WorkloadError if there is no such attribute or the value is wrong
 */
void
CheckAttribute(const std::string& name, const TextField& value)
{
    const auto cut = name.rfind("::");
    const TypeId tid = FindTypeId(name.substr(0, cut), value.where);
    const auto attribute = name.substr(cut + 2);
    std::vector<std::string> names;
    // A default can be set only in the class that declares the attribute.
    for (std::size_t i = 0; i < tid.GetAttributeN(); ++i)
    {
        const auto information = tid.GetAttribute(i);
        // What can only be read is there for Config paths.
        if (information.flags == TypeId::ATTR_GET)
        {
            continue;
        }
        if (information.name == attribute)
        {
            CheckAttributeText(information.checker, value);
            return;
        }
        names.push_back(information.name);
    }
    throw WorkloadError(value.where,
                        "an attribute that " + tid.GetName() +
                            " declares (--PrintAttributes=" + tid.GetName() + " lists all)",
                        Quoted(attribute),
                        NearestName(attribute, names));
}

} // namespace

bool
CheckNs3Argument(const std::string& name, const TextField& value)
{
    if (name.find("::") != std::string::npos)
    {
        CheckAttribute(name, value);
        return true;
    }
    if (Contains(PRINTERS_OF_VALUE, name))
    {
        if (name == "PrintAttributes")
        {
            FindTypeId(value.text, value.where);
        }
        return true;
    }
    for (auto global = GlobalValue::Begin(); global != GlobalValue::End(); ++global)
    {
        if ((*global)->GetName() == name)
        {
            CheckAttributeText((*global)->GetChecker(), value);
            if (name == "RngSeed")
            {
                ParseNumber(value, 1, UINT32_MAX); // ns-3 would abort at the first random number
            }
            return true;
        }
    }
    return Contains(PRINTERS, name);
}

std::vector<std::string>
GetNs3ArgumentNames()
{
    std::vector<std::string> names(PRINTERS);
    names.insert(names.end(), PRINTERS_OF_VALUE.begin(), PRINTERS_OF_VALUE.end());
    for (auto global = GlobalValue::Begin(); global != GlobalValue::End(); ++global)
    {
        names.push_back((*global)->GetName());
    }
    return names;
}

void
ApplyNs3Arguments(const std::string& program, const std::vector<std::string>& arguments)
{
    // The first word of a command line is the program.
    std::vector<std::string> line{program};
    for (const auto& argument : arguments)
    {
        line.push_back("--" + argument);
    }
    // What would make ns-3 abort has been refused by CheckNs3Argument().
    CommandLine commandLine(program);
    commandLine.Parse(line);
}

} // namespace ns3
