/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PYTORCH_NODE_H
#define PYTORCH_NODE_H

#include "kineto-message.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A tensor that an operator reads or writes.
 */
struct PytorchTensor
{
    uint64_t storage{0};         //!< number of the memory that it lies in; 0 = it is not defined
    uint64_t elements{0};        //!< number of its elements
    uint64_t bytes{0};           //!< their bytes
    bool onDevice{false};        //!< whether it lies in the memory of an accelerator
    std::string type;            //!< type of its elements, in lower case: float, c10::bfloat16
    std::vector<uint64_t> shape; //!< its lengths; empty = a number, or they are not said
};

/**
 * @ingroup workload-replay
 * @brief A call of an operator, or a span of the host, in an execution trace.
 */
struct PytorchNode
{
    uint64_t id{0};                       //!< its number, in the order of beginning
    uint64_t parent{0};                   //!< number of the node that it is a part of
    std::string name;                     //!< its name
    std::string schema;                   //!< what the operator takes and gives; empty = not said
    bool isKernel{false};                 //!< a kernel that was compiled for the program (Triton)
    bool isCausal{false};                 //!< its argument is_causal is true
    bool isTransposed{false};             //!< its argument transposed is true
    std::vector<PytorchTensor> inputs;    //!< tensors that it is given, those of lists one by one
    std::vector<PytorchTensor> outputs;   //!< tensors that it gives
    std::optional<KinetoMessage> message; //!< what it says of a communication, or that it waits
    uint64_t sequence{0};                 //!< number of the communication that is meant
    std::string groups;                   //!< of the node that makes process groups: these, in JSON
};

/**
 * @ingroup workload-replay
 * @param object an object of an execution trace, of any schema from 1.0.0 to 1.1.x
 * @return the node that it is; what is not there, or of another type than it should be, is left out
 */
PytorchNode ReadPytorchNode(const KinetoJson& object);

} // namespace ns3

#endif /* PYTORCH_NODE_H */
