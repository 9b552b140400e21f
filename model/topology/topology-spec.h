/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TOPOLOGY_SPEC_H
#define TOPOLOGY_SPEC_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/workload-error.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief The text of an option of the form `NAME[:key=value,...]`, taken apart.
 *
 * A builder asks for the keys that it knows, then calls CheckUnusedKeys(), which complains about
 * all others. The first '=' of a key=value ends the key. Every fault is a WorkloadError at the
 * location given.
 */
class TopologySpec
{
  public:
    /**
     * @param text the text, as typed
     * @param source the option or file that it comes from, for error messages
     * @throws WorkloadError if the text is not of the form
     */
    explicit TopologySpec(const std::string& text, const std::string& source = "--topology");

    /**
     * @return the name
     */
    const std::string& GetName() const;

    /**
     * @return the option or file that the text comes from
     */
    const SourceLocation& GetLocation() const;

    /**
     * @param key name of a key
     * @return whether the text gives it a value
     */
    bool Has(const std::string& key) const;

    /**
     * @return all values as typed, by key
     */
    const std::map<std::string, std::string>& GetValues() const;

    /**
     * @param key name of a key
     * @param absent what to return if the key is not given
     * @return the value as typed
     */
    std::string GetText(const std::string& key, const std::string& absent = "") const;

    /**
     * @param key name of a key
     * @param absent what to return if the key is not given
     * @return the value, a duration with its unit such as 10us, at least 0
     */
    Time GetTime(const std::string& key, Time absent) const;

    /**
     * @param key name of a key
     * @param absent what to return if the key is not given
     * @return the value, from 1 to 2^32 - 1
     */
    uint32_t GetCount(const std::string& key, uint32_t absent) const;

    /**
     * @param key name of a key
     * @return the value: sizes from 1 to 2^32 - 1, joined by x, such as 4x4x4; empty = it is not
     *         given
     */
    std::vector<uint32_t> GetShape(const std::string& key) const;

    /**
     * @param key name of a key
     * @param absent what to return if the key is not given
     * @return the value, finite and above 0
     */
    double GetRatio(const std::string& key, double absent) const;

    /**
     * @param key name of a key
     * @param absent what to return if the key is not given
     * @return the value, a rate with its unit such as 400Gbps, above 0
     */
    DataRate GetRate(const std::string& key, DataRate absent) const;

    /**
     * @param key name of a key
     * @param words the words allowed; the first one is the default
     * @return the value, one of the words
     */
    std::string GetWord(const std::string& key, const std::vector<std::string>& words) const;

    /**
     * @throws WorkloadError if a key was given that nobody has asked for
     */
    void CheckUnusedKeys() const;

    /**
     * @param expected what would have been right, as it reads after "expected "
     * @param found what stands there, as it reads after "found "
     * @param suggestion the nearest valid name; empty = none is near
     * @return the error to throw
     */
    WorkloadError MakeError(const std::string& expected,
                            const std::string& found,
                            const std::string& suggestion = "") const;

  private:
    /**
     * @param key name of a key; noted as known
     * @return its value as typed, or a null pointer if it is not given
     */
    const std::string* Find(const std::string& key) const;

    SourceLocation m_where;                      //!< where the text comes from
    std::string m_name;                          //!< name
    std::map<std::string, std::string> m_values; //!< values as typed, by key
    mutable std::set<std::string> m_known;       //!< keys asked for
};

} // namespace ns3

#endif /* TOPOLOGY_SPEC_H */
