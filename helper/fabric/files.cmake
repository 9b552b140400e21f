# SPDX-License-Identifier: GPL-2.0-only

set(sources
    ecmp-routing-helper.cc
    ideal-fabric-helper.cc
    rdma-deadlock.cc
    rdma-fabric-helper.cc
    rdma-fabric-links.cc
    rdma-pcap-helper.cc
    tcp-fabric-helper.cc
)

set(headers
    ecmp-routing-helper.h
    ideal-fabric-helper.h
    rdma-deadlock.h
    rdma-fabric-helper.h
    rdma-pcap-helper.h
    tcp-fabric-helper.h
)

set(private_headers
)
