/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SYMBOLIC_BUFFERS_H
#define SYMBOLIC_BUFFERS_H

#include "symbolic-connections.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief The buffers of all members of a SymbolicRun: what transfers read and write there.
 */
class SymbolicBuffers
{
  public:
    /// A fault has no step: it is in the one that the transfer is of.
    using Fault = std::optional<CollectiveFault>;

    /// A step of a pipeline of a member.
    struct Step
    {
        uint32_t pipeline{0}; //!< the pipeline
        uint64_t number{0};   //!< number of the step, counted from 0
    };

    /**
     * @param calls the call of each member
     */
    explicit SymbolicBuffers(const std::vector<CollectiveCall>& calls);

    /**
     * @return sets of members
     */
    SymbolicSums& GetSums();

    /**
     * @param member a member
     * @return the memory that its sends read
     */
    SymbolicMemory& GetInput(uint32_t member);

    /**
     * @param member a member
     * @return the memory that its receives write to: of all-to-all and shift one of its own
     */
    SymbolicMemory& GetOutput(uint32_t member);

    /**
     * Remember which step writes to a place last; to be called before SymbolicRun::Run().
     *
     * @param member whose memory, see GetOutput()
     * @param place the place
     */
    void Watch(uint32_t member, uint64_t place);

    /**
     * @return the step that wrote there last, in words; empty = none has
     */
    const std::string& GetWriter() const;

    /**
     * @param call the call of the sender
     * @param transfer a send of it, which says where its bytes stand
     * @param [out] pieces what it carries
     * @return what is wrong; none = nothing
     */
    Fault Read(const CollectiveCall& call,
               const CollectiveTransfer& transfer,
               SymbolicPieces& pieces) const;

    /**
     * @param call the call of the receiver
     * @param step the step that receives
     * @param transfer the receive, which says where its bytes stand
     * @param message what has come
     * @return what is wrong; none = nothing
     */
    Fault Store(const CollectiveCall& call,
                const Step& step,
                const CollectiveTransfer& transfer,
                const SymbolicMessage& message);

  private:
    /**
     * @param member whose transfer it is
     * @param transfer the transfer
     * @param length places of the memory that is meant
     * @param [out] fault what is wrong with where its bytes stand
     * @return where they stand; empty = there is such a fault
     */
    static std::vector<BufferPart> FindParts(uint32_t member,
                                             const CollectiveTransfer& transfer,
                                             uint64_t length,
                                             Fault& fault);

    /**
     * @param member the receiver
     * @param old what stands in its memory
     * @param message what has come
     * @param [in,out] pieces the part of it that is added to that; then the sum, unless there is a
     *                        fault
     * @return what is wrong; none = nothing
     */
    Fault AddTo(uint32_t member,
                const SymbolicPieces& old,
                const SymbolicMessage& message,
                SymbolicPieces& pieces);

    bool m_isApart;                                         //!< receives have memory of their own
    SymbolicSums m_sums;                                    //!< sets of members
    std::vector<SymbolicMemory> m_inputs;                   //!< by member
    std::vector<SymbolicMemory> m_outputs;                  //!< by member, if apart
    std::optional<std::pair<uint32_t, uint64_t>> m_watched; //!< a member and a place of it
    std::string m_writer;                                   //!< the step that wrote there last
};

} // namespace ns3

#endif /* SYMBOLIC_BUFFERS_H */
