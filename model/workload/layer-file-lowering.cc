/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "layer-file-lowering.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ns3
{

namespace
{

/**
 * @param placed a row
 * @param phase part of the iteration
 * @return an item of the row
 */
StageItem
MakeItem(const PlacedRow& placed, OpPhase phase)
{
    StageItem item;
    item.name = placed.row->name;
    item.op.phase = phase;
    item.op.origin = placed.row->line;
    item.op.layer = placed.layer;
    return item;
}

/**
 * @param items what to append the forward pass of a row to
 * @param placed the row
 */
void
AddForward(StageItems& items, const PlacedRow& placed)
{
    AddLayerComputation(items, placed, FORWARD_COLUMN, OpPhase::FORWARD);
    AddLayerCommunication(items, placed, FORWARD_COLUMN, OpPhase::FORWARD);
}

/**
 * @param items what to append the weight gradient of a row to
 * @param placed the row
 */
void
AddWeightGradient(StageItems& items, const PlacedRow& placed)
{
    AddLayerComputation(items, placed, WEIGHT_GRADIENT_COLUMN, OpPhase::BACKWARD_WEIGHT);
    // Gradients are reduced while the backward pass goes on.
    AddLayerCommunication(items, placed, WEIGHT_GRADIENT_COLUMN, OpPhase::GRAD_SYNC).blocking =
        false;
}

/**
 * @param items what to append the rows to that a row in backward needs again
 * @param rows the rows of the pass
 * @param row number of the row among them
 */
void
AddRecomputation(StageItems& items, const std::vector<PlacedRow>& rows, std::size_t row)
{
    const auto end = rows.begin() + static_cast<std::ptrdiff_t>(row);
    // From the last checkpoint on the activations are gone: the rows run forward again.
    auto begin = end;
    while (begin != rows.begin())
    {
        --begin;
        if (begin->row->isCheckpoint)
        {
            break;
        }
    }
    std::for_each(begin, end, [&items](const PlacedRow& again) { AddForward(items, again); });
}

/**
 * @param file a file
 * @return its rows, each a layer
 */
std::vector<PlacedRow>
PlaceAllRows(const LayerFile& file)
{
    std::vector<PlacedRow> rows;
    for (const auto& row : file.rows)
    {
        rows.push_back({&row, static_cast<int32_t>(rows.size())});
    }
    return rows;
}

/**
 * @param rows the rows of a file of policy DATA
 * @return the passes
 */
StagePass
LowerData(const std::vector<PlacedRow>& rows)
{
    StagePass pass;
    for (const auto& placed : rows)
    {
        AddForward(pass.forward, placed);
    }
    for (auto placed = rows.rbegin(); placed != rows.rend(); ++placed)
    {
        AddWeightGradient(pass.backward, *placed);
        // Nothing before the first row waits for the gradient of its input.
        if (std::next(placed) != rows.rend())
        {
            AddLayerComputation(pass.backward,
                                *placed,
                                INPUT_GRADIENT_COLUMN,
                                OpPhase::BACKWARD_INPUT);
        }
    }
    return pass;
}

/**
 * @param rows the rows of a file of policy HYBRID_DLRM or HYBRID_DLRM_ENHANCED
 * @param lastBottom number of the last bottom layer
 * @return the passes
 */
StagePass
LowerDlrm(const std::vector<PlacedRow>& rows, std::size_t lastBottom)
{
    auto pass = LowerData(rows);
    // Each row has two items in forward; the second one of the first row is the exchange.
    if (lastBottom > 0)
    {
        pass.forward[1].produces.number = 1;
        pass.forward[2 * lastBottom + 2].consumes.number = 1;
    }
    // Each row has three items in backward, but for the first row, which comes last.
    StageItems exchange;
    AddLayerCommunication(exchange, rows.front(), INPUT_GRADIENT_COLUMN, OpPhase::BACKWARD_INPUT)
        .blocking = false;
    const auto nBefore = 3 * (rows.size() - 1 - lastBottom);
    pass.backward.insert(pass.backward.begin() + static_cast<std::ptrdiff_t>(nBefore),
                         exchange.front());
    return pass;
}

/**
 * @param rows the rows of a file of policy MICRO
 * @return the passes
 */
StagePass
LowerMicro(const std::vector<PlacedRow>& rows)
{
    StagePass pass;
    for (const auto& placed : rows)
    {
        AddLayerCommunication(pass.backward, placed, WEIGHT_GRADIENT_COLUMN, OpPhase::GRAD_SYNC);
    }
    return pass;
}

} // namespace

void
AddLayerComputation(StageItems& items, const PlacedRow& placed, LayerColumn column, OpPhase phase)
{
    auto item = MakeItem(placed, phase);
    item.op.amount = placed.row->work[column].time;
    items.push_back(std::move(item));
}

StageItem&
AddLayerCommunication(StageItems& items, const PlacedRow& placed, LayerColumn column, OpPhase phase)
{
    const auto& work = placed.row->work[column];
    auto item = MakeItem(placed, phase);
    item.op.kind = OpKind::COLLECTIVE;
    item.op.amount = work.bytes;
    item.op.collective = work.kind;
    item.op.communicator = static_cast<uint32_t>(work.dimension);
    item.updatePs = placed.row->updateTime;
    items.push_back(std::move(item));
    return items.back();
}

StagePass
MakeLayerPass(const std::vector<PlacedRow>& rows, InputGradientWait wait)
{
    StagePass pass;
    for (const auto& placed : rows)
    {
        AddForward(pass.forward, placed);
    }
    for (std::size_t i = rows.size(); i-- > 0;)
    {
        const auto first = pass.backward.size();
        if (rows[i].row->startsRecomputation)
        {
            AddRecomputation(pass.backward, rows, i);
        }
        AddLayerComputation(pass.backward, rows[i], INPUT_GRADIENT_COLUMN, OpPhase::BACKWARD_INPUT);
        auto& communication = AddLayerCommunication(pass.backward,
                                                    rows[i],
                                                    INPUT_GRADIENT_COLUMN,
                                                    OpPhase::BACKWARD_INPUT);
        if (wait == InputGradientWait::NEXT_ROW)
        {
            // The first row has nothing after it, so its number, 0, is none.
            communication.produces.number = static_cast<uint32_t>(i);
            pass.backward[first].consumes.number = static_cast<uint32_t>(i + 1);
        }
        AddWeightGradient(pass.backward, rows[i]);
    }
    return pass;
}

StagePass
LowerLiteralOrder(const LayerFile& file)
{
    const auto rows = PlaceAllRows(file);
    switch (file.header.policy)
    {
    case LayerFilePolicy::DATA:
        return LowerData(rows);
    case LayerFilePolicy::HYBRID_DLRM:
    case LayerFilePolicy::HYBRID_DLRM_ENHANCED:
        return LowerDlrm(rows, file.lastBottomLayer);
    case LayerFilePolicy::MICRO:
        return LowerMicro(rows);
    case LayerFilePolicy::HYBRID_TRANSFORMER:
    case LayerFilePolicy::HYBRID_TRANSFORMER_FWD_IN_BCKWD:
        return MakeLayerPass(rows, InputGradientWait::WEIGHT_GRADIENT);
    default:
        auto pass = MakeLayerPass(rows, InputGradientWait::NEXT_ROW);
        // The last row in backward is four items; the second one communicates its input gradient.
        pass.backward[pass.backward.size() - 3].op.amount = 0;
        return pass;
    }
}

} // namespace ns3
