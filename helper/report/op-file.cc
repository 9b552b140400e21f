/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "op-file.h"

#include "output-text.h"

namespace ns3
{

namespace
{

/**
 * @param number a layer or a microbatch; below 0 = none
 * @return it as a field
 */
std::string
FormatOptional(int32_t number)
{
    return number < 0 ? "" : std::to_string(number);
}

} // namespace

OpFile::OpFile(const std::string& directory)
    : m_file(directory, "ops.csv")
{
    m_file.GetStream() << "rank,stream,op,phase,layer,microbatch,origin,start_ns,end_ns\n";
}

void
OpFile::Add(const OpRecord& record)
{
    const auto& program = *record.program;
    const auto& op = program.GetOps()[record.op];
    m_file.GetStream() << record.rank << ',' << FormatCsvField(program.GetStreams()[op.stream].name)
                       << ',' << FormatCsvField(program.GetName(op)) << ',' << ToString(op.phase)
                       << ',' << FormatOptional(op.layer) << ',' << FormatOptional(op.microbatch)
                       << ',' << FormatCsvField(program.GetOrigin(op)) << ','
                       << ToNanoseconds(record.start) << ',' << ToNanoseconds(record.end) << '\n';
}

std::string
OpFile::Finish()
{
    return m_file.Finish();
}

} // namespace ns3
