/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "msccl-file.h"

#include "msccl-xml.h"
#include "mscclpp-lowering.h"
#include "mscclpp-reader.h"

#include "ns3/foreign-file.h"

namespace ns3
{

MscclPlan
ReadMscclPlan(const std::string& file)
{
    return FindForeignFile(file) == ForeignFile::MSCCLPP ? LowerMscclpp(ReadMscclppProgram(file))
                                                         : ReadMscclXml(file);
}

} // namespace ns3
