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
     "; --reference of wl-collective reads it"},
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
    {ForeignFile::HPCC_CONFIG,
     "a configuration of the network of SimAI or HPCC",
     "",
     {{"CC_MODE "}, {"RATE_AI ", "KMIN_MAP ", "KMAX_MAP ", "PMAX_MAP ", "BUFFER_SIZE "}},
     "; --config reads it"},
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

/**
 * @param head the beginning of a file
 * @return whether it is a flow list of HPCC or conweave: a count, then lines of source,
 * destination, priority group, port (not in conweave), bytes and start
 */
bool
IsHpccFlowList(const std::string& head)
{
    std::istringstream lines(head);
    std::string line;
    std::vector<std::size_t> counts;
    while (counts.size() < 2 && std::getline(lines, line))
    {
        std::istringstream words(line);
        std::size_t count = 0;
        double number = 0;
        while (words >> number)
        {
            ++count;
        }
        // A line of anything but numbers does not count as numbers at all.
        counts.push_back(words.eof() ? count : 0);
    }
    return counts.size() == 2 && counts[0] == 1 && (counts[1] == 5 || counts[1] == 6);
}

/**
 * @param start the beginning of a file
 * @return the kind that words name; null = none
 */
const ForeignKind*
FindKind(const std::string& start)
{
    const auto& kinds = KINDS;
    const auto found = std::find_if(kinds.begin(), kinds.end(), [&start](const auto& kind) {
        return IsOf(start, kind);
    });
    return found == kinds.end() ? nullptr : &*found;
}

} // namespace

ForeignFile
FindForeignKind(const std::string& head)
{
    const auto start = head.substr(0, HEAD_BYTES);
    const auto* kind = FindKind(start);
    return kind ? kind->kind : IsHpccFlowList(start) ? ForeignFile::HPCC_FLOWS : ForeignFile::NONE;
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
    const auto kind = FindForeignKind(head);
    if (kind == ForeignFile::NONE ||
        std::find(readable.begin(), readable.end(), kind) != readable.end())
    {
        return;
    }
    const auto* words = FindKind(head.substr(0, HEAD_BYTES));
    throw WorkloadError({file, 0, 0, ""},
                        "a file of a format that is read",
                        words ? words->what + words->remedy
                              : "a flow list of HPCC or conweave" + FLOW_TABLE);
}

} // namespace ns3
