# SPDX-License-Identifier: GPL-2.0-only

set(sources
    clos-topology.cc
    dragonfly-topology.cc
    fabric-endpoints.cc
    fat-tree-topology.cc
    max-flow.cc
    rail-topology.cc
    rank-links.cc
    ring-topology.cc
    rotor-topology.cc
    switch-trees.cc
    topology-bisection.cc
    topology-builder.cc
    topology-file.cc
    topology-generator.cc
    topology-graph.cc
    topology-htsim-file.cc
    topology-json-file.cc
    topology-partition.cc
    topology-servers.cc
    topology-spec.cc
    topology-summary.cc
    topology-text-file.cc
    topology-uplinks.cc
    torus-shape.cc
    torus-topology.cc
)

set(headers
    fabric-endpoints.h
    fabric-parameters.h
    rank-links.h
    switch-trees.h
    topology-bisection.h
    topology-builder.h
    topology-file.h
    topology-generator.h
    topology-graph.h
    topology-json-file.h
    topology-partition.h
    topology-servers.h
    topology-spec.h
    topology-summary.h
    torus-shape.h
)

set(private_headers
    max-flow.h
    topology-builders.h
    topology-htsim-file.h
    topology-text-file.h
    topology-uplinks.h
)

# For unity builds, see utils/unity.cmake
set(own_identifiers
    MAX_LOOKS
)
