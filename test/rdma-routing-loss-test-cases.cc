/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-routing-test-case.h"

#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/enum.h"
#include "ns3/error-model.h"
#include "ns3/random-variable-stream.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <list>

using namespace ns3;

namespace
{

/**
 * @ingroup workload-replay
 * @brief Loses packets; base of the cases.
 */
class RdmaRoutingRepairTestCase : public RdmaRoutingTestCase
{
  public:
    using RdmaRoutingTestCase::RdmaRoutingTestCase;

  protected:
    /**
     * Compare what was sent again to what was lost.
     *
     * @param isSelective whether just that is to be sent again: but for the 65 packets at most that
     *                    one acknowledgement tells of, and that may be on their way
     */
    void ExpectRepairs(bool isSelective)
    {
        NS_TEST_EXPECT_MSG_GT(m_lost, 0, "something is lost");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(m_retransmissions, m_lost, "all that is lost is sent again");
        if (isSelective)
        {
            NS_TEST_EXPECT_MSG_LT_OR_EQ(m_retransmissions, m_lost + 65, "and little else");
        }
    }
};

/**
 * @ingroup workload-replay
 * @brief One of two uplinks fails while messages are under way, and comes back.
 *
 * A host of 200 Gb/s sends messages of 100 packets. By one uplink a message takes 40 us.
 */
class RdmaRoutingFailureTestCase : public RdmaRoutingRepairTestCase
{
  public:
    /**
     * @param routing how nodes choose
     * @param uplinks uplinks that a flow uses at a time
     */
    RdmaRoutingFailureTestCase(const std::string& routing, uint32_t uplinks)
        : RdmaRoutingRepairTestCase("rdma routing: an uplink fails and comes back, " + routing),
          m_routing(routing),
          m_uplinks(uplinks)
    {
    }

  private:
    void DoRun() override
    {
        Shape shape;
        shape.nicGbps = 200;
        shape.spines = 2;
        // What waits for the uplink that is left must not look lost.
        shape.bufferSize = 2000000;
        Build(shape);
        Install(m_routing);
        for (uint32_t message = 0; message < 100 + m_uplinks * 50; ++message)
        {
            Post(Time(0), 0, 1, 100 * MTU);
        }
        for (uint32_t message = 0; message < 20; ++message)
        {
            // After pauses longer than the gap of flowlets.
            Post(MicroSeconds(10000 + 200 * message), 0, 1, MTU);
        }
        RunUntil(MicroSeconds(500));
        const auto before = GetUplinkPackets(0);
        const auto failed = std::max_element(before.begin(), before.end()) - before.begin();
        // The first packet is at the leaf after 1.2 us, and an uplink takes 400 ns for each.
        const auto used = std::count_if(before.begin(), before.end(), [](uint64_t load) {
            return std::abs(static_cast<double>(load) - (500000 - 1200) / 400.0) < 2;
        });
        NS_TEST_EXPECT_MSG_EQ(used, m_uplinks, "uplinks at full rate before");
        m_fabric->GetNetwork()->SetLinkUp(GetUplink(0, failed), false);

        // 100 us to converge, 500 us until what was lost is missed, and a while to send it again.
        RunUntil(MicroSeconds(1500));
        uint64_t messages = m_order.size();
        RunUntil(MicroSeconds(2500));
        NS_TEST_EXPECT_MSG_EQ_TOL(m_order.size() - messages, 25, 1, "rate of one uplink");
        const uint64_t others = GetUplinkPackets(0)[failed];
        NS_TEST_EXPECT_MSG_EQ(others, before[failed], "nothing by the uplink that is down");

        m_fabric->GetNetwork()->SetLinkUp(GetUplink(0, failed), true);
        RunUntil(MicroSeconds(3000));
        messages = m_order.size();
        RunUntil(MicroSeconds(3400));
        NS_TEST_EXPECT_MSG_EQ_TOL(m_order.size() - messages,
                                  10 * m_uplinks,
                                  1,
                                  "rate with the uplink back");
        RunUntil(MicroSeconds(10000));
        const uint64_t soFar = GetUplinkPackets(0)[failed];
        Simulator::Run();
        // Flowlets have a chance of a half each time.
        NS_TEST_EXPECT_MSG_GT(GetUplinkPackets(0)[failed], soFar, "the uplink is used again");
        ExpectAllDelivered();
        ExpectRepairs(m_uplinks > 1);
    }

    std::string m_routing; //!< how nodes choose
    uint32_t m_uplinks;    //!< uplinks that a flow uses at a time
};

/**
 * @ingroup workload-replay
 * @brief Links lose one packet of a thousand: every message arrives once and in order.
 */
class RdmaRoutingLossTestCase : public RdmaRoutingRepairTestCase
{
  public:
    /**
     * @param routing how nodes choose
     */
    RdmaRoutingLossTestCase(const std::string& routing)
        : RdmaRoutingRepairTestCase("rdma routing: loss, " + routing),
          m_routing(routing)
    {
    }

  private:
    void DoRun() override
    {
        Shape shape;
        shape.nicGbps = 400;
        shape.delayStep = MicroSeconds(2);
        Build(shape);
        Install(m_routing);
        auto errors =
            CreateObjectWithAttributes<RateErrorModel>("ErrorUnit",
                                                       EnumValue(RateErrorModel::ERROR_UNIT_PACKET),
                                                       "ErrorRate",
                                                       DoubleValue(0.001));
        errors->AssignStreams(100);
        for (uint32_t spine = 0; spine < 4; ++spine)
        {
            const uint32_t node = GetLeaf(2) + spine;
            m_fabric->GetDevice(GetUplink(0, spine), node)->SetReceiveErrorModel(errors);
            m_fabric->GetDevice(GetUplink(1, spine), node)->SetReceiveErrorModel(errors);
        }
        for (uint32_t message = 0; message < 200; ++message)
        {
            Post(MicroSeconds(1), 0, 1, 50 * MTU + message, message % 2);
        }
        Simulator::Run();
        ExpectAllDelivered();
        ExpectRepairs(m_fabric->GetNetwork()->GetRouting()->Reorders());
    }

    std::string m_routing; //!< how nodes choose
};

/**
 * @ingroup workload-replay
 * @brief Uplinks fail in the midst of messages and come back, and switches have what they do not
 * have by default.
 */
class RdmaLeafFailureTestCase : public RdmaRoutingTestCase
{
  public:
    /**
     * @param routing how nodes choose
     * @param attribute full name of an attribute
     * @param value its value
     */
    RdmaLeafFailureTestCase(const std::string& routing,
                            const std::string& attribute,
                            const std::string& value)
        : RdmaRoutingTestCase("rdma routing: uplinks of a leaf fail and come back, " + attribute),
          m_routing(routing),
          m_attribute(attribute),
          m_value(value)
    {
    }

  private:
    void DoRun() override
    {
        for (const uint32_t leaf : {0, 1})
        {
            Config::SetDefault(m_attribute, StringValue(m_value));
            Config::SetDefault("ns3::RdmaAdaptiveRouting::Grades", UintegerValue(2));
            RunThroughFailures(m_routing, leaf);
            Config::Reset();
        }
    }

    std::string m_routing;   //!< how nodes choose
    std::string m_attribute; //!< full name of the attribute
    std::string m_value;     //!< its value
};

/**
 * @ingroup workload-replay
 * @brief A packet that is lost among others that overtake each other is missed before a timeout,
 * and sent again alone: it takes the time of one packet, and no more.
 */
class RdmaReorderTimeTestCase : public RdmaRoutingRepairTestCase
{
  public:
    RdmaReorderTimeTestCase()
        : RdmaRoutingRepairTestCase("rdma routing: a loss among sprayed packets")
    {
    }

  private:
    void DoRun() override
    {
        // One of the first 4000 packets is lost, and the 256 us after it are those of 2560 packets.
        const int64_t packets = 8000;
        Run(packets, {1000});
        NS_TEST_EXPECT_MSG_EQ(m_fates[0].arrivedAt,
                              NanoSeconds((packets + 1) * 100 + 400 + 400 + 100 + 4 * 1000),
                              "arrival");

        // A message shorter than that: the timeout of 500 us, counted from the first loss, brings
        // back the first packet, and the news of the next one, after a round trip of 10 us each.
        Run(2000, {10, 100, 200, 300});
        NS_TEST_EXPECT_MSG_GT(m_fates[0].arrivedAt, MicroSeconds(500), "after the timeout");
        NS_TEST_EXPECT_MSG_LT(m_fates[0].arrivedAt, MicroSeconds(500 + 20 + 40), "after one only");
    }

    /**
     * @param packets packets of the message
     * @param lost which of those that come to one of four spines are lost
     */
    void Run(uint64_t packets, const std::list<uint32_t>& lost)
    {
        DoTeardown();
        Shape shape;
        shape.nicGbps = 400;
        Build(shape);
        Install("Spray");
        auto errors = CreateObject<ReceiveListErrorModel>();
        errors->SetList(lost);
        m_fabric->GetDevice(GetUplink(0, 0), GetLeaf(2))->SetReceiveErrorModel(errors);
        Post(Time(0), 0, 1, packets * MTU);
        Simulator::Run();
        ExpectAllDelivered();
        NS_TEST_EXPECT_MSG_EQ(m_lost, lost.size(), "lost");
        NS_TEST_EXPECT_MSG_EQ(m_retransmissions, lost.size(), "sent again");
    }
};

} // namespace

std::vector<TestCase*>
ns3::MakeRdmaRoutingLossTestCases()
{
    std::vector<TestCase*> cases;
    for (const std::string routing : {"Ecmp", "EnhancedEcmp", "Flowlet", "Spray", "Adaptive"})
    {
        const bool isOnePath = routing != "Spray" && routing != "Adaptive";
        cases.push_back(new RdmaRoutingFailureTestCase(routing, isOnePath ? 1 : 2));
        cases.push_back(new RdmaRoutingLossTestCase(routing));
    }
    // Idle, its flowlets stay where they are, so that an uplink which is back has nothing to do.
    cases.push_back(new RdmaRoutingLossTestCase("Conga"));
    // A flow that has an uplink to itself moves on and on.
    cases.push_back(new RdmaRoutingLossTestCase("Conweave"));
    for (const std::string view : {"GradeTime", "UpdateInterval", "RemoteTime"})
    {
        const std::string attribute = "ns3::RdmaAdaptiveRouting::" + view;
        cases.push_back(new RdmaLeafFailureTestCase("Adaptive", attribute, "20us"));
    }
    cases.push_back(
        new RdmaLeafFailureTestCase("Ecmp", "ns3::RdmaSwitch::VirtualOutputQueues", "true"));
    cases.push_back(new RdmaReorderTimeTestCase);
    return cases;
}
