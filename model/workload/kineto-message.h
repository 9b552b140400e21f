/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef KINETO_MESSAGE_H
#define KINETO_MESSAGE_H

#include "workload-types.h"

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What a trace says of a communication, in the arguments of its kernel or of the span
 * beside it.
 */
struct KinetoMessage
{
    std::string name;             //!< such as allreduce, _allgather_base, send; empty = not said
    std::string group;            //!< name of the process group; empty = not said
    std::vector<uint32_t> ranks;  //!< its ranks; empty = not said
    uint32_t groupSize{0};        //!< their number; 0 = not said
    std::optional<uint64_t> sent; //!< bytes that the rank brings; none = not said
    std::optional<uint64_t> received; //!< bytes that it gets; likewise
    std::vector<uint64_t> sentParts;  //!< bytes to each rank of an all-to-all; empty = equal parts
    std::vector<uint64_t> receivedParts; //!< bytes from each rank; likewise
    std::optional<uint32_t> peer;        //!< other rank of a send or receive
};

/**
 * @ingroup workload-replay
 * @brief An event of a trace that matters to a replay.
 */
struct KinetoEvent
{
    /// What kinds of events matter.
    enum Kind : uint8_t
    {
        DEVICE, //!< a kernel or copy of the accelerator
        CALL,   //!< a call of the runtime of CUDA or HIP
        NOTE    //!< a span of the host about a communication
    };

    Kind kind{DEVICE};      //!< which
    uint32_t number{0};     //!< its place among all events of the file
    std::string name;       //!< its name
    double start{0};        //!< when it began, us since the epoch of the trace
    double end{0};          //!< when it ended, us
    int64_t track{0};       //!< stream of the accelerator, or thread of the host
    int64_t correlation{0}; //!< which call has launched what; 0 = unknown
    KinetoMessage message;  //!< what it says of a communication

    /**
     * @return whether it is a kernel of NCCL or RCCL
     */
    bool IsCommunication() const;

    /**
     * @return whether it is a call that waits for the accelerator
     */
    bool IsWaiting() const;

    /**
     * @return whether it is a call that has a stream of the accelerator wait for others
     */
    bool IsOrdering() const;
};

using KinetoJson = nlohmann::json; //!< a value of a trace

/**
 * @ingroup workload-replay
 * @brief Reads values of traces, whose writers differ: numbers may stand in quotes, lists in texts.
 */
class KinetoValues
{
  public:
    /// Most ranks of a job.
    static constexpr uint64_t MOST_RANKS = 1000000;

    /**
     * @param text a text
     * @return it in lower case
     */
    static std::string ToLower(std::string text);

    /**
     * @param object an object
     * @param key a key
     * @return its value; null = there is none
     */
    static const KinetoJson* Find(const KinetoJson& object, const char* key);

    /**
     * @param object an object
     * @param key a key
     * @return its value if that is a text, else an empty one
     */
    static std::string GetText(const KinetoJson& object, const char* key);

    /**
     * @param object an object
     * @param key a key
     * @return its value if that is a number, or digits in quotes
     */
    static std::optional<double> GetNumber(const KinetoJson& object, const char* key);

    /**
     * @param object an object
     * @param key a key
     * @return its value if that is a whole number from 0 to 2^50
     */
    static std::optional<uint64_t> GetCount(const KinetoJson& object, const char* key);

    /**
     * @param object an object
     * @param key a key, whose value is a list of numbers, or the text of one
     * @return the list; empty = it is none, or was cut short
     */
    static std::vector<uint64_t> GetList(const KinetoJson& object, const char* key);

    /**
     * @param numbers numbers
     * @return ranks of these numbers; empty = some is none
     */
    static std::vector<uint32_t> ToRanks(const std::vector<uint64_t>& numbers);

    /**
     * @param arguments arguments of a kernel of NCCL, or of a span of the host beside
     * @return what they say of the communication
     */
    static KinetoMessage ReadMessage(const KinetoJson& arguments);

    /**
     * @param name name of a communication, of its kernel or of a span of the host
     * @return what it says that is done: letters alone, in lower case
     */
    static std::string FindCommunication(const std::string& name);

    /**
     * @param word what FindCommunication() returns
     * @return the kind of collective that it is; none = it is none
     */
    static std::optional<CollectiveKind> FindCollective(const std::string& word);

    /**
     * @param kind a kind of collective
     * @param message what is said of it
     * @param members number of members
     * @return its bytes, as CollectiveKind counts them; none = not known
     */
    static std::optional<uint64_t> CountBytes(CollectiveKind kind,
                                              const KinetoMessage& message,
                                              uint64_t members);

    /**
     * @param note a span of the host about a communication; null = none
     * @param [in,out] message what its kernel says: what it leaves out is taken from the span
     */
    static void Complete(const KinetoEvent* note, KinetoMessage& message);

    /**
     * @param spans spans of a thread about communications, by begin
     * @param call a call of the thread
     * @return the innermost span around the call that says something of it; null = none
     */
    static const KinetoEvent* FindNote(const std::vector<const KinetoEvent*>& spans,
                                       const KinetoEvent& call);

    /**
     * @param kind a kind of collective
     * @param message what is said of it
     * @param members number of members
     * @return the parts of an all-to-all, if those of each member are said
     */
    static std::optional<AllToAllSplits> MakeSplits(CollectiveKind kind,
                                                    const KinetoMessage& message,
                                                    std::size_t members);
};

} // namespace ns3

#endif /* KINETO_MESSAGE_H */
