/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "workload-text.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>
#include <locale>
#include <memory>
#include <sstream>
#include <utility>

namespace ns3
{

namespace
{

/// A decimal number taken apart: digits x 10^exponent.
struct Decimal
{
    std::string digits;  //!< digits before and after the point, at least one
    int64_t exponent{0}; //!< power of ten
};

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
 * @return all its bytes
 * @throws WorkloadError if it cannot be read
 */
std::string
ReadAll(const std::string& file)
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
        content.append(block.data(), n);
    }
    if (std::ferror(stream.get()))
    {
        fail();
    }
    return content;
}

/**
 * Take a number apart without losing digits, whatever the locale.
 *
 * @param text any text
 * @param decimal the number; undefined if false is returned
 * @return false if the text is not digits with an optional fraction and exponent
 */
bool
SplitDecimal(const std::string& text, Decimal& decimal)
{
    std::size_t next = 0;
    auto takeDigits = [&text, &next](std::string& digits) {
        const auto end = std::min(text.find_first_not_of("0123456789", next), text.size());
        digits.append(text, next, end - next);
        next = end;
    };
    auto take = [&text, &next](char c) {
        const bool is = next < text.size() && text[next] == c;
        next += is ? 1 : 0;
        return is;
    };
    takeDigits(decimal.digits);
    if (take('.'))
    {
        const auto nWhole = decimal.digits.size();
        takeDigits(decimal.digits);
        decimal.exponent -= static_cast<int64_t>(decimal.digits.size() - nWhole);
    }
    if (take('e') || take('E'))
    {
        const bool negative = take('-');
        if (!negative)
        {
            take('+');
        }
        std::string digits;
        takeDigits(digits);
        if (digits.empty())
        {
            return false;
        }
        // Any exponent beyond this is as far out of range as this one.
        constexpr int64_t largest = 1000000000;
        int64_t exponent = 0;
        for (const char c : digits)
        {
            exponent = std::min(exponent * 10 + (c - '0'), largest);
        }
        decimal.exponent += negative ? -exponent : exponent;
    }
    return !decimal.digits.empty() && next == text.size();
}

/**
 * @param field a field
 * @return how an error message names what stands there
 */
std::string
Found(const TextField& field)
{
    return field.text.empty() ? "an empty field" : Quoted(field.text);
}

} // namespace

WorkloadText::WorkloadText(const std::string& file)
    : m_file(file)
{
    auto content = ReadAll(file);
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
        if (line.text.find_first_not_of(" \t") != std::string::npos)
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
    for (std::size_t begin = 0; begin <= line.text.size();)
    {
        const auto end = std::min(line.text.find(separator, begin), line.text.size());
        fields.push_back({line.text.substr(begin, end - begin), Locate(line, begin)});
        begin = end + 1;
    }
    return fields;
}

double
ParseNonNegative(const TextField& field, const std::string& what)
{
    Decimal decimal;
    if (!SplitDecimal(field.text, decimal))
    {
        throw WorkloadError(field.where,
                            what + " as a number of 0 or more, such as 0.25 or 1e-3",
                            Found(field));
    }
    // A stream of its own, because strtod() would follow the locale of the program.
    std::istringstream stream(field.text);
    stream.imbue(std::locale::classic());
    double value = 0;
    if (!(stream >> value))
    {
        throw WorkloadError(field.where, what + " as a number below 1.8e308", Found(field));
    }
    return value;
}

uint64_t
ParseCount(const TextField& field, const std::string& what)
{
    Decimal decimal;
    const bool isNumber = SplitDecimal(field.text, decimal);
    auto& digits = decimal.digits;
    digits.erase(0, digits.find_first_not_of('0'));
    while (decimal.exponent < 0 && !digits.empty() && digits.back() == '0')
    {
        digits.pop_back();
        ++decimal.exponent;
    }
    if (!isNumber || (decimal.exponent < 0 && !digits.empty()))
    {
        throw WorkloadError(field.where, what + " as a whole number of 0 or more", Found(field));
    }
    constexpr auto largest = std::numeric_limits<uint64_t>::max();
    constexpr auto nLargest = std::numeric_limits<uint64_t>::digits10 + 1;
    if (!digits.empty())
    {
        // One zero more than the largest count has digits is enough to be found too large.
        digits.append(static_cast<std::size_t>(std::min<int64_t>(decimal.exponent, nLargest)), '0');
    }
    uint64_t value = 0;
    for (const char c : digits)
    {
        const auto digit = static_cast<uint64_t>(c - '0');
        if (value > (largest - digit) / 10)
        {
            throw WorkloadError(field.where,
                                what + " of at most " + std::to_string(largest),
                                Found(field));
        }
        value = value * 10 + digit;
    }
    return value;
}

} // namespace ns3
