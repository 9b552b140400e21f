/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef INPUT_YAML_H
#define INPUT_YAML_H

#include "json-section.h"
#include "workload-text.h"

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What a file holds, and where its values stand.
 */
struct InputDocument
{
    JsonSection::Json value;    //!< what it holds, as JSON has it
    JsonSection::Places places; //!< line and column of each value, by JSON pointer
};

/**
 * @ingroup workload-replay
 * @brief Read the part of YAML (1.2, core schema) that descriptions of networks are written in.
 *
 * These are maps and lists in blocks or, within a line, in brackets; plain and quoted values of one
 * line; blocks of text behind | and >; comments. A plain value is null, true, false, a decimal
 * number or a text.
 *
 * @param text the file
 * @return what it holds
 * @throws WorkloadError with line and column if it is anything else: anchors, aliases, tags,
 *         directives, several documents, values of several lines, tabs that indent, a key twice
 */
InputDocument ParseYaml(const WorkloadText& text);

} // namespace ns3

#endif /* INPUT_YAML_H */
