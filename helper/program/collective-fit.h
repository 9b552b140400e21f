/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_FIT_H
#define COLLECTIVE_FIT_H

#include "collective-fit-model.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Fits the parameters of a fabric to measured tables of collectives.
 *
 * What is made small is the sum over all rows of a function of ln(replayed / measured) that is its
 * square where it is small and its amount where it is large, so that a row that is far off does not
 * bend the others. A parameter that no row depends on stays as it is.
 */
class CollectiveFit
{
  public:
    /// What the fit says of a row.
    struct Row
    {
        CollectiveFitModel::Row measured; //!< what was measured
        CollectiveFitModel::Time base;    //!< with the fabric that the fit starts from
        CollectiveFitModel::Time fitted;  //!< with what was fitted to all rows
        CollectiveFitModel::Time leftOut; //!< with what was fitted to all rows but this one
    };

    /**
     * @param model replays of the measured rows; must outlive this object
     */
    explicit CollectiveFit(CollectiveFitModel& model);

    /**
     * Find which parameters the rows depend on, and fit these.
     *
     * @throws WorkloadError if a replay cannot finish
     */
    void Fit();

    /**
     * Fit again without each row, and replay it with what that gives. To be called after Fit().
     *
     * @throws WorkloadError if a replay cannot finish
     */
    void LeaveOut();

    /**
     * @return value of each parameter
     */
    const LatticePoint& GetPoint() const;

    /**
     * @return whether rows depend on each parameter
     */
    const std::vector<bool>& GetDetermined() const;

    /**
     * @return what is said of each row
     */
    const std::vector<Row>& GetRows() const;

  private:
    /// Index that no row has.
    static constexpr std::size_t NO_ROW = SIZE_MAX;

    /**
     * @param point values of the parameters
     * @param skipped a row that does not count; NO_ROW = all do
     * @param most above this, any value above it will do
     * @return how far the replays are from what was measured
     */
    double GetLoss(const LatticePoint& point, std::size_t skipped, double most);

    /**
     * @param skipped a row that does not count; NO_ROW = all do
     * @param step first step of the search
     * @return the best point
     */
    LatticePoint Search(std::size_t skipped, int step);

    /**
     * @param index a parameter
     * @return whether any row changes between its bounds, all others being as in the beginning
     */
    bool IsDetermined(std::size_t index);

    CollectiveFitModel& m_model;      //!< replays
    LatticePoint m_base;              //!< where the fit starts from
    LatticePoint m_point;             //!< what was fitted
    std::vector<bool> m_isDetermined; //!< whether rows depend on each parameter
    std::vector<Row> m_rows;          //!< what is said of each row
};

} // namespace ns3

#endif /* COLLECTIVE_FIT_H */
