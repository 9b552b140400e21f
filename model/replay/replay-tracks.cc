/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replay-tracks.h"

#include <algorithm>
#include <utility>

namespace ns3
{

void
ReplayTracks::Setup(const WorkloadProgram& program)
{
    m_program = &program;
    m_states.resize(program.GetStreams().size());
    m_scheduler.Setup(program);
}

std::optional<std::size_t>
ReplayTracks::TakeReady()
{
    const auto track = m_scheduler.TakeReady();
    if (track)
    {
        // Streams whose ops run in parallel have tracks beyond their own.
        m_states.resize(std::max(m_states.size(), *track + 1));
    }
    return track;
}

std::vector<std::size_t>
ReplayTracks::GetBusy() const
{
    std::vector<std::size_t> busy;
    for (std::size_t track = 0; track < m_states.size(); ++track)
    {
        if (m_scheduler.IsBusy(track))
        {
            busy.push_back(track);
        }
    }
    return busy;
}

void
ReplayTracks::AddPast(std::unique_ptr<CollectiveRun> run)
{
    run->SetTrack(m_nextPast);
    m_past[m_nextPast++] = std::move(run);
}

bool
ReplayTracks::ErasePast(std::size_t track)
{
    return track >= FIRST_PAST && m_past.erase(track) > 0;
}

} // namespace ns3
