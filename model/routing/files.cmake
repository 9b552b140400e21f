# SPDX-License-Identifier: GPL-2.0-only

set(sources
    ecmp-route-table.cc
    ipv4-ecmp-routing.cc
    ipv4-ecmp-topology.cc
    port-groups.cc
)

set(headers
    ecmp-hash.h
    ecmp-route-table.h
    ipv4-ecmp-routing.h
    ipv4-ecmp-topology.h
    port-groups.h
)

set(private_headers)
