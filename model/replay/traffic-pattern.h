/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TRAFFIC_PATTERN_H
#define TRAFFIC_PATTERN_H

#include "ns3/flow-file.h"
#include "ns3/flow-sizes.h"
#include "ns3/random-variable-stream.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief The hosts between which background traffic flows.
 */
struct TrafficHosts
{
    std::vector<uint32_t> hosts;   //!< the hosts, at least two
    std::vector<uint32_t> servers; //!< number of the server of each
    uint64_t rate{0};              //!< rate of the network links of one, bit/s, above 0

    /**
     * @param sender index of a host in hosts
     * @param random draws
     * @return any host of another server or, if there is but one server, any other host
     */
    uint32_t PickReceiver(std::size_t sender, UniformRandomVariable& random) const;
};

/**
 * @ingroup workload-replay
 * @brief Says when which background flows begin. It does not depend on what the network does, so
 *        that it is the same whoever asks and however often.
 */
class TrafficPattern
{
  public:
    virtual ~TrafficPattern() = default;

    /**
     * @return the next flow, which begins no earlier than those before; none = there are no more
     */
    virtual std::optional<BackgroundFlow> Next() = 0;

    /**
     * Fix the random numbers. To be called before Next().
     *
     * @param stream index of the first stream to use
     * @return number of streams used
     */
    virtual int64_t AssignStreams(int64_t stream) = 0;
};

/**
 * @ingroup workload-replay
 * @brief Flows from any host to any other one begin as a Poisson process, as in the evaluations of
 *        pFabric, DCQCN and HPCC.
 */
class PoissonTraffic : public TrafficPattern
{
  public:
    /**
     * @param hosts the hosts
     * @param sizes sizes of the flows
     * @param load what each host sends in the mean, as a share of its rate, above 0
     */
    PoissonTraffic(TrafficHosts hosts, FlowSizes sizes, double load);

    std::optional<BackgroundFlow> Next() override;
    int64_t AssignStreams(int64_t stream) override;

  private:
    TrafficHosts m_hosts;                    //!< the hosts
    FlowSizes m_sizes;                       //!< sizes of the flows
    double m_gap;                            //!< mean time between two flows, s
    Time m_now;                              //!< when the last flow begins
    Ptr<ExponentialRandomVariable> m_gaps;   //!< draws times between flows
    Ptr<UniformRandomVariable> m_hostPicker; //!< draws hosts
    Ptr<UniformRandomVariable> m_sizePicker; //!< draws sizes
};

/**
 * @ingroup workload-replay
 * @brief Every host sends to one other host flows of one size, at equal intervals; each host is
 * sent to by one.
 */
class PermutationTraffic : public TrafficPattern
{
  public:
    /**
     * @param hosts the hosts
     * @param bytes size of a flow
     * @param load what each host sends, as a share of its rate, above 0
     */
    PermutationTraffic(TrafficHosts hosts, uint64_t bytes, double load);

    std::optional<BackgroundFlow> Next() override;
    int64_t AssignStreams(int64_t stream) override;

  private:
    /// Draw who sends to whom, and when the first flows begin.
    void Draw();

    /// What one host sends.
    struct Sender
    {
        Time first;              //!< when its first flow begins
        uint32_t source{0};      //!< the host
        uint32_t destination{0}; //!< whom it sends to
    };

    TrafficHosts m_hosts;                //!< the hosts
    uint64_t m_bytes;                    //!< size of a flow
    Time m_interval;                     //!< between two flows of a host
    std::vector<Sender> m_senders;       //!< in the order of their first flows; empty = not drawn
    std::size_t m_next{0};               //!< sender of the next flow
    int64_t m_round{0};                  //!< how many flows each has sent
    Ptr<UniformRandomVariable> m_random; //!< draws
};

/**
 * @ingroup workload-replay
 * @brief Some hosts send to one at the same moment; these moments are a Poisson process (Y. Li et
 *        al., "HPCC", SIGCOMM 2019, section 5.3).
 */
class IncastTraffic : public TrafficPattern
{
  public:
    /// What is sent.
    struct Shape
    {
        uint32_t senders{1};              //!< hosts that send at once, below the number of hosts
        uint64_t bytes{0};                //!< what each of them sends
        double load{0};                   //!< what all hosts send in the mean, as a share of their
                                          //!< rates, above 0
        std::optional<uint32_t> receiver; //!< index of the host that is sent to; absent = any
    };

    /**
     * @param hosts the hosts
     * @param shape what is sent
     */
    IncastTraffic(TrafficHosts hosts, Shape shape);

    std::optional<BackgroundFlow> Next() override;
    int64_t AssignStreams(int64_t stream) override;

  private:
    /// Draw the next moment, who sends and who is sent to.
    void Draw();

    TrafficHosts m_hosts; //!< the hosts
    Shape m_shape;        //!< what is sent
    Time m_now;           //!< when the last flows begin
    std::vector<BackgroundFlow>
        m_flows; //!< flows of that moment that are not yet reported, reversed
    Ptr<ExponentialRandomVariable> m_gaps; //!< draws times between moments
    Ptr<UniformRandomVariable> m_random;   //!< draws hosts
};

/**
 * @ingroup workload-replay
 * @brief The flows of a list.
 */
class ListedTraffic : public TrafficPattern
{
  public:
    /**
     * @param flows the flows in the order of their starts
     */
    explicit ListedTraffic(std::vector<BackgroundFlow> flows);

    std::optional<BackgroundFlow> Next() override;
    int64_t AssignStreams(int64_t stream) override;

  private:
    std::vector<BackgroundFlow> m_flows; //!< the flows
    std::size_t m_next{0};               //!< the next one
};

} // namespace ns3

#endif /* TRAFFIC_PATTERN_H */
