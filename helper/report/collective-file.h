/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_FILE_H
#define COLLECTIVE_FILE_H

#include "output-file.h"

#include "ns3/nstime.h"
#include "ns3/replay-records.h"
#include "ns3/workload.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Writes collectives.csv: a row for each collective, when its last member is done with it.
 *
 * Memory is kept for the collectives only that some but not all members are done with.
 */
class CollectiveFile
{
  public:
    /**
     * @param directory where the file goes
     * @param workload the job
     */
    CollectiveFile(const std::string& directory, std::shared_ptr<const Workload> workload);

    /**
     * @param record a collective that a member is done with
     */
    void Add(const CollectiveRecord& record);

    /**
     * @return what OutputFile::Finish() returns
     */
    std::string Finish();

  private:
    /// A collective that some members are done with.
    struct OpenCollective
    {
        uint32_t members{0}; //!< members that are done with it
        Time firstArrival;   //!< when the first of them called it
        Time lastArrival;    //!< when the last of them called it
        Time end;            //!< when the last of them was done
    };

    /**
     * @param record what the last member told
     * @param whole what all members told
     */
    void Write(const CollectiveRecord& record, const OpenCollective& whole);

    OutputFile m_file;                                              //!< the file
    std::shared_ptr<const Workload> m_workload;                     //!< the job
    std::map<std::pair<uint32_t, uint32_t>, OpenCollective> m_open; //!< by communicator, sequence
};

} // namespace ns3

#endif /* COLLECTIVE_FILE_H */
