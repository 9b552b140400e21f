/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup workload-replay
 *
 * Output: op-times.csv has a row for each name of an op, with how often it ran and how long in all.
 */

#include "ns3/replay-output.h"
#include "ns3/strategy-registry.h"

#include <cstdint>
#include <map>
#include <ostream>
#include <string>

namespace ns3
{

/// Adds up ops by name.
class OpTimesOutput : public ReplayOutput
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::OpTimesOutput").SetParent<ReplayOutput>().AddConstructor<OpTimesOutput>();
        return tid;
    }

    bool WantsOps() const override
    {
        return true;
    }

    void Begin(std::ostream& os,
               const Workload& workload [[maybe_unused]],
               const TopologyGraph& graph [[maybe_unused]]) override
    {
        m_os = &os;
        *m_os << "op,count,total_ns\n";
    }

    void AddOp(const OpRecord& record) override
    {
        const auto& program = *record.program;
        auto& sum = m_sums[program.GetName(program.GetOps()[record.op])];
        ++sum.count;
        sum.time += record.end - record.start;
    }

    void End(const ReplayResult& result [[maybe_unused]]) override
    {
        for (const auto& [name, sum] : m_sums)
        {
            *m_os << name << "," << sum.count << "," << sum.time.GetNanoSeconds() << "\n";
        }
    }

  private:
    /// Ops of one name.
    struct Sum
    {
        uint64_t count{0}; //!< how many
        Time time;         //!< how long they took
    };

    std::ostream* m_os{nullptr};       //!< the file
    std::map<std::string, Sum> m_sums; //!< by name, so that equal runs give equal files
};

NS_STRATEGY_ENSURE_REGISTERED(OpTimesOutput, "op-times.csv", "ops by name");

} // namespace ns3
