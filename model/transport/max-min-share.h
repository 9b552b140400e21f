/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MAX_MIN_SHARE_H
#define MAX_MIN_SHARE_H

#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Divides resources among users max-min fairly, every user holding two resources.
 *
 * An allocation is max-min fair when no user can get more without taking from one that has no
 * more than it has; progressive filling finds it (D. Bertsekas and R. Gallager, "Data Networks",
 * 2nd edition, section 6.5.2): the resource that can give the least per user is divided equally
 * among its users, these and what they take are set aside, and so on.
 *
 * Only what is connected through users to a resource touched since the last time is computed
 * anew. Shares are whole units, rounded down, so no resource is ever given out beyond its
 * capacity.
 */
class MaxMinShare
{
  public:
    /// Something that uses one resource of each of two classes; meant as a base class.
    struct User
    {
        uint64_t share{0};          //!< what the user gets; 0 while it takes no part
        uint64_t frozenIn{0};       //!< last round in which the share was found
        uint32_t resource[2]{0, 0}; //!< the resources used, one of each class
        uint32_t position[2]{0, 0}; //!< index in the lists of users of the two resources
    };

    /// A user's new share, to be stored in the user by who asked for it.
    struct Change
    {
        User* user;     //!< whose share has changed
        uint64_t share; //!< its new share, always more than 0
    };

    /**
     * @param capacity what the resource can give in all, more than 0
     * @return index of the new resource
     */
    uint32_t AddResource(uint64_t capacity);

    /**
     * Let a user take part.
     *
     * @param user the user, with its resources set and no share
     */
    void Join(User& user);

    /**
     * Let a user take part if nobody else uses its resources, and set its share: the usual case,
     * which needs no Resolve().
     *
     * @param user the user, with its resources set and no share
     * @return whether the user has joined
     */
    bool JoinAlone(User& user);

    /**
     * @param user a user, with its resources set
     * @return its share if nobody else uses its resources, whether it takes part or not; else 0
     */
    uint64_t GetShareAlone(const User& user) const;

    /**
     * Let a user take part no longer, and set its share to 0.
     *
     * @param user the user
     */
    void Leave(User& user);

    /**
     * Compute the shares.
     *
     * @return the changes since the last call, in an order that depends on the sequence of calls
     *         alone; valid until the next call
     */
    const std::vector<Change>& Resolve();

  private:
    /// A resource and, during a round, what is left of it.
    struct Resource
    {
        uint64_t capacity;        //!< what there is to give, in units
        std::vector<User*> users; //!< who takes part
        uint64_t left{0};         //!< in this round: units not given out yet
        uint32_t waiting{0};      //!< in this round: users without a share yet
        uint64_t round{0};        //!< last round in which the resource was reached
        bool touched{false};      //!< a user has joined or left since the last round
    };

    /// Share a resource could give to each waiting user, and the index of the resource.
    using Offer = std::pair<uint64_t, uint32_t>;

    /**
     * Add a user to the lists of its resources.
     *
     * @param user the user
     */
    void Enlist(User& user);

    /**
     * @param index resource whose set of users has changed
     */
    void Touch(uint32_t index);

    /**
     * Let a resource take part in this round, unless it does already.
     *
     * @param index the resource
     */
    void Reach(uint32_t index);

    /// Reach everything that is connected to a touched resource.
    void ReachConnected();

    /**
     * Give every waiting user of a resource its share.
     *
     * @param index the resource
     * @param share units for each
     */
    void Freeze(uint32_t index, uint64_t share);

    std::vector<Resource> m_resources; //!< all resources
    std::vector<uint32_t> m_touched;   //!< resources touched since the last round
    std::vector<uint32_t> m_reached;   //!< resources of this round, in order of discovery
    std::vector<Change> m_changes;     //!< result of this round
    uint64_t m_round{0};               //!< number of the round
    /// Lower bounds of what the resources of this round can offer, the least on top.
    std::priority_queue<Offer, std::vector<Offer>, std::greater<>> m_offers;
};

} // namespace ns3

#endif /* MAX_MIN_SHARE_H */
