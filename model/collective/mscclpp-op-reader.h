/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MSCCLPP_OP_READER_H
#define MSCCLPP_OP_READER_H

#include "mscclpp-program.h"

#include "ns3/input-values.h"
#include "ns3/json-section.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// Channels by what an operation says of them: type and, in older plans, buffers.
using MscclppChannels = std::map<std::string, std::vector<MscclppOp::Channel>>;

/**
 * @ingroup workload-replay
 * @brief A buffer of another GPU.
 */
struct MscclppRemote
{
    uint32_t gpu{0};                              //!< whose it is
    MscclPlace::Buffer buffer{MscclPlace::INPUT}; //!< which one
};

/**
 * @ingroup workload-replay
 * @brief A channel of NVSwitches: the same buffer of several GPUs.
 */
struct MscclppSwitch
{
    MscclPlace::Buffer buffer{MscclPlace::INPUT}; //!< which one
    std::vector<uint32_t> gpus;                   //!< whose, ascending
};

/// Channels of NVSwitches; in older plans by the letter of their buffer.
using MscclppSwitches = std::map<std::string, std::vector<MscclppSwitch>>;

/**
 * @ingroup workload-replay
 * @brief What operations of a thread block call by number.
 */
struct MscclppNames
{
    MscclppChannels channels;                                  //!< channels
    std::map<std::string, std::vector<MscclppRemote>> remotes; //!< buffers, by type of channel
    MscclppSwitches switches;                                  //!< channels of NVSwitches
};

/**
 * @ingroup workload-replay
 * @tparam T what words mean
 * @param field a word
 * @param what what the word says
 * @param words the valid ones, and what they mean
 * @return what the word means that it is
 * @throws WorkloadError if it is another one
 */
template <typename T>
T
GetMscclppWord(const TextField& field,
               const std::string& what,
               const std::vector<std::pair<std::string, T>>& words)
{
    std::vector<std::string> names;
    for (const auto& word : words)
    {
        names.push_back(word.first);
    }
    return words[FindWord(field, names, what + " as one of " + JoinWords(names))].second;
}

/**
 * @ingroup workload-replay
 * @tparam T kind of things
 * @param field number of one of them, counted from 0
 * @param list all of them
 * @param what what they are
 * @return that one
 * @throws WorkloadError if there is no such one
 */
template <typename T>
const T&
GetMscclppAt(const TextField& field, const std::vector<T>& list, const std::string& what)
{
    const auto index = ReadWhole(field.text);
    if (!index || *index >= list.size())
    {
        throw WorkloadError(field.where,
                            "a number below the " + std::to_string(list.size()) + " " + what,
                            field.text);
    }
    return list[*index];
}

/**
 * @ingroup workload-replay
 * @param field type of a channel, of either generation
 * @return memory, port, switch or none
 */
std::string GetMscclppChannelType(const TextField& field);

/**
 * @ingroup workload-replay
 * @param field letter of a buffer
 * @return the buffer
 */
MscclPlace::Buffer GetMscclppBuffer(const TextField& field);

/**
 * @ingroup workload-replay
 * @brief Reads operations of a thread block of MSCCL++.
 */
class MscclppOpReader
{
  public:
    /**
     * @param head what holds for all GPUs; must outlive the reader, as the next ones must
     * @param scratch chunks of scratch memory, by GPU
     * @param gpu the GPU
     * @param names what operations call by number
     * @param isOld whether they are of the older generation
     */
    MscclppOpReader(const MscclPlan& head,
                    const std::vector<uint32_t>& scratch,
                    uint32_t gpu,
                    const MscclppNames& names,
                    bool isOld);

    /**
     * @return keys that an operation may have
     */
    static const std::vector<std::string>& GetKeys();

    /**
     * @param op an operation
     * @return what it says
     * @throws WorkloadError if it names what there is not
     */
    MscclppOp Read(const JsonSection& op) const;

  private:
    /**
     * @param op a pipeline
     * @param [in,out] read what was read of it
     */
    void ReadPipeline(const JsonSection& op, MscclppOp& read) const;

    /**
     * @param op an operation of the newer generation
     * @param [in,out] read what was read of it
     */
    void ReadNew(const JsonSection& op, MscclppOp& read) const;

    /**
     * @param op an operation of the older generation
     * @param [in,out] read what was read of it
     */
    void ReadOld(const JsonSection& op, MscclppOp& read) const;

    /**
     * @param op an operation of the older generation
     * @param end src or dst: which chunks of its own GPU are meant
     * @param count how many chunks
     * @return the chunks, one of a sum first
     */
    std::vector<MscclppOp::Chunks> ReadOwn(const JsonSection& op,
                                           const std::string& end,
                                           uint32_t count) const;

    /**
     * @param op an operation of the older generation
     * @param end i or o: which chunks of other GPUs are meant
     * @param count how many chunks
     * @param [out] channels by which channels they are reached
     * @return the chunks
     */
    std::vector<MscclppOp::Chunks> ReadReached(const JsonSection& op,
                                               const std::string& end,
                                               uint32_t count,
                                               std::vector<MscclppOp::Channel>& channels) const;

    /**
     * @param op an operation of the newer generation
     * @param key a list of chunks
     * @param type type of channel by which chunks of others are reached
     * @param [out] group GPUs whose chunks an NVSwitch reaches
     * @return the chunks
     */
    std::vector<MscclppOp::Chunks> ReadChunks(const JsonSection& op,
                                              const std::string& key,
                                              const std::string& type,
                                              std::vector<uint32_t>& group) const;

    /**
     * @param op an operation of the older generation through an NVSwitch
     * @param end i or o: which channel is meant
     * @param place src or dst: which chunks
     * @param [out] group GPUs whose chunks it reaches
     */
    void ReadOldSwitch(const JsonSection& op,
                       const std::string& end,
                       const std::string& place,
                       std::vector<uint32_t>& group) const;

    /**
     * @param id number of a channel of NVSwitches
     * @param key letter of its buffer; empty in newer plans
     * @return the channel
     */
    const MscclppSwitch& FindSwitch(const TextField& id, const std::string& key) const;

    /**
     * @param chunks some chunks
     * @param where their place in the file
     * @return the same
     * @throws WorkloadError if they are not all in their buffer
     */
    MscclppOp::Chunks Check(const MscclppOp::Chunks& chunks, const SourceLocation& where) const;

    const MscclPlan& m_head;                //!< what holds for all GPUs
    const std::vector<uint32_t>& m_scratch; //!< chunks of scratch memory, by GPU
    uint32_t m_gpu;                         //!< the GPU
    const MscclppNames& m_names;            //!< what operations call by number
    bool m_isOld;                           //!< whether they are of the older generation
};

} // namespace ns3

#endif /* MSCCLPP_OP_READER_H */
