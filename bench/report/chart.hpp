// SPDX-License-Identifier: Apache-2.0
// Small charts as SVG text, made to stand beside each other and to stay readable on a telephone: 340 units wide.
// Colours are classes (s0, s1, ...) that the page's style sheet defines for light and dark.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace bench {

struct ChartPoint {
  double x;
  double y;
  double low;  ///< of the spread
  double high;
};

struct ChartSeries {
  std::string name;
  int colour;
  std::vector<ChartPoint> points;  ///< x ascending
};

/// Lines over a logarithmic x axis.
struct LineChart {
  std::string title;
  std::string unit;                                   ///< of y
  std::vector<std::pair<double, std::string>> ticks;  ///< of x
  std::vector<ChartSeries> series;
  bool logarithmic = false;  ///< y too
};
std::string to_svg(const LineChart& chart);

struct Bar {
  std::string label;
  int colour;
  double value;
  double low;
  double high;
};

/// Horizontal bars, each below its label, with their spread.
struct BarChart {
  std::string title;
  std::string unit;
  int decimals = 1;
  std::vector<Bar> bars;
};
std::string to_svg(const BarChart& chart);

/// Text for HTML and SVG.
std::string escaped(const std::string& text);

/// "12,345", "0.123": about four significant digits.
std::string plain_number(double value);

}  // namespace bench
