/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "kept-defaults.h"

#include "ns3/string.h"

#include <cstdint>

namespace ns3
{

KeptDefaults::KeptDefaults()
{
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId type = TypeId::GetRegistered(i);
        for (std::size_t index = 0; index < type.GetAttributeN(); ++index)
        {
            m_attributes.push_back({type, index, type.GetAttribute(index).initialValue});
        }
    }
    for (auto global = GlobalValue::Begin(); global != GlobalValue::End(); ++global)
    {
        StringValue text;
        (*global)->GetValue(text);
        m_globals.push_back({*global, text.Get()});
    }
}

KeptDefaults::~KeptDefaults()
{
    for (auto& attribute : m_attributes)
    {
        attribute.type.SetAttributeInitialValue(attribute.index, attribute.initial);
    }
    for (const auto& global : m_globals)
    {
        global.global->SetValue(StringValue(global.text));
    }
}

} // namespace ns3
