/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef KEYED_VALUES_H
#define KEYED_VALUES_H

#include "workload-error.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A piece of an input that is a name, or a name with values by key.
 *
 * Values stand in the text, `NAME[:key=value,...]`, or are members of a JSON object.
 */
struct KeyedField : TextField
{
    /// A JSON object, of which one member is the name.
    struct Object
    {
        TextField name;                                         //!< that member
        std::vector<std::pair<std::string, TextField>> members; //!< the others, by key; a list has
                                                                //!< one for each of its values
    };

    std::optional<Object> object{}; //!< where the values come from; nullopt = from the text
};

/**
 * @ingroup workload-replay
 * @brief A name and values by key.
 *
 * A reader asks for the keys that it knows, then calls CheckUnusedKeys(), which complains about all
 * others. In a text the first colon that is not one of two ends the name, the first '=' of a
 * key=value the key, and each key stands once. Every fault is a WorkloadError at the value, if it
 * is a member of an object, or else at the whole.
 */
class KeyedValues
{
  public:
    /**
     * @param field the name and the values
     * @throws WorkloadError if a text is not of the form, or a member is empty
     */
    explicit KeyedValues(const KeyedField& field);

    /**
     * @return the name
     */
    const std::string& GetName() const;

    /**
     * @return the name and where it stands
     */
    const TextField& GetNameField() const;

    /**
     * @return where the whole stands
     */
    const SourceLocation& GetLocation() const;

    /**
     * @return whether each value has a place of its own, as members of an object do
     */
    bool IsObject() const;

    /**
     * @param key name of a key
     * @return whether it has a value
     */
    bool Has(const std::string& key) const;

    /**
     * @return all values as typed, by key; a member that is a list has several
     */
    const std::multimap<std::string, TextField>& GetValues() const;

    /**
     * @param key name of a key
     * @param absent what to return if the key is not given
     * @return the value as typed
     */
    std::string GetText(const std::string& key, const std::string& absent = "") const;

    /**
     * @param key name of a key
     * @param absent what to return if the key is not given
     * @return the value as typed and where it stands; if the key is not given, that of the whole
     */
    TextField GetField(const std::string& key, const std::string& absent = "") const;

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
     * @param absent what to return if the key is not given
     * @return the value, finite and above 0
     */
    double GetRatio(const std::string& key, double absent) const;

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
     * @return the error to throw, at the whole
     */
    WorkloadError MakeError(const std::string& expected,
                            const std::string& found,
                            const std::string& suggestion = "") const;

    /**
     * @param key name of a key that must be given and is not
     * @param expected what would have been right, as it reads after "expected "
     * @return the error to throw, at the whole; it names a key that was given and is nearly this
     * one
     */
    WorkloadError MakeMissingError(const std::string& key, const std::string& expected) const;

  protected:
    /**
     * @param key name of a key; noted as known
     * @return its value, or a null pointer if it is not given
     */
    const TextField* Find(const std::string& key) const;

  private:
    /**
     * @param text name and values
     * @throws WorkloadError if it is not of the form
     */
    void Split(const std::string& text);

    /**
     * @param object name and values
     * @throws WorkloadError if a member is empty
     */
    void Take(const KeyedField::Object& object);

    SourceLocation m_where;                         //!< where the whole stands
    bool m_isObject;                                //!< whether values have places of their own
    TextField m_name;                               //!< name
    std::multimap<std::string, TextField> m_values; //!< values as typed, by key
    mutable std::set<std::string> m_known;          //!< keys asked for
};

} // namespace ns3

#endif /* KEYED_VALUES_H */
