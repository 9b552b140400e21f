/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef OUTPUT_FILE_H
#define OUTPUT_FILE_H

#include <fstream>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A file that is there whole or not at all: written as `.NAME.new`, renamed when it is done.
 *
 * A reader never meets half a file under its name, and what an earlier run left there stays until
 * it is replaced. Faults of writing are told once, at the end.
 */
class OutputFile
{
  public:
    /**
     * @param directory where the file goes; it must be there
     * @param name its name
     */
    OutputFile(const std::string& directory, const std::string& name);

    /// Removes what was written, unless Finish() has renamed it.
    ~OutputFile();

    // The stream writes from a buffer of this object.
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    /**
     * @return where the content goes; numbers are written the same whatever the locale
     */
    std::ostream& GetStream();

    /**
     * Give the file its name. To be called once, after all is written.
     *
     * @return "PATH: error: could not be written (REASON)"; empty if it is written
     */
    std::string Finish();

  private:
    std::string m_path;         //!< where the file goes
    std::string m_temporary;    //!< where it is until it is done; empty = it is done
    std::vector<char> m_buffer; //!< what is not yet written
    std::ofstream m_stream;     //!< writes it
};

} // namespace ns3

#endif /* OUTPUT_FILE_H */
