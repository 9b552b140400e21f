/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-fit-log.h"

#include "collective-reference.h"
#include "nccl-tests-log.h"
#include "option-values.h"

#include "ns3/input-values.h"
#include "ns3/workload-text.h"

#include <algorithm>
#include <utility>

namespace ns3
{

namespace
{

/// A file and its keys as written.
struct FitSpec
{
    std::string file;                                        //!< path of the file
    std::vector<std::pair<std::string, std::string>> values; //!< by key
};

/**
 * @param where the option
 * @param text KEY=VALUE
 * @param [in,out] spec receives it
 */
void
AddFitKey(const SourceLocation& where, const std::string& text, FitSpec& spec)
{
    const std::vector<std::string> keys{"kind", "ranks", "servers"};
    const auto equals = text.find('=');
    const auto key = text.substr(0, equals);
    if (equals == std::string::npos || std::find(keys.begin(), keys.end(), key) == keys.end())
    {
        throw WorkloadError(where,
                            "FILE[:KEY=VALUE,...] with the keys kind, ranks and servers",
                            Quoted(text),
                            NearestName(key, keys));
    }
    spec.values.emplace_back(key, text.substr(equals + 1));
}

/**
 * @param field the option as given
 * @return the files that it names
 */
std::vector<FitSpec>
SplitFitOption(const TextField& field)
{
    std::vector<FitSpec> specs;
    for (const auto& part : SplitText(field.text, ','))
    {
        // Commas stand between files and between keys of a file alike.
        // A key of the file before it, or a file that may have its first key behind a colon.
        const auto equals = part.find('=');
        const auto colon = part.rfind(':', equals);
        const bool hasKey = equals != std::string::npos;
        if (!hasKey || colon != std::string::npos)
        {
            specs.push_back({hasKey ? part.substr(0, colon) : part, {}});
            if (specs.back().file.empty())
            {
                throw WorkloadError(field.where, "names of files", Quoted(field.text));
            }
        }
        if (hasKey)
        {
            if (specs.empty())
            {
                throw WorkloadError(field.where,
                                    "FILE:" + part + ", the file first",
                                    Quoted(field.text));
            }
            AddFitKey(field.where,
                      colon == std::string::npos ? part : part.substr(colon + 1),
                      specs.back());
        }
    }
    return specs;
}

/**
 * @param spec a file and its keys
 * @param key a key
 * @param options what the user asks for
 * @return a place for errors about it
 */
SourceLocation
LocateFitKey(const FitSpec& spec, const std::string& key, const CollectiveBenchOptions& options)
{
    return {options.Locate("fit").source + ": " + spec.file + ":" + key, 0, 0, ""};
}

/**
 * @param spec a file and its keys
 * @param options what the user asks for
 * @return the collective that the key or the option asks for; nothing = neither does
 */
std::optional<CollectiveKind>
FindWantedKind(const FitSpec& spec, const CollectiveBenchOptions& options)
{
    std::optional<CollectiveKind> kind;
    if (options.IsGiven("kind"))
    {
        kind = options.kind;
    }
    for (const auto& [key, value] : spec.values)
    {
        if (key == "kind")
        {
            kind = ParseCollectiveKind({value, LocateFitKey(spec, key, options)});
        }
    }
    return kind;
}

/**
 * @param spec a file and its keys
 * @param options what the user asks for
 * @return the table, with nothing but its name and what was timed where
 */
CollectiveFitLog
FindFitJob(const FitSpec& spec, const CollectiveBenchOptions& options)
{
    const WorkloadText text(spec.file, {ForeignFile::NCCL_TESTS});
    const auto wanted = FindWantedKind(spec, options);
    const auto stated = ReadNcclTestsJob(text, wanted);
    CollectiveFitLog log;
    log.file = spec.file;
    auto kind = stated.kind ? stated.kind : wanted;
    log.ranks = stated.ranks > 0 ? stated.ranks : options.IsGiven("ranks") ? options.ranks : 0;
    log.servers = stated.servers > 0 ? stated.servers : options.servers;
    for (const auto& [key, value] : spec.values)
    {
        if (key == "kind")
        {
            kind = wanted;
            continue;
        }
        const auto number = ParseNumber({value, LocateFitKey(spec, key, options)},
                                        key == "ranks" ? 2 : 1,
                                        MAX_WORLD);
        (key == "ranks" ? log.ranks : log.servers) = static_cast<uint32_t>(number);
    }
    if (!kind || log.ranks < 2)
    {
        // What is no table of times at all is said to be that first.
        const CollectiveReference table(spec.file);
        const std::string missing = !kind ? "kind=all-reduce" : "ranks=16,servers=2";
        throw WorkloadError({spec.file, 0, 0, ""},
                            std::string(!kind ? "a log that says which collective was timed"
                                              : "a log of 2 ranks or more") +
                                ", or --fit=" + spec.file + ":" + missing,
                            "neither");
    }
    log.kind = *kind;
    return log;
}

} // namespace

std::vector<CollectiveFitLog>
ReadCollectiveFitLogs(const CollectiveBenchOptions& options)
{
    const auto least = options.IsGiven("minBytes") ? options.minBytes : 0;
    const auto most = options.IsGiven("maxBytes") ? options.maxBytes : UINT64_MAX;
    std::vector<CollectiveFitLog> logs;
    for (const auto& spec : SplitFitOption({options.fit, options.Locate("fit")}))
    {
        auto log = FindFitJob(spec, options);
        const CollectiveReference table(spec.file, log.kind);
        log.leftOut = table.GetLeftOut();
        for (const auto& [bytes, time] : table.GetTimes())
        {
            if (bytes >= least && bytes <= most)
            {
                log.times[bytes] = time;
            }
            else
            {
                ++log.nLeft;
            }
        }
        if (log.times.empty())
        {
            throw WorkloadError({spec.file, 0, 0, ""},
                                "a size within minBytes and maxBytes",
                                "others alone");
        }
        logs.push_back(std::move(log));
    }
    return logs;
}

} // namespace ns3
