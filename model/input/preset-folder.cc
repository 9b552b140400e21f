/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "preset-folder.h"

#include <dlfcn.h>
#include <filesystem>
#include <system_error>

namespace ns3
{

namespace
{

/// Stands in the library, and so has its address.
const char IN_LIBRARY = 0;

} // namespace

std::string
GetPresetFolder(const std::string& sources)
{
    Dl_info info;
    const bool isKnown = dladdr(&IN_LIBRARY, &info) != 0;
    std::error_code error;
    const auto library = std::filesystem::absolute(isKnown ? info.dli_fname : "", error);
    return FindPresetFolder(sources, library.string());
}

std::string
FindPresetFolder(const std::string& sources, const std::string& library)
{
    std::error_code error;
    if (std::filesystem::is_directory(sources, error))
    {
        return sources;
    }
    const auto name = std::filesystem::path(sources).filename();
    // Libraries are in PREFIX/lib, PREFIX/lib64 or PREFIX/lib/ARCHITECTURE.
    auto folder = std::filesystem::path(library).parent_path();
    for (; folder.has_relative_path(); folder = folder.parent_path())
    {
        const auto presets = folder / "share" / "workload-replay" / name;
        if (std::filesystem::is_directory(presets, error))
        {
            return presets.string();
        }
    }
    return sources;
}

} // namespace ns3
