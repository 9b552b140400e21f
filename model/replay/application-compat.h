/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef APPLICATION_COMPAT_H
#define APPLICATION_COMPAT_H

#include "ns3/application.h"

/**
 * @ingroup workload-replay
 * @brief Stands after AssignStreams() of an application, which overrides that of Application from
 *        ns-3.42 on; the header tested for came with that release.
 */
#if __has_include("ns3/application-helper.h")
#define WORKLOAD_REPLAY_ASSIGN_STREAMS_OVERRIDE override
#else
#define WORKLOAD_REPLAY_ASSIGN_STREAMS_OVERRIDE
#endif

#endif /* APPLICATION_COMPAT_H */
