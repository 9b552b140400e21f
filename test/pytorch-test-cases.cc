/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "pytorch-test-cases.h"

#include "workload-test-tools.h"

#include "ns3/accelerator-file.h"
#include "ns3/pytorch-costs.h"
#include "ns3/pytorch-reader.h"

#include <filesystem>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/// A tensor of a trace: its memory, type, shape and number of elements.
struct TestTensor
{
    uint32_t storage;             //!< number of its memory
    std::string type;             //!< type of its elements
    std::vector<uint32_t> shape;  //!< its lengths
    std::string device{"cuda:0"}; //!< where it lies

    /// @return its lengths in JSON
    std::string DescribeShape() const
    {
        std::string text;
        for (const auto length : shape)
        {
            text += (text.empty() ? "" : ", ") + std::to_string(length);
        }
        return "[" + text + "]";
    }

    /// @return the tensor in JSON
    std::string Describe() const
    {
        uint64_t elements = 1;
        for (const auto length : shape)
        {
            elements *= length;
        }
        const auto bytes = type == "float" ? 4 : 2;
        return "[" + std::to_string(storage + 1000) + ", " + std::to_string(storage) + ", 0, " +
               std::to_string(elements) + ", " + std::to_string(bytes) + ", \"" + device + "\"]";
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief A node of a trace, in the schema of 2022 or of 2024.
 */
struct TestNode
{
    uint32_t id;                     //!< its number
    uint32_t parent;                 //!< that of the node around it
    std::string name;                //!< its name
    std::string schema;              //!< what the operator takes and gives
    std::vector<TestTensor> inputs;  //!< tensors
    std::vector<TestTensor> outputs; //!< tensors
    std::string more{};              //!< further inputs in JSON, with commas between

    /**
     * @param isNew whether the schema is the newer one
     * @return the node in JSON
     */
    std::string Describe(bool isNew) const
    {
        const auto number = std::to_string(id);
        const auto around = std::to_string(parent);
        if (isNew)
        {
            return "{\"id\": " + number + ", \"name\": \"" + name + "\", \"ctrl_deps\": " + around +
                   ", \"inputs\": " + List(inputs, more, "", ", ", "}") +
                   ", \"outputs\": " + List(outputs, "", "", ", ", "}") +
                   ", \"attrs\": [{\"name\": \"op_schema\", \"type\": \"string\", \"value\": \"" +
                   schema + "\"}]}";
        }
        return "{\"name\": \"" + name + "\", \"id\": " + number + ", \"parent\": " + around +
               ", \"op_schema\": \"" + schema + "\", " + List(inputs, more, "input", ", ", "") +
               ", " + List(outputs, "", "output", ", ", "") + "}";
    }

  private:
    /**
     * @param tensors tensors
     * @param rest further values
     * @param end input or output in the older schema; empty = the newer one
     * @param comma what separates values
     * @param close what closes the lists
     * @return values, shapes and types
     */
    static std::string List(const std::vector<TestTensor>& tensors,
                            const std::string& rest,
                            const std::string& end,
                            const std::string& comma,
                            const std::string& close)
    {
        std::string values;
        std::string shapes;
        std::string types;
        for (const auto& tensor : tensors)
        {
            const auto before = values.empty() ? "" : comma;
            values += before + tensor.Describe();
            shapes += before + tensor.DescribeShape();
            types += before + "\"Tensor(" + tensor.type + ")\"";
        }
        values += (values.empty() || rest.empty() ? "" : comma) + rest;
        return (end.empty() ? "{\"values\": [" : "\"" + end + "s\": [") + values +
               (end.empty() ? "], \"shapes\": [" : "], \"" + end + "_shapes\": [") + shapes +
               (end.empty() ? "], \"types\": [" : "], \"" + end + "_types\": [") + types + "]" +
               close;
    }
};

/// Operators of a line of arithmetic.
const std::string ADD = "aten::add_(Tensor(a!) self, Tensor other) -> Tensor(a!)";

/**
 * @param isNew whether the schema is the newer one
 * @return a layer, an all-reduce of its result beside an activation, a sum that waits for it, an
 *         all-to-all of what that gives, and a sum with what has come
 */
std::vector<TestNode>
MakeTestNodes(bool isNew)
{
    const TestTensor x{10, "c10::BFloat16", {100, 200}};
    const TestTensor w{11, "c10::BFloat16", {50, 200}};
    const TestTensor t{11, "c10::BFloat16", {200, 50}};
    const TestTensor y{12, "c10::BFloat16", {100, 50}};
    const TestTensor z{13, "c10::BFloat16", {1000}};
    const TestTensor sent{14, "float", {500}};
    const TestTensor got{15, "float", {400}};
    const TestTensor host{16, "float", {8}, "cpu"};
    const std::string group = isNew ? "[\"7\", \"default_pg\"]" : "82149104";
    const std::string size = isNew ? ", 0, 1, 2" : "";
    return {
        {4, 1, "aten::linear", "aten::linear(Tensor input, Tensor weight) -> Tensor", {x, w}, {y}},
        {5, 4, "aten::t", "aten::t(Tensor(a) self) -> Tensor(a)", {w}, {t}},
        {6, 4, "aten::mm", "aten::mm(Tensor self, Tensor mat2) -> Tensor", {x, t}, {y}},
        {7, 1, "c10d::allreduce_", "c10d::allreduce_(Tensor[] tensors) -> Tensor[]", {y}, {y}},
        {8,
         7,
         "record_param_comms",
         "",
         {y},
         {y},
         "9, " + group + ", 0, \"allreduce\", [], []" + size},
        {9, 1, "aten::relu", "aten::relu(Tensor self) -> Tensor", {z}, {z}},
        {10,
         1,
         "aten::add",
         "aten::add(Tensor self, Tensor other) -> Tensor",
         {host, host},
         {host}},
        {11, 1, "aten::empty", "aten::empty(SymInt[] size) -> Tensor", {}, {sent}},
        {12,
         1,
         "record_param_comms",
         "",
         {},
         {},
         "9, " + (isNew ? "[\"\", \"\"]" : group) + ", 0, \"wait\", [], []"},
        {13, 1, "aten::add_", ADD, {z, z}, {z}},
        {14,
         1,
         "record_param_comms",
         "",
         {sent},
         {got},
         "10, " + group + ", 0, \"all_to_allv\", [200, 300], [300, 100]" + size},
        {15, 1, "aten::add_", ADD, {got, got}, {got}},
    };
}

/**
 * @ingroup workload-replay-tests
 * @brief Programs of hand-written traces.
 */
class PytorchTestCase : public TestCase
{
  public:
    PytorchTestCase()
        : TestCase("execution traces of PyTorch")
    {
    }

  private:
    void DoRun() override
    {
        m_folder = CreateTempDirFilename("traces");
        std::filesystem::create_directory(m_folder);
        // A FLOP and a byte take a picosecond.
        m_options.accelerator.text = m_folder + "/simple.json";
        WriteWorkloadFile(m_options.accelerator.text,
                          "{\"matrixFlops\": {\"bf16\": 1e12}, \"vectorFlops\": 1e12, "
                          "\"memoryBandwidth\": \"1000GB/s\", \"combination\": \"max\"}");
        CheckCopies();
        CheckProgram(true);
        CheckProgram(false);
        CheckTimes();
        CheckErrors();
        CheckCosts();
    }

    /**
     * @param name name of the file
     * @param nodes nodes
     * @param isNew whether the schema is the newer one
     */
    void Write(const std::string& name, const std::vector<TestNode>& nodes, bool isNew)
    {
        std::string text = "{\"schema\": \"1.0.1\", \"pid\": 7, \"nodes\": [\n";
        for (const auto& node : nodes)
        {
            text += node.Describe(isNew) + (&node == &nodes.back() ? "\n" : ",\n");
        }
        WriteWorkloadFile(m_folder + "/" + name, text + "]}\n");
    }

    /**
     * The innermost operators with kernels, in their order, by FLOP or bytes; communications after
     * what was launched before; what follows a wait, or touches what is written, after those.
     *
     * @param isNew whether the schema is the newer one
     */
    void CheckProgram(bool isNew)
    {
        for (const auto* name : {"et_0.json", "et_1.json"})
        {
            auto nodes = MakeTestNodes(isNew);
            if (name[3] == '1')
            {
                // What one rank sends the other one gets.
                nodes[10].more = ReplaceFirst(nodes[10].more, "[200, 300]", "[100, 400]");
            }
            Write(name, nodes, isNew);
        }
        const auto workload = ReadPytorchTraces(m_folder, m_options);
        NS_TEST_EXPECT_MSG_EQ(workload->GetLayout().world, 2, "ranks");
        const std::string group = isNew ? "7" : "group-0";
        const std::string expected = "0 compute aten::mm forward compute 2000000 @6 <-\n"
                                     "1 " +
                                     group +
                                     " allreduce forward all-reduce 10000 @8 <- 0\n"
                                     "2 compute aten::relu forward compute 4000 @9 <-\n"
                                     "3 compute aten::add_ forward compute 6000 @13 <- 1\n"
                                     "4 " +
                                     group +
                                     " all_to_allv forward all-to-all 2000 @14 <- 3\n"
                                     "5 compute aten::add_ forward compute 4800 @15 <- 4\n";
        const auto& program = workload->GetProgram(0);
        NS_TEST_EXPECT_MSG_EQ(DescribeProgram(program), expected, "the program");
        const auto* splits = program.GetSplits(program.GetOps()[4]);
        NS_TEST_ASSERT_MSG_NE(splits, nullptr, "parts of any length");
        NS_TEST_EXPECT_MSG_EQ((splits->send == std::vector<uint64_t>{800, 1200}),
                              true,
                              "rows of 4 bytes that are sent");
        NS_TEST_EXPECT_MSG_EQ((splits->receive == std::vector<uint64_t>{1200, 400}),
                              true,
                              "rows of 4 bytes that come");
    }

    /// Times of the user go before those of the accelerator, with shapes before without.
    void CheckTimes()
    {
        auto options = m_options;
        options.operatorTimes = m_folder + "/times.tsv";
        const std::string header = "operator\tforward_us\tbackward_input_us\tbackward_weight_us\n";
        WriteWorkloadFile(options.operatorTimes,
                          header + "aten::mm\t7\t0\t0\naten::add_\t3\t0\t0\n"
                                   "aten::add_[400][400]\t4\t0\t0\n");
        const auto workload = ReadPytorchTraces(m_folder, options);
        const auto& ops = workload->GetProgram(1).GetOps();
        NS_TEST_EXPECT_MSG_EQ(ops[0].amount, 7000000, "the time by name");
        NS_TEST_EXPECT_MSG_EQ(ops[2].amount, 4000, "no row");
        NS_TEST_EXPECT_MSG_EQ(ops[3].amount, 3000000, "the time by name");
        NS_TEST_EXPECT_MSG_EQ(ops[5].amount, 4000000, "the time by name and shapes");
        WriteWorkloadFile(options.operatorTimes, header + "aten::mn\t7\t0\t0\n");
        NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf([&] { ReadPytorchTraces(m_folder, options); }),
                              options.operatorTimes +
                                  ":2:1: error: expected an operator of the traces that has a "
                                  "kernel, such as aten::mm or aten::mm[4,8][8,2], found "
                                  "'aten::mn'; did you mean aten::mm?",
                              "an operator that is not there");
    }

    /// What comes from the host or goes there takes no time.
    void CheckCopies()
    {
        const TestTensor one{10, "c10::BFloat16", {1}};
        const TestTensor many{11, "c10::BFloat16", {1000}};
        const TestTensor host{12, "c10::BFloat16", {1000}, "cpu"};
        const std::string copy = "aten::copy_(Tensor(a!) self, Tensor src) -> Tensor(a!)";
        const std::string item = "aten::_local_scalar_dense(Tensor self) -> Scalar";
        Write("et_0.json",
              {{4, 1, "aten::copy_", copy, {many, host}, {many}},
               {5, 1, "aten::_local_scalar_dense", item, {one}, {}},
               {6, 1, "aten::copy_", copy, {many, many}, {many}}},
              true);
        const auto workload = ReadPytorchTraces(m_folder, m_options);
        const auto& ops = workload->GetProgram(0).GetOps();
        NS_TEST_ASSERT_MSG_EQ(ops.size(), 3, "operators");
        NS_TEST_EXPECT_MSG_EQ(ops[0].amount, 0, "from the host");
        NS_TEST_EXPECT_MSG_EQ(ops[1].amount, 0, "a number to the host");
        // 1000 elements of 2 bytes are read, and written.
        NS_TEST_EXPECT_MSG_EQ(ops[2].amount, 4000, "within the accelerator");
    }

    /// Traces that do not fit together, or are something else.
    void CheckErrors()
    {
        const auto read = [this] { ReadPytorchTraces(m_folder, m_options); };
        auto options = m_options;
        options.world = 3;
        NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf([&] { ReadPytorchTraces(m_folder, options); }),
                              m_folder + ": error: expected execution traces of PyTorch of all 3 "
                                         "ranks, found none of rank 2",
                              "a rank is missing");
        auto other = MakeTestNodes(true);
        other[4].more = ReplaceFirst(other[4].more, "allreduce", "broadcast");
        Write("et_0.json", MakeTestNodes(true), true);
        Write("et_1.json", other, true);
        NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf(read),
                              m_folder + ": error: expected the same collectives of all ranks of "
                                         "group '7', found as number 0 all-reduce of rank 0 and "
                                         "broadcast of rank 1",
                              "another collective");
        Write("et.json", {}, true);
        NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf(read),
                              m_folder + "/et.json: error: expected a rank in the name, at its end "
                                         "or behind \"rank\", found none",
                              "a trace of no rank");
        WriteWorkloadFile(
            m_folder + "/et.json",
            "{\"schema\": \"1.1.1\", \"nodes\": [{\"id\": 1, \"exclusive_dur\": 3}]}");
        NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf(read),
                              m_folder + "/et.json: error: expected an execution trace as PyTorch "
                                         "writes it, found one that chakra_trace_link has joined "
                                         "with a Kineto trace; chakra_converter makes a file "
                                         "NAME.RANK.et of it, which --workload reads",
                              "a trace with times of another one");
    }

    /// FLOP of operators, counted by hand.
    void CheckCosts()
    {
        const auto accelerator = FindAccelerator(m_options.accelerator);
        const PytorchCosts costs(accelerator);
        const auto tensor = [](const std::vector<uint64_t>& shape) {
            PytorchTensor made;
            made.shape = shape;
            made.elements = 1;
            for (const auto length : shape)
            {
                made.elements *= length;
            }
            made.bytes = 2 * made.elements;
            made.onDevice = true;
            made.type = "c10::bfloat16";
            return made;
        };
        PytorchNode node;
        node.schema = "-> Tensor";
        node.name = "aten::baddbmm";
        node.inputs = {tensor({3, 4, 6}), tensor({3, 4, 5}), tensor({3, 5, 6})};
        NS_TEST_EXPECT_MSG_EQ(costs.Find(node).matrixFlops, 3 * 2 * 4 * 5 * 6, "a batch");
        node.name = "aten::linear";
        node.inputs = {tensor({2, 7, 5}), tensor({11, 5}), tensor({11})};
        NS_TEST_EXPECT_MSG_EQ(costs.Find(node).matrixFlops, 2 * 2 * 7 * 5 * 11, "a layer");
        // 8 images, 3 channels to 16, 5 x 5 weights, results of 10 x 10.
        node.name = "aten::cudnn_convolution";
        node.inputs = {tensor({8, 3, 14, 14}), tensor({16, 3, 5, 5})};
        node.outputs = {tensor({8, 16, 10, 10})};
        const double once = 2. * 8 * 16 * 10 * 10 * 3 * 5 * 5;
        NS_TEST_EXPECT_MSG_EQ(costs.Find(node).matrixFlops, once, "a convolution");
        node.name = "aten::convolution_backward";
        node.inputs = {node.outputs[0], tensor({8, 3, 14, 14}), tensor({16, 3, 5, 5})};
        node.outputs = {tensor({8, 3, 14, 14}), tensor({16, 3, 5, 5})};
        NS_TEST_EXPECT_MSG_EQ(costs.Find(node).matrixFlops, 2 * once, "both its gradients");
        // 2 sequences, 4 heads of 8, 16 tokens.
        node.name = "aten::_scaled_dot_product_flash_attention";
        node.inputs = {tensor({2, 4, 16, 8}), tensor({2, 4, 16, 8}), tensor({2, 4, 16, 8})};
        const double attention = 2. * 2 * 4 * 16 * 16 * (8 + 8);
        NS_TEST_EXPECT_MSG_EQ(costs.Find(node).matrixFlops, attention, "attention");
        node.isCausal = true;
        NS_TEST_EXPECT_MSG_EQ(costs.Find(node).matrixFlops, attention / 2, "causal attention");
        NS_TEST_EXPECT_MSG_EQ((costs.Find(node).kind == OperatorKind::ATTENTION), true, "its kind");
        node.name = "aten::mm";
        node.inputs = {tensor({4, 5}), tensor({5, 6})};
        node.inputs[0].type = "float";
        NS_TEST_EXPECT_MSG_EQ(costs.Find(node).matrixFlops, 0, "no matrix units in fp32");
        NS_TEST_EXPECT_MSG_EQ(costs.Find(node).vectorFlops, 2 * 2 * 4 * 5 * 6, "vector units");
    }

    std::string m_folder;     //!< where the traces are
    PytorchOptions m_options; //!< what they do not say
};

} // namespace

std::vector<TestCase*>
MakePytorchTestCases()
{
    return {new PytorchTestCase()};
}

} // namespace ns3
