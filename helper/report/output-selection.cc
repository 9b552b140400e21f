/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "output-selection.h"

#include "ns3/input-values.h"
#include "ns3/object-factory.h"
#include "ns3/strategy-registry.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>

namespace ns3
{

namespace
{

/// What stands behind the name of a compressed file.
const std::string COMPRESSED{".gz"};

/// What stands for all files in a list.
const std::string ALL{"all"};

/**
 * @param text a text
 * @return the same without COMPRESSED behind it
 */
std::string
StripCompressed(const std::string& text)
{
    const auto end = COMPRESSED.size();
    const bool isCompressed =
        text.size() > end && text.compare(text.size() - end, end, COMPRESSED) == 0;
    return isCompressed ? text.substr(0, text.size() - end) : text;
}

/**
 * @param file name of a file
 * @return the same without its ending
 */
std::string
GetStem(const std::string& file)
{
    return file.substr(0, file.find('.'));
}

/**
 * @param name what a user calls files
 * @return the files
 */
std::vector<std::string>
FindFiles(const std::string& name)
{
    std::vector<std::string> found;
    const auto files = OutputSelection::GetFiles();
    std::copy_if(files.begin(), files.end(), std::back_inserter(found), [&name](const auto& file) {
        return name == ALL || name == file || name == GetStem(file);
    });
    return found;
}

} // namespace

std::vector<std::string>
OutputSelection::GetFiles()
{
    std::vector<std::string> files{"summary.json",
                                   "ops.csv",
                                   "collectives.csv",
                                   "flows.csv",
                                   "links.csv",
                                   "trace.json",
                                   "timeseries.csv",
                                   "waits.csv",
                                   "fabric.json",
                                   "fabric.dot"};
    const auto others = StrategyRegistry::GetNames(ReplayOutput::GetTypeId());
    files.insert(files.end(), others.begin(), others.end());
    return files;
}

OutputSelection::OutputSelection(const TextField& list)
{
    // A list that begins with a minus leaves out of all files; any other one chooses.
    if (list.text.empty() || list.text.front() != '-')
    {
        for (const auto& file : GetFiles())
        {
            m_forms[file] = Form::LEFT_OUT;
        }
    }
    for (const auto& entry : SplitText(list.text, ','))
    {
        Apply({entry, list.where});
    }
    const auto files = GetFiles();
    if (std::none_of(files.begin(), files.end(), [this](const auto& file) {
            return IsWanted(file);
        }))
    {
        throw WorkloadError(list, "a list that leaves a file to write");
    }
}

void
OutputSelection::Apply(const TextField& entry)
{
    const bool isLeftOut = !entry.text.empty() && entry.text.front() == '-';
    const auto typed = entry.text.substr(isLeftOut ? 1 : 0);
    const auto name = StripCompressed(typed);
    const auto files = FindFiles(name);
    if (files.empty())
    {
        auto names = GetFiles();
        names.push_back(ALL);
        auto candidates = names;
        std::transform(names.begin(), names.end(), std::back_inserter(candidates), GetStem);
        const auto nearest = NearestName(name, candidates);
        throw WorkloadError(entry.where,
                            "files with commas between, each with .gz behind it to have it "
                            "compressed or - before it to leave it out, of: " +
                                JoinWords(names),
                            Quoted(entry.text),
                            nearest.empty() ? "" : (isLeftOut ? "-" : "") + nearest);
    }
    const auto written = name == typed ? Form::PLAIN : Form::COMPRESSED;
    for (const auto& file : files)
    {
        // "all" names no file in particular, see IsNamed().
        if (name != ALL)
        {
            m_named.insert(file);
        }
        m_forms[file] = isLeftOut ? Form::LEFT_OUT : written;
    }
}

bool
OutputSelection::IsWanted(const std::string& file) const
{
    const auto form = m_forms.find(file);
    return form == m_forms.end() || form->second != Form::LEFT_OUT;
}

bool
OutputSelection::IsNamed(const std::string& file) const
{
    return IsWanted(file) && m_named.count(file) > 0;
}

std::string
OutputSelection::GetName(const std::string& file) const
{
    const auto form = m_forms.find(file);
    if (form == m_forms.end() || form->second == Form::PLAIN)
    {
        return file;
    }
    return form->second == Form::COMPRESSED ? file + COMPRESSED : "";
}

OutputSelection::Outputs
OutputSelection::CreateOutputs() const
{
    Outputs outputs;
    for (const auto& entry : StrategyRegistry::List(ReplayOutput::GetTypeId()))
    {
        if (IsWanted(entry.name))
        {
            outputs.emplace_back(entry.name,
                                 ObjectFactory(entry.type.GetName()).Create<ReplayOutput>());
        }
    }
    return outputs;
}

bool
OutputSelection::HasOutput(bool (ReplayOutput::*wants)() const) const
{
    const auto outputs = CreateOutputs();
    return std::any_of(outputs.begin(), outputs.end(), [wants](const auto& output) {
        return (*output.second.*wants)();
    });
}

void
OutputSelection::Keep(const std::string& path)
{
    m_kept.push_back(path);
}

void
OutputSelection::LeaveOut(const std::string& file)
{
    m_forms[file] = Form::LEFT_OUT;
}

void
OutputSelection::RemoveOthers(const std::string& directory) const
{
    for (const auto& file : GetFiles())
    {
        for (const auto& name : {file, file + COMPRESSED})
        {
            const auto path = std::filesystem::path(directory) / name;
            // The topology may be a file of this directory, which an earlier run has written.
            const bool isKept =
                std::any_of(m_kept.begin(), m_kept.end(), [&path](const auto& kept) {
                    std::error_code ignored;
                    return std::filesystem::equivalent(path, kept, ignored);
                });
            if (name != GetName(file) && !isKept)
            {
                std::error_code ignored;
                std::filesystem::remove(path, ignored);
            }
        }
    }
}

} // namespace ns3
