/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MSCCLPP_READER_H
#define MSCCLPP_READER_H

#include "mscclpp-program.h"

#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * Read the JSON that MSCCL++ makes of programs in its language: of both generations, of which the
 * older one names buffers by channel (i_buff, o_buff), the newer one by rank (src_buff, dst_buff).
 *
 * @param file path of an execution plan
 * @return what it says; chunks are within their buffers, channels and peers exist
 * @throws WorkloadError if it is none, or for a kind of collective that is not simulated
 */
MscclppProgram ReadMscclppProgram(const std::string& file);

} // namespace ns3

#endif /* MSCCLPP_READER_H */
