/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef OPERATOR_TIMES_H
#define OPERATOR_TIMES_H

#include "ns3/workload-error.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A table of operators with the times that somebody has measured.
 */
class OperatorTimes
{
  public:
    /// Times of an operator, ps. 0 = no time passes.
    struct Row
    {
        TextField name;          //!< name of the operator, and its place
        uint64_t forward;        //!< forward
        uint64_t backwardInput;  //!< backward, the gradient of the input
        uint64_t backwardWeight; //!< backward, the gradient of the weights
    };

    /**
     * Read a file whose fields have tabs between them: a header with the columns operator,
     * forward_us, backward_input_us and backward_weight_us in any order, then a line an operator.
     * Times are decimal numbers of 0 or more, in us, and are rounded to ps. Which names there are
     * is for the caller to check.
     *
     * @param file path of the file
     * @throws WorkloadError with line and column if a column is missing or unknown, an operator
     *         stands twice or has no name, or a time is not a number or too long
     */
    explicit OperatorTimes(const std::string& file);

    /**
     * @param name name of an operator
     * @return its times; null = it is not in the table
     */
    const Row* Find(const std::string& name) const;

    /**
     * @return the operators in the order of the file
     */
    const std::vector<Row>& GetRows() const;

  private:
    std::vector<Row> m_rows;                    //!< the operators
    std::map<std::string, std::size_t> m_index; //!< where each stands in m_rows
};

} // namespace ns3

#endif /* OPERATOR_TIMES_H */
