/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mscclpp-reader.h"

#include "mscclpp-op-reader.h"

#include "ns3/input-json.h"
#include "ns3/input-values.h"
#include "ns3/json-section.h"

#include <algorithm>
#include <map>
#include <utility>

namespace ns3
{

namespace
{

/// Most thread blocks of a GPU, and most that a semaphore begins with; more is a slip.
constexpr uint64_t MOST_MSCCLPP = 65535;

/// Most chunks of a buffer.
constexpr uint64_t MOST_MSCCLPP_CHUNKS = 10000;

/// Keys of a plan.
const std::vector<std::string> PLAN_KEYS{
    "name",
    "collective",
    "protocol",
    "inplace",
    "gpus",
    "min_message_size",
    "max_message_size",
    "buffer_alignment",
    // What follows is of kernels and memory, and changes no message.
    "num_threads_per_block",
    "reuse_resources",
    "use_double_scratch_buffer",
    // As the first plans spell it.
    "colletive"};

/// Keys of a GPU; here and below the older ones are behind the newer ones.
const std::vector<std::string> GPU_KEYS{"id",
                                        "input_chunks",
                                        "output_chunks",
                                        "scratch_chunks",
                                        "threadblocks",
                                        "channels",
                                        "remote_buffers",
                                        "semaphores",
                                        "inputChunks",
                                        "outputChunks",
                                        "scratchChunks",
                                        "chunkGroups"};

/// Keys of a channel of a GPU.
const std::vector<std::string> CHANNEL_KEYS{"channel_type",
                                            "connected_to",
                                            "buffer_type",
                                            "buff",
                                            "rank_groups",
                                            "type",
                                            "connectedTo",
                                            "srcbuff",
                                            "dstbuff",
                                            "rankGroups"};

/**
 * @ingroup workload-replay
 * @brief Reads an execution plan.
 */
class MscclppReader
{
  public:
    /**
     * @param file path of the file
     */
    explicit MscclppReader(const std::string& file)
        : m_json(ParseJson(WorkloadText(file, {ForeignFile::MSCCLPP}))),
          m_top(m_json, {file, 0, 0, ""}, PLAN_KEYS)
    {
        m_program.head.file = file;
        m_program.head.gpuPointer = "/gpus";
    }

    /**
     * @return what it says
     */
    MscclppProgram Read()
    {
        const auto gpus = m_top.GetList("gpus", GPU_KEYS);
        if (gpus.size() < 2)
        {
            throw WorkloadError(m_top.Locate("gpus"), "two GPUs or more", Count(gpus.size()));
        }
        // No file says its version: the older generation has other names.
        m_isOld = gpus.front().Has("inputChunks");
        m_program.gpus.resize(gpus.size());
        m_channels.resize(gpus.size());
        m_switches.resize(gpus.size());
        ReadHead(gpus);
        // Operations name scratch memory and peers of other GPUs: these are read first.
        for (uint32_t gpu = 0; gpu < gpus.size(); ++gpu)
        {
            m_scratch.push_back(GetChunks(gpus[gpu], "scratch"));
            ReadChannels(gpus[gpu], gpu);
        }
        for (uint32_t gpu = 0; gpu < gpus.size(); ++gpu)
        {
            ReadGpu(gpus[gpu], gpu);
        }
        return std::move(m_program);
    }

  private:
    /**
     * @param number how many
     * @return it as text
     */
    static std::string Count(std::size_t number)
    {
        return std::to_string(number);
    }

    /**
     * @param gpu a GPU
     * @param buffer input, output or scratch
     * @return how many chunks it says that this has
     */
    uint32_t GetChunks(const JsonSection& gpu, const std::string& buffer) const
    {
        return gpu.GetWhole(buffer + (m_isOld ? "Chunks" : "_chunks"), 0, MOST_MSCCLPP_CHUNKS);
    }

    /**
     * @param key a size in bytes
     * @param none what it is if it is absent
     * @return the size
     */
    uint64_t GetSize(const std::string& key, uint64_t none) const
    {
        return m_top.Has(key) ? ParseCount(m_top.GetNumber(key), "bytes") : none;
    }

    /**
     * Read what holds for all GPUs.
     *
     * @param gpus the GPUs
     */
    void ReadHead(const std::vector<JsonSection>& gpus)
    {
        using Kind = CollectiveKind;
        auto& head = m_program.head;
        head.gpus.resize(gpus.size());
        head.kind =
            GetMscclppWord<Kind>(m_top.GetText(m_top.Has("colletive") ? "colletive" : "collective"),
                                 "collective",
                                 {{"allreduce", Kind::ALL_REDUCE},
                                  {"allgather", Kind::ALL_GATHER},
                                  {"reducescatter", Kind::REDUCE_SCATTER},
                                  {"alltoall", Kind::ALL_TO_ALL},
                                  {"sendrecv", Kind::SHIFT},
                                  {"broadcast", Kind::BROADCAST},
                                  {"reduce", Kind::REDUCE},
                                  {"gather", Kind::GATHER},
                                  {"scatter", Kind::SCATTER}});
        head.protocol = GetMscclppWord<CollectiveProtocol>(
            m_top.GetText("protocol"),
            "protocol",
            {{"Simple", CollectiveProtocol::SIMPLE}, {"LL", CollectiveProtocol::LL}});
        head.inPlace = m_top.Get("inplace", "boolean").get<bool>();
        head.isWhole = true;
        head.minBytes = GetSize("min_message_size", 0);
        const auto most = GetSize("max_message_size", UINT64_MAX);
        head.maxBytes = most == UINT64_MAX ? 0 : most;
        const bool isGather = head.kind == Kind::ALL_GATHER || head.kind == Kind::GATHER;
        // The longer buffer is what the bytes of a call are; in place the other one may have none.
        const auto size = static_cast<uint32_t>(gpus.size());
        const auto whole = GetChunks(gpus.front(), isGather ? "output" : "input");
        const auto other = GetChunks(gpus.front(), isGather ? "input" : "output");
        const bool isPart = head.kind != Kind::ALL_REDUCE && head.kind != Kind::ALL_TO_ALL &&
                            head.kind != Kind::SHIFT && head.kind != Kind::BROADCAST &&
                            head.kind != Kind::REDUCE;
        head.chunks = whole > 0 ? whole : other * (isPart ? size : 1);
        const bool hasParts = isPart || head.kind == Kind::ALL_TO_ALL;
        if (head.chunks == 0 || (hasParts && head.chunks % size != 0))
        {
            throw WorkloadError(gpus.front().Locate(),
                                hasParts ? "chunks as a multiple of the " + Count(size) + " GPUs"
                                         : "chunks",
                                Count(head.chunks));
        }
        // Chunks begin where memory is aligned; MSCCL++ refuses other sizes.
        const auto alignment = std::max<uint64_t>(GetSize("buffer_alignment", 16), 1);
        head.granule = std::min<uint64_t>(alignment, MOST_MSCCLPP) * head.chunks;
    }

    /**
     * @param gpu a GPU
     * @param number its number
     */
    void ReadChannels(const JsonSection& gpu, uint32_t number)
    {
        const auto last = m_program.gpus.size() - 1;
        if (gpu.GetWhole("id", 0, last) != number)
        {
            throw WorkloadError(gpu.Locate("id"),
                                Count(number) + ", as GPUs are numbered from 0 on",
                                Count(gpu.GetWhole("id", 0, last)));
        }
        std::map<std::pair<std::string, uint32_t>, uint32_t> counts;
        for (const auto& channel : gpu.GetList("channels", CHANNEL_KEYS))
        {
            const auto type =
                GetMscclppChannelType(channel.GetText(m_isOld ? "type" : "channel_type"));
            if (type == "switch")
            {
                ReadSwitches(channel, number);
                continue;
            }
            const auto key = m_isOld ? "connectedTo" : "connected_to";
            const auto buffers =
                m_isOld ? channel.GetText("srcbuff").text + channel.GetText("dstbuff").text : "";
            // Operations call a channel by its place among those of its type and buffers.
            for (const auto& field : channel.GetValues(key, "number"))
            {
                const auto peer = static_cast<uint32_t>(ParseNumber(field, 0, last));
                if (peer == number)
                {
                    throw WorkloadError(field.where, "a GPU other than itself", field.text);
                }
                m_channels[number][type + buffers].push_back({type, peer, counts[{type, peer}]++});
            }
        }
    }

    /**
     * @param channel a channel of NVSwitches, or several with the same buffer
     * @param number the GPU's number
     */
    void ReadSwitches(const JsonSection& channel, uint32_t number)
    {
        const auto letter = channel.GetText(channel.Has("buff") ? "buff" : "buffer_type");
        const auto buffer = GetMscclppBuffer(letter);
        for (const auto& group :
             channel.GetList(m_isOld ? "rankGroups" : "rank_groups", {"size", "ranks"}))
        {
            MscclppSwitch found{buffer, {}};
            for (const auto& field : group.GetValues("ranks", "number"))
            {
                found.gpus.push_back(ParseNumber(field, 0, m_program.gpus.size() - 1));
            }
            std::sort(found.gpus.begin(), found.gpus.end());
            const auto twice = std::adjacent_find(found.gpus.begin(), found.gpus.end());
            if (twice != found.gpus.end() ||
                !std::binary_search(found.gpus.begin(), found.gpus.end(), number))
            {
                throw WorkloadError(group.Locate("ranks"),
                                    "GPU " + Count(number) + " and others, each once",
                                    twice != found.gpus.end() ? "GPU " + Count(*twice) + " twice"
                                                              : "a group without it");
            }
            // Older operations count those of their buffer, newer ones all.
            m_switches[number][m_isOld ? letter.text : ""].push_back(std::move(found));
        }
    }

    /**
     * @param gpu a GPU
     * @param number its number
     */
    void ReadGpu(const JsonSection& gpu, uint32_t number)
    {
        auto& read = m_program.gpus[number];
        if (gpu.Has("semaphores"))
        {
            for (const auto& semaphore : gpu.GetList("semaphores", {"init_value"}))
            {
                read.semaphores.push_back(semaphore.GetWhole("init_value", 0, MOST_MSCCLPP));
            }
        }
        std::vector<MscclppRemote> remotes;
        if (gpu.Has("remote_buffers"))
        {
            for (const auto& remote :
                 gpu.GetList("remote_buffers", {"rank", "type", "access_channel_types"}))
            {
                remotes.push_back({remote.GetWhole("rank", 0, m_program.gpus.size() - 1),
                                   GetMscclppBuffer(remote.GetText("type"))});
            }
        }
        for (const auto& block :
             gpu.GetList("threadblocks", {"id", "ops", "channels", "remote_buffer_refs"}))
        {
            if (block.GetWhole("id", 0, MOST_MSCCLPP) != read.blocks.size())
            {
                throw WorkloadError(block.Locate("id"),
                                    Count(read.blocks.size()) +
                                        ", as thread blocks are numbered from 0 on",
                                    block.GetNumber("id").text);
            }
            // Numbers in operations are those of the lists of their thread block.
            const auto names = ReadNames(block, number, remotes);
            const MscclppOpReader reader(m_program.head, m_scratch, number, names, m_isOld);
            read.blocks.emplace_back();
            for (const auto& op : block.GetList("ops", MscclppOpReader::GetKeys()))
            {
                read.blocks.back().push_back(reader.Read(op));
            }
        }
    }

    /**
     * @tparam T kind of channel
     * @param ids numbers of channels
     * @param all those of a GPU
     * @param key what their block says of them
     * @param [in,out] named where they are added
     */
    template <typename T>
    static void AddNamed(const std::vector<TextField>& ids,
                         const std::map<std::string, std::vector<T>>& all,
                         const std::string& key,
                         std::vector<T>& named)
    {
        const auto found = all.find(key);
        const std::vector<T> none;
        for (const auto& id : ids)
        {
            named.push_back(
                GetMscclppAt(id, found == all.end() ? none : found->second, "channels of the GPU"));
        }
    }

    /**
     * @param block a thread block
     * @param gpu its GPU
     * @param remotes buffers of others that the GPU names
     * @return what operations of the block call by number
     */
    MscclppNames ReadNames(const JsonSection& block,
                           uint32_t gpu,
                           const std::vector<MscclppRemote>& remotes) const
    {
        MscclppNames names;
        const std::vector<std::string>
            keys{"channel_type", "channel_ids", "buff", "src", "dst", "ctype", "cids"};
        for (const auto& channel : block.GetList("channels", keys))
        {
            auto key = GetMscclppChannelType(channel.GetText(m_isOld ? "ctype" : "channel_type"));
            const auto ids = channel.GetValues(m_isOld ? "cids" : "channel_ids", "number");
            if (key == "switch")
            {
                key = m_isOld ? channel.GetText("src").text : "";
                AddNamed(ids, m_switches[gpu], key, names.switches[key]);
                continue;
            }
            key += m_isOld ? channel.GetText("src").text + channel.GetText("dst").text : "";
            AddNamed(ids, m_channels[gpu], key, names.channels[key]);
        }
        if (block.Has("remote_buffer_refs"))
        {
            for (const auto& some :
                 block.GetList("remote_buffer_refs", {"access_channel_type", "remote_buffer_ids"}))
            {
                const auto type = GetMscclppChannelType(some.GetText("access_channel_type"));
                for (const auto& id : some.GetValues("remote_buffer_ids", "number"))
                {
                    names.remotes[type].push_back(
                        GetMscclppAt(id, remotes, "remote buffers of the GPU"));
                }
            }
        }
        return names;
    }

    nlohmann::ordered_json m_json;           //!< what the file holds
    JsonSection m_top;                       //!< its outermost object
    MscclppProgram m_program;                //!< what was read so far
    bool m_isOld{false};                     //!< whether it is of the older generation
    std::vector<uint32_t> m_scratch;         //!< chunks of scratch memory, by GPU
    std::vector<MscclppChannels> m_channels; //!< channels, by GPU
    std::vector<MscclppSwitches> m_switches; //!< channels of NVSwitches, by GPU
};

} // namespace

MscclppProgram
ReadMscclppProgram(const std::string& file)
{
    return MscclppReader(file).Read();
}

} // namespace ns3
