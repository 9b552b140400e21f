/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "foreign-file.h"

#include "workload-error.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <sstream>
#include <vector>

namespace ns3
{

namespace
{

/// Bytes of a file that are looked at.
constexpr std::size_t HEAD_BYTES = 65536;

/// What to do with lists of flows.
const std::string FLOW_TABLE = "; --workload and --background=file:name=FILE read it";

/// What to do with jobs.
const std::string WORKLOAD = "; --workload reads it";

/// What to do with times of collectives.
const std::string REFERENCE = "; --reference of wl-collective reads it";

/// What to do with files that lie beside the configuration of a model.
const std::string CONFIG_BESIDE = "; --model reads the config.json beside it";

/**
 * @ingroup workload-replay
 * @brief A kind of file that is recognized by words.
 */
struct ForeignKind
{
    ForeignFile kind;  //!< the kind
    std::string what;  //!< what it is
    std::string begin; //!< what may be its first character; empty = any
    std::vector<std::vector<std::string>>
        marks;          //!< of each list its beginning has a word, at least
    std::string remedy; //!< what reads it or what to do instead, with what separates it
};

/// The kinds that are recognized by words; those of which more is asked for come first.
const std::vector<ForeignKind> KINDS{
    {ForeignFile::GZIP,
     "a file compressed by gzip",
     "\x1f",
     {{"\x1f\x8b"}},
     "; unpack it first (gunzip)"},
    {ForeignFile::ZIP, "a ZIP archive", "P", {{"PK\x03\x04"}}, "; unpack it first (unzip)"},
    {ForeignFile::KINETO,
     "a Kineto trace of PyTorch's profiler",
     "{",
     {{"\"traceEvents\"", "\"deviceProperties\""},
      {"\"schemaVersion\"", "\"distributedInfo\"", "\"cpu_op\"", "\"cuda_runtime\""}},
     "; --workload reads it, and the directory of those of all ranks"},
    {ForeignFile::CHAKRA_JSON,
     "a Chakra trace in JSON",
     "[{",
     {{"COMP_NODE\"",
       "COMM_COLL_NODE\"",
       "COMM_SEND_NODE\"",
       "COMM_RECV_NODE\"",
       "MEM_LOAD_NODE\"",
       "METADATA_NODE\"",
       "\"workload_graph\""}},
     "; --workload reads it, and the directory of those of all ranks, NAME.RANK.json"},
    {ForeignFile::PYTORCH_TRACE,
     "an execution trace of PyTorch",
     "{",
     {{"\"schema\""}, {"\"pid\"", "\"nodes\""}},
     "; --workload reads it, and the directory of those of all ranks"},
    {ForeignFile::HUGGING_FACE,
     "a model's configuration of Hugging Face",
     "{",
     {{"\"architectures\"", "\"model_type\""},
      {"\"hidden_size\"", "\"num_hidden_layers\"", "\"n_embd\"", "\"n_layer\""}},
     "; --model reads it"},
    {ForeignFile::BESIDE_MODEL,
     "an index of a model's weights",
     "{",
     {{"\"weight_map\""}},
     CONFIG_BESIDE},
    {ForeignFile::BESIDE_MODEL,
     "an adapter of a model",
     "{",
     {{"\"peft_type\""}},
     "; --model reads the config.json of its base model"},
    {ForeignFile::BESIDE_MODEL,
     "a model's params.json of Meta or Mistral",
     "{",
     {{"\"dim\""}, {"\"n_layers\""}, {"\"norm_eps\""}},
     "; --model reads the config.json of the same model on Hugging Face"},
    {ForeignFile::BESIDE_MODEL,
     "a description of how a model's weights are stored (hf_quant_config.json)",
     "{",
     {{"\"quantization\""}, {"\"quant_algo\"", "\"kv_cache_quant_algo\""}},
     CONFIG_BESIDE},
    {ForeignFile::BESIDE_MODEL,
     "a model of AICB's inference mode",
     "{",
     {{"\"num_layers\""}, {"\"d_kv_c\""}, {"\"router_expert\""}},
     "; --model reads the config.json of the same model on Hugging Face"},
    {ForeignFile::BESIDE_MODEL,
     "a pipeline of diffusers",
     "{",
     {{"\"_diffusers_version\""}},
     "; --model reads decoders of text alone"},
    {ForeignFile::BESIDE_MODEL,
     "a model's settings of generation",
     "{",
     {{"\"_from_model_config\"", "\"do_sample\"", "\"max_new_tokens\""},
      {"\"eos_token_id\"", "\"bos_token_id\"", "\"transformers_version\""}},
     CONFIG_BESIDE},
    {ForeignFile::BESIDE_MODEL,
     "a tokenizer",
     "{",
     {{"\"added_tokens\"", "\"added_tokens_decoder\"", "\"tokenizer_class\""},
      {"\"truncation\"", "\"model_max_length\"", "\"pre_tokenizer\""}},
     CONFIG_BESIDE},
    {ForeignFile::NCCL_TOPOLOGY,
     "a topology of NCCL",
     "<",
     {{"<system"}, {"<cpu", "<gpu", "<pci"}},
     "; --server reads it"},
    {ForeignFile::NCCL_GRAPH,
     "a file of NCCL's channels",
     "<",
     {{"<graphs"}, {"<graph "}},
     "; --ncclGraph reads it"},
    {ForeignFile::MSCCL,
     "an algorithm of MSCCL",
     "<",
     {{"<algo"}, {"<gpu"}},
     "; --collective=KIND=FILE reads it"},
    {ForeignFile::MSCCLPP,
     "an execution plan of MSCCL++",
     "{",
     {{"\"threadblocks\""},
      {"\"input_chunks\"", "\"inputChunks\"", "\"src_buff\"", "\"dst_buff\"", "\"i_buff\""}},
     "; --collective=KIND=FILE reads it"},
    {ForeignFile::NCCL_TESTS,
     "the output of nccl-tests",
     "",
     {{"out-of-place"}, {"algbw"}},
     REFERENCE},
    {ForeignFile::NCCL_TESTS,
     "JSON of nccl-tests",
     "{",
     {{"\"results\""}, {"\"out_of_place\""}},
     REFERENCE},
    {ForeignFile::NCCL_TESTS,
     "JSON of rccl-tests",
     "[{",
     {{"\"inPlace\""}, {"\"busBw\""}},
     REFERENCE},
    {ForeignFile::HTSIM_FLOWS,
     "a connection matrix of htsim",
     "",
     {{"Nodes "}, {"Connections "}},
     FLOW_TABLE},
    {ForeignFile::HTSIM_TOPOLOGY,
     "a topology of htsim",
     "",
     {{"Nodes "}, {"Tiers "}},
     "; --topology reads it"},
    {ForeignFile::ASTRA_NETWORK,
     "a network of ASTRA-sim's analytical backend",
     "",
     {{"topology:"}, {"npus_count:"}},
     "; --topology reads it"},
    {ForeignFile::ASTRA_LOGICAL,
     "a list of logical dimensions of ASTRA-sim",
     "{",
     {{"\"logical-dims\""}},
     "; --topology reads the file of links beside it, and --collective says which algorithms run"},
    {ForeignFile::ASTRA_MEMORY,
     "a remote memory of ASTRA-sim",
     "{",
     {{"\"memory-type\""}},
     "; nothing reads it, as all tensors are in the memory of the accelerators"},
    {ForeignFile::ASTRA_SYSTEM,
     "a system configuration of ASTRA-sim",
     "{",
     {{"\"endpoint-delay\"", "\"preferred-dataset-splits\"", "-implementation\""},
      {"\"scheduling-policy\"", "\"active-chunks-per-dimension\"", "\"local-mem-bw\""}},
     "; --config reads it"},
    {ForeignFile::INFRAGRAPH,
     "an infrastructure of InfraGraph",
     "",
     {{"devices:", "\"devices\"", "infrastructure:"},
      {"components:", "\"components\"", "instances:"},
      {"links:", "\"links\""},
      {"choice:", "\"choice\"", "type:"}},
     "; --topology reads it"},
    {ForeignFile::INFRA_DEVICE,
     "devices of InfraGraph in the form of its first schema, or without what joins them",
     "d",
     {{"device:", "devices:"}, {"components:"}, {"type: xpu", "type: cpu", "type: nic"}},
     "; --topology reads an infrastructure: devices with links and edges (or connections), and "
     "instances"},
    {ForeignFile::HWLOC,
     "a topology of hwloc (lstopo)",
     "<",
     {{"<topology"}, {"<object "}},
     "; --server reads NCCL's of the same server, which a job writes with NCCL_TOPO_DUMP_FILE=FILE "
     "in its environment"},
    {ForeignFile::AICB_TABLE,
     "a table of AICB's communications",
     // Some begin with the ranks, in brackets.
     "c[",
     {{"comm_type,comm_group,"}, {",msg_size,stage,"}},
     "; --workload reads what AICB makes of the same job for SimAI "
     "(scripts/megatron_workload_with_aiob.sh)"},
    {ForeignFile::AICB_TABLE,
     "computation times of AICB",
     "t",
     {{"train_iter:"}, {"time_gpu_max:", "time_gpu_avg:"}},
     "; --workload reads the layer file that AICB makes of them (SimAI's form)"},
    {ForeignFile::AICB_TABLE,
     "bus bandwidths of SimAI's analytical mode",
     "tTD",
     {{"TP:", "DP:"}, {"allreduce,:"}},
     "; collectives are simulated, and need none"},
    {ForeignFile::HPCC_CONFIG,
     "a configuration of the network of SimAI or HPCC",
     "",
     {{"CC_MODE ", "ENABLE_QCN "},
      {"RATE_AI ", "KMIN_MAP ", "KMAX_MAP ", "PMAX_MAP ", "BUFFER_SIZE "}},
     "; --config reads it"},
    {ForeignFile::GOAL_BINARY,
     "a GOAL schedule in the binary form",
     "\x7f&",
     // Numbers of 64 bits, 4223 and 2342, of which the second one stands where LogGOPSim has run.
     {{std::string("\x7f\x10\0\0\0\0\0\0", 8), std::string("&\x09\0\0\0\0\0\0", 8)}},
     "; --workload reads it, as it reads the text that it was made of"},
    {ForeignFile::OP_TABLE,
     "an op table",
     "",
     {{"forward_compute_time"}, {"forward_comm_type"}, {"\t"}},
     WORKLOAD},
    {ForeignFile::GOAL, "a GOAL schedule", "n/", {{"num_ranks "}, {"rank "}}, WORKLOAD},
    {ForeignFile::LAYER_FILE,
     "a layer file of SimAI",
     "HDM",
     {{"HYBRID_", "DATA", "MICRO", "MODEL"}, {"model_parallel_NPU_group:"}},
     WORKLOAD},
    {ForeignFile::RANK_TRACE, "a rank trace", "r", {{"rank:"}, {"stage_id="}}, WORKLOAD},
    {ForeignFile::CHAKRA,
     "a Chakra trace",
     "",
     {{std::string(1, '\0')}, {"is_cpu_op", "comm_size", "comm_type", "num_ops"}},
     "; --workload reads it, and the directory of those of all ranks, NAME.RANK.et"},
    {ForeignFile::OWN_MODEL,
     "a model",
     "{",
     {{"\"layers\""}, {"\"hidden\""}, {"\"heads\""}, {"\"vocabulary\""}},
     "; --model reads it"},
    {ForeignFile::ACCELERATOR,
     "an accelerator",
     "{",
     {{"\"matrixFlops\""}, {"\"memoryBandwidth\""}},
     "; --accelerator reads it"},
};

/**
 * @param head the beginning of a file
 * @param kind a kind of file
 * @return whether the file is of that kind
 */
bool
IsOf(const std::string& head, const ForeignKind& kind)
{
    const auto first = head.find_first_not_of(" \t\r\n");
    if (!kind.begin.empty() &&
        (first == std::string::npos || kind.begin.find(head[first]) == std::string::npos))
    {
        return false;
    }
    return std::all_of(kind.marks.begin(), kind.marks.end(), [&head](const auto& words) {
        return std::any_of(words.begin(), words.end(), [&head](const auto& word) {
            return head.find(word) != std::string::npos;
        });
    });
}

/// What lines of numbers are: flows, those of HPCC's forerunner, nodes that HPCC traces,
/// distributions of sizes, and links.
/// @{
const ForeignKind FLOWS_OF_HPCC{ForeignFile::HPCC_FLOWS,
                                "a flow list of HPCC or conweave",
                                "",
                                {},
                                FLOW_TABLE};
const ForeignKind FLOWS_OF_DCQCN{
    ForeignFile::DCQCN_FLOWS,
    "a flow list of DCQCN's simulator (source, destination, priority, packets, start, end)",
    "",
    {},
    "; --workload reads HPCC's form of it, with bytes (packets x PACKET_PAYLOAD_SIZE) and without "
    "the end: source, destination, priority, port, bytes, start"};
const ForeignKind NODES_OF_HPCC{ForeignFile::HPCC_NODES,
                                "a list of nodes that HPCC traces",
                                "",
                                {},
                                "; --timeSeriesLinks and --timeSeriesRanks say what is traced"};

const ForeignKind SIZES{ForeignFile::FLOW_SIZES,
                        "a distribution of the sizes of flows",
                        "",
                        {},
                        "; --background=poisson:load=SHARE,sizes=FILE draws flows of it"};

const ForeignKind LINKS{ForeignFile::LINK_LIST,
                        "a topology of HPCC, conweave or SimAI",
                        "",
                        {},
                        "; --topology reads it"};

/// @}

/// Largest share of flows, where shares are in percent.
constexpr double MOST_SHARE = 100;

/**
 * @param line a line
 * @return its numbers; empty = there is something else in it
 */
std::vector<double>
ReadNumbers(const std::string& line)
{
    std::istringstream words(line);
    std::vector<double> numbers;
    double number = 0;
    while (words >> number)
    {
        numbers.push_back(number);
    }
    return words.eof() ? numbers : std::vector<double>{};
}

/**
 * @param line a line of numbers
 * @param index which of them, from 0
 * @return whether it is written with a point, as times are and bytes are not
 */
bool
HasFraction(const std::string& line, std::size_t index)
{
    std::istringstream words(line);
    std::string word;
    for (std::size_t i = 0; i <= index; ++i)
    {
        words >> word;
    }
    return word.find('.') != std::string::npos;
}

/**
 * @param first the first line of a file
 * @param switches numbers of the second one
 * @return whether they begin a topology
 */
bool
IsTopology(const std::string& first, const std::vector<double>& switches)
{
    // SimAI has a word for the GPUs behind the numbers.
    const auto last = first.find_last_of(" \t", first.find_last_not_of(" \t\r"));
    const auto all = ReadNumbers(first);
    const auto counts = all.empty() ? ReadNumbers(first.substr(0, last)) : all;
    const bool hasRacks = counts.size() == 4 || counts.size() == 6;
    const auto expected = counts.size() == 3 || hasRacks ? counts[1]
                          : counts.size() == 5           ? counts[2] + counts[3]
                                                         : 0;
    return expected > 0 && static_cast<double>(switches.size()) == expected;
}

/**
 * Flow lists are a count, then lines of source, destination, priority group, port (not in
 * conweave), bytes and start, or before HPCC of packets, start and end behind the group;
 * distributions have a size and a share in each line; nodes are a
 * count, then so many numbers in one line. Topologies are counts of nodes, switches and links, or
 * the six fields of SimAI, then the switches.
 *
 * @param head the beginning of a file
 * @return what its lines of numbers are; null = it has no such lines
 */
const ForeignKind*
FindKindOfNumbers(const std::string& head)
{
    std::istringstream lines(head);
    std::string first;
    std::string second;
    std::string third;
    std::getline(lines, first);
    std::getline(lines, second);
    const auto count = ReadNumbers(first);
    const auto numbers = ReadNumbers(second);
    if (IsTopology(first, numbers))
    {
        return &LINKS;
    }
    if (count.size() == 2 && numbers.size() == 2 && count.front() <= numbers.front() &&
        count.back() <= numbers.back() && numbers.back() <= MOST_SHARE)
    {
        return &SIZES;
    }
    if (count.size() != 1 || numbers.empty())
    {
        return nullptr;
    }
    // Notes may stand behind the nodes, but no more numbers.
    std::getline(lines, third);
    if (static_cast<double>(numbers.size()) == count.front() && ReadNumbers(third).empty())
    {
        return &NODES_OF_HPCC;
    }
    if (numbers.size() == 6 && HasFraction(second, 4))
    {
        return &FLOWS_OF_DCQCN;
    }
    return numbers.size() == 5 || numbers.size() == 6 ? &FLOWS_OF_HPCC : nullptr;
}

/**
 * @param start the beginning of a file
 * @return the kind that words or numbers name; null = none
 */
const ForeignKind*
FindKind(const std::string& start)
{
    const auto& kinds = KINDS;
    const auto found = std::find_if(kinds.begin(), kinds.end(), [&start](const auto& kind) {
        return IsOf(start, kind);
    });
    return found == kinds.end() ? FindKindOfNumbers(start) : &*found;
}

} // namespace

ForeignFile
FindForeignKind(const std::string& head)
{
    const auto* kind = FindKind(head.substr(0, HEAD_BYTES));
    return kind ? kind->kind : ForeignFile::NONE;
}

ForeignFile
FindForeignFile(const std::string& file)
{
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::fopen(file.c_str(), "rb"),
                                                                 &std::fclose);
    std::string head(HEAD_BYTES, '\0');
    head.resize(stream ? std::fread(head.data(), 1, head.size(), stream.get()) : 0);
    return FindForeignKind(head);
}

void
RefuseForeignFile(const std::string& file,
                  const std::string& head,
                  const std::vector<ForeignFile>& readable)
{
    const auto* kind = FindKind(head.substr(0, HEAD_BYTES));
    if (kind && std::find(readable.begin(), readable.end(), kind->kind) == readable.end())
    {
        throw WorkloadError({file, 0, 0, ""},
                            "a file of a format that is read",
                            kind->what + kind->remedy);
    }
}

} // namespace ns3
