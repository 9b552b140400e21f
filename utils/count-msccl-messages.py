#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Count what an algorithm of MSCCL sends, from its XML alone.

usage: count-msccl-messages.py FILE.xml BYTES

Prints a line for each pair of GPUs: source, destination, messages and bytes, of a call of so many
bytes that goes in one loop; and the bytes that are added up. It shares nothing with the module, so
that the two can be compared.
"""

import collections
import sys
import xml.etree.ElementTree

SENDING = {"s", "rcs", "rrs", "rrcs"}
ADDING = {"re", "rrc", "rrs", "rrcs"}


def count_messages(file, size):
    """Messages and bytes by source and destination, and the bytes that are added up."""
    algo = xml.etree.ElementTree.parse(file).getroot()
    chunk, rest = divmod(size, int(algo.get("nchunksperloop")))
    if rest:
        raise ValueError(f"{size} bytes are no multiple of the chunks")
    sent = collections.defaultdict(lambda: [0, 0])
    added = 0
    for gpu in algo.iter("gpu"):
        for block in gpu.iter("tb"):
            for step in block.iter("step"):
                size = int(step.get("cnt")) * chunk
                added += size if step.get("type") in ADDING else 0
                if step.get("type") in SENDING:
                    pair = sent[int(gpu.get("id")), int(block.get("send"))]
                    pair[0] += 1
                    pair[1] += size
    return {pair: tuple(count) for pair, count in sent.items()}, added


def main():
    if len(sys.argv) != 3 or not sys.argv[2].isdecimal():
        sys.exit("usage: count-msccl-messages.py FILE.xml BYTES")
    try:
        sent, added = count_messages(sys.argv[1], int(sys.argv[2]))
    except (OSError, ValueError, xml.etree.ElementTree.ParseError) as error:
        sys.exit(f"{sys.argv[1]}: error: {error}")
    for (source, destination), (messages, size) in sorted(sent.items()):
        print(source, destination, messages, size)
    print("added", added)


if __name__ == "__main__":
    main()
