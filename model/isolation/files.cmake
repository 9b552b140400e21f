# SPDX-License-Identifier: GPL-2.0-only

set(sources
    ideal-port-isolation.cc
    port-reservations.cc
    rdma-port-isolation.cc
    rdma-single-switch-ports.cc
    rdma-single-switch-senders.cc
)

set(headers
    ideal-port-isolation.h
    port-reservations.h
)

set(private_headers
    rdma-port-isolation.h
    rdma-single-switch-ports.h
    rdma-single-switch-senders.h
)
