/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LOG_GOPS_MESSAGE_TRANSPORT_H
#define LOG_GOPS_MESSAGE_TRANSPORT_H

#include "log-gops-costs.h"
#include "message-transport.h"

#include "ns3/ptr.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief The network of the LogGOPS model: a message is at its receiver o + L after its sender has
 *        begun with it, whatever else is under way.
 *
 * What else a message costs, its sender and receiver have to wait for (LogGopsHost). A message is
 * sent when its receiver says so, see NotifyReceived(). It knows all ranks, so it works in one
 * process only.
 */
class LogGopsMessageTransport : public MessageTransport
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    LogGopsMessageTransport();
    ~LogGopsMessageTransport() override;

    /// The transports of all ranks, by rank.
    using Ranks = std::vector<LogGopsMessageTransport*>;

    /**
     * @param ranks the transports of all ranks, which share this; all are to be there before the
     *              first message
     * @param costs the parameters
     */
    void Setup(std::shared_ptr<const Ranks> ranks, Ptr<const LogGopsCosts> costs);

    /**
     * @return the parameters
     */
    Ptr<const LogGopsCosts> GetCosts() const;

    /**
     * A message has met its receive: notify the sender, now.
     *
     * @param message a message that has arrived
     */
    void NotifyReceived(const Message& message);

    std::string GetKind() const override;

  protected:
    void DoDispose() override;
    void DoSend(const Message& message) override;

  private:
    std::shared_ptr<const Ranks> m_ranks; //!< the transports of all ranks
    Ptr<const LogGopsCosts> m_costs;      //!< the parameters
};

} // namespace ns3

#endif /* LOG_GOPS_MESSAGE_TRANSPORT_H */
