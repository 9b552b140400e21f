/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef KINETO_LOWERING_H
#define KINETO_LOWERING_H

#include "kineto-trace.h"
#include "kineto-transfers.h"
#include "workload.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What is to be reported of the traces of a job.
 */
struct KinetoNotes
{
    uint64_t unsized{0};    //!< communications whose bytes are not known
    uint64_t unlaunched{0}; //!< ops of accelerators without the call that launched them
    uint64_t skipped{0};    //!< communications whose kind or peer is not known
    uint64_t delayed{0};    //!< ops of accelerators that nothing is known to have held up
};

/**
 * @ingroup workload-replay
 * @brief Makes the program of one rank from its Kineto trace.
 *
 * - Ops of an accelerator's stream run in order, each after the call that launched it.
 * - Between the calls of a thread the host works as long as was recorded. After a gap in which
 *   another thread has worked a thread waits for that one's last call.
 * - A call that waits for the device (cudaStreamSynchronize and the like) waits for what had been
 *   launched before and had ended by then, and so does a stream after cudaStreamWaitEvent, and each
 *   communication for other streams: which event is meant is not recorded. How long waiting took is
 *   left out.
 * - Collectives take the time that they take now.
 */
class KinetoLowering
{
  public:
    /// Finds the ranks of the group of a communication; throws if they are not known.
    using FindRanks =
        std::function<std::vector<uint32_t>(const KinetoEvent&, const KinetoMessage&)>;

    /// Says how many bytes a collective has: by slot, number in it and what the trace says.
    using EvenBytes = std::function<uint64_t(uint32_t, uint32_t, uint64_t)>;

    /**
     * @param trace the trace; must outlive this object
     * @param rank its rank
     * @param findRanks ranks of the group of a communication
     * @param [in,out] notes takes in what is to be reported
     */
    KinetoLowering(const KinetoTrace& trace,
                   uint32_t rank,
                   FindRanks findRanks,
                   KinetoNotes& notes);

    /**
     * @param offset time until the first event, us
     * @param evenBytes says how many bytes collectives have; null = what the trace says
     * @return the program
     * @throws WorkloadError if a group is not known
     */
    std::shared_ptr<const WorkloadProgram> Lower(double offset,
                                                 const EvenBytes& evenBytes = nullptr);

    /**
     * @return name and ranks of the group of each slot of communicators
     */
    const std::vector<std::pair<std::string, std::vector<uint32_t>>>& GetSlots() const
    {
        return m_slots;
    }

    /// Kind and bytes of a collective, in order; 0 bytes if they are cut into parts of any length.
    using Collectives = std::vector<std::pair<CollectiveKind, uint64_t>>;

    /**
     * @return the collectives of each slot
     */
    const std::vector<Collectives>& GetCollectives() const
    {
        return m_collectives;
    }

  private:
    using OpIndex = WorkloadProgram::OpIndex; //!< index of an op

    /// A thread of the host.
    struct Thread
    {
        double end{0};     //!< when its last op ended, us
        OpIndex last{0};   //!< that op
        bool isNew{true};  //!< there is none yet
        double waited{-1}; //!< when it last had a stream wait for an event, us
        KinetoSpans spans; //!< of communications
    };

    /// An op of the accelerator.
    struct DeviceOp
    {
        OpIndex last{0};    //!< the op of the program, or its last one
        double launched{0}; //!< when it was launched, us
        double end{0};      //!< when it ended, us
    };

    /// A stream of the accelerator.
    struct DeviceStream
    {
        std::vector<DeviceOp> ops; //!< what was launched in it so far
        double applied{-1};        //!< the wait for an event that it has followed last, us
    };

    /// What an op waits for.
    struct Waits
    {
        std::vector<OpIndex> ops; //!< ops
        double end{0};            //!< when the last of them ended, us
    };

    /// A call that has launched ops of the accelerator.
    struct Launch
    {
        const KinetoEvent* call{nullptr}; //!< the call
        OpIndex op{0};                    //!< work of the host up to then
        double end{0};                    //!< when they may begin, us
    };

    /// When an event is looked at.
    struct Moment
    {
        double time{0};                    //!< when, us
        const KinetoEvent* event{nullptr}; //!< which
        bool isReturn{false};              //!< it is a call that has waited for its copy
    };

    /**
     * @return when events are looked at, in that order
     */
    std::vector<Moment> ListMoments() const;

    /**
     * @param event an event
     * @return whether it is a call that copies and waits until that is over, as copies to and from
     *         pageable memory do
     */
    bool IsBlocking(const KinetoEvent& event) const;

    /**
     * @param event a call that has waited for its copy
     */
    void AddReturn(const KinetoEvent& event);

    /**
     * @param event a call of the host, after those before it
     */
    void AddCall(const KinetoEvent& event);

    /**
     * Add the work of a thread up to a time.
     *
     * @param event a call of it
     * @param begin when the call began, us
     * @param end when it ended, us
     * @return the op
     */
    OpIndex AddHostOp(const KinetoEvent& event, double begin, double end);

    /**
     * @param event an op of the accelerator, after those before it
     */
    void AddDevice(const KinetoEvent& event);

    /**
     * Find how long the accelerator did nothing although an op was launched: it was busy with what
     * was launched before the trace, or loaded the kernel.
     *
     * @param event the op, after those before it
     * @param launch what launched it; null = unknown
     * @return the time, us; 0 = none to speak of
     */
    double FindDelay(const KinetoEvent& event, const Launch* launch);

    /**
     * Add the ops of a communication.
     *
     * @param event its kernel
     * @param call what has launched it; null = not known
     * @param waits what it waits for
     * @param [out] last what follows waits for
     * @return whether it can be replayed
     */
    bool AddMessage(const KinetoEvent& event,
                    const KinetoEvent* call,
                    const Waits& waits,
                    OpIndex& last);

    /**
     * @param event a kernel that sends or receives
     * @param transfers its messages
     * @param op has the slot of its group
     * @param waits what it waits for
     * @param [out] last what follows waits for
     * @return whether there are any
     */
    bool AddPointToPoint(const KinetoEvent& event,
                         const std::vector<KinetoTransfer>& transfers,
                         WorkloadOp op,
                         const Waits& waits,
                         OpIndex& last);

    /**
     * @param op an op, without stream and origin
     * @param event where it was read
     * @param stream its stream, if it is the first one there
     * @param track number of the stream among those of its name
     * @return its index
     */
    OpIndex AddOp(WorkloadOp op,
                  const KinetoEvent& event,
                  const WorkloadStream& stream,
                  int64_t track);

    /**
     * @param stream a stream of the accelerator, which does not wait for itself
     * @param launched what was launched later is not waited for, us
     * @param end what ended later is not waited for, us
     * @return of each other stream the last op that may be waited for
     */
    Waits FindWaits(int64_t stream, double launched, double end) const;

    /**
     * @param waits what to wait for
     * @param op who waits
     */
    void AddEdges(const Waits& waits, OpIndex op);

    /**
     * @param name name of a group
     * @param ranks its ranks
     * @return its slot
     */
    uint32_t FindSlot(const std::string& name, const std::vector<uint32_t>& ranks);

    const KinetoTrace& m_trace;       //!< the trace
    uint32_t m_rank;                  //!< its rank
    FindRanks m_findRanks;            //!< ranks of groups
    EvenBytes m_evenBytes;            //!< bytes of collectives; null = those of the trace
    KinetoNotes& m_notes;             //!< what is to be reported
    WorkloadProgramBuilder m_builder; //!< the program being built
    double m_start{0};                //!< when the rank begins, us
    double m_busy{0};                 //!< when the last op of the accelerator so far has ended, us
    std::map<int64_t, Thread> m_threads;                //!< of the host
    std::map<int64_t, DeviceStream> m_deviceStreams;    //!< of the accelerator
    std::map<int64_t, Launch> m_launches;               //!< by correlation
    std::map<int64_t, std::pair<double, double>> m_ops; //!< begin of the first op of the
                                                        //!< accelerator, and end of the last
                                                        //!< one, us, by correlation
    std::map<int64_t, OpIndex> m_last; //!< what follows such ops waits for, by correlation
    std::map<std::pair<std::string, int64_t>, uint16_t> m_streams;      //!< of the program
    std::vector<std::pair<std::string, std::vector<uint32_t>>> m_slots; //!< groups
    std::vector<Collectives> m_collectives;                             //!< by slot
};

} // namespace ns3

#endif /* KINETO_LOWERING_H */
