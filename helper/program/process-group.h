/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PROCESS_GROUP_H
#define PROCESS_GROUP_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief The processes that mpirun has started together, and what they send each other beside the
 * simulation: by MPI, whose state is the process's.
 *
 * One process alone is a group of one, for which nothing here does anything.
 */
class ProcessGroup
{
  public:
    /**
     * Find out whether mpirun has started this process, and join the others: Open MPI gives the
     * number of processes in the environment variable OMPI_COMM_WORLD_SIZE, MPICH and what derives
     * from it in PMI_SIZE.
     *
     * Who has joined may do so again, and leaves as often: RunReplayCommand() joins and leaves, so
     * that a script that has joined before can call it several times, and Gather() after it.
     *
     * @throws WorkloadError if there are several, and ns-3 is built without MPI, or with another
     *         than that of mpirun, or all have left each other before
     */
    static void Join();

    /**
     * Find out whether mpirun has started this process alone, which then joins nobody.
     *
     * @param program name of a program that has no use for others
     * @throws WorkloadError if there are several
     */
    static void CheckAlone(const std::string& program);

    /**
     * Take back a Join(). With the last one the others are left, which must do so, too: MPI asks
     * for it at the end of the program, and can then not be joined anew.
     */
    static void Leave();

    /**
     * End all processes, because this one cannot go on, and others do not know. One alone goes on.
     *
     * @param code exit code
     */
    static void Abort(int code);

    /**
     * @return number of processes
     */
    static uint32_t GetSize();

    /**
     * @return number of this process, counted from 0; before Join() what mpirun says
     */
    static uint32_t GetRank();

    /**
     * @return whether this is the process that speaks to the user
     */
    static bool IsFirst();

    /// Have ns-3's MPI engine run the next simulation. To be called before its first node is made.
    static void BeginSimulation();

    /// The simulation is destroyed.
    static void EndSimulation();

    /**
     * Bring together what each process has. All must call it.
     *
     * @param own what this one has
     * @return at the first process what all have, by process; at others nothing
     */
    static std::vector<std::string> Gather(const std::string& own);

    /**
     * Send all what the first process has. All must call it.
     *
     * @param own what this one has
     * @return what the first one has
     */
    static std::string Broadcast(const std::string& own);

    /**
     * Send bytes to the first process, which must receive them.
     *
     * @param bytes the bytes
     */
    static void SendToFirst(const std::string& bytes);

    /**
     * @param process the process
     * @return what it has sent by SendToFirst()
     */
    static std::string ReceiveFrom(uint32_t process);

    /// Ask the other processes to stop the simulation when they next look.
    static void AskToStop();

    /**
     * @return whether another process has asked to stop
     */
    static bool IsAskedToStop();

    /**
     * Report to the first process how far the work of this one has come.
     *
     * @param share share of it that is done, 0 to 1
     */
    static void TellShare(double share);

    /**
     * @param own share of the first process's work that is done, 0 to 1
     * @return mean over all processes of what they have reported last
     */
    static double GetMeanShare(double own);
};

} // namespace ns3

#endif /* PROCESS_GROUP_H */
