/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FOREIGN_FILE_H
#define FOREIGN_FILE_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Files that other tools write or read, and that are recognized by their content.
 */
enum class ForeignFile : uint8_t
{
    NONE,           //!< none of those below
    GZIP,           //!< compressed by gzip
    ZIP,            //!< a ZIP archive
    KINETO,         //!< a Kineto trace of PyTorch's profiler
    PYTORCH_TRACE,  //!< an execution trace of PyTorch
    CHAKRA_JSON,    //!< a Chakra trace in JSON
    HUGGING_FACE,   //!< the configuration of a model of Hugging Face
    BESIDE_MODEL,   //!< another file of a model, which says no sizes or has other keys
    NCCL_TOPOLOGY,  //!< NCCL's XML of a server
    NCCL_GRAPH,     //!< NCCL's XML of channels
    MSCCL,          //!< MSCCL's XML of an algorithm
    MSCCLPP,        //!< an execution plan of MSCCL++
    NCCL_TESTS,     //!< the output of nccl-tests or rccl-tests
    HTSIM_FLOWS,    //!< a connection matrix of htsim
    HTSIM_TOPOLOGY, //!< a topology of htsim
    ASTRA_NETWORK,  //!< a network of ASTRA-sim's analytical backend
    HPCC_CONFIG,    //!< the configuration of the network of SimAI, HPCC or conweave
    HPCC_FLOWS,     //!< a flow list of HPCC
    DCQCN_FLOWS,    //!< a flow list of DCQCN's simulator, HPCC's forerunner
    HPCC_NODES,     //!< a list of nodes that HPCC traces
    AICB_TABLE,     //!< a table of AICB or SimAI that no option reads
    ASTRA_LOGICAL,  //!< logical dimensions of ASTRA-sim
    ASTRA_MEMORY,   //!< remote memory of ASTRA-sim
    ASTRA_SYSTEM,   //!< a system configuration of ASTRA-sim
    INFRAGRAPH,     //!< an infrastructure of InfraGraph
    INFRA_DEVICE,   //!< devices of InfraGraph's first schema, or without what joins them
    HWLOC,          //!< a topology of hwloc
    GOAL,           //!< a GOAL schedule in text
    GOAL_BINARY,    //!< a GOAL schedule in the binary form
    OP_TABLE,       //!< an op table
    FLOW_SIZES,     //!< a distribution of the sizes of flows
    LAYER_FILE,     //!< a layer file of SimAI
    RANK_TRACE,     //!< a rank trace of Megatron
    CHAKRA,         //!< a Chakra trace in Protobuf
    LINK_LIST,      //!< a topology of HPCC, conweave or SimAI
    OWN_MODEL,      //!< a model of the module's own keys
    ACCELERATOR     //!< an accelerator of the module's own keys
};

/**
 * @ingroup workload-replay
 * @param head first bytes of a file; what lies behind 64 KiB adds nothing
 * @return what it is
 */
ForeignFile FindForeignKind(const std::string& head);

/**
 * @ingroup workload-replay
 * @param file path of a file
 * @return what it is by its first 64 KiB; NONE if it cannot be read
 */
ForeignFile FindForeignFile(const std::string& file);

/**
 * @ingroup workload-replay
 * @brief Refuse a file that other tools write or read and the reader at hand does not, by what it
 * is.
 *
 * A reader that is given such a file would complain of its first word, which shows nobody what to
 * do.
 *
 * @param file its path, for the message
 * @param head its first bytes; what lies behind 64 KiB adds nothing
 * @param readable kinds that the reader reads
 * @throws WorkloadError if it is of another kind: what it is, and what reads it or makes something
 * of it that is read
 */
void RefuseForeignFile(const std::string& file,
                       const std::string& head,
                       const std::vector<ForeignFile>& readable = {});

} // namespace ns3

#endif /* FOREIGN_FILE_H */
