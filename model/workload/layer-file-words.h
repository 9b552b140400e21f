/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LAYER_FILE_WORDS_H
#define LAYER_FILE_WORDS_H

#include "ns3/workload-text.h"

#include <string>
#include <vector>

namespace ns3
{

/// What separates words of rows.
constexpr const char* LAYER_FILE_BLANKS = " \t\r\v\f";

/// What separates words of the header: a colon says nothing that a blank does not.
constexpr const char* LAYER_FILE_BLANKS_AND_COLON = " \t\r\v\f:";

/**
 * @param text a file
 * @param line a line of it
 * @param separators the characters between words, any number of them
 * @return its words
 */
std::vector<TextField> SplitWords(const WorkloadText& text,
                                  const WorkloadText::Line& line,
                                  const std::string& separators);

/**
 * @param words some words
 * @return the words with commas between them
 */
std::string JoinWords(const std::vector<std::string>& words);

} // namespace ns3

#endif /* LAYER_FILE_WORDS_H */
