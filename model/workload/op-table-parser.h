/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef OP_TABLE_PARSER_H
#define OP_TABLE_PARSER_H

#include "op-table-lowering.h"
#include "op-table-reader.h"

#include "ns3/workload-text.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Turns the text of an op table into rows.
 *
 * The first line names the columns, in any order; all eleven must be there. Fields are separated
 * by one tab each and are not trimmed.
 */
class OpTableParser
{
  public:
    /**
     * @param text the table
     * @param options element size and backward scale; the others are not used here
     */
    OpTableParser(const WorkloadText& text, const OpTableOptions& options);

    /**
     * @return the rows as the file has them
     * @throws WorkloadError naming the first place that is wrong
     */
    std::vector<OpTableRow> Parse();

  private:
    /// The columns by their index in COLUMN_NAMES.
    enum Column : std::size_t
    {
        NAME,                     //!< name of the op
        FORWARD_COMPUTE_TIME,     //!< ms
        FORWARD_COMM_TYPE,        //!< communication after forward
        FORWARD_COMM_SIZE,        //!< elements
        BACKWARD_COMPUTE_TIME,    //!< ms
        BACKWARD_COMM_TYPE,       //!< communication after backward
        BACKWARD_COMM_SIZE,       //!< elements
        WEIGHT_GRAD_COMPUTE_TIME, //!< ms
        WEIGHT_GRAD_COMM_TYPE,    //!< communication after the weight gradient
        WEIGHT_GRAD_COMM_SIZE,    //!< elements
        PROCESS_TIME,             //!< ms
        N_COLUMNS                 //!< number of columns
    };

    /// The fields of a row by their column.
    using Fields = std::array<TextField, N_COLUMNS>;

    /// The columns as the header line spells them.
    static const std::array<const char*, N_COLUMNS> COLUMN_NAMES;

    /**
     * Find out which column each field of a line is.
     *
     * @param line the header line
     */
    void ParseHeader(const WorkloadText::Line& line);

    /**
     * @param line a line after the header
     * @return its row
     */
    OpTableRow ParseRow(const WorkloadText::Line& line) const;

    /**
     * @param line a line after the header
     * @return its fields by column
     */
    Fields SplitRow(const WorkloadText::Line& line) const;

    /**
     * @param fields the fields of a row
     * @param column a column of times in ms
     * @param scale factor to multiply the time by
     * @return the product in ps, rounded to nearest
     */
    uint64_t ParseTime(const Fields& fields, Column column, double scale = 1) const;

    /**
     * @param fields the fields of a row
     * @param typeColumn a column of communication types; the next one holds the sizes in elements
     * @return the communication
     */
    OpTableCommunication ParseCommunication(const Fields& fields, Column typeColumn) const;

    const WorkloadText& m_text;       //!< the table
    const OpTableOptions& m_options;  //!< what the table does not say
    std::vector<std::size_t> m_order; //!< column of each field of a line
};

} // namespace ns3

#endif /* OP_TABLE_PARSER_H */
