/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mscclpp-op-reader.h"

namespace ns3
{

namespace
{

/// Most chunks, numbers of barriers and semaphores, and parts of a group; more is a slip.
constexpr uint64_t MOST_OF_OP = 10000;

/// What the older plans call operations, and the newer ones.
const std::map<std::string, std::string> OLD_NAMES{{"rrc", "rre"},
                                                   {"rrcs", "rres"},
                                                   {"rs", "res"},
                                                   {"rspkt", "respkt"},
                                                   {"rpkt", "repkt"},
                                                   {"cpkt", "upkt"},
                                                   {"tpkt", "cpkt"}};

} // namespace

std::string
GetMscclppChannelType(const TextField& field)
{
    return GetMscclppWord<std::string>(field,
                                       "type of channel",
                                       {{"memory", "memory"},
                                        {"port", "port"},
                                        {"switch", "switch"},
                                        {"none", "none"},
                                        // What the older plans call them.
                                        {"sm", "memory"},
                                        {"proxy", "port"},
                                        {"nvls", "switch"}});
}

MscclPlace::Buffer
GetMscclppBuffer(const TextField& field)
{
    return GetMscclppWord<MscclPlace::Buffer>(
        field,
        "buffer",
        {{"i", MscclPlace::INPUT}, {"o", MscclPlace::OUTPUT}, {"s", MscclPlace::SCRATCH}});
}

MscclppOpReader::MscclppOpReader(const MscclPlan& head,
                                 const std::vector<uint32_t>& scratch,
                                 uint32_t gpu,
                                 const MscclppNames& names,
                                 bool isOld)
    : m_head(head),
      m_scratch(scratch),
      m_gpu(gpu),
      m_names(names),
      m_isOld(isOld)
{
}

const std::vector<std::string>&
MscclppOpReader::GetKeys()
{
    // Those of the newer generation, of both, and of the older one.
    static const std::vector<std::string> keys{"src_buff",
                                               "dst_buff",
                                               "channel_ids",
                                               "channel_type",
                                               "num_threadblocks",
                                               "semaphore_ids",
                                               "reduce_op",
                                               "tbg_info",
                                               "iter_context",
                                               "ops",
                                               "buffer_type",
                                               "buffer_offset",
                                               "size",
                                               "src_chunk",
                                               "dst_chunk",
                                               "name",
                                               "barrier_id",
                                               "ctype",
                                               "i_buff",
                                               "i_cids",
                                               "o_buff",
                                               "o_cids",
                                               "src",
                                               "srcs",
                                               "srcbuff",
                                               "srcoff",
                                               "dst",
                                               "dsts",
                                               "dstbuff",
                                               "dstoff",
                                               "cnt",
                                               "nthread_blocks",
                                               "deps"};
    return keys;
}

MscclppOp
MscclppOpReader::Read(const JsonSection& op) const
{
    MscclppOp read;
    read.name = op.GetText("name").text;
    read.where = op.Locate();
    if (op.Has("barrier_id"))
    {
        read.barrier = op.GetWhole("barrier_id", 0, MOST_OF_OP);
        read.blocks = op.GetWhole(m_isOld ? "nthread_blocks" : "num_threadblocks", 1, MOST_OF_OP);
    }
    if (read.name == "pipeline")
    {
        ReadPipeline(op, read);
    }
    else if (m_isOld)
    {
        ReadOld(op, read);
    }
    else
    {
        ReadNew(op, read);
    }
    return read;
}

void
MscclppOpReader::ReadPipeline(const JsonSection& op, MscclppOp& read) const
{
    const auto context = op.GetObject("iter_context", {"unit_size", "num_chunks"});
    read.unit = context.GetWhole("unit_size", 1, UINT32_MAX);
    read.chunks = context.GetWhole("num_chunks", 1, MOST_OF_OP);
    for (const auto& inner : op.GetList("ops", GetKeys()))
    {
        read.ops.push_back(Read(inner));
        if (read.ops.back().name == "pipeline")
        {
            throw WorkloadError(inner.Locate(), "operations in a pipeline", "another pipeline");
        }
    }
}

void
MscclppOpReader::ReadNew(const JsonSection& op, MscclppOp& read) const
{
    const bool hasType = op.Has("channel_type");
    const auto type = hasType ? GetMscclppChannelType(op.GetText("channel_type")) : "none";
    // Chunks say themselves which switch they are reached by.
    if (op.Has("channel_ids") && type != "switch")
    {
        const auto found = m_names.channels.find(type);
        const std::vector<MscclppOp::Channel> none;
        for (const auto& id : op.GetValues("channel_ids", "number"))
        {
            read.channels.push_back(
                GetMscclppAt(id,
                             found == m_names.channels.end() ? none : found->second,
                             "channels of the thread block"));
        }
    }
    if (op.Has("semaphore_ids"))
    {
        for (const auto& id : op.GetValues("semaphore_ids", "number"))
        {
            read.semaphores.push_back(static_cast<uint32_t>(ParseNumber(id, 0, MOST_OF_OP)));
        }
    }
    if (op.Has("tbg_info"))
    {
        const auto group = op.GetObject("tbg_info", {"tb_id", "tbg_size"});
        read.parts = group.GetWhole("tbg_size", 1, MOST_OF_OP);
        read.part = group.GetWhole("tb_id", 0, read.parts - 1);
    }
    read.sources = ReadChunks(op, "src_buff", type, read.sourceGroup);
    read.destinations = ReadChunks(op, "dst_buff", type, read.destinationGroup);
}

std::vector<MscclppOp::Chunks>
MscclppOpReader::ReadChunks(const JsonSection& op,
                            const std::string& key,
                            const std::string& type,
                            std::vector<uint32_t>& group) const
{
    std::vector<MscclppOp::Chunks> list;
    if (!op.Has(key))
    {
        return list;
    }
    for (const auto& entry :
         op.GetList(key, {"type", "buffer_id", "switch_channel_id", "rank", "index", "size"}))
    {
        MscclppRemote remote{m_gpu};
        if (entry.Has("rank") && entry.GetWhole("rank", 0, UINT32_MAX) != m_gpu)
        {
            // MSCCL++ does not look at it, and would take chunks of its own instead.
            throw WorkloadError(entry.Locate("rank"),
                                std::to_string(m_gpu) + ", the GPU of the operation",
                                entry.GetNumber("rank").text);
        }
        if (entry.Has("buffer_id"))
        {
            const auto found = m_names.remotes.find(type);
            const std::vector<MscclppRemote> none;
            remote = GetMscclppAt(entry.GetNumber("buffer_id"),
                                  found == m_names.remotes.end() ? none : found->second,
                                  "remote buffers of the thread block");
        }
        else if (entry.Has("switch_channel_id"))
        {
            const auto& found = FindSwitch(entry.GetNumber("switch_channel_id"), "");
            remote.buffer = found.buffer;
            group = found.gpus;
        }
        else
        {
            remote.buffer = GetMscclppBuffer(entry.GetText("type"));
        }
        const auto index = entry.GetWhole("index", 0, MOST_OF_OP);
        const auto size = entry.GetWhole("size", 1, MOST_OF_OP);
        list.push_back(Check({remote.gpu, {remote.buffer, index}, size}, entry.Locate()));
    }
    return list;
}

void
MscclppOpReader::ReadOld(const JsonSection& op, MscclppOp& read) const
{
    const auto name = OLD_NAMES.find(read.name);
    read.name = name == OLD_NAMES.end() ? read.name : name->second;
    const auto count = op.Has("cnt") ? op.GetWhole("cnt", 1, MOST_OF_OP) : 1;
    if (op.Has("ctype") && GetMscclppChannelType(op.GetText("ctype")) == "switch")
    {
        ReadOldSwitch(op, "i", "src", read.sourceGroup);
        ReadOldSwitch(op, "o", "dst", read.destinationGroup);
        read.sources = ReadOwn(op, "src", count);
        read.destinations = ReadOwn(op, "dst", count);
        return;
    }
    // Signals and waits name channels and chunks alike, and move nothing.
    std::vector<MscclppOp::Channel> from;
    const auto reads = ReadReached(op, "i", count, from);
    const auto writes = ReadReached(op, "o", count, read.channels);
    const bool moves =
        read.name != "signal" && read.name != "wait" && read.name != "flush" && read.name != "nop";
    read.channels.insert(read.channels.end(), from.begin(), from.end());
    if (moves)
    {
        for (const auto* list : {&reads, &writes})
        {
            for (const auto& chunks : *list)
            {
                Check(chunks, op.Locate());
            }
        }
        // What a reduction begins with, and ends at, comes first.
        read.sources = ReadOwn(op, "src", count);
        read.destinations = ReadOwn(op, "dst", count);
        read.sources.insert(read.sources.end(), reads.begin(), reads.end());
        read.destinations.insert(read.destinations.end(), writes.begin(), writes.end());
    }
    if (op.Has("deps"))
    {
        for (const auto& entry : op.GetList("deps", {"tb", "step"}))
        {
            read.after.push_back({entry.GetWhole("tb", 0, UINT32_MAX - 1),
                                  entry.GetWhole("step", 0, UINT32_MAX - 1)});
        }
    }
}

void
MscclppOpReader::ReadOldSwitch(const JsonSection& op,
                               const std::string& end,
                               const std::string& place,
                               std::vector<uint32_t>& group) const
{
    if (op.Has(end + "_cids"))
    {
        const auto ids = op.GetList(end + "_cids", {"id", "off"});
        if (ids.size() != 1)
        {
            throw WorkloadError(op.Locate(end + "_cids"),
                                "one channel of NVSwitches",
                                std::to_string(ids.size()));
        }
        const auto& key = op.GetText(place + "buff").text;
        group = FindSwitch(ids.front().GetNumber("id"), key).gpus;
    }
}

const MscclppSwitch&
MscclppOpReader::FindSwitch(const TextField& id, const std::string& key) const
{
    static const std::vector<MscclppSwitch> none;
    const auto found = m_names.switches.find(key);
    return GetMscclppAt(id,
                        found == m_names.switches.end() ? none : found->second,
                        "switch channels of the thread block");
}

std::vector<MscclppOp::Chunks>
MscclppOpReader::ReadOwn(const JsonSection& op, const std::string& end, uint32_t count) const
{
    std::vector<MscclppOp::Chunks> list;
    if (op.Has(end + "buff"))
    {
        const MscclPlace place{GetMscclppBuffer(op.GetText(end + "buff")),
                               op.GetWhole(end + "off", 0, MOST_OF_OP)};
        list.push_back(Check({m_gpu, place, count}, op.Locate()));
    }
    if (op.Has(end + "s"))
    {
        for (const auto& entry : op.GetList(end + "s", {"buff", "off"}))
        {
            const MscclPlace place{GetMscclppBuffer(entry.GetText("buff")),
                                   entry.GetWhole("off", 0, MOST_OF_OP)};
            list.push_back(Check({m_gpu, place, count}, entry.Locate()));
        }
    }
    return list;
}

std::vector<MscclppOp::Chunks>
MscclppOpReader::ReadReached(const JsonSection& op,
                             const std::string& end,
                             uint32_t count,
                             std::vector<MscclppOp::Channel>& channels) const
{
    std::vector<MscclppOp::Chunks> list;
    if (!op.Has(end + "_cids"))
    {
        return list;
    }
    const auto buffers = op.GetObject(end + "_buff", {"src", "dst"});
    const auto key = GetMscclppChannelType(op.GetText("ctype")) + buffers.GetText("src").text +
                     buffers.GetText("dst").text;
    const auto buffer = GetMscclppBuffer(buffers.GetText("dst"));
    const auto found = m_names.channels.find(key);
    const std::vector<MscclppOp::Channel> none;
    for (const auto& entry : op.GetList(end + "_cids", {"id", "off"}))
    {
        channels.push_back(GetMscclppAt(entry.GetNumber("id"),
                                        found == m_names.channels.end() ? none : found->second,
                                        "channels of the thread block"));
        const auto chunk = entry.GetWhole("off", 0, MOST_OF_OP);
        list.push_back({channels.back().peer, {buffer, chunk}, count});
    }
    return list;
}

MscclppOp::Chunks
MscclppOpReader::Check(const MscclppOp::Chunks& chunks, const SourceLocation& where) const
{
    const auto& place = chunks.place;
    const uint64_t all = place.buffer == MscclPlace::SCRATCH ? m_scratch[chunks.gpu]
                                                             : m_head.CountChunks(place.buffer);
    if (uint64_t{place.chunk} + chunks.count > all)
    {
        throw WorkloadError(where,
                            "chunks within the " + std::to_string(all) + " of the buffer",
                            std::to_string(chunks.count) + " from " + std::to_string(place.chunk) +
                                " on");
    }
    return chunks;
}

} // namespace ns3
