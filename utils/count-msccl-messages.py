#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Count what an algorithm of MSCCL or MSCCL++ sends, from its file alone.

usage: count-msccl-messages.py FILE BYTES

FILE is the XML of MSCCL or an execution plan of MSCCL++ in JSON. Prints a line for each pair of
GPUs: source, destination, messages and bytes, of a call of so many bytes that goes in one loop; and
the bytes that are added up. In MSCCL++ a signal, and a request for what is read of another GPU, is
a message of 8 bytes. The NVSwitch has the number behind the last GPU; what an operation moves to or
from it is one message. It shares nothing with the module, so that the two can be compared.
"""

import collections
import json
import sys
import xml.etree.ElementTree

SENDING = {"s", "rcs", "rrs", "rrcs"}
ADDING = {"re", "rrc", "rrs", "rrcs"}


# Of MSCCL++, in both generations; what a channel carries besides chunks, bytes.
SUMS = {"re", "res", "rs", "rre", "rres", "rrc", "rrcs"}
SUMS |= {"repkt", "rpkt", "respkt", "rspkt", "recpkt", "recspkt"}
SWITCHED = {"glre", "glres", "gstore", "gstorepkt"}
CONTROL = 8


def list_rounds(op, chunk):
    """Operations that an operation consists of, and how much of a buffer they move at a time."""
    if op["name"] != "pipeline":
        return [(op, None)]
    length = op["iter_context"]["num_chunks"] * chunk
    unit = op["iter_context"]["unit_size"]
    begins = range(0, int(length), unit)
    return [(one, min(unit, length - begin)) for begin in begins for one in op["ops"]]


def find_group(op, end, block, gpu):
    """GPUs of the channel of NVSwitches that an operation names at one end, src or dst; or none."""
    groups = []
    if "inputChunks" in gpu:
        key = {"src": "i_cids", "dst": "o_cids"}[end]
        number = op[key][0]["id"] if op.get(key) else None
        buffer = op.get(end + "buff")
        for channel in gpu["channels"]:
            if channel["type"] in ("nvls", "switch") and channel["buff"] == buffer:
                groups += channel["rankGroups"]
        own = [c for c in block["channels"] if c["ctype"] in ("nvls", "switch")]
        mine = [n for c in own if c["src"] == buffer for n in c["cids"]]
    else:
        number = op[end + "_buff"][0].get("switch_channel_id")
        for channel in gpu["channels"]:
            groups += channel.get("rank_groups", [])
        own = [c for c in block["channels"] if c["channel_type"] == "switch"]
        mine = [n for c in own for n in c["channel_ids"]]
    return [] if number is None else groups[mine[number]]["ranks"]


def count_switched(op, block, gpu, length, note):
    """Note what goes through the NVSwitch, which adds up what it is sent; returns how much it is."""
    switch, own = "switch", gpu["id"]
    added = find_group(op, "src", block, gpu)
    written = find_group(op, "dst", block, gpu)
    if added:
        # A request to all, what each of them has, and the sum.
        note(own, switch, CONTROL)
        for peer in added:
            note(switch, peer, CONTROL)
            note(peer, switch, length)
        note(switch, own, length)
    if written:
        note(own, switch, length)
        for peer in written:
            note(switch, peer, length)
    return max(len(added) - 1, 0) * length


def list_accesses(op, block, gpu):
    """Peers that an operation writes to, reads of and signals, and how many chunks each time."""
    if "inputChunks" in gpu:

        def find(end):
            """Peers of the channels that an operation of the older plans names."""
            if not op.get(end + "_cids"):
                return []
            key = op["ctype"], op[end + "_buff"]["src"], op[end + "_buff"]["dst"]
            peers = [
                peer
                for channel in gpu["channels"]
                if (channel["type"], channel.get("srcbuff"), channel.get("dstbuff")) == key
                for peer in channel["connectedTo"]
            ]
            mine = [
                peers[number]
                for channel in block["channels"]
                if (channel["ctype"], channel["src"], channel["dst"]) == key
                for number in channel["cids"]
            ]
            return [mine[entry["id"]] for entry in op[end + "_cids"]]

        if op["name"] == "signal":
            return [], [], find("o"), 0
        if op["name"] in ("wait", "flush"):
            return [], [], [], 0
        return find("o"), find("i"), [], op.get("cnt", 0)
    kind = op.get("channel_type")
    remotes = [
        gpu["remote_buffers"][number]["rank"]
        for some in block.get("remote_buffer_refs", [])
        if some["access_channel_type"] == kind
        for number in some["remote_buffer_ids"]
    ]
    peers = [
        peer
        for channel in gpu["channels"]
        if channel["channel_type"] == kind
        for peer in channel.get("connected_to", [])
    ]
    mine = [
        peers[number]
        for channel in block["channels"]
        if channel["channel_type"] == kind
        for number in channel["channel_ids"]
    ]
    written = [remotes[b["buffer_id"]] for b in op.get("dst_buff", []) if "buffer_id" in b]
    read = [remotes[b["buffer_id"]] for b in op.get("src_buff", []) if "buffer_id" in b]
    is_signal = op["name"] in ("signal", "rlxsignal")
    signalled = [mine[number] for number in op["channel_ids"]] if is_signal else []
    chunks = op["src_buff"][0]["size"] if op.get("src_buff") else 0
    return written, read, signalled, chunks / op.get("tbg_info", {"tbg_size": 1})["tbg_size"]


def count_plan(file, size):
    """The same as count_messages() of a plan of MSCCL++."""
    with open(file) as text:
        plan = json.load(text)
    first = plan["gpus"][0]
    whole = [first.get(key, 0) for key in ("input_chunks", "inputChunks")]
    if plan["collective"] == "allgather":
        whole = [first.get(key, 0) for key in ("output_chunks", "outputChunks")]
    chunk = size / max(whole)
    sent = collections.defaultdict(lambda: [0, 0])
    added = 0

    def note(source, destination, length):
        names = [len(plan["gpus"]) if one == "switch" else one for one in (source, destination)]
        sent[tuple(names)][0] += 1
        sent[tuple(names)][1] += int(length)

    for number, gpu in enumerate(plan["gpus"]):
        for block in gpu["threadblocks"]:
            for op, piece in (
                one for whole in block["ops"] for one in list_rounds(whole, chunk)
            ):
                if op["name"] in SWITCHED:
                    chunks = op["cnt"] if "cnt" in op else op["src_buff"][0]["size"]
                    length = piece or chunks * chunk
                    added += count_switched(op, block, gpu, length, note)
                    continue
                written, read, signalled, chunks = list_accesses(op, block, gpu)
                length = piece or chunks * chunk
                for peer in written:
                    note(number, peer, length)
                for peer in read:
                    note(number, peer, CONTROL)
                    note(peer, number, length)
                for peer in signalled:
                    note(number, peer, CONTROL)
                if op["name"] in SUMS:
                    own = len(op.get("srcs", [])) + len(op.get("i_cids", []))
                    own += max(len(op.get("src_buff", [])) - 1, 0)
                    added += int(own * length)
    return {pair: tuple(count) for pair, count in sent.items()}, added


def count_messages(file, size):
    """Messages and bytes by source and destination, and the bytes that are added up."""
    if file.endswith(".json"):
        return count_plan(file, size)
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
        sys.exit("usage: count-msccl-messages.py FILE BYTES")
    try:
        sent, added = count_messages(sys.argv[1], int(sys.argv[2]))
    except (OSError, KeyError, IndexError, ValueError, xml.etree.ElementTree.ParseError) as error:
        sys.exit(f"{sys.argv[1]}: error: {error}")
    for (source, destination), (messages, size) in sorted(sent.items()):
        print(source, destination, messages, size)
    print("added", added)


if __name__ == "__main__":
    main()
