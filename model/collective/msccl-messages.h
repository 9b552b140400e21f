/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MSCCL_MESSAGES_H
#define MSCCL_MESSAGES_H

#include "msccl-plan.h"
#include "msccl-races.h"
#include "symbolic-memory.h"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Messages under way in a plan of MSCCL that is run on symbolic data.
 *
 * Those of a connection are received in the order in which they were sent.
 */
class MscclMessages
{
  public:
    /// A message and the step that sends it.
    struct Sent
    {
        SymbolicPieces chunks;   //!< what it carries
        uint32_t count{0};       //!< how many chunks these are
        SourceLocation where;    //!< who sends it
        MscclRaces::Clock clock; //!< what that knows of others
    };

    /// A message that nobody has received.
    struct Left
    {
        SourceLocation where; //!< who sends it
        uint32_t receiver{0}; //!< GPU that it is for
    };

    /**
     * @param plan the plan; must outlive this
     */
    explicit MscclMessages(const MscclPlan& plan);

    /**
     * @param gpu a GPU
     * @param tag tag of the block that sends
     * @param step its step
     * @param message its message
     */
    void Send(uint32_t gpu, uint32_t tag, const MscclStep& step, const Sent& message);

    /**
     * @param gpu a GPU
     * @param tag tag of the block that receives
     * @param step its step
     * @return its message; those of all GPUs of the group if an NVSwitch adds them up; none if not
     *         all have come
     */
    std::vector<Sent> Take(uint32_t gpu, uint32_t tag, const MscclStep& step);

    /**
     * @return the first message that is left; none = there is none
     */
    std::optional<Left> FindLeft() const;

  private:
    /// Sender, receiver, tag and how messages go.
    using Connection = std::tuple<uint32_t, uint32_t, uint32_t, MscclStep::Path>;

    const MscclPlan& m_plan;                           //!< the plan
    std::map<Connection, std::deque<Sent>> m_messages; //!< messages under way
};

} // namespace ns3

#endif /* MSCCL_MESSAGES_H */
