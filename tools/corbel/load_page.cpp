// SPDX-License-Identifier: Apache-2.0
// The report of `corbel bench` for browsers.
#include <algorithm>
#include <cmath>
#include <functional>
#include <iomanip>
#include <sstream>

#include "load_result.hpp"

namespace corbel::tool {
namespace {

constexpr double kWidth = 720, kHeight = 240, kLeft = 64, kRight = 14, kTop = 12, kBottom = 26;

constexpr const char* kStyle =
    ":root{--paper:#fff;--ink:#1c2429;--soft:#5d6a73;--line:#dfe5e9;--a:#1769aa;--b:#c2571a}"
    "@media(prefers-color-scheme:dark){:root{--paper:#14181c;--ink:#e6eaed;--soft:#9aa6b0;--line:#2c343b;--a:#6cb6f2;"
    "--b:#f0a26b}}"
    "body{font:16px/1.5 system-ui,sans-serif;background:var(--paper);color:var(--ink);max-width:760px;margin:24px auto;"
    "padding:0 16px}"
    "h1{font-size:1.3rem;overflow-wrap:anywhere}h2{font-size:1rem;margin:28px 0 4px}p{margin:6px "
    "0;overflow-wrap:anywhere}"
    "svg{width:100%;height:auto}text{font-size:12px;fill:var(--soft)}.grid{stroke:var(--line)}"
    "polyline{fill:none;stroke-width:2}.a{stroke:var(--a)}.b{stroke:var(--b)}b.a{color:var(--a)}b.b{color:var(--b)}"
    "table{border-collapse:collapse}td,th{padding:2px 14px 2px 0;text-align:right;font-variant-numeric:tabular-nums}"
    "th{color:var(--soft);font-weight:normal}";

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
  }
  return out;
}

/// "12,345", "12.3".
std::string plain(double value) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(value < 100 && value != std::floor(value) ? 1 : 0) << value;
  std::string text = out.str();
  const std::size_t point = std::min(text.find('.'), text.size());
  for (std::size_t place = point; place > 3; place -= 3) text.insert(place - 3, 1, ',');
  return text;
}

struct Curve {
  char kind;  ///< 'a' or 'b': its colour
  std::vector<std::pair<double, double>> points;
};

struct Axis {
  double low = 0;
  double high = 1;
  std::vector<std::pair<double, std::string>> ticks{};
};

/// Lines between axes; y grows from nothing, or by powers of ten.
std::string chart(const std::string& title, const Axis& x, const std::vector<Curve>& lines, bool logarithmic) {
  double most = 0;
  double least = 1e300;
  for (const Curve& line : lines) {
    for (const auto& point : line.points) {
      most = std::max(most, point.second);
      if (point.second > 0) least = std::min(least, point.second);
    }
  }
  if (most <= 0) most = least = 1;
  std::vector<double> ticks;
  if (logarithmic) {
    const double first = std::floor(std::log10(least));
    for (double power = first; power <= std::max(first + 1, std::ceil(std::log10(most))); ++power) {
      ticks.push_back(std::pow(10, power));
    }
  } else {
    double step = std::pow(10, std::floor(std::log10(most)));
    if (most / step < 2) step /= 5;
    for (double tick = 0; tick < most + step; tick += step) ticks.push_back(tick);
  }
  const auto scaled = [&](double value) { return logarithmic ? std::log10(value) : value; };
  const auto at_x = [&](double value) {
    return kLeft + (value - x.low) / std::max(x.high - x.low, 1e-9) * (kWidth - kLeft - kRight);
  };
  const auto at_y = [&](double value) {
    const double part = (scaled(std::max(value, ticks.front())) - scaled(ticks.front())) /
                        (scaled(ticks.back()) - scaled(ticks.front()));
    return kHeight - kBottom - part * (kHeight - kBottom - kTop);
  };
  std::ostringstream out;
  out << std::fixed << std::setprecision(1) << "<svg viewBox=\"0 0 " << kWidth << ' ' << kHeight
      << "\" role=\"img\" aria-label=\"" << escaped(title) << "\">\n";
  for (const double tick : ticks) {
    out << "<line class=\"grid\" x1=\"" << kLeft << "\" x2=\"" << kWidth - kRight << "\" y1=\"" << at_y(tick)
        << "\" y2=\"" << at_y(tick) << "\"/><text text-anchor=\"end\" x=\"" << kLeft - 6 << "\" y=\"" << at_y(tick) + 4
        << "\">" << plain(tick) << "</text>\n";
  }
  for (const auto& [value, label] : x.ticks) {
    out << "<text text-anchor=\"middle\" x=\"" << at_x(value) << "\" y=\"" << kHeight - 6 << "\">" << label
        << "</text>\n";
  }
  for (const Curve& line : lines) {
    out << "<polyline class=\"" << line.kind << "\" points=\"";
    for (const auto& [px, py] : line.points) out << at_x(px) << ',' << at_y(py) << ' ';
    out << "\"/>\n";
  }
  out << "</svg>\n";
  return out.str();
}

/// Quantiles, each nine as wide as the others.
std::string by_quantile(const Histogram& latency) {
  constexpr int kSteps = 20;  // for each nine
  const double most = std::max(1.0, std::ceil(std::log10(std::max<double>(static_cast<double>(latency.count()), 1))));
  Axis axis{0, most, {{0, "0"}}};
  std::string label = "90";
  for (int nines = 1; nines <= static_cast<int>(most); ++nines) {
    axis.ticks.emplace_back(nines, label + " %");
    label = nines == 1 ? "99" : nines == 2 ? "99.9" : label + "9";
  }
  Curve line{'a', {}};
  for (int i = 0; i <= static_cast<int>(most) * kSteps; ++i) {
    const double place = static_cast<double>(i) / kSteps;
    line.points.emplace_back(place, microseconds(latency.quantile(1 - std::pow(10, -place))));
  }
  return chart("latency by quantile", axis, {line}, true);
}

Axis seconds_of(const Timeline& timeline) {
  const double all = timeline.width() * static_cast<double>(std::max<std::size_t>(1, timeline.slots().size()));
  Axis axis{0, all, {}};
  for (int i = 0; i <= 5; ++i) axis.ticks.emplace_back(all * i / 5, plain(all * i / 5) + " s");
  return axis;
}

Curve line_of(const Timeline& timeline, char kind, const std::function<double(const Tally&)>& value) {
  Curve line{kind, {}};
  for (std::size_t i = 0; i < timeline.slots().size(); ++i) {
    line.points.emplace_back(timeline.width() * (static_cast<double>(i) + 0.5), value(timeline.slots()[i]));
  }
  return line;
}

void put_table(std::ostream& out, const Histogram& latency) {
  out << "<table><tr><th>min</th><th>mean</th>";
  for (const auto& each : kQuantiles) out << "<th>" << each.first << "</th>";
  out << "<th>max</th></tr><tr><td>" << plain(microseconds(latency.smallest())) << "</td><td>"
      << plain(microseconds(latency.mean())) << "</td>";
  for (const auto& each : kQuantiles) out << "<td>" << plain(microseconds(latency.quantile(each.second))) << "</td>";
  out << "<td>" << plain(microseconds(latency.largest())) << "</td></tr></table>\n";
}

}  // namespace

std::string to_html(const LoadResult& result) {
  const Timeline& timeline = result.timeline;
  const std::string width = plain(timeline.width());
  std::ostringstream out;
  out << "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
         "content=\"width=device-width\"><title>corbel bench: "
      << escaped(result.operation) << "</title>\n<style>" << kStyle << "</style></head><body>\n<h1>"
      << escaped(result.operation) << "</h1>\n<p>" << plain(static_cast<double>(result.all.latency.count()))
      << " calls in " << plain(result.seconds) << " s: <strong>" << plain(result.rate()) << " calls/s</strong>, "
      << result.loop() << " loop, " << result.clients << (result.clients == 1 ? " client" : " clients");
  if (result.rate_wanted > 0) out << ", " << plain(result.rate_wanted) << " calls/s wanted";
  out << ".</p>\n<p>" << escaped(result.reference) << "</p>\n";
  if (result.interrupted) out << "<p>It was interrupted.</p>\n";
  if (result.unmade > 0) {
    out << "<p>" << plain(static_cast<double>(result.unmade))
        << " calls that were due had not begun when the time was over; they are in no figure.</p>\n";
  }
  for (const auto& [name, count] : result.all.errors) {
    out << "<p>" << plain(static_cast<double>(count)) << " times " << escaped(name) << ".</p>\n";
  }
  out << "<h2>Latency in microseconds</h2>\n"
      << (result.rate_wanted > 0 ? "<p>From when a call was due.</p>\n" : "<p>From when a call was made.</p>\n");
  put_table(out, result.all.latency);
  out << by_quantile(result.all.latency)
      << "<h2>Latency as time passed: <b class=\"a\">median</b>, <b class=\"b\">p99</b>"
      << " of each " << width << " s, in microseconds</h2>\n"
      << chart("latency over time", seconds_of(timeline),
               {line_of(timeline, 'a', [](const Tally& each) { return microseconds(each.latency.quantile(0.5)); }),
                line_of(timeline, 'b', [](const Tally& each) { return microseconds(each.latency.quantile(0.99)); })},
               true)
      << "<h2><b class=\"a\">Calls</b> and <b class=\"b\">errors</b> a second</h2>\n"
      << chart(
             "calls over time", seconds_of(timeline),
             {line_of(timeline, 'a',
                      [&](const Tally& each) { return static_cast<double>(each.latency.count()) / timeline.width(); }),
              line_of(timeline, 'b',
                      [&](const Tally& each) { return static_cast<double>(each.failed()) / timeline.width(); })},
             false)
      << "</body></html>\n";
  return out.str();
}

}  // namespace corbel::tool
