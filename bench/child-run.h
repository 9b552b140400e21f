/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CHILD_RUN_H
#define CHILD_RUN_H

#include <functional>
#include <string>

namespace ns3
{

/// What a run has cost.
struct ChildCost
{
    double seconds{0}; //!< CPU time, s
    double bytes{0};   //!< most memory that it had at a time
};

/**
 * @ingroup workload-replay
 * Run a simulation in a process of its own, whose standard output is thrown away. ns-3's simulator
 * and defaults are as new in it, and its memory is its own.
 *
 * Ends the program if the run fails, which has said why on standard error.
 *
 * @param run what to run
 * @return what it has cost
 */
ChildCost RunInChild(const std::function<void()>& run);

/**
 * @ingroup workload-replay
 * @brief A folder for files that are of no use later.
 */
class ScratchFolder
{
  public:
    /// Make an empty one. Ends the program if that cannot be done.
    ScratchFolder();

    /// Remove it, and all that is in it.
    ~ScratchFolder();

    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    /**
     * @return its path
     */
    const std::string& GetPath() const;

  private:
    std::string m_path; //!< its path
};

} // namespace ns3

#endif // CHILD_RUN_H
