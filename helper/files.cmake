# SPDX-License-Identifier: GPL-2.0-only

set(sources
    replay-helper.cc
    replay-sampler.cc
    replay-statistics.cc
    wait-report.cc
)

set(headers
    replay-helper.h
    replay-sampler.h
    replay-statistics.h
)

set(private_headers
    wait-report.h
)
