/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "link-file.h"

#include "output-file.h"
#include "output-text.h"

#include <iomanip>

namespace ns3
{

std::string
WriteLinkFile(const std::string& directory, const std::vector<LinkUse>& links, const Time& duration)
{
    OutputFile file(directory, "links.csv");
    auto& stream = file.GetStream();
    stream << "link,from,to,rate_bps,bytes,utilisation,max_queue_bytes,ecn_marked,pfc_pause_ns,"
              "dropped\n"
           << std::fixed << std::setprecision(6);
    for (const auto& use : links)
    {
        const double capacity = static_cast<double>(use.rate) * duration.GetSeconds() / 8;
        const double utilisation = capacity > 0 ? static_cast<double>(use.bytes) / capacity : 0;
        stream << use.link << ',' << FormatCsvField(use.from) << ',' << FormatCsvField(use.to)
               << ',' << use.rate << ',' << use.bytes << ',' << utilisation << ',' << use.maxQueue
               << ',' << use.ecnMarks << ',' << ToNanoseconds(use.pfcPause) << ',' << use.drops
               << '\n';
    }
    return file.Finish();
}

} // namespace ns3
