/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CONNECTION_MATRIX_H
#define CONNECTION_MATRIX_H

#include "flow-list.h"

#include "ns3/workload-text.h"

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Read a connection matrix of htsim (sim/datacenter/connection_matrix.cpp).
 *
 * @param text the file
 * @return its flows in the order of the file
 * @throws WorkloadError if it is wrong
 */
FlowList ReadConnectionMatrix(const WorkloadText& text);

} // namespace ns3

#endif /* CONNECTION_MATRIX_H */
