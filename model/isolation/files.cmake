# SPDX-License-Identifier: GPL-2.0-only

set(sources
    ideal-port-isolation.cc
    port-reservations.cc
    rdma-port-isolation.cc
    rdma-common-switch-ports.cc
    rdma-common-switch-senders.cc
)

set(headers
    ideal-port-isolation.h
    port-reservations.h
)

set(private_headers
    rdma-port-isolation.h
    rdma-common-switch-ports.h
    rdma-common-switch-senders.h
)
