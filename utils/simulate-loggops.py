#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Simulates a GOAL schedule (text) in the LogGOPS model: an independent check of the module.

Usage: simulate-loggops.py FILE [L:o:g:G:O:S]

Prints, for each rank, when its last op ends, then the latest of these (ns). The model is that of
LogGOPSim (Hoefler, Schneider, Lumsdaine, HPDC'10) with its defaults 2500:1500:1000:6:0:65535, but
for this: an op on another CPU than the one it depends on waits for the end of that one; what finds
a CPU or a NIC busy queues behind all that is queued for the same time; an empty message costs what
one of a byte does; a message is received on the CPU and the NIC of its receive, if that is posted.
"""

import heapq
import re
import sys

ORDER = {"send": 0, "recv": 1, "calc": 2}
TOKEN = re.compile(r"//[^\n]*|/\*.*?\*/|[A-Za-z]\w*|-?\d+|[{}:]", re.S)


class Op:
    def __init__(self, kind, amount):
        self.kind, self.amount = kind, amount
        self.peer = self.tag = self.cpu = self.nic = 0
        self.waits, self.earliest = 0, 0
        self.after_start, self.after_end = [], []


def read(text):
    """By rank: its ops."""
    words = [word for word in TOKEN.findall(text) if not word.startswith("/")]
    words += [""] * 2
    assert words[0] == "num_ranks"
    ranks = [[] for _ in range(int(words[1]))]
    at, labels = 2, {}
    while words[at]:
        if words[at] == "rank":
            ops, labels = ranks[int(words[at + 1])], {}
            at += 3
        elif words[at] == "}":
            at += 1
        elif words[at + 1] in ("requires", "irequires"):
            op, before = labels[words[at]], labels[words[at + 2]]
            (before.after_end if words[at + 1] == "requires" else before.after_start).append(op)
            op.waits += 1
            at += 3
        else:
            label = words[at] if words[at + 1] == ":" else None
            at += 2 if label else 0
            op = Op(words[at], int(words[at + 1]))
            ops.append(op)
            labels.setdefault(label, op)
            at += 2
            if op.kind != "calc":
                op.peer = int(words[at + 2])
                at += 3
            while words[at] in ("tag", "cpu", "nic") and words[at + 1].lstrip("-").isdigit():
                setattr(op, words[at], int(words[at + 1]))
                at += 2
    return ranks


class Simulation:
    def __init__(self, ranks, latency, o, g, big_g, big_o, eager):
        self.ranks = ranks
        self.costs = latency, o, g, big_g, big_o, eager
        self.events, self.number = [], 0
        self.cpu, self.sends, self.receives = {}, {}, {}
        self.posted = [[] for _ in ranks]
        self.unexpected = [[] for _ in ranks]
        self.ends = [0] * len(ranks)
        self.freed = []

    def push(self, time, event):
        heapq.heappush(self.events, (time, self.number, event))
        self.number += 1

    def free(self, rank, ops, time):
        for op in ops:
            op.waits -= 1
            op.earliest = max(op.earliest, time)
            if op.waits == 0:
                self.freed.append((rank, op))

    def push_freed(self):
        for rank, op in sorted(self.freed, key=lambda entry: (entry[0], ORDER[entry[1].kind])):
            time = max(op.earliest, self.cpu.get((rank, op.cpu), 0))
            if op.kind == "send":
                time = max(time, self.sends.get((rank, op.nic), 0))
            self.push(time, (op.kind, rank, op, None))
        self.freed = []

    def end(self, rank, op, time):
        self.ends[rank] = max(self.ends[rank], time)
        self.free(rank, op.after_end, time)

    def run(self):
        for rank, ops in enumerate(self.ranks):
            self.freed = [(rank, op) for op in ops if op.waits == 0]
            self.push_freed()
        while self.events:
            time, _, (kind, rank, op, message) = heapq.heappop(self.events)
            later = getattr(self, kind)(time, rank, op, message)
            if later is not None:
                self.push(later, (kind, rank, op, message))
            self.push_freed()
        return self.ends

    def calc(self, time, rank, op, _):
        free = self.cpu.get((rank, op.cpu), 0)
        if free > time:
            return free
        self.cpu[rank, op.cpu] = time + op.amount
        self.free(rank, op.after_start, time)
        self.end(rank, op, time + op.amount)

    def send(self, time, rank, op, _):
        latency, o, g, big_g, big_o, eager = self.costs
        free = max(self.cpu.get((rank, op.cpu), 0), self.sends.get((rank, op.nic), 0))
        if free > time:
            return free
        more = max(op.amount, 1) - 1
        self.cpu[rank, op.cpu] = time + o + more * big_o
        self.sends[rank, op.nic] = time + g + more * big_g
        self.push(time + o + latency, ("message", op.peer, None, [rank, op, 0]))
        self.free(rank, op.after_start, time)
        op.earliest = time + o + more * big_o
        if op.amount <= eager:
            self.end(rank, op, op.earliest)

    def matches(self, rank, receive, message):
        source, send, _ = message
        return receive.peer in (-1, source) and (-1 in (receive.tag, send.tag)
                                                 or receive.tag == send.tag)

    def complete(self, time, rank, receive, message):
        source, send, processed = message
        if send.amount > self.costs[5]:
            self.end(source, send, max(time, send.earliest))
        self.end(rank, receive, max(time, processed))

    def recv(self, time, rank, op, _):
        self.free(rank, op.after_start, time)
        for message in self.unexpected[rank]:
            if self.matches(rank, op, message):
                self.unexpected[rank].remove(message)
                self.complete(time, rank, op, message)
                return
        self.posted[rank].append(op)

    def message(self, time, rank, _, message):
        _, o, g, big_g, big_o, _ = self.costs
        send = message[1]
        receive = next((r for r in self.posted[rank] if self.matches(rank, r, message)), None)
        op = receive or send
        cpu, nic = (rank, op.cpu), (rank, op.nic)
        free = max(self.cpu.get(cpu, 0), self.receives.get(nic, 0))
        if free > time:
            return free
        more = max(send.amount, 1) - 1
        message[2] = self.cpu[cpu] = time + o + max(more * big_o, more * big_g)
        self.receives[nic] = time + g + more * big_g
        if receive:
            self.posted[rank].remove(receive)
            self.complete(time, rank, receive, message)
        else:
            self.unexpected[rank].append(message)


def main():
    costs = sys.argv[2] if len(sys.argv) > 2 else "2500:1500:1000:6:0:65535"
    with open(sys.argv[1], encoding="utf-8") as file:
        ranks = read(file.read())
    simulation = Simulation(ranks, *map(int, costs.split(":")))
    ends = simulation.run()
    for rank, end in enumerate(ends):
        print(f"rank {rank}\t{end}")
    stuck = sum(map(len, simulation.posted)) + sum(op.waits > 0 for ops in ranks for op in ops)
    print(f"all\t{max(ends)}" + (f"\t{stuck} ops never end" if stuck else ""))


if __name__ == "__main__":
    main()
