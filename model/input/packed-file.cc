/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packed-file.h"

#include "workload-error.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>
#include <zlib.h>

namespace ns3
{

namespace
{

/// Bytes of a file that tell what it is.
constexpr std::size_t PACKED_HEAD = 65536;

/// Most bytes that are unpacked at a time.
constexpr std::size_t MOST_UNPACKED = std::size_t{1} << 30;

/// Most bytes of an unpacked trace.
constexpr std::size_t LONGEST_TRACE = std::size_t{4} << 30;

} // namespace

std::string
ReadPackedFile(const std::string& file, std::size_t most)
{
    // zlib hands on what is not compressed as it is.
    const std::unique_ptr<gzFile_s, int (*)(gzFile)> stream(gzopen(file.c_str(), "rb"), &gzclose);
    std::string text;
    int got = stream ? 1 : 0;
    while (got > 0 && text.size() < most)
    {
        const auto before = text.size();
        // Twice as much each time, but no more than zlib can count.
        const auto room = std::min({most - before, std::max(before, PACKED_HEAD), MOST_UNPACKED});
        text.resize(before + room);
        got = gzread(stream.get(), text.data() + before, static_cast<unsigned>(room));
        text.resize(before + static_cast<std::size_t>(std::max(got, 0)));
    }
    return got < 0 ? "" : text;
}

std::string
ReadPackedTrace(const std::string& file, const std::string& what)
{
    auto text = ReadPackedFile(file, LONGEST_TRACE);
    if (text.empty() || text.size() >= LONGEST_TRACE)
    {
        throw WorkloadError({file, 0, 0, ""},
                            what + " of 1 to 4294967295 bytes",
                            text.empty() ? "nothing that can be read" : "more");
    }
    return text;
}

ForeignFile
FindPackedKind(const std::string& file)
{
    return FindForeignKind(ReadPackedFile(file, PACKED_HEAD));
}

std::vector<std::string>
ListPackedFiles(const std::string& path, ForeignFile kind)
{
    std::error_code error;
    if (!std::filesystem::is_directory(path, error))
    {
        const bool isFile = std::filesystem::is_regular_file(path, error);
        return isFile && FindPackedKind(path) == kind ? std::vector<std::string>{path}
                                                      : std::vector<std::string>();
    }
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(path, error))
    {
        const auto file = entry.path().string();
        // Of other files there may be many, and large ones.
        if (entry.path().filename().string().find(".json") != std::string::npos &&
            entry.is_regular_file(error) && FindPackedKind(file) == kind)
        {
            files.push_back(file);
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

} // namespace ns3
