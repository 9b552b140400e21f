/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef JSON_OBJECTS_H
#define JSON_OBJECTS_H

#include "workload-error.h"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Reads the objects of a text in JSON that has many, one after another: in a list, on lines
 * of their own, or with nothing between them.
 *
 * Only one of them is in memory beside the text.
 */
class JsonObjects
{
  public:
    /**
     * @param file the file, for errors
     * @param text what it holds
     */
    JsonObjects(const std::string& file, std::string text);

    /**
     * @param [out] object the next object
     * @return false at the end of the text
     * @throws WorkloadError with line and column if there is something else
     */
    bool Next(nlohmann::ordered_json& object);

    /**
     * @return place where the object at hand begins
     */
    SourceLocation GetPlace() const;

  private:
    /**
     * @return past the end of the object at hand
     */
    std::size_t FindEnd() const;

    std::string m_file;     //!< the file
    std::string m_text;     //!< what it holds
    std::size_t m_begin{0}; //!< where the object at hand begins
    std::size_t m_end{0};   //!< past its end
};

} // namespace ns3

#endif /* JSON_OBJECTS_H */
