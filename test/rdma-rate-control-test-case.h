/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_RATE_CONTROL_TEST_CASE_H
#define RDMA_RATE_CONTROL_TEST_CASE_H

#include "ns3/rdma-congestion-control.h"
#include "ns3/test.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Tells the congestion control of one queue pair what happens, and looks at its rate.
 */
class RdmaRateControlTestCase : public TestCase
{
  public:
    /**
     * @param name name of the case
     */
    RdmaRateControlTestCase(const std::string& name)
        : TestCase(name)
    {
    }

  protected:
    /**
     * @param lineRate rate of the port
     * @param baseRtt base round trip
     * @param mtu payload of a full packet, bytes
     * @return the path
     */
    static RdmaPath MakePath(const std::string& lineRate, Time baseRtt, uint32_t mtu)
    {
        RdmaPath path;
        path.lineRate = DataRate(lineRate);
        path.baseRtt = baseRtt;
        path.mtu = mtu;
        return path;
    }

    /**
     * Begin a queue pair, instead of the one before.
     *
     * @param strategy the congestion control
     * @param path its path
     */
    void Begin(Ptr<RdmaCongestionControl> strategy, const RdmaPath& path)
    {
        m_control = strategy->Create(path);
        m_acknowledged = 0;
    }

    /**
     * @return control of the queue pair
     */
    RdmaRateControl& GetControl()
    {
        return *m_control;
    }

    /**
     * @param now when a notification arrives
     */
    void Cnp(Time now)
    {
        m_control->CnpReceived(now);
    }

    /**
     * @param now when a packet leaves
     * @param bytes its size
     */
    void Sent(Time now, uint32_t bytes)
    {
        m_control->PacketSent(now, bytes);
    }

    /**
     * @param now when an acknowledgement arrives
     * @param rtt its round-trip time
     * @param bytes payload that it acknowledges
     * @param onTheWay payload that is sent and not acknowledged then
     */
    void Ack(Time now, Time rtt = MicroSeconds(10), uint64_t bytes = 4000, uint64_t onTheWay = 0)
    {
        m_acknowledged += bytes;
        RdmaAck ack;
        ack.now = now;
        ack.rtt = rtt;
        ack.bytes = bytes;
        ack.acknowledged = m_acknowledged;
        ack.sent = m_acknowledged + onTheWay;
        m_control->AckReceived(ack);
    }

    /**
     * Check the rate, to 12 digits.
     *
     * @param now the time
     * @param rate what it is to be, bit/s
     * @param what what is being looked at
     */
    void ExpectRate(Time now, double rate, const std::string& what)
    {
        NS_TEST_EXPECT_MSG_EQ_TOL(m_control->GetRate(now), rate, rate * 1e-12, "rate: " << what);
    }

    /**
     * Check the window, to a byte, as it is cut to whole bytes.
     *
     * @param window what it is to be, bytes
     * @param what what is being looked at
     */
    void ExpectWindow(uint64_t window, const std::string& what)
    {
        const uint64_t found = m_control->GetWindow();
        NS_TEST_EXPECT_MSG_EQ((found == window || found + 1 == window),
                              true,
                              "window: " << what << ": expected " << window << ", found " << found);
    }

  private:
    void DoTeardown() override
    {
        m_control.reset();
    }

    std::unique_ptr<RdmaRateControl> m_control; //!< control of the queue pair
    uint64_t m_acknowledged{0};                 //!< payload acknowledged by Ack(), bytes
};

/**
 * @ingroup workload-replay
 * @brief Make the cases of DCQCN.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeDcqcnTestCases();

/**
 * @ingroup workload-replay
 * @brief Make the cases of DCQCN as network cards run it.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeDcqcnCardTestCases();

/**
 * @ingroup workload-replay
 * @brief Make the cases of HPCC.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeHpccTestCases();

/**
 * @ingroup workload-replay
 * @brief Make the cases of TIMELY and Swift.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeDelayTestCases();

} // namespace ns3

#endif /* RDMA_RATE_CONTROL_TEST_CASE_H */
