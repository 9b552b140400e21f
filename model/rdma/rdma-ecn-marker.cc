/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-ecn-marker.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/workload-error.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaEcnMarker");

NS_OBJECT_ENSURE_REGISTERED(RdmaEcnMarker);

TypeId
RdmaEcnMarker::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaEcnMarker")
            .SetParent<Object>()
            .SetGroupName("WorkloadReplay")
            .AddConstructor<RdmaEcnMarker>()
            .AddAttribute("Kmin",
                          "Sending time of the queue up to which nothing is marked. The default is "
                          "100 KB at 25 Gb/s, which HPCC (SIGCOMM 2019, section 5.1) gives DCQCN.",
                          TimeValue(MicroSeconds(32)),
                          MakeTimeAccessor(&RdmaEcnMarker::m_kmin),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("Kmax",
                          "Sending time of the queue from which on all is marked. The default is "
                          "400 KB at 25 Gb/s, from the same place.",
                          TimeValue(MicroSeconds(128)),
                          MakeTimeAccessor(&RdmaEcnMarker::m_kmax),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("Pmax",
                          "Probability of a mark just below Kmax; 1 and Kmin = Kmax = a step, as "
                          "for DCTCP. The default is that of the simulator published with HPCC.",
                          DoubleValue(0.2),
                          MakeDoubleAccessor(&RdmaEcnMarker::m_pmax),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("NvlinkMarks",
                          "Whether what waits for an NVLink is marked as well. NVLink has credits "
                          "and knows no marks (NVIDIA H100 architecture whitepaper: NVLink).",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RdmaEcnMarker::m_nvlinkMarks),
                          MakeBooleanChecker());
    return tid;
}

RdmaEcnMarker::RdmaEcnMarker()
{
    NS_LOG_FUNCTION(this);
}

RdmaEcnMarker::~RdmaEcnMarker()
{
    NS_LOG_FUNCTION(this);
}

void
RdmaEcnMarker::CheckParameters() const
{
    if (m_kmin > m_kmax)
    {
        std::ostringstream expected;
        expected << "at most Kmax, " << m_kmax.As(Time::US);
        std::ostringstream found;
        found << m_kmin.As(Time::US);
        throw WorkloadError({"ns3::RdmaEcnMarker::Kmin", 0, 0, ""}, expected.str(), found.str());
    }
}

uint64_t
RdmaEcnMarker::GetKmin(DataRate rate) const
{
    return static_cast<uint64_t>(m_kmin.GetSeconds() * static_cast<double>(rate.GetBitRate()) / 8 +
                                 0.5);
}

double
RdmaEcnMarker::GetProbability(uint64_t queue, DataRate rate) const
{
    const double time = static_cast<double>(queue) * 8 / static_cast<double>(rate.GetBitRate());
    const double kmin = m_kmin.GetSeconds();
    const double kmax = m_kmax.GetSeconds();
    if (time >= kmax)
    {
        return 1;
    }
    // Both may be the same, for a step.
    return time <= kmin ? 0 : m_pmax * (time - kmin) / (kmax - kmin);
}

bool
RdmaEcnMarker::Mark(uint64_t queue, DataRate rate, UniformRandomVariable& random) const
{
    const double probability = AskProbability(queue, rate);
    // Where all are marked nothing is drawn.
    return probability >= 1 || random.GetValue() < probability;
}

double
RdmaEcnMarker::AskProbability(uint64_t queue, DataRate rate) const
{
    const double probability = GetProbability(queue, rate);
    if (!(probability >= 0 && probability <= 1))
    {
        std::ostringstream found;
        found << probability;
        throw WorkloadError({GetInstanceTypeId().GetName()},
                            "a probability from 0 to 1 from GetProbability()",
                            found.str());
    }
    return probability;
}

bool
RdmaEcnMarker::MarksNvlink() const
{
    return m_nvlinkMarks;
}

void
RdmaPortMarking::Set(Ptr<RdmaEcnMarker> marker, DataRate rate)
{
    m_marker = marker;
    m_rate = rate;
    m_kmin = marker ? marker->GetKmin(rate) : UINT64_MAX;
    if (marker && !m_random)
    {
        m_random = CreateObject<UniformRandomVariable>();
    }
}

void
RdmaPortMarking::AssignStream(int64_t stream)
{
    if (m_random)
    {
        m_random->SetStream(stream);
    }
}

} // namespace ns3
