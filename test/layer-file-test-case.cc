/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "layer-file-test-case.h"

#include "workload-test-tools.h"

#include "ns3/workload.h"

namespace ns3
{

std::shared_ptr<const Workload>
LayerFileTestCase::Read(const std::string& content, const LayerFileOptions& options)
{
    const auto file = CreateTempDirFilename("layers.txt");
    WriteWorkloadFile(file, content);
    return ReadLayerFile(file, options);
}

std::string
LayerFileTestCase::Lower(const std::string& content, const LayerFileOptions& options, uint32_t rank)
{
    return DescribeProgram(Read(content, options)->GetProgram(rank));
}

} // namespace ns3
