/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "process-group.h"

#include "ns3/workload-error.h"

#include <array>
#include <cstdlib>
#include <numeric>

#ifdef NS3_MPI
#include "ns3/mpi-interface.h"

#include <mpi.h>
#endif

namespace ns3
{

namespace
{

/**
 * @param names environment variables, one for each kind of mpirun
 * @param otherwise what they mean if none is set
 * @return value of the first that is set
 */
uint32_t
ReadEnvironment(const std::array<const char*, 2>& names, uint32_t otherwise)
{
    for (const auto* name : names)
    {
        if (const char* value = std::getenv(name))
        {
            return static_cast<uint32_t>(std::strtoul(value, nullptr, 10));
        }
    }
    return otherwise;
}

/**
 * @return number of processes that were started together, as mpirun reports
 */
uint32_t
GetStarted()
{
    return ReadEnvironment({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}, 1);
}

/**
 * @return number of this process among them
 */
uint32_t
GetStartedRank()
{
    return ReadEnvironment({"OMPI_COMM_WORLD_RANK", "PMI_RANK"}, 0);
}

#ifdef NS3_MPI

/// Tags of messages between two processes.
enum Tag
{
    BYTES, //!< of SendToFirst()
    STOP,  //!< of AskToStop()
    SHARE  //!< of TellShare()
};

/// What this process knows of its group.
struct State
{
    MPI_Comm communicator{MPI_COMM_NULL};  //!< apart from that of the engine
    int size{1};                           //!< number of processes
    int rank{0};                           //!< number of this one
    uint32_t joins{0};                     //!< calls of Join() that Leave() has not answered
    std::vector<double> shares;            //!< what processes have reported last
    MPI_Request pending{MPI_REQUEST_NULL}; //!< of the share that was reported last
    double sent{0};                        //!< that share
};

State g_state; //!< what this process knows

/**
 * MPI can be initialised but once in a program.
 *
 * @throws WorkloadError if that was, and is over
 */
void
CheckNotOver()
{
    int isOver = 0;
    MPI_Finalized(&isOver);
    if (isOver != 0)
    {
        throw WorkloadError({"mpirun", 0, 0, ""},
                            "a script that calls ProcessGroup::Join() before the first of several "
                            "replays, and Leave() after the last",
                            "another replay after the processes have left each other");
    }
}

/**
 * @param tag kind of message
 * @param [out] from who has sent the next one of it
 * @return whether there is one
 */
bool
HasMessage(Tag tag, int& from)
{
    int isThere = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, tag, g_state.communicator, &isThere, &status);
    from = status.MPI_SOURCE;
    return isThere != 0;
}

#endif

} // namespace

#ifdef NS3_MPI

void
ProcessGroup::Join()
{
    if (g_state.joins > 0)
    {
        ++g_state.joins;
    }
    else if (GetStarted() > 1)
    {
        CheckNotOver();
        MPI_Init(nullptr, nullptr);
        int found = 0;
        MPI_Comm_size(MPI_COMM_WORLD, &found);
        if (static_cast<uint32_t>(found) != GetStarted())
        {
            // Each would run alone, and write the same files.
            MPI_Finalize();
            throw WorkloadError({"mpirun", 0, 0, ""},
                                "the mpirun of the MPI that ns-3 is built with",
                                "one that has started " + std::to_string(GetStarted()) +
                                    " processes, each of which finds " + std::to_string(found));
        }
        // A communicator of its own: the engine's messages have the same tags.
        MPI_Comm_dup(MPI_COMM_WORLD, &g_state.communicator);
        MPI_Comm_size(g_state.communicator, &g_state.size);
        MPI_Comm_rank(g_state.communicator, &g_state.rank);
        g_state.shares.assign(static_cast<std::size_t>(g_state.size), 0);
        g_state.joins = 1;
    }
}

void
ProcessGroup::Leave()
{
    if (g_state.joins > 0 && --g_state.joins == 0)
    {
        // The engine has been disabled before: it does not finalise what it has not initialised.
        MPI_Finalize();
        g_state = State();
    }
}

void
ProcessGroup::Abort(int code)
{
    if (GetSize() > 1)
    {
        // mpirun ends the other processes, which would wait for this one.
        MPI_Abort(g_state.communicator, code);
    }
}

uint32_t
ProcessGroup::GetSize()
{
    return static_cast<uint32_t>(g_state.size);
}

uint32_t
ProcessGroup::GetRank()
{
    const bool hasJoined = g_state.communicator != MPI_COMM_NULL;
    // Errors before Join() are printed by the first process alone.
    return hasJoined ? static_cast<uint32_t>(g_state.rank) : GetStartedRank();
}

void
ProcessGroup::BeginSimulation()
{
    if (GetSize() > 1 && !MpiInterface::IsEnabled())
    {
        MpiInterface::Enable(MPI_COMM_WORLD);
    }
}

void
ProcessGroup::EndSimulation()
{
    if (MpiInterface::IsEnabled())
    {
        MpiInterface::Disable();
    }
}

std::vector<std::string>
ProcessGroup::Gather(const std::string& own)
{
    if (GetSize() == 1)
    {
        return {own};
    }
    const auto count = static_cast<std::size_t>(g_state.size);
    // MPI counts in int, so that a process may give 2 GiB at most.
    const int size = static_cast<int>(own.size());
    std::vector<int> sizes(count);
    MPI_Gather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, 0, g_state.communicator);
    std::vector<int> offsets(count, 0);
    // The bytes of a process begin where those of the processes before it end.
    std::partial_sum(sizes.begin(), sizes.end() - 1, offsets.begin() + 1);
    std::string bytes(IsFirst() ? static_cast<std::size_t>(offsets.back() + sizes.back()) : 0, 0);
    MPI_Gatherv(own.data(),
                size,
                MPI_BYTE,
                bytes.data(),
                sizes.data(),
                offsets.data(),
                MPI_BYTE,
                0,
                g_state.communicator);
    std::vector<std::string> all;
    for (std::size_t process = 0; IsFirst() && process < count; ++process)
    {
        all.push_back(bytes.substr(static_cast<std::size_t>(offsets[process]),
                                   static_cast<std::size_t>(sizes[process])));
    }
    return all;
}

std::string
ProcessGroup::Broadcast(const std::string& own)
{
    if (GetSize() == 1)
    {
        return own;
    }
    auto size = static_cast<int>(own.size());
    MPI_Bcast(&size, 1, MPI_INT, 0, g_state.communicator);
    std::string bytes = own;
    // The first process has sent its length; it keeps its own bytes.
    bytes.resize(static_cast<std::size_t>(size));
    MPI_Bcast(bytes.data(), size, MPI_BYTE, 0, g_state.communicator);
    return bytes;
}

void
ProcessGroup::SendToFirst(const std::string& bytes)
{
    MPI_Send(bytes.data(),
             static_cast<int>(bytes.size()),
             MPI_BYTE,
             0,
             BYTES,
             g_state.communicator);
}

std::string
ProcessGroup::ReceiveFrom(uint32_t process)
{
    MPI_Status status;
    // How much there is has to be asked first.
    MPI_Probe(static_cast<int>(process), BYTES, g_state.communicator, &status);
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    std::string bytes(static_cast<std::size_t>(size), '\0');
    MPI_Recv(bytes.data(),
             size,
             MPI_BYTE,
             static_cast<int>(process),
             BYTES,
             g_state.communicator,
             MPI_STATUS_IGNORE);
    return bytes;
}

void
ProcessGroup::AskToStop()
{
    for (int process = 0; process < g_state.size; ++process)
    {
        if (process != g_state.rank)
        {
            // Not waited for: the others look for it at their own pace.
            MPI_Request request;
            MPI_Isend(nullptr, 0, MPI_BYTE, process, STOP, g_state.communicator, &request);
            MPI_Request_free(&request);
        }
    }
}

bool
ProcessGroup::IsAskedToStop()
{
    bool isAsked = false;
    int from = 0;
    // Several processes may have asked.
    while (GetSize() > 1 && HasMessage(STOP, from))
    {
        MPI_Recv(nullptr, 0, MPI_BYTE, from, STOP, g_state.communicator, MPI_STATUS_IGNORE);
        isAsked = true;
    }
    return isAsked;
}

void
ProcessGroup::TellShare(double share)
{
    int isDone = 1;
    if (g_state.pending != MPI_REQUEST_NULL)
    {
        MPI_Test(&g_state.pending, &isDone, MPI_STATUS_IGNORE);
    }
    // What has not gone yet is not overtaken.
    // The buffer of a message under way must not change.
    if (isDone != 0)
    {
        g_state.sent = share;
        MPI_Isend(&g_state.sent, 1, MPI_DOUBLE, 0, SHARE, g_state.communicator, &g_state.pending);
    }
}

double
ProcessGroup::GetMeanShare(double own)
{
    if (GetSize() == 1)
    {
        return own;
    }
    int from = 0;
    // Of each process the last one counts.
    while (HasMessage(SHARE, from))
    {
        MPI_Recv(&g_state.shares[static_cast<std::size_t>(from)],
                 1,
                 MPI_DOUBLE,
                 from,
                 SHARE,
                 g_state.communicator,
                 MPI_STATUS_IGNORE);
    }
    // The first process sends itself nothing.
    g_state.shares[0] = own;
    return std::accumulate(g_state.shares.begin(), g_state.shares.end(), 0.0) / g_state.size;
}

#else

void
ProcessGroup::Join()
{
    if (GetStarted() > 1)
    {
        throw WorkloadError({"mpirun", 0, 0, ""},
                            "an ns-3 that is built with MPI (./ns3 configure --enable-mpi), to "
                            "run several processes",
                            std::to_string(GetStarted()) + " processes");
    }
}

void
ProcessGroup::Leave()
{
}

void
ProcessGroup::Abort(int /* code */)
{
}

uint32_t
ProcessGroup::GetSize()
{
    return 1;
}

uint32_t
ProcessGroup::GetRank()
{
    return GetStartedRank();
}

void
ProcessGroup::BeginSimulation()
{
}

void
ProcessGroup::EndSimulation()
{
}

std::vector<std::string>
ProcessGroup::Gather(const std::string& own)
{
    return {own};
}

std::string
ProcessGroup::Broadcast(const std::string& own)
{
    return own;
}

void
ProcessGroup::SendToFirst(const std::string& /* bytes */)
{
}

std::string
ProcessGroup::ReceiveFrom(uint32_t /* process */)
{
    return "";
}

void
ProcessGroup::AskToStop()
{
}

bool
ProcessGroup::IsAskedToStop()
{
    return false;
}

void
ProcessGroup::TellShare(double /* share */)
{
}

double
ProcessGroup::GetMeanShare(double own)
{
    return own;
}

#endif

void
ProcessGroup::CheckAlone(const std::string& program)
{
    if (GetStarted() > 1)
    {
        throw WorkloadError({"mpirun", 0, 0, ""},
                            "one process, because " + program + " has no use for others",
                            std::to_string(GetStarted()));
    }
}

bool
ProcessGroup::IsFirst()
{
    return GetRank() == 0;
}

} // namespace ns3
