# SPDX-License-Identifier: GPL-2.0-only

set(sources
    foreign-file.cc
    input-json.cc
    input-table.cc
    input-values.cc
    input-yaml.cc
    json-objects.cc
    json-section.cc
    keyed-values.cc
    nccl-topology.cc
    packed-file.cc
    preset-folder.cc
    server-description.cc
    strategy-registry.cc
    workload-error.cc
    workload-text.cc
    xml-file.cc
    yaml-scanner.cc
)

set(headers
    foreign-file.h
    input-table.h
    input-values.h
    keyed-values.h
    server-description.h
    strategy-registry.h
    workload-error.h
    workload-text.h
)

set(private_headers
    input-json.h
    input-yaml.h
    json-objects.h
    json-section.h
    nccl-topology.h
    packed-file.h
    preset-folder.h
    xml-file.h
    yaml-scanner.h
)

# For unity builds, see utils/unity.cmake
set(alone
    xml-file.cc
)
