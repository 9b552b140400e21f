#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Counts what one Megatron rank trace holds: an independent check of the module's reader.

Usage: count-rank-trace.py FILE

Prints, for each kind of op, how often it stands in the trace and the nanoseconds that are not
communication, those before its start included (an exchange counts once); then, for each group and
collective, the calls and the bytes of the rank's own input, and for each message the same.
"""

import ast
import collections
import decimal
import re
import sys

ELEMENT_BYTES = {
    "float64": 8, "int64": 8, "float32": 4, "int32": 4, "float16": 2, "bfloat16": 2, "int16": 2,
    "int8": 1, "uint8": 1, "bool": 1,
}


def field(text, key):
    """The value of KEY=VALUE; of several the last one, as free text stands early in a line."""
    return re.findall(r"(?:^|,)" + key + r"=(\[[^\]]*\]|[^,]*)", text)[-1]


def nanoseconds(text):
    """A time in ms, exactly."""
    return 0 if text == "None" else int(decimal.Decimal(text) * 1000000)


def tensor_bytes(text):
    """Bytes of the tensor that a line describes."""
    size = ELEMENT_BYTES[field(text, "input__dtype").removeprefix("torch.")]
    for length in ast.literal_eval(field(text, "input__shape")):
        size *= length
    return size


def main():
    ops = collections.Counter()
    compute = collections.Counter()
    calls = collections.Counter()
    moved = collections.Counter()
    now = None
    before = None
    with open(sys.argv[1], encoding="utf-8") as trace:
        lines = [line.strip() for line in trace if line.startswith("rank:")]
    for line in lines:
        name, body = re.fullmatch(r"rank:\d+:(\w+)\((.*)\)", line).groups()
        head, _, tail = body.partition(",sub_operations=")
        end = nanoseconds(field(head, "timestamp"))
        start = end - nanoseconds(field(head, "duration"))
        is_message = name.startswith(("send", "recv"))
        ops[name] += 1
        exchanged = is_message and before == (True, start, end)
        before = (is_message, start, end)
        if now is None:
            now = start
        communications = []
        for text in ast.literal_eval(tail):
            stop = nanoseconds(field(text, "timestamp"))
            communications.append((stop - nanoseconds(field(text, "duration")), stop))
            key = (field(text, "group"), field(text, "comm_func"))
            calls[key] += 1
            moved[key] += tensor_bytes(text)
        if is_message or name.endswith("allreduce"):
            communications.append((start, end))
            key = (field(head, "group_kind"), name)
            calls[key] += 1
            moved[key] += tensor_bytes(head)
        if exchanged:
            continue
        for first, last in communications:
            compute[name] += first - now
            now = last
        compute[name] += end - now
        now = end
    for name in ops:
        print(f"{name}\t{ops[name]}\t{compute[name]} ns")
    print(f"all\t{sum(ops.values())}\t{sum(compute.values())} ns")
    for group, kind in sorted(calls):
        print(f"{group}\t{kind}\t{calls[group, kind]}\t{moved[group, kind]} bytes")


if __name__ == "__main__":
    main()
