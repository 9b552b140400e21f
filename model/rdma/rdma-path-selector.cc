/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-path-selector.h"

#include "rdma-reps-selector.h"

#include "ns3/ecmp-hash.h"

namespace ns3
{

namespace
{

/// @brief One value after another, from a start of its own.
class RoundRobin : public RdmaPathSelector
{
  public:
    /**
     * @param values number of entropy values
     * @param salt what the start follows from
     */
    RoundRobin(uint32_t values, uint64_t salt)
        : m_values(values),
          m_next(EcmpMix(salt) % values)
    {
    }

    uint16_t Choose() override
    {
        const auto chosen = static_cast<uint16_t>(m_next);
        m_next = m_next + 1 == m_values ? 0 : m_next + 1;
        return chosen;
    }

  private:
    uint32_t m_values; //!< number of values
    uint64_t m_next;   //!< the next one
};

/// @brief Any value, whatever has become of packets (oblivious spraying).
class Oblivious : public RdmaPathSelector
{
  public:
    /**
     * @param values number of entropy values
     * @param salt what the draws follow from
     */
    Oblivious(uint32_t values, uint64_t salt)
        : m_values(values),
          m_salt(salt)
    {
    }

    uint16_t Choose() override
    {
        return static_cast<uint16_t>(EcmpMix(m_salt ^ EcmpMix(++m_draws)) % m_values);
    }

  private:
    uint32_t m_values;   //!< number of values
    uint64_t m_salt;     //!< what the draws follow from
    uint64_t m_draws{0}; //!< draws so far
};

} // namespace

std::unique_ptr<RdmaPathSelector>
RdmaPathSelector::Create(const std::string& kind, uint32_t values, uint64_t salt)
{
    if (kind == "reps")
    {
        return std::make_unique<RdmaRepsSelector>(values, salt);
    }
    if (kind == "oblivious")
    {
        return std::make_unique<Oblivious>(values, salt);
    }
    return std::make_unique<RoundRobin>(values, salt);
}

const std::vector<std::string>&
RdmaPathSelector::GetKinds()
{
    static const std::vector<std::string> kinds{"reps", "oblivious", "round-robin"};
    return kinds;
}

} // namespace ns3
