// SPDX-License-Identifier: Apache-2.0
#include "report/chart.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "common/table.hpp"

namespace bench {
namespace {

constexpr double kWidth = 340;
constexpr double kHeight = 210;
constexpr double kLeft = 44;
constexpr double kRight = 10;
constexpr double kTop = 30;
constexpr double kBottom = 24;

std::string opened(const std::string& title, double height) {
  std::ostringstream out;
  out << "<figcaption>" << escaped(title) << "</figcaption>\n<svg viewBox=\"0 0 " << kWidth << ' ' << height
      << "\" role=\"img\" aria-label=\"" << escaped(title) << "\">\n";
  return out.str();
}

/// From value to place on the paper.
struct Scale {
  double low;
  double high;
  double begin;
  double end;
  bool logarithmic;

  double operator()(double value) const {
    const auto at = [&](double v) { return logarithmic ? std::log(v) : v; };
    if (high <= low) return (begin + end) / 2;
    return begin + (at(value) - at(low)) / (at(high) - at(low)) * (end - begin);
  }
};

/// 1, 2 or 5 times a power of ten, so that about five steps reach `most`.
double step_for(double most) {
  const double raw = most / 5;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (raw <= factor * power) return factor * power;
  }
  return 10 * power;
}

std::string short_number(double value) {
  if (value >= 1e6) return number(value / 1e6, value < 1e7 && std::fmod(value, 1e6) != 0 ? 1 : 0) + "M";
  if (value >= 1e4) return number(value / 1e3) + "k";
  return value >= 1 || value == 0 ? number(value, value < 10 && value != std::floor(value) ? 1 : 0) : number(value, 2);
}

std::vector<double> ticks_between(const Scale& scale) {
  std::vector<double> ticks;
  if (scale.logarithmic) {
    for (double tick = scale.low; tick <= scale.high * 1.01; tick *= 10) ticks.push_back(tick);
  } else {
    const double step = step_for(scale.high);
    for (double tick = 0; tick <= scale.high * 1.001; tick += step) ticks.push_back(tick);
  }
  return ticks;
}

Scale y_scale(const LineChart& chart) {
  double most = 0;
  double least = 1e300;
  for (const ChartSeries& series : chart.series) {
    for (const ChartPoint& point : series.points) {
      most = std::max(most, point.y);
      if (point.y > 0) least = std::min(least, point.y);
    }
  }
  if (most <= 0) most = least = 1;
  if (chart.logarithmic) {
    return {std::pow(10, std::floor(std::log10(least))), std::pow(10, std::ceil(std::log10(most))), kHeight - kBottom,
            kTop, true};
  }
  const double step = step_for(most);
  return {0, std::ceil(most / step) * step, kHeight - kBottom, kTop, false};
}

void draw_axes(std::ostream& out, const LineChart& chart, const Scale& x, const Scale& y) {
  for (const double tick : ticks_between(y)) {
    out << "<line class=\"grid\" x1=\"" << kLeft << "\" x2=\"" << kWidth - kRight << "\" y1=\"" << y(tick) << "\" y2=\""
        << y(tick) << "\"/><text class=\"tick end\" x=\"" << kLeft - 5 << "\" y=\"" << y(tick) + 4 << "\">"
        << short_number(tick) << "</text>\n";
  }
  double last = -100;
  for (const auto& [value, label] : chart.ticks) {
    const double place = x(value);
    if (place - last < 30) continue;
    last = place;
    out << "<text class=\"tick middle\" x=\"" << place << "\" y=\"" << kHeight - 7 << "\">" << escaped(label)
        << "</text>\n";
  }
  out << "<text class=\"tick end\" x=\"" << kWidth - kRight << "\" y=\"14\">" << escaped(chart.unit) << "</text>\n";
}

void draw_series(std::ostream& out, const ChartSeries& series, const std::string& unit, const Scale& x,
                 const Scale& y) {
  out << "<g class=\"s" << series.colour << "\"><polyline points=\"";
  for (const ChartPoint& point : series.points) out << x(point.x) << ',' << y(std::max(point.y, y.low)) << ' ';
  out << "\"/>\n";
  for (const ChartPoint& point : series.points) {
    const double low = std::clamp(point.low, y.low, y.high);
    const double high = std::clamp(point.high, y.low, y.high);
    out << "<line class=\"spread\" x1=\"" << x(point.x) << "\" x2=\"" << x(point.x) << "\" y1=\"" << y(low)
        << "\" y2=\"" << y(high) << "\"/><circle cx=\"" << x(point.x) << "\" cy=\"" << y(std::max(point.y, y.low))
        << "\" r=\"2.6\"><title>" << escaped(series.name) << ": " << plain_number(point.y) << ' ' << escaped(unit)
        << " (" << plain_number(point.low) << " to " << plain_number(point.high) << ")</title></circle>\n";
  }
  out << "</g>\n";
}

}  // namespace

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string plain_number(double value) {
  if (!std::isfinite(value)) return "-";
  const double size = std::abs(value);
  std::string text = number(value, size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 || size == 0 ? 2 : 3);
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  for (std::size_t place = point; place > first + 3; place -= 3) text.insert(place - 3, 1, ',');
  return text;
}

std::string to_svg(const LineChart& chart) {
  std::ostringstream out;
  out.precision(5);
  double least = 1e300;
  double most = 0;
  for (const ChartSeries& series : chart.series) {
    for (const ChartPoint& point : series.points) {
      least = std::min(least, point.x);
      most = std::max(most, point.x);
    }
  }
  const Scale x{least, most, kLeft + 8, kWidth - kRight - 12, true};
  const Scale y = y_scale(chart);
  out << opened(chart.title, kHeight);
  draw_axes(out, chart, x, y);
  for (const ChartSeries& series : chart.series) draw_series(out, series, chart.unit, x, y);
  out << "</svg>\n";
  return out.str();
}

std::string to_svg(const BarChart& chart) {
  constexpr double kRow = 34;
  double most = 0;
  for (const Bar& bar : chart.bars) most = std::max(most, bar.value);
  const Scale x{0, most > 0 ? most : 1, 0, kWidth - 78, false};
  std::ostringstream out;
  out.precision(5);
  out << opened(chart.title, kRow * static_cast<double>(chart.bars.size()));
  double y = 0;
  for (const Bar& bar : chart.bars) {
    const double end = std::max(x(bar.value), 1.0);
    const double high = std::min(x(bar.high), kWidth - 4);
    out << "<g class=\"s" << bar.colour << "\"><text class=\"label\" x=\"0\" y=\"" << y + 11 << "\">"
        << escaped(bar.label) << "</text><rect x=\"0\" y=\"" << y + 15 << "\" width=\"" << end
        << "\" height=\"11\" rx=\"2\"><title>" << escaped(bar.label) << ": " << plain_number(bar.value) << ' '
        << escaped(chart.unit) << " (" << plain_number(bar.low) << " to " << plain_number(bar.high)
        << ")</title></rect>";
    if (bar.high > bar.low) {
      out << "<line class=\"whisker\" x1=\"" << x(bar.low) << "\" x2=\"" << high << "\" y1=\"" << y + 20.5 << "\" y2=\""
          << y + 20.5 << "\"/>";
    }
    const std::string text =
        (bar.value >= 1000 ? plain_number(bar.value) : number(bar.value, bar.value == 0 ? 0 : chart.decimals)) + " " +
        chart.unit;
    const double room = std::max(70.0, 5.6 * static_cast<double>(text.size()));
    out << "<text class=\"value\" x=\"" << std::min(std::max(end, high) + 5, kWidth - room) << "\" y=\"" << y + 25
        << "\">" << escaped(text) << "</text></g>\n";
    y += kRow;
  }
  out << "</svg>\n";
  return out.str();
}

}  // namespace bench
