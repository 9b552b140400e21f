/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LOG_CHART_H
#define LOG_CHART_H

#include <cstddef>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A picture of quantities over size, in SVG 1.1, which every browser shows.
 *
 * Panels stand one below the other and share the axis of sizes. All axes are logarithmic: that of
 * sizes runs between powers of two, the others between powers of ten. Equal charts give equal
 * pictures.
 */
class LogChart
{
  public:
    /// A point: size in bytes, value.
    using Point = std::pair<double, double>;

    /// Points joined by a line.
    struct Curve
    {
        std::string name;          //!< what it shows, for the legend
        bool isReference{false};   //!< drawn dashed and in another colour
        std::vector<Point> points; //!< ascending by size; those not above 0 are left out
    };

    /**
     * @param title title of the picture
     * @param subtitle line below it
     */
    LogChart(const std::string& title, const std::string& subtitle);

    /**
     * Add a panel below the others.
     *
     * @param title what its vertical axis shows, with the unit
     * @param curves what is drawn
     */
    void AddPanel(const std::string& title, const std::vector<Curve>& curves);

    /**
     * @param bytes a size, above 0
     * @return where it stands, pixels from the left
     */
    double GetX(double bytes) const;

    /**
     * @param panel number of a panel, counted from 0
     * @param value a value, above 0
     * @return where it stands, pixels from the top
     */
    double GetY(std::size_t panel, double value) const;

    /**
     * Write the picture.
     *
     * @param os where to
     */
    void Write(std::ostream& os) const;

  private:
    /// Ends of an axis, as exponents.
    struct Range
    {
        int low{0};        //!< exponent at the low end
        int high{0};       //!< exponent at the high end; the same as low = nothing was included
        bool isSet{false}; //!< something was included

        /**
         * Make the range hold a value.
         *
         * @param exponent logarithm of the value
         */
        void Include(double exponent);

        /**
         * @param exponent logarithm of a value
         * @return where it stands, 0 at the low end and 1 at the high one
         */
        double GetShare(double exponent) const;
    };

    /// A part of the picture with a vertical axis of its own.
    struct Panel
    {
        std::string title;         //!< what it shows
        std::vector<Curve> curves; //!< what is drawn
        Range values;              //!< powers of ten
    };

    /**
     * @param panel number of a panel
     * @return its upper edge, pixels from the top
     */
    double GetTop(std::size_t panel) const;

    /**
     * Write the grid of a panel and what stands at its axes.
     *
     * @param os where to
     * @param panel number of the panel
     */
    void WriteGrid(std::ostream& os, std::size_t panel) const;

    /**
     * Write the title and the legend of a panel.
     *
     * @param os where to
     * @param panel number of the panel
     */
    void WriteLegend(std::ostream& os, std::size_t panel) const;

    /**
     * Write a curve.
     *
     * @param os where to
     * @param panel number of its panel
     * @param curve the curve
     */
    void WriteCurve(std::ostream& os, std::size_t panel, const Curve& curve) const;

    std::string m_title;         //!< title of the picture
    std::string m_subtitle;      //!< line below it
    Range m_sizes;               //!< powers of two
    std::vector<Panel> m_panels; //!< from the top
};

} // namespace ns3

#endif /* LOG_CHART_H */
