/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-reference.h"

#include "nccl-tests-log.h"

#include "ns3/assert.h"
#include "ns3/input-table.h"
#include "ns3/input-values.h"
#include "ns3/workload-text.h"

#include <cmath>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/// Name of the column of sizes.
const std::string SIZE_COLUMN = "size_bytes";

/// Name of the column of times.
const std::string TIME_COLUMN = "time_us";

/**
 * @param text a file that is no output of nccl-tests
 * @throws WorkloadError if it is no table of times either, but something else as a whole
 */
void
CheckTable(const WorkloadText& text)
{
    const auto& line = text.GetLines().front();
    const auto first = line.text.find_first_not_of(" \t");
    const bool isJson = line.text[first] == '{' || line.text[first] == '[';
    if (isJson || line.text.find(',') == std::string::npos)
    {
        throw WorkloadError({text.GetFile(), line.number, 0, ""},
                            "the output of nccl-tests or rccl-tests, as text or JSON, or CSV with "
                            "the columns " +
                                SIZE_COLUMN + " and " + TIME_COLUMN,
                            isJson ? "JSON of another kind" : Quoted(line.text));
    }
}

} // namespace

CollectiveReference::CollectiveReference(const std::string& file, const NcclTestsJob& wanted)
    : m_file(file)
{
    const WorkloadText text(file, {ForeignFile::NCCL_TESTS});
    const auto& header = text.GetLines().front().text;
    if (header.find(SIZE_COLUMN) == std::string::npos && LooksLikeNcclTests(text))
    {
        auto [times, job, leftOut] = ReadNcclTests(text, wanted);
        m_times = std::move(times);
        m_job = std::move(job);
        m_leftOut = std::move(leftOut);
        return;
    }
    CheckTable(text);
    const InputTable table(
        text,
        {"a table of a collective's times", ',', {SIZE_COLUMN, TIME_COLUMN}, {}, true});
    for (std::size_t row = 0; row < table.GetNRows(); ++row)
    {
        const auto fields = table.Read(row);
        const auto& size = fields[0];
        const auto& time = fields[1];
        const double microseconds = ParseNonNegative(time, TIME_COLUMN);
        if (microseconds <= 0)
        {
            throw WorkloadError(time, TIME_COLUMN + " above 0");
        }
        if (!m_times.emplace(ParseCount(size, SIZE_COLUMN), microseconds).second)
        {
            throw WorkloadError(size.where,
                                "every size once",
                                Quoted(size.text) + " a second time");
        }
    }
    if (m_times.empty())
    {
        throw WorkloadError({file, 0, 0, ""}, "a row for a size", "the header alone");
    }
}

const std::string&
CollectiveReference::GetFile() const
{
    return m_file;
}

const NcclTestsJob&
CollectiveReference::GetJob() const
{
    return m_job;
}

const std::set<std::string>&
CollectiveReference::GetLeftOut() const
{
    return m_leftOut;
}

const std::map<uint64_t, double>&
CollectiveReference::GetTimes() const
{
    return m_times;
}

std::optional<double>
CollectiveReference::Find(uint64_t bytes) const
{
    const auto time = m_times.find(bytes);
    return time == m_times.end() ? std::nullopt : std::optional<double>(time->second);
}

double
CollectiveComparison::Row::GetRatio() const
{
    return microseconds / referenceUs;
}

void
CollectiveComparison::Add(const Row& row)
{
    NS_ASSERT_MSG(row.microseconds > 0 && row.referenceUs > 0, "a ratio needs times above 0");
    // Twice as long and half as long are errors of the same size.
    const double logarithm = std::fabs(std::log(row.GetRatio()));
    if (m_count == 0 || logarithm > std::fabs(std::log(m_worst.GetRatio())))
    {
        m_worst = row;
    }
    m_logarithms += logarithm;
    ++m_count;
}

std::size_t
CollectiveComparison::GetCount() const
{
    return m_count;
}

double
CollectiveComparison::GetMeanError() const
{
    // From the mean of logarithms back to a ratio, less 1.
    return m_count == 0 ? 0 : std::expm1(m_logarithms / static_cast<double>(m_count));
}

const CollectiveComparison::Row&
CollectiveComparison::GetWorst() const
{
    NS_ASSERT_MSG(m_count > 0, "nothing was compared");
    return m_worst;
}

} // namespace ns3
