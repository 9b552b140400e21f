/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup workload-replay
 * How congestion controls share a port of 400 Gb/s among messages that all begin at once, and how
 * long messages take compared to the simulator of the HPCC family.
 */

#include "congestion-reference.h"
#include "congestion-run.h"

#include "ns3/core-module.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <numeric>

using namespace ns3;

namespace
{

/// Switches without flow control that lose nothing.
const CongestionRun::Settings NO_PFC{{"Switch::LosslessPriorities", "0"},
                                     {"Switch::BufferSize", "400000000"}};

/// A way to set up a fabric.
struct Setup
{
    std::string name;                 //!< its name
    std::string control;              //!< congestion control, a TypeId without ns3::Rdma
    CongestionRun::Settings settings; //!< attributes
    std::vector<int64_t> delaysNs;    //!< delays of links, ns
};

/**
 * @param settings settings
 * @param more others
 * @return both
 */
CongestionRun::Settings
Join(CongestionRun::Settings settings, const CongestionRun::Settings& more)
{
    settings.insert(settings.end(), more.begin(), more.end());
    return settings;
}

/**
 * @param kminNs sending time of the queue where marking begins, ns; Kmax is four times that
 * @param more further settings
 * @return the settings
 */
CongestionRun::Settings
MarkFrom(int64_t kminNs, const CongestionRun::Settings& more)
{
    return Join({{"EcnMarker::Kmin", std::to_string(kminNs) + "ns"},
                 {"EcnMarker::Kmax", std::to_string(4 * kminNs) + "ns"}},
                more);
}

/**
 * @return what is compared
 */
std::vector<Setup>
MakeSetups()
{
    const CongestionRun::Settings reference{{"Dcqcn::Preset", "reference"}};
    const CongestionRun::Settings paper{{"Dcqcn::Preset", "paper"}};
    return {
        {"DCQCN nic, 100/400 KB", "Dcqcn", MarkFrom(2000, NO_PFC), {1000}},
        {"DCQCN nic, 400/1600 KB", "Dcqcn", MarkFrom(8000, NO_PFC), {1000}},
        {"DCQCN nic, default marks", "Dcqcn", NO_PFC, {1000}},
        {"the same, default buffer", "Dcqcn", {}, {1000}},
        {"DCQCN reference, 100/400", "Dcqcn", MarkFrom(2000, Join(NO_PFC, reference)), {1000}},
        {"DCQCN paper, default marks", "Dcqcn", Join(NO_PFC, paper), {1000}},
        {"HPCC", "Hpcc", NO_PFC, {250, 1000, 2000}},
        {"TIMELY", "Timely", NO_PFC, {900, 1900, 3900}},
        {"Swift", "Swift", NO_PFC, {1000}},
    };
}

/**
 * Print a row of the first table.
 *
 * @param setup the fabric
 * @param senders hosts that send
 * @param delayNs delay of each link, ns
 * @param until when to end
 */
void
PrintSharing(const Setup& setup, uint32_t senders, int64_t delayNs, Time until)
{
    CongestionRun::Case what;
    what.control = setup.control;
    what.settings = setup.settings;
    what.senders = senders;
    what.delay = NanoSeconds(delayNs);
    CongestionRun run(what);
    for (uint32_t sender = 0; sender < senders; ++sender)
    {
        run.Post(sender, 1ULL << 40, Time(0));
    }
    run.RunUntil(until, MilliSeconds(1));
    const auto loads = run.GetLoads();
    const auto fairness = run.GetFairness(10);
    const double mean = std::accumulate(loads.begin() + 1, loads.end(), 0.0) /
                        static_cast<double>(loads.size() - 1);
    const double fair = std::accumulate(fairness.begin(), fairness.end(), 0.0) /
                        static_cast<double>(fairness.size());
    std::cout << std::left << std::setw(27) << setup.name << std::right << std::setw(6) << senders
              << std::setw(7) << delayNs << std::fixed << std::setprecision(1);
    for (const std::size_t window : {1, 2, 3})
    {
        std::cout << std::setw(7) << loads[window] * 100;
    }
    std::cout << std::setw(7) << *std::min_element(loads.begin() + 4, loads.end()) * 100
              << std::setw(7) << mean * 100 << std::setprecision(3) << std::setw(7) << fair
              << std::setw(7) << *std::min_element(fairness.begin(), fairness.end()) << std::setw(8)
              << static_cast<double>(run.GetMaxQueue()) / 1e6 << std::setw(7) << run.GetPauses()
              << std::setw(6) << run.GetDrops() << std::endl;
}

/// Completion times of several seeds.
struct Column
{
    std::vector<double> times; //!< by seed, us
    double measured{0};        //!< by the other simulator, us; 0 = not known

    /// Print the mean, how far it is from the other simulator, and the spread.
    void Print() const
    {
        const auto count = static_cast<double>(times.size());
        const double mean = std::accumulate(times.begin(), times.end(), 0.0) / count;
        double squares = 0;
        for (const double time : times)
        {
            squares += (time - mean) * (time - mean);
        }
        std::cout << std::setw(9) << measured << std::setw(8) << mean << std::setw(7);
        if (measured > 0)
        {
            std::cout << std::showpos << std::setprecision(1) << (mean / measured - 1) * 100
                      << std::noshowpos << std::setprecision(0);
        }
        else
        {
            std::cout << "-";
        }
        std::cout << std::setw(6) << std::sqrt(squares / count);
    }
};

/**
 * Print a row of the second table.
 *
 * @param row what was measured
 * @param seeds how many seeds
 */
void
PrintReference(const CongestionReference& row, uint32_t seeds)
{
    std::vector<CongestionReference::Times> all;
    for (uint32_t seed = 1; seed <= seeds; ++seed)
    {
        all.push_back(row.Run(seed));
    }
    std::cout << std::left << std::setw(31) << row.name << std::right << std::fixed
              << std::setprecision(0);
    using Times = CongestionReference::Times;
    for (const auto member :
         {&Times::incastMean, &Times::incastLast, &Times::twoMean, &Times::twoLast})
    {
        Column column;
        column.measured = row.measured.*member;
        for (const auto& times : all)
        {
            column.times.push_back(times.*member);
        }
        column.Print();
    }
    std::cout << std::endl;
}

} // namespace

int
main(int argc, char* argv[])
{
    uint32_t ms = 20;
    uint32_t seeds = 20;
    CommandLine cmd(__FILE__);
    cmd.AddValue("ms", "Simulated time of the first table, ms, at least 10; 0 = skip it", ms);
    cmd.AddValue("seeds", "Seeds of each row of the second table; 0 = skip it", seeds);
    cmd.Parse(argc, argv);
    Time::SetResolution(Time::PS);
    if (ms > 0)
    {
        std::cout << "Endless messages into one port of 400 Gb/s: load of the port, %, in windows "
                     "of 1 ms; Jain's index over 10 ms\n"
                     "                           flows  delay  1-2ms  2-3ms  3-4ms  least   mean"
                     "   Jain  least   queue pauses drops\n"
                     "                                     ns                     from4  from1"
                     "                      MB\n";
        for (const auto& setup : MakeSetups())
        {
            for (const auto delay : setup.delaysNs)
            {
                for (const uint32_t senders : {2, 4, 8, 16})
                {
                    PrintSharing(setup, senders, delay, MilliSeconds(std::max(ms, 10U)));
                }
            }
        }
    }
    if (seeds > 0)
    {
        std::cout << "\nCompletion times, us: measured by the HPCC family's simulator, mean over "
                  << seeds << " seeds here, difference, %, standard deviation\n"
                  << std::string(31, ' ')
                  << "   incast, mean of 16               incast, last"
                     "                two flows, mean            two flows, longer\n";
        for (const auto& row : CongestionReference::GetAll())
        {
            PrintReference(row, seeds);
        }
    }
    return 0;
}
