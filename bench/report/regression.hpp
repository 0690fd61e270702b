// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace bench {

struct Point {
  double x;
  double y;
};

struct Interval {
  double low;
  double high;
};

/// y = b0 + b1 x by least squares.
struct Line {
  double b0 = 0;
  double b1 = 0;
  Interval b1_range = {};  ///< 90 % confidence interval of b1
  double r_squared = 0;    ///< coefficient of determination; 1: all points lie on the line
  std::size_t points = 0;
};

/// Fits a line to at least three points with at least two different x; throws std::invalid_argument if they are fewer.
Line fit_line(std::span<const Point> points);

/// The 95 % quantile of Student's t distribution, which bounds a two-sided 90 % interval. `freedom` is at least 1.
double student_t95(std::size_t freedom);

}  // namespace bench
