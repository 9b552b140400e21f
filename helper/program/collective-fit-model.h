/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_FIT_MODEL_H
#define COLLECTIVE_FIT_MODEL_H

#include "collective-bench-cluster.h"
#include "collective-bench-options.h"
#include "collective-fit-log.h"
#include "fit-parameter.h"
#include "lattice-search.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What replays say of measured rows, by the values of the parameters.
 *
 * Each row is a replay with the fabric as --fabric would set it. What was replayed once is kept.
 */
class CollectiveFitModel
{
  public:
    /// A measured row.
    struct Row
    {
        std::size_t log{0};     //!< the table it stands in
        uint64_t bytes{0};      //!< size, bytes
        double microseconds{0}; //!< measured time, us
    };

    /// What a replay says of a row.
    struct Time
    {
        double microseconds{0}; //!< time, us, above 0
        std::string algorithm;  //!< what ran
    };

    /**
     * @param options what the user asks for, with the fabric that the fit starts from
     * @param logs the measured tables
     * @throws WorkloadError if the servers do not hold the ranks of a table
     */
    CollectiveFitModel(const CollectiveBenchOptions& options,
                       const std::vector<CollectiveFitLog>& logs);

    /**
     * @return all rows, by table and size
     */
    const std::vector<Row>& GetRows() const;

    /**
     * @return what may be fitted
     */
    const std::vector<FitParameter>& GetParameters() const;

    /**
     * @param point a value for each parameter
     * @param row index of a row
     * @return what a replay says of it
     * @throws WorkloadError if it cannot finish
     */
    const Time& Get(const LatticePoint& point, std::size_t row);

    /**
     * @return the points at which all rows were replayed
     */
    std::vector<LatticePoint> ListWholePoints() const;

    /**
     * @return number of replays so far
     */
    uint64_t CountReplays() const;

    /**
     * @param point a value for each parameter
     * @param which which parameters are determined by rows
     * @return what these set in a fabric
     */
    std::vector<FabricSet::Value> MakeValues(const LatticePoint& point,
                                             const std::vector<bool>& which) const;

  private:
    /// A size of a table: index of the table, bytes.
    using Size = std::pair<std::size_t, uint64_t>;

    /// What replays of a table at a point have alike.
    struct Job
    {
        LatticePoint point;             //!< the point
        std::size_t log{0};             //!< index of the table
        CollectiveBenchOptions options; //!< options with what the point sets, as are the defaults
        CollectiveBenchCluster cluster; //!< where the ranks stand
    };

    /**
     * @param point a value for each parameter
     * @param log index of a table
     * @return what its replays at the point have alike; those of one point follow each other
     */
    const Job& FindJob(const LatticePoint& point, std::size_t log);

    /**
     * @param point a value for each parameter
     * @param size a size of a table
     * @return what a replay says of it
     * @throws WorkloadError if it cannot finish
     */
    Time Replay(const LatticePoint& point, const Size& size);

    /**
     * @param point a value for each parameter
     * @param size a size of a table
     * @return the same, kept
     */
    const Time& FindReplay(const LatticePoint& point, const Size& size);

    /**
     * Long calls take time in proportion to what they are longer by, as long as the same algorithm
     * runs, and as much to replay.
     *
     * @param point a value for each parameter
     * @param size a size of a table
     * @return what a replay says of it, or for long calls what those of two shorter ones say
     */
    Time Extrapolate(const LatticePoint& point, const Size& size);

    std::optional<Job> m_job;               //!< that of the last replay; nothing = there was none
    CollectiveBenchOptions m_options;       //!< what the user asks for
    std::vector<CollectiveFitLog> m_logs;   //!< the measured tables
    std::vector<FitParameter> m_parameters; //!< what may be fitted
    std::vector<Row> m_rows;                //!< all rows
    /// What is known of rows, by point and row.
    std::map<LatticePoint, std::map<std::size_t, Time>> m_times;
    /// What was replayed, by point and size.
    std::map<std::pair<LatticePoint, Size>, Time> m_replays;
};

} // namespace ns3

#endif /* COLLECTIVE_FIT_MODEL_H */
