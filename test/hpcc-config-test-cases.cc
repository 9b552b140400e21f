/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "option-test-cases.h"
#include "workload-test-tools.h"

#include "ns3/hpcc-config.h"
#include "ns3/replay-option-table.h"

#include <string>

namespace ns3
{

namespace
{

/**
 * @ingroup workload-replay-tests
 * @brief The configuration of SimAI's and HPCC's network as options.
 */
class HpccConfigTestCase : public TestCase
{
  public:
    HpccConfigTestCase()
        : TestCase("configurations of SimAI's and HPCC's network")
    {
    }

  private:
    void DoRun() override;

    /**
     * @param text a configuration
     * @return its options, one a line, then the notes
     */
    std::string Describe(const std::string& text)
    {
        const auto file = CreateTempDirFilename("network.conf");
        WriteWorkloadFile(file, text);
        const auto config = ReadHpccConfig(file);
        std::string lines;
        for (const auto& assignment : config.assignments)
        {
            lines += assignment.name + "=" + assignment.value.text + "\n";
        }
        for (const auto& note : config.notes)
        {
            lines += "note " + note.substr(0, note.find(" of " + file)) + "\n";
        }
        return lines;
    }
};

void
HpccConfigTestCase::DoRun()
{
    // 100 KB at 25 Gb/s and 1600 KB at 400 Gb/s take 32 us; 3200 KB at 400 Gb/s take 64 us.
    NS_TEST_EXPECT_MSG_EQ(
        Describe("CC_MODE 1\nPACKET_PAYLOAD_SIZE 9000\nRATE_AI 50Mb/s\nRP_TIMER 900\nU_TARGET 0.9\n"
                 "KMIN_MAP 2 25000000000 100 400000000000 1600\nKMAX_MAP 1 400000000000 3200\n"
                 "PMAX_MAP 2 25000000000 0.2 400000000000 0.2\nBUFFER_SIZE 32\nHAS_WIN 1\n"
                 "FLOW_FILE a.txt\nENABLE_QCN 1\nACK_HIGH_PRIO 0\nNEW_KEY 5\n"),
        "cc=dcqcn\n"
        "ns3::RdmaNic::InFlightLimit=1\n"
        "ns3::RdmaEcnMarker::Kmin=32000000ps\n"
        "ns3::RdmaEcnMarker::Kmax=64000000ps\n"
        "ns3::RdmaEcnMarker::Pmax=0.2\n"
        "ns3::RdmaSwitch::BufferSize=33554432\n"
        "mtu=9000\n"
        "ns3::RdmaDcqcn::RateAi=50Mb/s\n"
        "ns3::RdmaDcqcn::Timer=900us\n"
        "note ACK_HIGH_PRIO 0, NEW_KEY 5\n"
        "note FLOW_FILE are of no use: --outputDir and --timeSeries say what is written, "
        "--topology "
        "and --workload what is read\n",
        "DCQCN, as SimAI has it");
    // 400 KB at 100 Gb/s are 32 us, 300 KB at 200 Gb/s are 12 us.
    NS_TEST_EXPECT_MSG_EQ(
        Describe("CC_MODE 3\nL2_ACK_INTERVAL 1\nRATE_AI 50Mb/s\nU_TARGET 0.9\nMI_THRESH 0\nLB_MODE "
                 "6\nHAS_WIN 1\n"
                 "KMIN_MAP 2 200000000000 300 100000000000 400\nCC_MODE 3\n"),
        "cc=hpcc\n"
        "routing=flowlet\n"
        "ns3::RdmaEcnMarker::Kmin=12000000ps\n"
        "ns3::RdmaHpcc::MaxStage=0\n"
        "ns3::RdmaHpcc::TargetUtilization=0.9\n"
        "note KMIN_MAP differs by rate: all ports have what it says for 200Gbps (as a sending "
        "time)\n"
        "note RATE_AI 50Mb/s\n",
        "HPCC, with thresholds that differ");
    NS_TEST_EXPECT_MSG_EQ(Describe("CC_MODE 3\nL2_ACK_INTERVAL 4\n"),
                          "cc=hpcc\nnote L2_ACK_INTERVAL 4\n",
                          "HPCC has every packet acknowledged");
    NS_TEST_EXPECT_MSG_EQ(Describe("CC_MODE 1\nL2_ACK_INTERVAL 4\n"),
                          "cc=dcqcn\nns3::RdmaNic::AckInterval=4\n",
                          "DCQCN has not");
    // As the simulator of DCQCN (SIGCOMM 2015) has it, which knows no other control.
    NS_TEST_EXPECT_MSG_EQ(
        Describe(
            "ENABLE_QCN 1\nCLAMP_TARGET_RATE 1\nRP_TIMER 60\nDCTCP_GAIN 0.00390625\nKMAX 1000\n"
            "RATE_AI 40Mb/s\nRATE_HAI 200Mb/s\n"),
        "cc=dcqcn\n"
        "ns3::RdmaDcqcn::ClampTarget=1\n"
        "ns3::RdmaDcqcn::Gain=0.00390625\n"
        "ns3::RdmaDcqcn::RateAi=40Mb/s\n"
        "ns3::RdmaDcqcn::RateHai=200Mb/s\n"
        "ns3::RdmaDcqcn::Timer=60us\n"
        "note KMAX 1000\n",
        "DCQCN without CC_MODE");
    const auto file = CreateTempDirFilename("whole.conf");
    WriteWorkloadFile(file, "CC_MODE 7\nBUFFER_SIZE 16\nPACKET_PAYLOAD_SIZE 1000\n");
    const auto options = ParseReplayOptions({"--config=" + file, "--mtu=2000"});
    NS_TEST_EXPECT_MSG_EQ(options.cc, "timely", "--config takes it");
    NS_TEST_EXPECT_MSG_EQ(options.fabric.mtu, 2000, "the command line wins");
}

} // namespace

std::vector<TestCase*>
MakeHpccConfigTestCases()
{
    return {new HpccConfigTestCase};
}

} // namespace ns3
