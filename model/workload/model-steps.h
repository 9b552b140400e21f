/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MODEL_STEPS_H
#define MODEL_STEPS_H

#include "model-job.h"
#include "parallel-groups.h"
#include "workload-types.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A collective that a step needs in one direction, and in the other.
 */
struct ModelTransfer
{
    uint32_t slot{0};                                    //!< communicator, see ParallelGroups
    CollectiveKind forward{CollectiveKind::ALL_REDUCE};  //!< kind in forward
    CollectiveKind backward{CollectiveKind::ALL_REDUCE}; //!< kind in backward
    uint64_t forwardBytes{0};    //!< bytes of the call in forward; 0 without splits = no call
    uint64_t backwardBytes{0};   //!< bytes of the call in backward; likewise
    uint32_t repetitions{1};     //!< so many calls one after another
    uint16_t multiprocessors{0}; //!< those that its kernels occupy; 0 = as NCCL's
    std::shared_ptr<const AllToAllSplits> forwardSplits;  //!< parts of an all-to-all; null = even
    std::shared_ptr<const AllToAllSplits> backwardSplits; //!< likewise in backward
};

/**
 * @ingroup workload-replay
 * @brief An operator of a model as one rank runs it, with the communication before and after it.
 *
 * Forward: before, forward, after. Backward: after, the gradient of the input, before; beside
 * the latter two the gradient of the weights.
 */
struct ModelStep
{
    std::string name;                  //!< name, the same in all layers
    OperatorCost forward;              //!< what it computes forward
    OperatorCost inputGradient;        //!< what it computes for the gradient of its input
    OperatorCost weightGradient;       //!< what it computes for the gradient of its weights
    std::vector<ModelTransfer> before; //!< communication of its input
    std::vector<ModelTransfer> after;  //!< communication of its output
    uint64_t regatherBytes{0}; //!< bytes of the input that are gathered again over tensor parallel
                               //!< ranks for the gradient of the weights; 0 = they are kept
    uint32_t ringSteps{0};     //!< so many steps of a ring, which before describes, run beside it
    bool isAttentionCore{false}; //!< it is a part of what core_attn names, see LayerModule
    double againShare{1}; //!< with zero 3: share of it that selective recomputation runs again

    /**
     * @param training how the model is trained
     * @return whether selective recomputation runs it again just before its backward steps. With
     *         zero 3 that goes by operator instead, see againShare.
     */
    bool RunsAgain(const ModelTraining& training) const;
};

/// Steps in forward order.
using ModelSteps = std::vector<ModelStep>;

/**
 * @ingroup workload-replay
 * @brief Makes the steps of a model's layers for one rank.
 *
 * Volumes as Megatron-Core communicates them (megatron/core/tensor_parallel/layers.py and
 * mappings.py, transformer/moe); sizes of matrices and of what else reads and writes memory as the
 * model's description says.
 */
class ModelStepMaker
{
  public:
    /**
     * @param job the job; must outlive this
     * @param expertRank number of the rank among expert parallel ranks; matters if expert loads
     *        are uneven
     */
    ModelStepMaker(const ModelJob& job, uint32_t expertRank);

    /// @return the embedding
    ModelSteps MakeEmbedding() const;

    /**
     * @param layer a layer; those that predict further tokens come after the others
     * @return the layer
     */
    ModelSteps MakeLayer(uint32_t layer) const;

    /// @return the last norm, the output layer and the loss
    ModelSteps MakeHead() const;

    /**
     * @param parameters parameters of a block on a rank
     * @return what is copied when the block is gathered, forward and backward, and when its
     *         gradients are reduced, see ModelTraining::CopiesParameters()
     */
    ModelStep MakeParameterCopies(double parameters) const;

    /// @return share of the tokens of all expert parallel ranks that each of them is sent
    std::vector<double> GetRankLoads() const;

  private:
    /// Whether tensor parallel ranks communicate the input or the output of a linear layer.
    enum class Split : uint8_t
    {
        COLUMN, //!< columns of the weights are shared out: each rank needs the whole input
        ROW,    //!< rows: the outputs of all ranks are added
        NONE    //!< every rank has all weights and works on its own tokens
    };

    /**
     * Cut a linear layer into as many matrices as models of PyTorch have (with zero 3): one each
     * for queries, keys and values, for the gate and the inner layer (TorchTitan, models/llama3;
     * MPT, which has no gate, has one for queries, keys and values). Each reads the input by
     * itself.
     *
     * @param step the layer, whose weights are split by columns
     * @param inputs size of its input
     * @param matrices number of matrices
     */
    void Separate(ModelStep& step, uint64_t inputs, uint32_t matrices) const;

    /**
     * @param split how the weights of a linear layer are shared out
     * @return tokens that a rank multiplies with them
     */
    double GetLinearTokens(Split split) const;

    /**
     * @param name name of the step
     * @param split how its weights are shared out
     * @param inputs size of its input, of all ranks
     * @param outputs size of its output, of all ranks
     * @return a linear layer, with a bias if the model has some
     */
    ModelStep MakeLinear(const std::string& name,
                         Split split,
                         uint64_t inputs,
                         uint64_t outputs) const;

    /**
     * @param name name of the step
     * @param split how its weights are shared out
     * @param inputs size of its input, of all ranks
     * @param outputs size of its output, of all ranks
     * @param precision number format in which it multiplies
     * @return a matrix multiplication, with what tensor parallel ranks communicate for it
     */
    ModelStep MakeProduct(const std::string& name,
                          Split split,
                          uint64_t inputs,
                          uint64_t outputs,
                          Precision precision) const;

    /**
     * Cast what tensor parallel ranks gather. With fp8 each casts its own part before, so that
     * elements travel as one byte (Transformer Engine, pytorch/distributed.py _all_gather_fp8() and
     * module/base.py, layers_all_gather_overlap; torchao, float8_tensor_parallel.py
     * PrepareFloat8ModuleInput). What is reduced has two.
     *
     * @param step a product whose input is gathered forward, or its gradient backward
     * @param isColumn true if it is its input
     * @param bytes what all have of it, in two bytes an element
     * @return bytes that are gathered
     */
    uint64_t CastBeforeGathering(ModelStep& step, bool isColumn, uint64_t bytes) const;

    /**
     * Set what matrix multiplications of a step take, in all three directions.
     *
     * @param step the step
     * @param tokens tokens that it works on
     * @param inputs size of a token's input
     * @param outputs size of a token's output
     * @param weights weights that are read
     * @param precision number format in which it multiplies
     */
    void SetMatrixCosts(ModelStep& step,
                        double tokens,
                        double inputs,
                        double outputs,
                        double weights,
                        Precision precision) const;

    /**
     * @param name name of the step
     * @param kind its kind
     * @param elements elements that it works on
     * @param forwardFlops FLOP of an element forward
     * @param backwardFlops FLOP of an element backward
     * @param forwardBytes bytes that it reads and writes of an element forward
     * @param backwardBytes likewise backward
     * @return an operator that works element by element
     */
    ModelStep MakeElementwise(const std::string& name,
                              OperatorKind kind,
                              double elements,
                              double forwardFlops,
                              double backwardFlops,
                              double forwardBytes,
                              double backwardBytes) const;

    /**
     * @param name name of the step
     * @param elements elements that it works on
     * @return a norm
     */
    ModelStep MakeNorm(const std::string& name, double elements) const;

    /// @return elements of the tokens between linear layers
    double GetHiddenElements() const;

    /**
     * @param name name of the step
     * @return the sum with what went around a block, and what drops out before it
     */
    ModelStep MakeResidual(const std::string& name) const;

    /**
     * @param name name of the step
     * @param elements elements of the inner size
     * @return the activation function
     */
    ModelStep MakeActivation(const std::string& name, double elements) const;

    /**
     * @param steps receives attention, from its norm to its residual
     * @param layer the layer
     */
    void AddAttention(ModelSteps& steps, uint32_t layer) const;

    /**
     * @param steps receives linear attention, from the linear layer before to the one after
     */
    void AddLinearAttention(ModelSteps& steps) const;

    /**
     * @param steps receives the convolution of linear attention, if it has one, and the linear
     * layers behind that of Mamba-1
     */
    void AddConvolution(ModelSteps& steps) const;

    /**
     * @param steps receives the linear layer before attention, of grouped queries
     */
    void AddProjections(ModelSteps& steps) const;

    /**
     * @param steps receives the linear layers before attention, with queries of low rank
     */
    void AddLowRankQueries(ModelSteps& steps) const;

    /**
     * Where heads of keys and values are fewer than tensor parallel ranks, the weights of a head
     * and of its queries are split over several ranks, none of which has a whole head. All gather
     * what the linear layer has put out, and each goes on with the queries that are its own
     * (Megatron-Core, transformer/attention.py, get_query_key_value_tensors).
     *
     * @param outputs size of the linear layer's output, of all ranks
     * @return the gathering, forward, and the sum of gradients, backward
     */
    ModelStep MakeHeadGather(uint64_t outputs) const;

    /// @return size of the queries of a rank's heads
    uint64_t GetRankQuerySize() const;

    /// @return size of the keys that a rank's queries attend to
    uint64_t GetRankKeySize() const;

    /// @return the rotation of queries and keys by their positions
    ModelStep MakeRotation() const;

    /// @return size of the keys and values that attention has on a rank
    uint64_t GetRankKeyValueSize() const;

    /**
     * @param steps receives the linear layers before attention, with latent attention
     */
    void AddLatentProjections(ModelSteps& steps) const;

    /**
     * @param steps receives the core of attention
     * @param layer the layer
     */
    void AddAttentionCore(ModelSteps& steps, uint32_t layer) const;

    /**
     * @param layer a layer
     * @return the core of its attention as one fused kernel
     */
    ModelStep MakeFusedCore(uint32_t layer) const;

    /**
     * Set what tokens the fused kernel of a layer attends to, and the name of the kernel, as layers
     * that differ in it have different times.
     *
     * @param [in,out] core the kernel; receives its name, its FLOPs and its length
     * @param layer the layer
     */
    void SetReach(ModelStep& core, uint32_t layer) const;

    /**
     * @param steps receives the core of attention that keeps its scores
     */
    void AddScores(ModelSteps& steps) const;

    /**
     * @param step the first operator of the core; receives what context parallel ranks exchange
     * @param last the last one
     */
    void AddContextExchange(ModelStep& step, ModelStep& last) const;

    /**
     * @param steps receives a dense feed-forward layer
     * @param prefix what the names begin with
     * @param ffn its inner size
     */
    void AddFeedForward(ModelSteps& steps, const std::string& prefix, uint64_t ffn) const;

    /**
     * @param steps receives a layer of experts
     */
    void AddExperts(ModelSteps& steps) const;

    /**
     * @param tokens tokens that the experts of a rank work on
     * @param inner inner size of an expert on a rank
     * @return the first linear layer of experts and the last one, with what ranks communicate for
     *         them
     */
    std::pair<ModelStep, ModelStep> MakeExpertLayers(double tokens, double inner) const;

    /**
     * @param steps receives the last linear layer of experts and, if they have biases, their sum
     * @param down the layer, with what ranks communicate after it
     * @param tokens tokens that the experts of a rank work on
     */
    void AddExpertResults(ModelSteps& steps, ModelStep down, double tokens) const;

    /**
     * @param bytes bytes of an element on the way there
     * @param backBytes bytes of an element of the gradient on the way back
     * @return the way of tokens to experts; the way back in another order is that of results
     */
    std::vector<ModelTransfer> MakeDispatch(double bytes, double backBytes) const;

    const ModelJob& m_job; //!< the job
    uint32_t m_expertRank; //!< number among expert parallel ranks
};

} // namespace ns3

#endif /* MODEL_STEPS_H */
