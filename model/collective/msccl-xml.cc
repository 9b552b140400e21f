/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "msccl-xml.h"

#include "ns3/input-values.h"
#include "ns3/xml-file.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace ns3
{

namespace
{

/// Most GPUs, and most thread blocks or channels of one; more is a slip.
constexpr int64_t MOST_MSCCL = 65535;

/// Most chunks of a buffer, and most that a step moves.
constexpr int64_t MOST_MSCCL_CHUNKS = 10000;

/**
 * @tparam T what words mean
 * @param element an element
 * @param attribute an attribute of it
 * @param words the words that it may be in lower case, and what they mean
 * @return what the word means that it is
 * @throws WorkloadError if it is another one
 */
template <typename T>
T
GetMscclWord(const XmlElement& element,
             const std::string& attribute,
             const std::vector<std::pair<std::string, T>>& words)
{
    auto text = element.Get(attribute);
    std::transform(text.begin(), text.end(), text.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    std::vector<std::string> names;
    for (const auto& word : words)
    {
        names.push_back(word.first);
    }
    const auto expected = attribute + " as one of " + JoinWords(names);
    return words[FindWord({text, element.where}, names, expected)].second;
}

/**
 * @param element an element
 * @param attribute an attribute that may be absent
 * @param most its largest value
 * @return its value; 0 = it is absent
 */
uint64_t
GetOptional(const XmlElement& element, const std::string& attribute, int64_t most)
{
    return element.attributes.count(attribute) == 0
               ? 0
               : static_cast<uint64_t>(element.GetWhole(attribute, 0, most));
}

/**
 * @param parent an element
 * @param name name of elements in it
 * @param number attribute that counts them
 * @return these elements
 * @throws WorkloadError if one has another number than its place, counted from 0
 */
std::vector<const XmlElement*>
ListNumbered(const XmlElement& parent, const std::string& name, const std::string& number)
{
    std::vector<const XmlElement*> found;
    for (const auto& child : parent.children)
    {
        if (child.name != name)
        {
            continue;
        }
        const auto place = static_cast<int64_t>(found.size());
        if (child.GetWhole(number, 0, MOST_MSCCL) != place)
        {
            throw WorkloadError(child.where,
                                number + " " + std::to_string(place) +
                                    ", as elements are numbered from 0 on",
                                Quoted(child.Get(number)));
        }
        found.push_back(&child);
    }
    return found;
}

/// Kinds of steps: what they do, without chunks.
const std::vector<std::pair<std::string, MscclStep>> STEP_TYPES{
    {"s", {false, false, false, true}},
    {"r", {true, false, true, false}},
    {"cpy", {false, false, true, false}},
    {"re", {false, true, true, false}},
    {"rcs", {true, false, true, true}},
    {"rrc", {true, true, true, false}},
    {"rrs", {true, true, false, true}},
    {"rrcs", {true, true, true, true}},
    {"nop", {}},
};

/**
 * @ingroup workload-replay
 * @brief Makes a plan of a file's elements.
 */
class MscclReader
{
  public:
    /**
     * @param file path of the file
     */
    explicit MscclReader(const std::string& file)
        : m_algo(ReadXml(WorkloadText(file, {ForeignFile::MSCCL})))
    {
        m_plan.file = file;
    }

    /**
     * @return the plan
     */
    MscclPlan Read()
    {
        ReadHead();
        const auto gpus = ListNumbered(m_algo, "gpu", "id");
        const auto count = m_algo.GetWhole("ngpus", 2, MOST_MSCCL);
        if (static_cast<int64_t>(gpus.size()) != count)
        {
            throw WorkloadError(m_algo.where,
                                std::to_string(count) + " elements <gpu>, as ngpus says",
                                std::to_string(gpus.size()));
        }
        m_plan.gpus.resize(gpus.size());
        CheckChunks();
        for (uint32_t gpu = 0; gpu < gpus.size(); ++gpu)
        {
            ReadGpu(*gpus[gpu], gpu);
        }
        return std::move(m_plan);
    }

  private:
    /// Read what holds for all GPUs.
    void ReadHead()
    {
        using Kind = CollectiveKind;
        using Protocol = CollectiveProtocol;
        if (m_algo.Get("coll") == "custom")
        {
            // What each GPU ends with is known to the program that calls it alone.
            throw WorkloadError(m_algo.where,
                                "coll as a kind of collective that workloads have",
                                "'custom', whose result the file does not say");
        }
        m_plan.kind = GetMscclWord<Kind>(m_algo,
                                         "coll",
                                         {{"allreduce", Kind::ALL_REDUCE},
                                          {"allgather", Kind::ALL_GATHER},
                                          {"reduce_scatter", Kind::REDUCE_SCATTER},
                                          {"reducescatter", Kind::REDUCE_SCATTER},
                                          {"alltoall", Kind::ALL_TO_ALL},
                                          {"broadcast", Kind::BROADCAST},
                                          {"reduce", Kind::REDUCE},
                                          {"gather", Kind::GATHER},
                                          {"scatter", Kind::SCATTER}});
        m_plan.protocol = GetMscclWord<Protocol>(
            m_algo,
            "proto",
            {{"simple", Protocol::SIMPLE}, {"ll", Protocol::LL}, {"ll128", Protocol::LL128}});
        m_plan.chunks =
            static_cast<uint32_t>(m_algo.GetWhole("nchunksperloop", 1, MOST_MSCCL_CHUNKS));
        // MSCCL counts elements, whose size calls do not say.
        m_plan.granule = m_plan.chunks;
        m_plan.channels = static_cast<uint32_t>(m_algo.GetWhole("nchannels", 1, MOST_MSCCL));
        m_plan.inPlace = GetOptional(m_algo, "inplace", 1) == 1;
        m_plan.minBytes = GetOptional(m_algo, "minBytes", INT64_MAX);
        m_plan.maxBytes = GetOptional(m_algo, "maxBytes", INT64_MAX);
    }

    /// Check that every GPU has as many chunks where the kind has a part for each.
    void CheckChunks() const
    {
        const bool isWhole = m_plan.kind == CollectiveKind::ALL_REDUCE ||
                             m_plan.kind == CollectiveKind::BROADCAST ||
                             m_plan.kind == CollectiveKind::REDUCE;
        if (!isWhole && m_plan.chunks % m_plan.gpus.size() != 0)
        {
            throw WorkloadError(m_algo.where,
                                "nchunksperloop as a multiple of the " +
                                    std::to_string(m_plan.gpus.size()) + " GPUs",
                                std::to_string(m_plan.chunks));
        }
    }

    /**
     * @param element a GPU
     * @param gpu its number
     */
    void ReadGpu(const XmlElement& element, uint32_t gpu)
    {
        m_scratch = GetOptional(element, "s_chunks", MOST_MSCCL_CHUNKS);
        // Dependencies may point to blocks further down: all blocks are read first.
        auto& blocks = m_plan.gpus[gpu];
        const auto elements = ListNumbered(element, "tb", "id");
        std::set<std::tuple<bool, uint32_t, uint32_t>> ends;
        for (const auto* block : elements)
        {
            blocks.push_back(ReadBlock(*block, gpu));
            CheckEnds(*block, blocks.back(), ends);
        }
        for (uint32_t block = 0; block < blocks.size(); ++block)
        {
            uint32_t step = 0;
            for (const auto* child : ListNumbered(*elements[block], "step", "s"))
            {
                ReadDependency(*child, blocks, blocks[block].steps[step++]);
            }
        }
    }

    /**
     * @param element a thread block
     * @param gpu its GPU
     * @return the block, without dependencies
     */
    MscclBlock ReadBlock(const XmlElement& element, uint32_t gpu) const
    {
        const auto last = static_cast<int64_t>(m_plan.gpus.size()) - 1;
        const auto receiver = element.GetWhole("send", -1, last);
        const auto sender = element.GetWhole("recv", -1, last);
        MscclBlock block;
        block.channel =
            static_cast<uint32_t>(element.GetWhole("chan", 0, int64_t{m_plan.channels} - 1));
        // The other end has a number of its own; a channel has one block at each.
        block.tag = block.channel;
        if (receiver == gpu || sender == gpu)
        {
            throw WorkloadError(element.where, "peers other than the GPU itself", "itself");
        }
        for (const auto* step : ListNumbered(element, "step", "s"))
        {
            block.steps.push_back(ReadStep(*step));
            auto& read = block.steps.back();
            read.receiver = static_cast<uint32_t>(std::max<int64_t>(receiver, 0));
            read.sender = static_cast<uint32_t>(std::max<int64_t>(sender, 0));
            read.pointer = "/algo/gpu/" + std::to_string(gpu) + "/tb/" + element.Get("id") +
                           "/step/" + std::to_string(block.steps.size() - 1);
            if ((read.sends && receiver < 0) || (read.receives && sender < 0))
            {
                throw WorkloadError(step->where,
                                    std::string("a thread block with a peer to ") +
                                        (read.sends && receiver < 0 ? "send to" : "receive from"),
                                    "-1");
            }
        }
        return block;
    }

    /**
     * @param element a step
     * @return the step, without what it depends on
     */
    MscclStep ReadStep(const XmlElement& element) const
    {
        auto step = GetMscclWord(element, "type", STEP_TYPES);
        step.isAwaited = GetOptional(element, "hasdep", 1) == 1;
        // A block that only waits for others names no chunks.
        const bool reads = step.sends || step.reduces || (step.stores && !step.receives);
        if (!reads && !step.stores)
        {
            return step;
        }
        step.count = static_cast<uint32_t>(element.GetWhole("cnt", 1, MOST_MSCCL_CHUNKS));
        if (step.stores)
        {
            step.destination = ReadPlace(element, "dst", step.count);
        }
        if (reads)
        {
            // What is received, copied and sent on is read where it was written.
            const bool isCopied = step.receives && !step.reduces;
            step.source = isCopied ? step.destination : ReadPlace(element, "src", step.count);
        }
        return step;
    }

    /**
     * @param element a step
     * @param end src or dst
     * @param count how many chunks it moves
     * @return the first of them
     */
    MscclPlace ReadPlace(const XmlElement& element, const std::string& end, uint32_t count) const
    {
        MscclPlace place;
        place.buffer = GetMscclWord<MscclPlace::Buffer>(
            element,
            end + "buf",
            {{"i", MscclPlace::INPUT}, {"o", MscclPlace::OUTPUT}, {"s", MscclPlace::SCRATCH}});
        const auto chunks = place.buffer == MscclPlace::SCRATCH
                                ? m_scratch
                                : uint64_t{m_plan.CountChunks(place.buffer)};
        place.chunk = static_cast<uint32_t>(element.GetWhole(end + "off", 0, MOST_MSCCL_CHUNKS));
        if (uint64_t{place.chunk} + count > chunks)
        {
            throw WorkloadError(
                element.where,
                "chunks within the " + std::to_string(chunks) + " of its " + end + "buf",
                std::to_string(count) + " from " + std::to_string(place.chunk) + " on");
        }
        return place;
    }

    /**
     * Check that no other block of the GPU has the same end of a connection: whose message would
     * be whose is up to chance.
     *
     * @param element a thread block
     * @param block what was read of it
     * @param [in,out] ends the ends of those before it: whether it sends, peer, channel
     */
    static void CheckEnds(const XmlElement& element,
                          const MscclBlock& block,
                          std::set<std::tuple<bool, uint32_t, uint32_t>>& ends)
    {
        const auto isSecond = [&](bool MscclStep::*does, uint32_t MscclStep::*peer, bool sends) {
            const auto first = std::find_if(block.steps.begin(),
                                            block.steps.end(),
                                            [does](const auto& step) { return step.*does; });
            return first != block.steps.end() &&
                   !ends.emplace(sends, (*first).*peer, block.channel).second;
        };
        if (isSecond(&MscclStep::sends, &MscclStep::receiver, true) ||
            isSecond(&MscclStep::receives, &MscclStep::sender, false))
        {
            throw WorkloadError(element.where,
                                "one thread block for each peer and channel, to send and to "
                                "receive",
                                "a second one");
        }
    }

    /**
     * A block announces a step to others only where hasdep says so, which holds for those before
     * it, too.
     *
     * @param element a step
     * @param blocks all thread blocks of its GPU
     * @param [in,out] step what was read of it: what it depends on is added
     */
    static void ReadDependency(const XmlElement& element,
                               const std::vector<MscclBlock>& blocks,
                               MscclStep& step)
    {
        const auto block = element.GetWhole("depid", -1, static_cast<int64_t>(blocks.size()) - 1);
        if (block < 0)
        {
            return;
        }
        const auto& steps = blocks[static_cast<std::size_t>(block)].steps;
        const auto first = element.GetWhole("deps", 0, static_cast<int64_t>(steps.size()) - 1);
        const auto awaited = std::find_if(steps.begin() + first,
                                          steps.end(),
                                          [](const auto& other) { return other.isAwaited; });
        if (awaited == steps.end())
        {
            throw WorkloadError(element.where,
                                "a step with hasdep=\"1\", which signals its end, from step " +
                                    std::to_string(first) + " of thread block " +
                                    std::to_string(block) + " on",
                                "none");
        }
        step.dependencies = {
            {static_cast<uint32_t>(block), static_cast<uint32_t>(awaited - steps.begin())}};
    }

    XmlElement m_algo;     //!< the outermost element
    MscclPlan m_plan;      //!< what was read so far
    uint64_t m_scratch{0}; //!< chunks of scratch memory of the present GPU
};

} // namespace

MscclPlan
ReadMscclXml(const std::string& file)
{
    return MscclReader(file).Read();
}

} // namespace ns3
