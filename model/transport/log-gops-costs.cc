/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "log-gops-costs.h"

#include "ns3/abort.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("LogGopsCosts");

NS_OBJECT_ENSURE_REGISTERED(LogGopsCosts);

TypeId
LogGopsCosts::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::LogGopsCosts")
            .SetParent<Object>()
            .SetGroupName("WorkloadReplay")
            .AddConstructor<LogGopsCosts>()
            .AddAttribute("Latency",
                          "L: time from the sender's CPU to the receiver. Not used where messages "
                          "are packets.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&LogGopsCosts::m_latency),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("Overhead",
                          "o: time for which a message needs the CPU at each end, whatever its "
                          "size.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&LogGopsCosts::m_overhead),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("Gap",
                          "g: time for which a message needs the NIC at each end, whatever its "
                          "size. Not used where messages are packets.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&LogGopsCosts::m_gap),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("ByteGap",
                          "G: the same for each byte but the first, ns. Not used where messages "
                          "are packets.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&LogGopsCosts::m_byteGap),
                          MakeDoubleChecker<double>(0, 1e9))
            .AddAttribute("ByteOverhead",
                          "O: time for which each byte but the first needs the CPU at each end, "
                          "ns.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&LogGopsCosts::m_byteOverhead),
                          MakeDoubleChecker<double>(0, 1e9))
            .AddAttribute("EagerLimit",
                          "S: the sender of a larger message waits until it is received: in the "
                          "LogGOPS model until it meets its receive, else until all of it is "
                          "acknowledged. Bytes.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&LogGopsCosts::m_eagerLimit),
                          MakeUintegerChecker<uint64_t>());
    return tid;
}

LogGopsCosts::LogGopsCosts()
{
    NS_LOG_FUNCTION(this);
}

LogGopsCosts::~LogGopsCosts()
{
    NS_LOG_FUNCTION(this);
}

Time
LogGopsCosts::GetLatency() const
{
    return m_latency;
}

Time
LogGopsCosts::GetOverhead() const
{
    return m_overhead;
}

Time
LogGopsCosts::GetCpuTime(uint64_t bytes) const
{
    return GetTime(m_overhead, m_byteOverhead, bytes);
}

Time
LogGopsCosts::GetNicTime(uint64_t bytes) const
{
    return GetTime(m_gap, m_byteGap, bytes);
}

Time
LogGopsCosts::GetReceiveTime(uint64_t bytes) const
{
    return GetTime(m_overhead, std::max(m_byteOverhead, m_byteGap), bytes);
}

bool
LogGopsCosts::IsEager(uint64_t bytes) const
{
    return bytes <= m_eagerLimit;
}

Time
LogGopsCosts::GetTime(Time fixed, double perByte, uint64_t bytes)
{
    // Whole numbers of nanoseconds are exact up to 2^53 of them, 104 days.
    const double nanoseconds =
        std::round(perByte * static_cast<double>(std::max<uint64_t>(bytes, 1) - 1));
    NS_ABORT_MSG_IF(nanoseconds > 1e-3 * static_cast<double>(std::numeric_limits<int64_t>::max()),
                    "a message of " << bytes << " bytes takes " << nanoseconds * 1e-9
                                    << " s, more than 106 days");
    return fixed + NanoSeconds(static_cast<uint64_t>(nanoseconds));
}

} // namespace ns3
