/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-sequence-window.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// Numbers that a new window has room for.
constexpr std::size_t INITIAL_SIZE = 64;

} // namespace

RdmaSequenceWindow::RdmaSequenceWindow(uint64_t base)
    : m_there(INITIAL_SIZE, false),
      m_base(base),
      m_end(base)
{
}

std::size_t
RdmaSequenceWindow::GetPlace(uint64_t number) const
{
    return number & (m_there.size() - 1);
}

bool
RdmaSequenceWindow::Has(uint64_t number) const
{
    return number < m_base || (number < m_end && m_there[GetPlace(number)]);
}

bool
RdmaSequenceWindow::Add(uint64_t number)
{
    if (Has(number))
    {
        return false;
    }
    while (number - m_base >= m_there.size())
    {
        Grow();
    }
    m_there[GetPlace(number)] = true;
    m_end = std::max(m_end, number + 1);
    return true;
}

void
RdmaSequenceWindow::MoveTo(uint64_t base)
{
    // Places are used in a circle: those that are left have to be clear for higher numbers.
    for (; m_base < base && m_base < m_end; ++m_base)
    {
        m_there[GetPlace(m_base)] = false;
    }
    m_base = base;
    m_end = std::max(m_end, base);
}

uint64_t
RdmaSequenceWindow::Advance()
{
    while (m_base < m_end && m_there[GetPlace(m_base)])
    {
        m_there[GetPlace(m_base)] = false;
        ++m_base;
    }
    return m_base;
}

uint64_t
RdmaSequenceWindow::GetBits(uint64_t first) const
{
    uint64_t bits = 0;
    for (uint32_t bit = 0; bit < 64 && first + bit < m_end; ++bit)
    {
        bits |= static_cast<uint64_t>(Has(first + bit) ? 1 : 0) << bit;
    }
    return bits;
}

uint64_t
RdmaSequenceWindow::GetEnd() const
{
    return m_end;
}

void
RdmaSequenceWindow::Grow()
{
    std::vector<bool> there(m_there.size() * 2, false);
    for (uint64_t number = m_base; number < m_end; ++number)
    {
        there[number & (there.size() - 1)] = m_there[GetPlace(number)];
    }
    m_there = std::move(there);
}

} // namespace ns3
