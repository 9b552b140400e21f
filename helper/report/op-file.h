/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef OP_FILE_H
#define OP_FILE_H

#include "output-file.h"

#include "ns3/replay-records.h"

#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Writes ops.csv: a row for each op, in the order in which they finish.
 *
 * Layer and microbatch are empty where an op belongs to none.
 */
class OpFile
{
  public:
    /**
     * @param directory where the file goes
     */
    explicit OpFile(const std::string& directory);

    /**
     * @param record an op that has finished
     */
    void Add(const OpRecord& record);

    /**
     * @return what OutputFile::Finish() returns
     */
    std::string Finish();

  private:
    OutputFile m_file; //!< the file
};

} // namespace ns3

#endif /* OP_FILE_H */
