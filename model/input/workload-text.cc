/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "workload-text.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

namespace ns3
{

namespace
{

/// What separates words. A line of nothing else is blank.
const std::string BLANKS = " \t\r\v\f";

/**
 * @param error a value of errno
 * @return what was found instead of a file that can be read
 */
std::string
DescribeReadError(int error)
{
    switch (error)
    {
    case ENOENT:
        return "no file of that name";
    case EISDIR:
        return "a directory";
    default:
        return std::string("a file that cannot be read (") + std::strerror(error) + ")";
    }
}

/**
 * @param file path of a file
 * @param readable kinds of files of other tools that its reader reads
 * @return all its bytes, or those as far as a NUL byte, which no text has
 * @throws WorkloadError if it cannot be read, or is no file for any reader
 */
std::string
ReadAll(const std::string& file, const std::vector<ForeignFile>& readable)
{
    auto fail = [&file]() {
        throw WorkloadError({file, 0, 0, ""}, "a text file", DescribeReadError(errno));
    };
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::fopen(file.c_str(), "rb"),
                                                                 &std::fclose);
    if (!stream)
    {
        fail();
    }
    std::string content;
    std::array<char, 65536> block;
    while (const auto n = std::fread(block.data(), 1, block.size(), stream.get()))
    {
        const bool isFirst = content.empty();
        content.append(block.data(), n);
        if (isFirst)
        {
            RefuseForeignFile(file, content, readable); // before gigabytes of it are read
        }
        if (std::memchr(block.data(), '\0', n))
        {
            return content; // no text, whatever else may follow in gigabytes
        }
    }
    if (std::ferror(stream.get()))
    {
        fail();
    }
    return content;
}

} // namespace

WorkloadText::WorkloadText(const std::string& file, const std::vector<ForeignFile>& readable)
    : m_file(file)
{
    auto content = ReadAll(file, readable);
    // The byte order mark of UTF-8 is no part of the text.
    if (content.compare(0, 3, "\xef\xbb\xbf") == 0)
    {
        content.erase(0, 3);
    }
    SplitLines(content);
    if (m_lines.empty())
    {
        throw WorkloadError({file, 0, 0, ""},
                            "at least one line of text",
                            content.empty() ? "an empty file" : "blank lines only");
    }
}

void
WorkloadText::SplitLines(const std::string& content)
{
    uint32_t number = 0;
    for (std::size_t begin = 0; begin < content.size();)
    {
        const auto end = std::min(content.find('\n', begin), content.size());
        Line line{++number, content.substr(begin, end - begin)};
        begin = end + 1;
        if (!line.text.empty() && line.text.back() == '\r')
        {
            line.text.pop_back();
        }
        const auto nul = line.text.find('\0');
        if (nul != std::string::npos)
        {
            throw WorkloadError(Locate(line, nul),
                                "text in ASCII or UTF-8",
                                "a NUL byte, as in binary and UTF-16 files");
        }
        if (line.text.find_first_not_of(BLANKS) != std::string::npos)
        {
            m_lines.push_back(std::move(line));
        }
    }
}

const std::string&
WorkloadText::GetFile() const
{
    return m_file;
}

const std::vector<WorkloadText::Line>&
WorkloadText::GetLines() const
{
    return m_lines;
}

std::string
WorkloadText::Join() const
{
    std::string joined;
    uint32_t number = 1;
    for (const auto& line : m_lines)
    {
        // Blank lines were dropped. Empty ones in their place keep the line numbers of a parser
        // right.
        joined.append(line.number - number, '\n');
        joined += line.text;
        number = line.number;
    }
    return joined;
}

SourceLocation
WorkloadText::Locate(const Line& line, std::size_t byte) const
{
    const auto end = line.text.begin() + static_cast<std::ptrdiff_t>(byte);
    // Bytes 10xxxxxx continue a character of UTF-8.
    const auto nBefore =
        std::count_if(line.text.begin(), end, [](unsigned char c) { return (c & 0xc0) != 0x80; });
    return {m_file, line.number, static_cast<uint32_t>(nBefore + 1), ""};
}

std::vector<TextField>
WorkloadText::Split(const Line& line, char separator) const
{
    std::vector<TextField> fields;
    // Up to the size and not below it: an empty field may follow the last separator.
    for (std::size_t begin = 0; begin <= line.text.size();)
    {
        const auto end = std::min(line.text.find(separator, begin), line.text.size());
        fields.push_back({line.text.substr(begin, end - begin), Locate(line, begin)});
        begin = end + 1;
    }
    return fields;
}

std::vector<TextField>
WorkloadText::SplitWords(const Line& line, const std::string& more) const
{
    const auto separators = BLANKS + more;
    std::vector<TextField> words;
    auto begin = line.text.find_first_not_of(separators);
    while (begin != std::string::npos)
    {
        const auto end = std::min(line.text.find_first_of(separators, begin), line.text.size());
        words.push_back({line.text.substr(begin, end - begin), Locate(line, begin)});
        begin = line.text.find_first_not_of(separators, end);
    }
    return words;
}

} // namespace ns3
