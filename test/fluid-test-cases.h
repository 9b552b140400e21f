/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FLUID_TEST_CASES_H
#define FLUID_TEST_CASES_H

#include "rdma-test-case.h"

#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief Base of cases that send messages through a fluid.
 */
class FluidTestCase : public RdmaTestCase
{
  public:
    using RdmaTestCase::RdmaTestCase;

  protected:
    /// Bytes of a full packet on the wire, and the time that it takes at 100 Gb/s.
    /// @{
    static constexpr uint64_t WIRE = 4050;
    static inline const Time PACKET = NanoSeconds(324);

    /// @}

    /**
     * Begin a fabric anew.
     *
     * @param protocol TypeId name of the protocol
     * @param control TypeId name of the congestion control
     */
    void Begin(const std::string& protocol = "ns3::FluidProtocol",
               const std::string& control = "ns3::RdmaNoCongestionControl")
    {
        Reset();
        m_fabric->SetProtocol(protocol);
        m_fabric->SetCongestionControl(control);
        if (protocol != "ns3::FluidProtocol")
        {
            m_fabric->SetNicAttribute("MaxTrain", UintegerValue(1));
        }
    }

    /**
     * Make a fabric of links of 100 Gb/s and 1 us.
     *
     * @param hosts number of hosts at its switch, see MakeStar()
     */
    void InstallStar(uint32_t hosts)
    {
        Install(MakeStar(hosts, "100Gbps", MicroSeconds(1)));
    }

    /// Run until all is over.
    void Run()
    {
        Simulator::Run();
        ExpectAllDelivered();
    }

    /**
     * @return when the last message has arrived
     */
    Time GetLastArrival() const
    {
        Time last;
        for (const auto& fate : m_fates)
        {
            last = Max(last, fate.arrivedAt);
        }
        return last;
    }

    /**
     * @param found a time that was measured
     * @param expected the time that it should be
     * @param tolerance how far they may differ
     * @param what what takes this time
     */
    void ExpectTime(Time found, Time expected, Time tolerance, const std::string& what)
    {
        NS_TEST_EXPECT_MSG_EQ_TOL(found, expected, tolerance, what);
    }

    /**
     * @param expected when the last message should have arrived
     * @param tolerance how far this may be from when it has
     * @param what why then
     */
    void ExpectLast(Time expected, Time tolerance, const std::string& what)
    {
        ExpectTime(GetLastArrival(), expected, tolerance, what);
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases that test what congestion control hears in a fluid.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeFluidFeedbackTestCases();

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases that test messages that share links.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeFluidSharingTestCases();

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases that test a single link of a fluid, and links that are held back.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeFluidLinkTestCases();

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases that test ports that forward, and links that wait for each other.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeFluidPortTestCases();

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases that test flows through the links of a fluid.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeFluidNetworkTestCases();

/**
 * @ingroup workload-replay-tests
 * @brief Make the case that tests what flows through the links of a fluid hear.
 *
 * @return a new test case, which the caller owns
 */
std::vector<TestCase*> MakeFluidHearingTestCases();

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases that test links that go down under a fluid.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeFluidFailureTestCases();

} // namespace ns3

#endif /* FLUID_TEST_CASES_H */
