# SPDX-License-Identifier: GPL-2.0-only

set(sources
    catch-up-simulator-impl.cc
    ideal-message-transport.cc
    ideal-network.cc
    log-gops-costs.cc
    log-gops-message-transport.cc
    max-min-share.cc
    message-transport.cc
    server-message-transport.cc
    tcp-message-header.cc
    tcp-message-receiver.cc
    tcp-message-sender.cc
    tcp-message-transport.cc
)

set(headers
    catch-up-simulator-impl.h
    due-queue.h
    flat-table.h
    ideal-message-transport.h
    ideal-network.h
    log-gops-costs.h
    log-gops-message-transport.h
    max-min-share.h
    message-transport.h
    port-counters.h
    server-message-transport.h
    tcp-message-receiver.h
    tcp-message-sender.h
    tcp-message-transport.h
)

set(private_headers
    tcp-message-header.h
)
