/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef OUTPUT_SELECTION_H
#define OUTPUT_SELECTION_H

#include "replay-output.h"

#include "ns3/ptr.h"
#include "ns3/workload-error.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Which files of a replay are written, and which of them compressed.
 */
class OutputSelection
{
  public:
    /// All files, none of them compressed.
    OutputSelection() = default;

    /**
     * @param list names with commas between, of which later ones win: all, a file with or without
     *        its ending, such as ops or ops.csv, either of them with .gz behind it to have it
     *        compressed, or with - before it to leave it out. A list that begins with the latter
     *        begins with all.
     * @throws WorkloadError if a name is none of a file, or no file is left
     */
    explicit OutputSelection(const TextField& list);

    /**
     * @return the files that a replay can write, without .gz
     */
    static std::vector<std::string> GetFiles();

    /**
     * @param file one of GetFiles()
     * @return whether it is written
     */
    bool IsWanted(const std::string& file) const;

    /**
     * @param file one of GetFiles()
     * @return whether it is written, and not only as one of all files
     */
    bool IsNamed(const std::string& file) const;

    /**
     * @param file one of GetFiles()
     * @return the name that it is written under, which ends in .gz if it is compressed; empty = it
     *         is not written
     */
    std::string GetName(const std::string& file) const;

    /// Outputs and the names of their files, without .gz.
    using Outputs = std::vector<std::pair<std::string, Ptr<ReplayOutput>>>;

    /**
     * @return an object of each ReplayOutput that is written
     */
    Outputs CreateOutputs() const;

    /**
     * @param wants what an output may want to be notified of
     * @return whether one that is written does
     */
    bool HasOutput(bool (ReplayOutput::*wants)() const) const;

    /**
     * Note a file that the run reads, and that is therefore not of an earlier run.
     *
     * @param path the file; need not be there
     */
    void Keep(const std::string& path);

    /**
     * @param file one of GetFiles() that is not written after all
     */
    void LeaveOut(const std::string& file);

    /**
     * Remove what an earlier run has left in a directory under names of files that this one does
     * not write there, so that all files of a directory are of one run.
     *
     * @param directory the directory
     */
    void RemoveOthers(const std::string& directory) const;

  private:
    /// What becomes of a file.
    enum class Form
    {
        PLAIN,      //!< it is written as it is
        COMPRESSED, //!< it is compressed
        LEFT_OUT    //!< it is not written
    };

    /**
     * Take in one name of a list.
     *
     * @param entry the name
     * @throws WorkloadError if it is none of a file
     */
    void Apply(const TextField& entry);

    std::map<std::string, Form> m_forms; //!< by file; absent = PLAIN
    std::set<std::string> m_named;       //!< files that the list names
    std::vector<std::string> m_kept;     //!< files that are not removed
};

} // namespace ns3

#endif /* OUTPUT_SELECTION_H */
