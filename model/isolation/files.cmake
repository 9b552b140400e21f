# SPDX-License-Identifier: GPL-2.0-only

set(sources
    ideal-port-isolation.cc
    port-claims.cc
    rdma-port-isolation.cc
    rdma-star-senders.cc
    rdma-star.cc
)

set(headers
    ideal-port-isolation.h
    port-claims.h
)

set(private_headers
    rdma-port-isolation.h
    rdma-star-senders.h
    rdma-star.h
)
