/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "chakra-trace-files.h"

#include "ns3/input-values.h"
#include "ns3/packed-file.h"
#include "ns3/workload-error.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <tuple>
#include <utility>

namespace ns3
{

namespace
{

namespace fs = std::filesystem;

/**
 * @ingroup workload-replay
 * @brief A file that is named as a trace.
 */
struct Candidate
{
    std::string name; //!< NAME of NAME.RANK.et
    uint64_t rank{0}; //!< RANK
    std::string path; //!< the file
    std::string end;  //!< what follows the rank: .et
};

/**
 * @param [in,out] text a text
 * @param end an end that it may have; is cut off
 * @return whether it had it
 */
bool
CutEnd(std::string& text, const std::string& end)
{
    if (text.size() <= end.size() || text.compare(text.size() - end.size(), end.size(), end) != 0)
    {
        return false;
    }
    text.resize(text.size() - end.size());
    return true;
}

/**
 * @param path a path
 * @return what its name says; nullopt = it is not named as a trace
 */
std::optional<Candidate>
ReadName(const fs::path& path)
{
    auto name = path.filename().string();
    CutEnd(name, ".gz");
    // Traces of the oldest schema end in .eg: they are found so that the reader says what they are.
    for (const std::string end : {".et", ".eg", ".json"})
    {
        if (CutEnd(name, end))
        {
            const auto dot = name.rfind('.');
            const auto rank =
                dot == std::string::npos ? std::nullopt : ReadWhole(name.substr(dot + 1));
            return rank ? std::optional(Candidate{name.substr(0, dot), *rank, path.string(), end})
                        : std::nullopt;
        }
    }
    return std::nullopt;
}

/**
 * @ingroup workload-replay
 * @brief Where to look for traces.
 */
struct Search
{
    fs::path directory;              //!< the directory
    std::optional<std::string> name; //!< NAME of NAME.RANK.et; nullopt = whatever there is
    std::optional<Candidate> alone;  //!< the only trace, if it has no rank in its name
    bool isJson{false};              //!< a trace in JSON is meant, where there are others, too
};

/**
 * @param path what the user has given
 * @return where to look for traces
 */
Search
MakeSearch(const std::string& path)
{
    std::error_code error;
    if (fs::is_directory(path, error))
    {
        return {path, std::nullopt, std::nullopt};
    }
    const fs::path given(path);
    const bool isFile = fs::is_regular_file(given, error);
    const auto candidate = isFile ? ReadName(given) : std::nullopt;
    const auto parent = given.parent_path();
    Search search{parent.empty() ? "." : parent,
                  candidate ? candidate->name : given.filename().string(),
                  std::nullopt};
    search.isJson = candidate && candidate->end == ".json";
    if (isFile && !candidate && IsChakraJson(path))
    {
        search.alone = Candidate{*search.name, 0, path, ""};
    }
    return search;
}

/**
 * @param search where to look
 * @return what is there, by name and rank
 */
std::vector<Candidate>
List(const Search& search)
{
    if (search.alone)
    {
        return {*search.alone};
    }
    std::vector<Candidate> candidates;
    std::vector<Candidate> inJson;
    std::error_code error;
    for (fs::directory_iterator i(search.directory, error), end; !error && i != end;
         i.increment(error))
    {
        auto candidate = ReadName(i->path());
        if (candidate && (!search.name || candidate->name == *search.name))
        {
            auto& list = candidate->end == ".json" ? inJson : candidates;
            list.push_back(std::move(*candidate));
        }
    }
    // The same in JSON may lie beside, and so may many files in JSON that are something else.
    if (candidates.empty() || search.isJson)
    {
        candidates.clear();
        std::copy_if(inJson.begin(),
                     inJson.end(),
                     std::back_inserter(candidates),
                     [](const auto& candidate) { return IsChakraJson(candidate.path); });
    }
    std::sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
        return std::tie(a.name, a.rank, a.path) < std::tie(b.name, b.rank, b.path);
    });
    return candidates;
}

/**
 * @param path what the user has given
 * @param candidates what is there, not empty
 * @param world number of ranks; nullopt = as many as there are
 * @throws WorkloadError if they are not the traces of one job
 */
void
CheckComplete(const std::string& path,
              const std::vector<Candidate>& candidates,
              std::optional<uint32_t> world)
{
    const auto& first = candidates.front();
    const SourceLocation where{path, 0, 0, ""};
    // They are sorted by name, so that all have one name if the first and the last do.
    if (candidates.back().name != first.name)
    {
        throw WorkloadError(where,
                            "the traces of one job (DIRECTORY/NAME names them)",
                            "those of " + Quoted(first.name) + " and of " +
                                Quoted(candidates.back().name));
    }
    for (std::size_t rank = 0; rank < world.value_or(candidates.size()); ++rank)
    {
        const bool isThere = rank < candidates.size() && candidates[rank].rank == rank;
        if (!isThere)
        {
            const auto next = std::min(rank, candidates.size() - 1);
            throw WorkloadError(where,
                                first.name + "." + std::to_string(rank) + first.end +
                                    ", the trace of rank " + std::to_string(rank),
                                Quoted(fs::path(candidates[next].path).filename().string()) +
                                    (next < rank ? " as the last one" : " as the next one"));
        }
    }
}

/**
 * @param directory directory of the traces
 * @param name their name
 * @return the file of their groups; empty = there is none
 */
std::string
FindGroups(const fs::path& directory, const std::string& name)
{
    std::error_code error;
    for (const auto& file :
         {name + ".json", std::string("comm_group.json"), std::string("comm_groups.json")})
    {
        if (fs::is_regular_file(directory / file, error))
        {
            return (directory / file).string();
        }
    }
    return "";
}

} // namespace

ChakraTraceFiles
FindChakraTraces(const std::string& path, std::optional<uint32_t> world)
{
    const auto search = MakeSearch(path);
    const auto candidates = List(search);
    if (candidates.empty())
    {
        throw WorkloadError({path, 0, 0, ""},
                            search.name ? "Chakra traces " + *search.name + ".RANK.et or .json"
                                        : "a directory of Chakra traces NAME.RANK.et or .json",
                            "none");
    }
    CheckComplete(path, candidates, world);
    ChakraTraceFiles files;
    for (std::size_t rank = 0; rank < world.value_or(candidates.size()); ++rank)
    {
        files.traces.push_back(candidates[rank].path);
    }
    files.groups = FindGroups(search.directory, candidates.front().name);
    return files;
}

bool
IsChakraJson(const std::string& path)
{
    return path.find(".json") != std::string::npos &&
           FindPackedKind(path) == ForeignFile::CHAKRA_JSON;
}

bool
HasChakraTraces(const std::string& path)
{
    return !List(MakeSearch(path)).empty();
}

} // namespace ns3
