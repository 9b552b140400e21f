# SPDX-License-Identifier: GPL-2.0-only

set(sources
    process-exchange.cc
)

set(headers
    byte-buffer.h
    byte-record.h
    process-exchange.h
)

set(private_headers)
