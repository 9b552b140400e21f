/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "attribute-scenario-test-case.h"
#include "attribute-table.h"
#include "workload-test-tools.h"

#include "ns3/type-id.h"
#include "ns3/workload-error.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/**
 * @param name an attribute, as TYPE::ATTRIBUTE
 * @return where the name of the attribute begins, behind the colons
 */
std::size_t
GetCut(const std::string& name)
{
    return name.rfind("::") + 2;
}

/**
 * @param entry an attribute
 * @return name of its test, without the characters that ns-3 has no test's name contain
 */
std::string
GetTitle(const AttributeEntry& entry)
{
    std::string title = std::string(entry.name) + " = " + entry.value + " in " + entry.scenario;
    std::replace_if(
        title.begin(),
        title.end(),
        [](char character) { return std::strchr("\"/\\|?", character); },
        ';');
    return title;
}

/**
 * @ingroup workload-replay-tests
 * @brief An attribute does what the table says, whether set as a default or by a helper.
 */
class AttributeEffectTestCase : public AttributeScenarioTestCase
{
  public:
    /**
     * @param entry the attribute
     */
    explicit AttributeEffectTestCase(const AttributeEntry& entry)
        : AttributeScenarioTestCase(GetTitle(entry)),
          m_entry(entry)
    {
    }

  private:
    void DoRun() override
    {
        const std::string name = m_entry.name;
        const auto cut = GetCut(name);
        const Setting setting{name.substr(0, cut - 2), name.substr(cut), m_entry.value};
        const bool isRefusal = m_entry.effect == AttributeEffect::REFUSE;
        std::optional<LossAllowed> lossAllowed;
        if (isRefusal)
        {
            lossAllowed.emplace();
        }
        std::string refusal;
        try
        {
            Compare(setting);
        }
        catch (const WorkloadError& error)
        {
            refusal = error.what();
        }
        NS_TEST_EXPECT_MSG_EQ(refusal.empty(), !isRefusal, "refused: " << refusal);
        const bool isNamed = refusal.find(name) != std::string::npos;
        NS_TEST_EXPECT_MSG_EQ(isNamed, isRefusal, "named in: " << refusal);
    }

    /**
     * @param setting the attribute
     */
    void Compare(const Setting& setting)
    {
        // What says again what is the default anyway can be seen by the helper only.
        const std::string scenario = m_entry.scenario;
        const bool isByHelper =
            HasHelper(setting.type) && scenario.find("program") != 0 && scenario.find("hand") != 0;
        const bool isDefault = IsDefault(setting);
        auto usual = Observe(scenario, {});
        auto changed = isDefault ? Observe(scenario, {}, setting) : Observe(scenario, setting);
        const double before = usual[m_entry.observed];
        const double after = changed[m_entry.observed];
        switch (m_entry.effect)
        {
        case AttributeEffect::LESS:
            NS_TEST_EXPECT_MSG_LT(after, before, m_entry.observed);
            break;
        case AttributeEffect::MORE:
            NS_TEST_EXPECT_MSG_GT(after, before, m_entry.observed);
            break;
        case AttributeEffect::OTHER:
            NS_TEST_EXPECT_MSG_NE(after, before, m_entry.observed);
            NS_TEST_EXPECT_MSG_EQ(Observe(scenario, {})[m_entry.observed],
                                  before,
                                  m_entry.observed << " again");
            break;
        case AttributeEffect::REFUSE:
            // Whoever comes here was not refused, which the caller sees.
            break;
        }
        if (isByHelper && !isDefault)
        {
            const bool isSame = Observe(scenario, {}, setting) == changed;
            NS_TEST_EXPECT_MSG_EQ(isSame, true, "set by the helper it does the same");
        }
    }

    /**
     * @param setting an attribute and a value
     * @return whether it is the default that the class gives it
     */
    static bool IsDefault(const Setting& setting)
    {
        TypeId::AttributeInformation information;
        TypeId::LookupByName("ns3::" + setting.type)
            .LookupAttributeByName(setting.attribute, &information);
        return information.originalInitialValue->SerializeToString(information.checker) ==
               setting.value;
    }

    AttributeEntry m_entry; //!< the attribute
};

/**
 * @ingroup workload-replay-tests
 * @brief Every attribute of the module that can be set is in the table, and none that is not.
 */
class AttributeTableTestCase : public TestCase
{
  public:
    AttributeTableTestCase()
        : TestCase("every attribute has an entry")
    {
    }

  private:
    void DoRun() override
    {
        std::set<std::string> listed;
        for (const auto& entry : GetAttributeTable())
        {
            listed.insert(entry.name);
        }
        for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
        {
            const auto tid = TypeId::GetRegistered(i);
            const bool isOurs = tid.GetGroupName() == "WorkloadReplay";
            for (std::size_t j = 0; isOurs && j < tid.GetAttributeN(); ++j)
            {
                // What can only be read is there for Config paths.
                if (tid.GetAttribute(j).flags == TypeId::ATTR_GET)
                {
                    continue;
                }
                const auto name =
                    tid.GetName().substr(GetCut(tid.GetName())) + "::" + tid.GetAttribute(j).name;
                NS_TEST_EXPECT_MSG_EQ(listed.erase(name), 1, name << " is not in the table");
            }
        }
        for (const auto& name : listed)
        {
            NS_TEST_EXPECT_MSG_EQ(name, "", "there is no such attribute");
        }
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Attributes have an effect, or are refused.
 */
class AttributeTestSuite : public TestSuite
{
  public:
    AttributeTestSuite()
        : TestSuite("workload-replay-attribute", TestSuite::Type::SYSTEM)
    {
        AddTestCase(new AttributeTableTestCase);
        for (const auto& entry : GetAttributeTable())
        {
            AddTestCase(new AttributeEffectTestCase(entry));
        }
    }
};

/// The instance that registers the suite.
AttributeTestSuite g_attributeTestSuite;

} // namespace
