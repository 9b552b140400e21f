/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "measurement-test-case.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace ns3
{

MeasurementTestCase::MeasurementTestCase(const std::string& name, const std::string& part)
    : TestCase(name + ", needs shared data"),
      m_part(part)
{
    SetDataDir(NS_TEST_SOURCEDIR);
}

std::string
MeasurementTestCase::Find(const std::string& name) const
{
    return m_path + "/" + name;
}

void
MeasurementTestCase::DoRun()
{
    namespace fs = std::filesystem;
    const char* const variable = std::getenv("WORKLOAD_REPLAY_SHARED");
    std::error_code error;
    // A clone may be linked into the tree of ns-3: beside it is beside what the link names.
    const auto source = fs::canonical(CreateDataDirFilename(""), error);
    const fs::path shared = variable ? fs::path(variable) : source / "../../shared";
    m_path = (shared / m_part).lexically_normal().string();
    if (!fs::is_directory(m_path, error))
    {
        // ns-3 knows no skipped cases: whoever counts is told by a file.
        const char* const skipped = std::getenv("WORKLOAD_REPLAY_SKIPPED");
        std::ofstream file(skipped ? skipped : "/dev/stdout", std::ios::app);
        file << "SKIP " << GetName() << ": no directory " << m_path << std::endl;
        return;
    }
    Check();
}

} // namespace ns3
