/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MEMORY_SHORTAGE_H
#define MEMORY_SHORTAGE_H

#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What a program says if there is no memory left for what it is asked to do. For programs; a
 * library throws std::bad_alloc.
 */
class MemoryShortage
{
  public:
    /// Exit code of a program that had too little memory; wl-replay's for unfinished work.
    static constexpr int CODE = 2;

    /**
     * From now on, if memory cannot be had, the program says so on standard error and ends at once
     * with CODE; of its files those are left that were whole before. (To take back what was built
     * would need memory, too.) Where the system promises more memory than it has, as Linux does
     * unless told otherwise, the system may end the program before.
     *
     * @param program name of the program, for the message
     * @param advice what needs less memory, for the message
     */
    static void Guard(const std::string& program, const std::string& advice);
};

} // namespace ns3

#endif /* MEMORY_SHORTAGE_H */
