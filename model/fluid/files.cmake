# SPDX-License-Identifier: GPL-2.0-only

set(sources
    fluid-acknowledger.cc
    fluid-arrivals.cc
    fluid-fabric.cc
    fluid-feedback-schedule.cc
    fluid-link.cc
    fluid-network.cc
    fluid-path.cc
    fluid-ports.cc
    fluid-protocol.cc
    fluid-sender.cc
    fluid-share.cc
)

set(headers
    fluid-arrivals.h
    fluid-feedback-schedule.h
    fluid-flow.h
    fluid-link.h
    fluid-network.h
    fluid-ports.h
    fluid-protocol.h
    fluid-share.h
)

set(private_headers
    fluid-acknowledger.h
    fluid-fabric.h
    fluid-path.h
    fluid-sender.h
)
