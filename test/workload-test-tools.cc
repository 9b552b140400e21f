/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "workload-test-tools.h"

#include "ns3/workload-error.h"

#include <cstdint>
#include <fstream>
#include <vector>

extern "C"
{
    /// LeakSanitizer, where it is loaded, does not ask for what is allocated from here on.
    [[gnu::weak]] void __lsan_disable();
    /// LeakSanitizer, where it is loaded, asks for what is allocated from here on.
    [[gnu::weak]] void __lsan_enable();
}

namespace ns3
{

LossAllowed::LossAllowed()
{
    if (__lsan_disable)
    {
        __lsan_disable();
    }
}

LossAllowed::~LossAllowed()
{
    if (__lsan_enable)
    {
        __lsan_enable();
    }
}

void
WriteWorkloadFile(const std::string& file, const std::string& content)
{
    std::ofstream(file, std::ios::binary) << content;
}

std::string
WorkloadErrorOf(const std::function<void()>& action)
{
    try
    {
        action();
    }
    catch (const WorkloadError& error)
    {
        return error.what();
    }
    return "no error";
}

std::string
DescribeProgram(const WorkloadProgram& program)
{
    const auto& ops = program.GetOps();
    std::vector<std::string> needs(ops.size());
    for (uint32_t i = 0; i < ops.size(); ++i)
    {
        for (const auto next : program.GetFinishSuccessors(i))
        {
            needs[next] += " " + std::to_string(i);
        }
    }
    std::string text;
    for (std::size_t i = 0; i < ops.size(); ++i)
    {
        const auto& op = ops[i];
        const bool isCollective = op.kind == OpKind::COLLECTIVE;
        text += std::to_string(i) + " " + program.GetStreams()[op.stream].name + " " +
                program.GetName(op) + " " + ToString(op.phase) + " " +
                (isCollective ? ToString(op.collective) : ToString(op.kind)) + " " +
                std::to_string(op.amount) + " @" + std::to_string(op.origin) + " <-" + needs[i] +
                "\n";
    }
    return text;
}

std::string
ReplaceFirst(std::string text, const std::string& part, const std::string& other)
{
    const auto place = text.find(part);
    return place == std::string::npos ? "no '" + part + "'"
                                      : text.replace(place, part.size(), other);
}

} // namespace ns3
