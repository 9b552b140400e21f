/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SVG_TEXT_H
#define SVG_TEXT_H

#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @param text any text
 * @return the text for XML; what is not printable ASCII is shown as question marks
 */
std::string EscapeXml(const std::string& text);

/**
 * @ingroup workload-replay
 * @param value a length, pixels
 * @return it with a decimal, which is left out if it is 0
 */
std::string FormatPixels(double value);

} // namespace ns3

#endif /* SVG_TEXT_H */
