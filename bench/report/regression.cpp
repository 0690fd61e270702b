// SPDX-License-Identifier: Apache-2.0
#include "report/regression.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>

namespace bench {

Line fit_line(std::span<const Point> points) {
  const auto n = static_cast<double>(points.size());
  if (points.size() < 3) throw std::invalid_argument("a regression needs at least three points");
  double mean_x = 0;
  double mean_y = 0;
  for (const Point& point : points) {
    mean_x += point.x / n;
    mean_y += point.y / n;
  }
  double xx = 0;
  double xy = 0;
  double yy = 0;
  for (const Point& point : points) {
    xx += (point.x - mean_x) * (point.x - mean_x);
    xy += (point.x - mean_x) * (point.y - mean_y);
    yy += (point.y - mean_y) * (point.y - mean_y);
  }
  if (xx <= 0) throw std::invalid_argument("a regression needs different sizes");
  Line line;
  line.points = points.size();
  line.b1 = xy / xx;
  line.b0 = mean_y - line.b1 * mean_x;
  double residual = 0;
  for (const Point& point : points) {
    const double error = point.y - line.b0 - line.b1 * point.x;
    residual += error * error;
  }
  line.r_squared = yy > 0 ? 1 - residual / yy : 1;
  const double half = student_t95(points.size() - 2) * std::sqrt(residual / (n - 2) / xx);
  line.b1_range = {line.b1 - half, line.b1 + half};
  return line;
}

double student_t95(std::size_t freedom) {
  static constexpr double kTable[] = {6.3138, 2.9200, 2.3534, 2.1318, 2.0150, 1.9432, 1.8946, 1.8595, 1.8331, 1.8125,
                                      1.7959, 1.7823, 1.7709, 1.7613, 1.7531, 1.7459, 1.7396, 1.7341, 1.7291, 1.7247};
  if (freedom == 0) throw std::invalid_argument("Student's t needs a degree of freedom");
  if (freedom <= std::size(kTable)) return kTable[freedom - 1];
  // The first terms of the Cornish-Fisher expansion around the normal distribution's quantile.
  constexpr double z = 1.644854;
  constexpr double first = (z * z * z + z) / 4;
  constexpr double second = (5 * z * z * z * z * z + 16 * z * z * z + 3 * z) / 96;
  const auto n = static_cast<double>(freedom);
  return z + first / n + second / (n * n);
}

}  // namespace bench
