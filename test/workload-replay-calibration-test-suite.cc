/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "measurement-test-case.h"

#include "ns3/config.h"
#include "ns3/ns3-arguments.h"
#include "ns3/replay-option-table.h"
#include "ns3/replay-session.h"
#include "ns3/test.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;

/**
 * @ingroup workload-replay-tests
 * @brief Base of cases that replay on the fabric h800 what was measured on such servers.
 */
class CalibrationTestCase : public MeasurementTestCase
{
  protected:
    using MeasurementTestCase::MeasurementTestCase;

    /**
     * @param arguments options of wl-replay
     * @return what summary.json says
     */
    nlohmann::ordered_json Replay(std::vector<std::string> arguments)
    {
        const auto directory = CreateTempDirFilename("calibration");
        arguments.insert(arguments.end(),
                         {"--fabric=h800", "--progress=off", "--outputDir=" + directory});
        const auto options = ParseReplayOptions(arguments);
        ApplyNs3Arguments("test", options.ns3Arguments);
        CheckReplayOptions(options);
        std::ostringstream report;
        std::ostringstream errors;
        ReplaySession(options).Run(report, errors);
        NS_TEST_EXPECT_MSG_EQ(errors.str(), "", arguments.front());
        std::ifstream summary(directory + "/summary.json");
        return nlohmann::ordered_json::parse(summary);
    }

  private:
    void DoTeardown() override
    {
        // The fabric has set defaults of attributes.
        Config::Reset();
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief All-reduces against tables that nccl-tests has measured.
 *
 * Each row up to 16 MiB is to be within 40 % and the geometric mean of 1 + |error| of each table
 * and of all within 10 %, packet by packet.
 */
class CalibrationTableTestCase : public CalibrationTestCase
{
  public:
    CalibrationTableTestCase()
        : CalibrationTestCase("measured all-reduces on h800", "nccl")
    {
    }

  private:
    /// Largest all-reduce that is replayed, bytes.
    static constexpr uint64_t MOST_BYTES = 16 << 20;

    /// A row of 8 GPUs in two servers that took 1.7 times as long as twice its bytes.
    static constexpr uint64_t CONTRADICTED = 2 << 20;

    void Check() override
    {
        CheckTable(Find("h800-1node-allreduce_2gpu.csv"), 1, 2);
        CheckTable(Find("h800-1node-allreduce_4gpu.csv"), 1, 4);
        CheckTable(Find("h800-1node-allreduce_8gpu.csv"), 1, 8);
        CheckTable(Find("h800-2node-allreduce_2gpu.csv"), 2, 2);
        CheckTable(Find("h800-2node-allreduce_4gpu.csv"), 2, 4);
        CheckTable(Find("h800-2node-allreduce_8gpu.csv"), 2, 8);
        CheckTable(Find("h800-2node-allreduce_16gpu.csv"), 2, 16);
        NS_TEST_EXPECT_MSG_LT(std::exp(m_sum / m_rows) - 1, 0.1, "mean of " << m_rows << " rows");
    }

    /**
     * @param path a table with the columns size_bytes and time_us
     * @param servers number of servers
     * @param ranks number of ranks
     */
    void CheckTable(const std::string& path, uint32_t servers, uint32_t ranks)
    {
        std::ifstream file(path);
        std::string line;
        std::getline(file, line);
        const auto sizeColumn = FindColumn(line, "size_bytes");
        const auto timeColumn = FindColumn(line, "time_us");
        double sum = 0;
        uint32_t rows = 0;
        uint32_t read = 0;
        while (std::getline(file, line))
        {
            const auto fields = Split(line);
            NS_TEST_ASSERT_MSG_GT(fields.size(), std::max(sizeColumn, timeColumn), path);
            const auto bytes = std::stoull(fields[sizeColumn]);
            if (bytes > MOST_BYTES)
            {
                break;
            }
            const double measured = std::stod(fields[timeColumn]);
            ++read;
            if (servers == 2 && ranks == 8 && bytes == CONTRADICTED)
            {
                continue;
            }
            const double error = std::abs(Reduce(bytes, servers, ranks) / measured - 1);
            NS_TEST_EXPECT_MSG_LT(error, 0.4, path << ", " << bytes << " bytes");
            sum += std::log1p(error);
            ++rows;
        }
        NS_TEST_ASSERT_MSG_EQ(read, 14, path << ": 2 KiB to 16 MiB");
        NS_TEST_EXPECT_MSG_LT(std::exp(sum / rows) - 1, 0.1, "mean of " << path);
        m_sum += sum;
        m_rows += rows;
    }

    /**
     * @param line a line of a table
     * @return its fields
     */
    static std::vector<std::string> Split(const std::string& line)
    {
        std::vector<std::string> fields;
        std::istringstream text(line);
        for (std::string field; std::getline(text, field, ',');)
        {
            fields.push_back(field);
        }
        return fields;
    }

    /**
     * @param line the first line of a table
     * @param name name of a column
     * @return its index
     */
    static std::size_t FindColumn(const std::string& line, const std::string& name)
    {
        const auto fields = Split(line);
        return std::find(fields.begin(), fields.end(), name) - fields.begin();
    }

    /**
     * @param bytes bytes of an all-reduce
     * @param servers number of servers
     * @param ranks number of ranks
     * @return the time it takes, us
     */
    double Reduce(uint64_t bytes, uint32_t servers, uint32_t ranks)
    {
        const auto workload = CreateTempDirFilename("all-reduce.tsv");
        std::ofstream(workload)
            << "name\tforward_compute_time\tforward_comm_type\tforward_comm_size\t"
               "backward_compute_time\tbackward_comm_type\tbackward_comm_size\t"
               "weight_grad_compute_time\tweight_grad_comm_type\tweight_grad_comm_size\t"
               "process_time\n"
            << "x\t0\tALLREDUCE\t" << bytes << "\t0\tNone\t0\t0\tNone\t0\t0\n";
        std::vector<std::string> arguments{"--workload=" + workload,
                                           "--elementBytes=1",
                                           "--world=" + std::to_string(ranks)};
        if (servers > 1)
        {
            arguments.push_back("--gpusPerServer=" + std::to_string(ranks / servers));
        }
        return Replay(arguments).at("collectives").at(0).at("max_ns").get<double>() / 1000;
    }

    double m_sum{0};    //!< logarithms of 1 + |error| of all rows
    uint32_t m_rows{0}; //!< number of rows
};

/**
 * @ingroup workload-replay-tests
 * @brief Iterations of 16 GPUs in two servers, from the traces of each rank, against what they
 * took.
 *
 * Two runs of one configuration are 0.8 % apart.
 */
class CalibrationRunTestCase : public CalibrationTestCase
{
  public:
    /**
     * @param run directory of the run
     * @param ep expert parallel ranks
     * @param transport transport
     * @param iteration measured time of the iteration, ms
     */
    CalibrationRunTestCase(const std::string& run,
                           uint32_t ep,
                           const std::string& transport,
                           double iteration)
        : CalibrationTestCase(run + " on h800, " + transport, "traces"),
          m_run(run),
          m_ep(ep),
          m_transport(transport),
          m_iteration(iteration)
    {
    }

  private:
    void Check() override
    {
        const auto summary = Replay({"--workload=" + Find(m_run + "/measured"),
                                     "--ep=" + std::to_string(m_ep),
                                     "--transport=" + m_transport});
        const double iteration = summary.at("iterations").at(0).at("time_ns");
        std::cout << GetName() << ": " << iteration / 1e6 << " ms, measured " << m_iteration
                  << std::endl;
        NS_TEST_EXPECT_MSG_EQ_TOL(iteration / 1e6 / m_iteration, 1, 0.02, m_run);
    }

    std::string m_run;       //!< directory of the run
    uint32_t m_ep;           //!< expert parallel ranks
    std::string m_transport; //!< transport
    double m_iteration;      //!< measured time, ms
};

/**
 * @ingroup workload-replay-tests
 * @brief The named fabrics against measurements.
 */
class WorkloadReplayCalibrationTestSuite : public TestSuite
{
  public:
    WorkloadReplayCalibrationTestSuite()
        : TestSuite("workload-replay-calibration", TestSuite::Type::UNIT)
    {
        AddTestCase(new CalibrationTableTestCase);
        const std::string first = "moe-pp4-ep2-dp4-experts8-seq1024";
        AddTestCase(new CalibrationRunTestCase(first, 2, "rdma", 719.7));
        const std::string second = "moe-pp2-ep4-dp8-experts8-seq1024";
        AddTestCase(new CalibrationRunTestCase(second, 4, "rdma", 642.1));
        const std::string third = "moe-pp4-ep4-dp4-experts16-seq4096";
        AddTestCase(new CalibrationRunTestCase(third, 4, "ideal", 1886.6));
    }
};

/// The suite; its constructor registers it.
static WorkloadReplayCalibrationTestSuite g_workloadReplayCalibrationTestSuite;
