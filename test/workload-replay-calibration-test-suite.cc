/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/config.h"
#include "ns3/ns3-arguments.h"
#include "ns3/replay-options.h"
#include "ns3/replay-session.h"
#include "ns3/test.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;

/**
 * @ingroup workload-replay-tests
 * @brief All-reduces on the fabric h800 against tables that nccl-tests has measured.
 *
 * Each row up to 16 MiB is to be within 30 % and the geometric mean of 1 + |error| of each table
 * and of all within 10 %, on the ideal transport.
 */
class CalibrationTestCase : public TestCase
{
  public:
    CalibrationTestCase()
        : TestCase("measured all-reduces on h800, needs ../shared")
    {
        SetDataDir(NS_TEST_SOURCEDIR);
    }

  private:
    /// Largest all-reduce that is replayed, bytes.
    static constexpr uint64_t MOST_BYTES = 16 << 20;

    void DoRun() override
    {
        namespace fs = std::filesystem;
        std::error_code error;
        std::string shared;
        if (const char* const variable = std::getenv("WORKLOAD_REPLAY_SHARED"))
        {
            shared = variable;
        }
        else
        {
            // A clone may be linked into the tree of ns-3: beside it is beside what the link names.
            const auto source = fs::canonical(CreateDataDirFilename(""), error);
            shared = (source / "../../shared").lexically_normal().string();
        }
        if (!fs::is_directory(shared + "/nccl", error))
        {
            std::cout << "SKIP " << GetName() << ": no directory " << shared << "/nccl"
                      << std::endl;
            return;
        }
        const std::string start = shared + "/nccl/h800-";
        CheckTable(start + "1node-allreduce_2gpu.csv", 1, 2);
        CheckTable(start + "1node-allreduce_4gpu.csv", 1, 4);
        CheckTable(start + "1node-allreduce_8gpu.csv", 1, 8);
        CheckTable(start + "2node-allreduce_2gpu.csv", 2, 2);
        CheckTable(start + "2node-allreduce_16gpu.csv", 2, 16);
        NS_TEST_EXPECT_MSG_LT(std::exp(m_sum / m_rows) - 1, 0.1, "mean of " << m_rows << " rows");
    }

    void DoTeardown() override
    {
        // The fabric has set defaults of attributes.
        Config::Reset();
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
            const double error = std::abs(Replay(bytes, servers, ranks) / measured - 1);
            NS_TEST_EXPECT_MSG_LT(error, 0.3, path << ", " << bytes << " bytes");
            sum += std::log1p(error);
            ++rows;
        }
        NS_TEST_ASSERT_MSG_EQ(rows, 14, path << ": 2 KiB to 16 MiB");
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
    double Replay(uint64_t bytes, uint32_t servers, uint32_t ranks)
    {
        const auto workload = CreateTempDirFilename("all-reduce.tsv");
        std::ofstream(workload)
            << "name\tforward_compute_time\tforward_comm_type\tforward_comm_size\t"
               "backward_compute_time\tbackward_comm_type\tbackward_comm_size\t"
               "weight_grad_compute_time\tweight_grad_comm_type\tweight_grad_comm_size\t"
               "process_time\n"
            << "x\t0\tALLREDUCE\t" << bytes << "\t0\tNone\t0\t0\tNone\t0\t0\n";
        const auto directory = CreateTempDirFilename("calibration");
        std::vector<std::string> arguments{"--workload=" + workload,
                                           "--fabric=h800",
                                           "--transport=ideal",
                                           "--elementBytes=1",
                                           "--progress=off",
                                           "--world=" + std::to_string(ranks),
                                           "--outputDir=" + directory};
        if (servers == ranks)
        {
            arguments.insert(arguments.end(), {"--gpusPerServer=1", "--nicsPerServer=1"});
        }
        const auto options = ParseReplayOptions(arguments);
        ApplyNs3Arguments("test", options.ns3Arguments);
        CheckReplayOptions(options);
        std::ostringstream report;
        std::ostringstream errors;
        ReplaySession(options).Run(report, errors);
        NS_TEST_EXPECT_MSG_EQ(errors.str(), "", bytes << " bytes on " << ranks);
        std::ostringstream summary;
        summary << std::ifstream(directory + "/summary.json").rdbuf();
        // Of the only collective.
        const std::string key = "\"max_ns\":";
        const auto place = summary.str().find(key, summary.str().find("\"collectives\""));
        NS_TEST_EXPECT_MSG_NE(place, std::string::npos, "a collective");
        if (place == std::string::npos)
        {
            return 0;
        }
        return std::stod(summary.str().substr(place + key.size())) / 1000;
    }

    double m_sum{0};    //!< logarithms of 1 + |error| of all rows
    uint32_t m_rows{0}; //!< number of rows
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
        AddTestCase(new CalibrationTestCase);
    }
};

/// The suite; its constructor registers it.
static WorkloadReplayCalibrationTestSuite g_workloadReplayCalibrationTestSuite;
