/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "chakra-export.h"

#include "dry-run.h"
#include "workload-reader.h"

#include "ns3/chakra-writer.h"
#include "ns3/output-file.h"
#include "ns3/text-table.h"
#include "ns3/workload-error.h"

#include <filesystem>
#include <functional>
#include <memory>

namespace ns3
{

namespace
{

namespace fs = std::filesystem;

/**
 * @param name what the traces have in common
 * @param rank a rank
 * @return name of its trace
 */
std::string
NameTrace(const std::string& name, uint32_t rank)
{
    return name + "." + std::to_string(rank) + ".et";
}

/**
 * Traces are counted by their names: one of a larger job would be taken for one more rank.
 *
 * @param options what the user asks for
 * @param world number of ranks
 */
void
CheckNoneBeyond(const ReplayOptions& options, uint32_t world)
{
    const auto next = NameTrace(options.exportChakra, world);
    std::error_code error;
    if (fs::exists(next, error))
    {
        throw WorkloadError(options.Locate("exportChakra"),
                            "a name that no larger job has: there are " + std::to_string(world) +
                                " ranks",
                            Quoted(next));
    }
}

/**
 * @param options what the user asks for
 * @param workload what was written
 * @param writer what has written it
 * @param os where to tell it
 */
void
Tell(const ReplayOptions& options,
     const Workload& workload,
     const ChakraWriter& writer,
     std::ostream& os)
{
    os << "Wrote " << FormatCount(writer.GetNodeCount(), "node") << " of "
       << FormatCount(workload.GetLayout().world, "rank") << " to " << options.exportChakra
       << ".RANK.et and " << FormatCount(workload.GetCommunicators().size(), "group") << " to "
       << options.exportChakra << ".json\n";
    auto warnings = workload.GetWarnings();
    const auto more = writer.GetWarnings();
    warnings.insert(warnings.end(), more.begin(), more.end());
    for (const auto& warning : warnings)
    {
        PrintHanging(os, "  - ", "    ", warning);
    }
}

} // namespace

std::vector<std::string>
ExportChakra(const ReplayOptions& options, std::ostream& os)
{
    const auto where = options.Locate("exportChakra");
    const fs::path prefix(options.exportChakra);
    const auto name = prefix.filename().string();
    const auto folder = prefix.has_parent_path() ? prefix.parent_path().string() : ".";
    if (name.empty() || name == "." || name == "..")
    {
        throw WorkloadError(where, "DIRECTORY/NAME", Quoted(options.exportChakra));
    }
    const auto workload = ReadWorkload(options);
    const auto world = workload->GetLayout().world;
    ChakraWriter writer(workload);
    CheckNoneBeyond(options, world);
    PrepareDirectory(folder, where);
    const auto write = [&folder](const std::string& file,
                                 const std::function<void(std::ostream&)>& writeTo) {
        OutputFile output(folder, file);
        writeTo(output.GetStream());
        return output.Finish();
    };
    auto error = write(name + ".json", [&](auto& stream) { writer.WriteGroups(stream); });
    for (uint32_t rank = 0; rank < world && error.empty(); ++rank)
    {
        error =
            write(NameTrace(name, rank), [&](auto& stream) { writer.WriteTrace(rank, stream); });
    }
    if (!error.empty())
    {
        return {error};
    }
    Tell(options, *workload, writer, os);
    return {};
}

} // namespace ns3
