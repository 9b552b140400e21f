/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "pytorch-node.h"

#include "ns3/input-values.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ns3
{

namespace
{

/// How deep lists of tensors are nested at most.
constexpr uint32_t DEEPEST_LIST = 8;

/**
 * @param value a value
 * @return it as a whole number up to 2^50; 0 = it is none
 */
uint64_t
ToCount(const KinetoJson& value)
{
    constexpr uint64_t most = uint64_t{1} << 50;
    return value.is_number_unsigned() ? std::min(value.get<uint64_t>(), most) : 0;
}

/**
 * @param values values
 * @return them as whole numbers; empty = they are no list of such
 */
std::vector<uint64_t>
ToCounts(const KinetoJson& values)
{
    std::vector<uint64_t> counts;
    for (const auto& value : values.is_array() ? values : KinetoJson::array())
    {
        if (!value.is_number_unsigned())
        {
            return {};
        }
        counts.push_back(ToCount(value));
    }
    return counts;
}

/**
 * @param type type of a value, with those of the tensors in it: GenericList[Tensor(float)]
 * @return types of the elements of these tensors, in their order
 */
std::vector<std::string>
ListTensorTypes(const std::string& type)
{
    const std::string mark = "Tensor(";
    std::vector<std::string> types;
    for (auto at = type.find(mark); at != std::string::npos; at = type.find(mark, at + 1))
    {
        const auto begin = at + mark.size();
        types.push_back(KinetoValues::ToLower(type.substr(begin, type.find(')', begin) - begin)));
    }
    return types;
}

/**
 * @ingroup workload-replay
 * @brief Makes nodes of objects in JSON. In newer schemas inputs and outputs are objects, and the
 * less important facts a list of attributes.
 */
class PytorchNodeReader
{
  public:
    /**
     * @param object the object
     */
    explicit PytorchNodeReader(const KinetoJson& object)
        : m_object(object)
    {
        m_node.id = KinetoValues::GetCount(object, "id").value_or(0);
        // Newer schemas name it ctrl_deps.
        const auto parent = KinetoValues::GetCount(object, "parent");
        m_node.parent = parent ? *parent : KinetoValues::GetCount(object, "ctrl_deps").value_or(0);
        m_node.name = KinetoValues::GetText(object, "name");
        m_node.schema = GetAttribute("op_schema");
        m_node.isKernel = !GetAttribute("kernel_backend").empty();
        m_node.isCausal = IsTrue("is_causal");
        m_node.isTransposed = IsTrue("transposed");
        m_node.inputs = ListTensors("input");
        m_node.outputs = ListTensors("output");
        const auto& values = GetList("input", "values");
        // PyTorch writes the process groups as JSON inside a text.
        if (m_node.name.find("process_group:init") != std::string::npos && !values.empty() &&
            values[0].is_string())
        {
            m_node.groups = values[0].get<std::string>();
        }
        if (m_node.name == "record_param_comms")
        {
            ReadCommunication();
        }
    }

    /**
     * @return the node
     */
    PytorchNode&& Take()
    {
        return std::move(m_node);
    }

  private:
    /**
     * @param end input or output
     * @param part values, shapes or types
     * @return that list
     */
    const KinetoJson& GetList(const std::string& end, const std::string& part) const
    {
        static const auto none = KinetoJson::array();
        const auto* list = KinetoValues::Find(m_object, (end + "s").c_str());
        if (list && list->is_object())
        {
            list = KinetoValues::Find(*list, part.c_str());
        }
        else if (part != "values")
        {
            list = KinetoValues::Find(m_object, (end + "_" + part).c_str());
        }
        return list && list->is_array() ? *list : none;
    }

    /**
     * @param name name of an attribute
     * @return its value, a text
     */
    std::string GetAttribute(const std::string& name) const
    {
        const auto* attributes = KinetoValues::Find(m_object, "attrs");
        for (const auto& attribute :
             attributes && attributes->is_array() ? *attributes : KinetoJson::array())
        {
            if (KinetoValues::GetText(attribute, "name") == name)
            {
                return KinetoValues::GetText(attribute, "value");
            }
        }
        // Older schemas have it as a key of the node.
        return KinetoValues::GetText(m_object, name.c_str());
    }

    /**
     * @param name name of an argument in the schema
     * @return whether it is true
     */
    bool IsTrue(const std::string& name) const
    {
        const auto at = m_node.schema.find(" " + name);
        if (at == std::string::npos)
        {
            return false;
        }
        // No type of an argument before has a comma in it but a list's length: "int[2]".
        const auto begin = m_node.schema.begin();
        const auto index = std::count(begin, begin + static_cast<std::ptrdiff_t>(at), ',');
        const auto& values = GetList("input", "values");
        return static_cast<std::size_t>(index) < values.size() &&
               values[static_cast<std::size_t>(index)] == true;
    }

    /**
     * @param end input or output
     * @return the tensors there
     */
    std::vector<PytorchTensor> ListTensors(const std::string& end) const
    {
        const auto& values = GetList(end, "values");
        const auto& shapes = GetList(end, "shapes");
        const auto& types = GetList(end, "types");
        std::vector<PytorchTensor> all;
        for (std::size_t i = 0; i < values.size(); ++i)
        {
            std::vector<PytorchTensor> tensors;
            AddTensors(values[i], i < shapes.size() ? shapes[i] : KinetoJson(), 0, tensors);
            const bool isTyped = i < types.size() && types[i].is_string();
            const auto names =
                ListTensorTypes(isTyped ? types[i].get<std::string>() : std::string());
            for (std::size_t k = 0; k < tensors.size(); ++k)
            {
                tensors[k].type = k < names.size() ? names[k] : "";
                all.push_back(std::move(tensors[k]));
            }
        }
        return all;
    }

    /**
     * @param value a value
     * @param shape its shape, or those of a list
     * @param depth how deep in lists it is
     * @param [in,out] tensors takes in the tensors of it
     */
    static void AddTensors(const KinetoJson& value,
                           const KinetoJson& shape,
                           uint32_t depth,
                           std::vector<PytorchTensor>& tensors)
    {
        if (!value.is_array() || depth > DEEPEST_LIST)
        {
            return;
        }
        // Number of the tensor and of its memory, offset, elements, bytes of one, device.
        if (value.size() == 6 && value[5].is_string() && value[3].is_number())
        {
            const auto device = value[5].get<std::string>();
            PytorchTensor tensor;
            tensor.storage = ToCount(value[1]);
            tensor.elements = ToCount(value[3]);
            // The largest element, complex128, has 16 bytes; the limit keeps the product at 2^56
            // or less.
            tensor.bytes = tensor.elements * std::min<uint64_t>(ToCount(value[4]), 64);
            tensor.onDevice = !device.empty() && device != "meta" && !BeginsWith(device, "cpu");
            tensor.shape = ToCounts(shape);
            tensors.push_back(std::move(tensor));
            return;
        }
        for (std::size_t i = 0; i < value.size(); ++i)
        {
            const bool isThere = shape.is_array() && i < shape.size();
            AddTensors(value[i], isThere ? shape[i] : KinetoJson(), depth + 1, tensors);
        }
    }

    /// Read what RECORD_PARAM_COMMS of PyTorch says (ParamCommsUtils.hpp).
    void ReadCommunication()
    {
        const auto& values = GetList("input", "values");
        std::size_t at = values.size();
        // The last text is the name of the call.
        while (at > 0 && !values[at - 1].is_string())
        {
            --at;
        }
        // Before the name of the call: tensors, number, group, own rank, or the root's, or the
        // peer's.
        if (at < 4)
        {
            return;
        }
        KinetoMessage message;
        message.name = values[at - 1].get<std::string>();
        message.peer =
            static_cast<uint32_t>(std::min(ToCount(values[at - 2]), KinetoValues::MOST_RANKS));
        const auto& group = values[at - 3].is_array() && !values[at - 3].empty() ? values[at - 3][0]
                                                                                 : values[at - 3];
        message.group =
            group.is_string() ? group.get<std::string>() : "#" + std::to_string(ToCount(group));
        const auto& number = values[at - 4];
        m_node.sequence = ToCount(number.is_array() && !number.empty() ? number[0] : number);
        message.sent = CountBytes(m_node.inputs);
        message.received = CountBytes(m_node.outputs);
        // Behind it: sizes of the parts of an all-to-all, then numbers, the last one that of ranks.
        message.sentParts =
            ListParts(at < values.size() ? values[at] : KinetoJson(), m_node.inputs);
        message.receivedParts =
            ListParts(at + 1 < values.size() ? values[at + 1] : KinetoJson(), m_node.outputs);
        if (at + 2 < values.size())
        {
            message.groupSize = static_cast<uint32_t>(
                std::min(ToCount(values[values.size() - 1]), KinetoValues::MOST_RANKS));
        }
        m_node.message = std::move(message);
    }

    /**
     * @param tensors tensors
     * @return their bytes
     */
    static uint64_t CountBytes(const std::vector<PytorchTensor>& tensors)
    {
        return std::accumulate(tensors.begin(),
                               tensors.end(),
                               uint64_t{0},
                               [](auto sum, const auto& tensor) { return sum + tensor.bytes; });
    }

    /**
     * @param splits lengths of the parts along the first dimension
     * @param tensors what is cut, or the parts themselves
     * @return bytes of the parts; empty = equal parts
     */
    static std::vector<uint64_t> ListParts(const KinetoJson& splits,
                                           const std::vector<PytorchTensor>& tensors)
    {
        std::vector<uint64_t> parts;
        // Each tensor of a list is the part of one member.
        if (tensors.size() > 1)
        {
            for (const auto& tensor : tensors)
            {
                parts.push_back(tensor.bytes);
            }
            return parts;
        }
        parts = ToCounts(splits);
        const auto rows = std::accumulate(parts.begin(), parts.end(), uint64_t{0});
        // Lengths count rows, which all have the same bytes.
        const auto row = rows > 0 ? CountBytes(tensors) / rows : 0;
        for (auto& part : parts)
        {
            part *= row;
        }
        return parts;
    }

    const KinetoJson& m_object; //!< the object
    PytorchNode m_node;         //!< the node
};

} // namespace

PytorchNode
ReadPytorchNode(const KinetoJson& object)
{
    return PytorchNodeReader(object).Take();
}

} // namespace ns3
