/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FLUID_ARRIVALS_H
#define FLUID_ARRIVALS_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What has come to a queue by when, of all flows or of one: bytes that grow at a rate which
 *        changes from time to time.
 *
 * What leaves a queue first has come first. So all that leaves by some time has come by an earlier
 * one, its entry, and what has left of each flow by then is what had come of it. A link finds the
 * entry from its own arrivals (FindEntry()), and asks those of each flow what has come since
 * (GetSince()). Both go on: what has come before the entry is asked for no more (Forget()), so that
 * each change of a rate is passed once.
 *
 * Rates are bytes per time step of the simulator.
 */
class FluidArrivals
{
  public:
    /**
     * Begin anew.
     *
     * @param now time step
     * @param rate rate at which bytes have come before, as long as anybody asks for
     */
    void Begin(int64_t now, double rate);

    /// @return whether it has not begun: nothing else can be asked for
    bool IsEmpty() const
    {
        return m_changes.empty();
    }

    /// Be as if it had not begun.
    void Clear()
    {
        m_changes.clear();
        m_first = 0;
    }

    /**
     * @param now time step, not before the last one
     * @param rate rate at which bytes come from now on
     */
    void Change(int64_t now, double rate);

    /**
     * Have more come, evenly from some time until now: it was in a queue elsewhere.
     *
     * @param from time step at which it begins, not before what is forgotten
     * @param now time step, after it and not before the last change
     * @param bytes how much
     */
    void Insert(double from, int64_t now, double bytes);

    /**
     * @param from time step, not before what is forgotten
     * @param to time step, not before it; the last rate goes on
     * @return bytes that have come between
     */
    double GetSince(double from, double to) const;

    /**
     * @param to time step; the last rate goes on until then
     * @param bytes bytes that have come by then and wait
     * @return time step since which these have come: what has come before has left
     */
    double FindEntry(double to, double bytes) const;

    /**
     * @param from time step, not before what is forgotten
     * @return the largest rate since then
     */
    double GetLargestRate(double from) const;

    /**
     * @param before time step before which nothing is asked for any more
     */
    void Forget(double before);

    /**
     * Take away what has come of a flow that is not there any longer.
     *
     * @param flow what has come of it
     */
    void Remove(const FluidArrivals& flow);

  private:
    /// A moment from which on bytes come at a constant rate.
    struct Moment
    {
        double at;    //!< time step
        double bytes; //!< bytes that have come by then, since the first change
        double rate;  //!< rate from then on
    };

    /**
     * @param at time step
     * @return bytes that have come by then, since the first change; below 0 before it
     */
    double GetBytes(double at) const;

    /**
     * @param at time step
     * @return index of the change from which on bytes come at the rate of that time
     */
    std::size_t Find(double at) const;

    std::vector<Moment> m_changes; //!< in the order of time
    std::size_t m_first{0};        //!< the first one that is not forgotten
};

} // namespace ns3

#endif /* FLUID_ARRIVALS_H */
