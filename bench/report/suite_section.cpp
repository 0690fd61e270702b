// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "common/table.hpp"
#include "report/chart.hpp"
#include "report/reader.hpp"
#include "report/sections.hpp"
#include "report/trust.hpp"

namespace bench {
namespace {

/// What a line goes over, the first of these that a case has.
constexpr const char* kAxes[] = {"buffer",  "payload", "entries", "connections", "clients",
                                 "threads", "idle",    "depth",   "iterations"};

std::string axis_of(const Case& of) {
  for (const char* const axis : kAxes) {
    const std::string text = value_of(of, axis);
    if (!text.empty() && text.find_first_not_of("0123456789") == std::string::npos) return axis;
  }
  return {};
}

bool in_octets(const std::string& axis) {
  return axis == "buffer" || axis == "payload";
}

/// "64K" for an axis.
std::string short_size(double octets) {
  std::string text = size_text(number(octets));
  if (text.ends_with("iB")) return text.substr(0, text.size() - 4) + text[text.size() - 3];
  return text.substr(0, text.find(' '));
}

/// Axes are logarithmic: none has a place of its own before one.
double place_on(const Case& of, const std::string& axis) {
  return std::max(in_octets(axis) ? 1.0 : 0.5, std::strtod(value_of(of, axis).c_str(), nullptr));
}

/// Results that belong into one chart.
struct Facet {
  Case common;  ///< without the axis
  std::string metric;
  std::string unit;
  std::string axis;  ///< empty: bars
  std::vector<const Result*> results;
};

std::vector<Facet> facets_of(const std::string& suite, const std::vector<Result>& results) {
  std::vector<Facet> facets;
  const auto facet_for = [&](const Result& result, const std::string& axis) -> Facet& {
    Case common = common_part(result.of);
    common.erase(axis);
    const auto found = std::find_if(facets.begin(), facets.end(), [&](const Facet& facet) {
      return facet.common == common && facet.metric == result.metric && facet.axis == axis;
    });
    if (found != facets.end()) return *found;
    return facets.emplace_back(Facet{common, result.metric, result.unit, axis, {}});
  };
  std::map<std::string, std::set<double>> places;  // by metric and axis
  for (const Result& result : results) {
    if (result.suite != suite) continue;
    const std::string axis = axis_of(result.of);
    if (!axis.empty()) places[result.metric + axis].insert(place_on(result.of, axis));
  }
  for (const Result& result : results) {
    if (result.suite != suite) continue;
    std::string axis = axis_of(result.of);
    if (!axis.empty() && places[result.metric + axis].size() < 3) axis.clear();
    facet_for(result, axis).results.push_back(&result);
  }
  return facets;
}

/// Keys that have the same value in all facets that have them: said once, not in each title.
std::vector<std::string> shared_keys(const std::vector<Facet>& facets) {
  std::map<std::string, std::set<std::string>> values;
  for (const Facet& facet : facets) {
    for (const auto& [key, value] : facet.common) values[key].insert(value);
  }
  std::vector<std::string> keys{"rate", "mtu"};  // stand in the table, and say no more than the network's name
  for (const auto& [key, found] : values) {
    if (found.size() == 1 && key != "transport" && key != "type") keys.push_back(key);
  }
  return keys;
}

/// Cases that most readers look for; their charts come first.
bool is_usual(const Case& common) {
  const std::string type = value_of(common, "type", "octet");
  return (type == "octet" || type == "BinStruct") && value_of(common, "queue", "default") == "default" &&
         value_of(common, "mode", "oneway") == "oneway" && value_of(common, "loop", "closed") == "closed";
}

std::string line_chart(const Facet& facet, const std::string& title, bool logarithmic, Palette& palette) {
  LineChart chart{title, facet.unit, {}, {}, logarithmic};
  std::map<double, std::string> ticks;
  for (const Result* result : facet.results) {
    const double x = place_on(result->of, facet.axis);
    ticks[x] = in_octets(facet.axis) ? short_size(x) : plain_number(x).substr(0, plain_number(x).find('.'));
    const std::string name = contestant(result->of);
    auto series =
        std::find_if(chart.series.begin(), chart.series.end(), [&](const auto& one) { return one.name == name; });
    if (series == chart.series.end()) series = chart.series.insert(series, {name, palette.colour_of(name), {}});
    series->points.push_back({x, result->value.median, result->value.min, result->value.max});
  }
  for (ChartSeries& series : chart.series) {
    std::sort(series.points.begin(), series.points.end(), [](const auto& a, const auto& b) { return a.x < b.x; });
  }
  chart.ticks.assign(ticks.begin(), ticks.end());
  return to_svg(chart);
}

std::string bar_chart(const Facet& facet, const std::string& title, Palette& palette) {
  double most = 0;
  BarChart chart{title, facet.unit, 1, {}};
  for (const Result* result : facet.results) {
    const std::string name = contestant(result->of);
    chart.bars.push_back({name, palette.colour_of(name), result->value.median, result->value.min, result->value.max});
    most = std::max(most, result->value.median);
  }
  chart.decimals = most >= 100 ? 0 : most >= 1 ? 1 : 3;
  return to_svg(chart);
}

/// The median, and in parentheses the ratio to the control; a question mark if that varied too much.
std::string with_ratio(const Result& result, const Trust& trust) {
  std::string text = plain_number(result.value.median);
  if (result.control && *result.control > 0) text += " (" + number(result.value.median / *result.control, 2) + ")";
  return trust.doubts(result) ? text + " ?" : text;
}

DataTable line_table(const std::vector<const Facet*>& facets, const std::string& title, const Trust& trust) {
  std::set<double> places;
  for (const Facet* facet : facets) {
    for (const Result* result : facet->results) places.insert(place_on(result->of, facet->axis));
  }
  DataTable table{title, {"case", "who"}, {}, 2};
  for (const double place : places) {
    const std::string digits = number(place);
    table.heads.push_back(in_octets(facets[0]->axis) ? size_text(digits) : digits);
  }
  for (const Facet* facet : facets) {
    std::vector<std::string> names;
    for (const Result* result : facet->results) {
      const std::string name = contestant(result->of);
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    for (const std::string& name : names) {
      std::vector<std::string> row{case_text(facet->common), name};
      for (const double place : places) {
        const auto found = std::find_if(facet->results.begin(), facet->results.end(), [&](const Result* result) {
          return contestant(result->of) == name && place_on(result->of, facet->axis) == place;
        });
        row.push_back(found == facet->results.end() ? "" : with_ratio(**found, trust));
      }
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

/// A row for each case and contestant, a column for each metric.
DataTable bar_table(const std::vector<const Facet*>& facets, const std::string& title, const Trust& trust) {
  DataTable table{title, {"case", "who"}, {}, 2};
  std::vector<std::string> metrics;
  for (const Facet* facet : facets) {
    if (std::find(metrics.begin(), metrics.end(), facet->metric) != metrics.end()) continue;
    metrics.push_back(facet->metric);
    table.heads.push_back(case_text({{"", facet->metric}}) + (facet->unit.empty() ? "" : ", " + facet->unit));
  }
  std::map<std::pair<std::string, std::string>, std::size_t> rows;
  for (const Facet* facet : facets) {
    const std::size_t column =
        2 + static_cast<std::size_t>(std::find(metrics.begin(), metrics.end(), facet->metric) - metrics.begin());
    for (const Result* result : facet->results) {
      const std::pair key(case_text(facet->common), contestant(result->of));
      const auto [row, fresh] = rows.emplace(key, table.rows.size());
      if (fresh) {
        table.rows.push_back({key.first, key.second});
        table.rows.back().resize(2 + metrics.size());
      }
      table.rows[row->second][column] = with_ratio(*result, trust);
    }
  }
  return table;
}

}  // namespace

int Palette::colour_of(const std::string& name) {
  static const std::map<std::string, int> kFixed = {{"raw sockets", 0},   {"hand-written", 0},
                                                    {"linear search", 0}, {"Corbel giop", 1},
                                                    {"Corbel", 1},        {"Corbel giop_lite", 2},
                                                    {"direct index", 5},  {"hashing", 3},
                                                    {"wrappers", 5},      {"Corbel (collocated call)", 2}};
  if (const auto fixed = kFixed.find(name); fixed != kFixed.end()) return fixed->second;
  const auto [place, fresh] = given_.emplace(name, 0);
  if (fresh) {
    constexpr int kFree[] = {3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 5};
    place->second = kFree[(given_.size() - 1) % std::size(kFree)];
  }
  return place->second;
}

std::string contestant(const Case& of) {
  if (of.contains("concurrency")) return mechanism_name(of) + ", " + of.at("concurrency");
  if (of.contains("orb") && of.contains("scheme")) return mechanism_name(of) + ", " + of.at("scheme");
  if (of.contains("orb")) return mechanism_name(of);
  return value_of(of, "scheme", value_of(of, "by", "all"));
}

Case common_part(const Case& of) {
  return without(of, {"orb", "protocol", "concurrency", "waiting", "scheme", "by", "control"});
}

std::string case_text(const Case& of) {
  static const std::set<std::string> kNamed = {"side",   "order", "queue",       "octets",  "rate", "payload",
                                               "buffer", "mtu",   "connections", "threads", "step", "idle"};
  std::string text;
  for (const char* const key : {"network", "transport", "what", "direction", "type"}) {
    if (const std::string value = value_of(of, key); !value.empty()) text += (text.empty() ? "" : ", ") + value;
  }
  for (const auto& [key, value] : without(of, {"network", "transport", "what", "direction", "type"})) {
    const std::string shown =
        key == "octets" || key == "queue" || key == "payload" || key == "buffer" ? size_text(value) : value;
    text += (text.empty() ? "" : ", ") + (kNamed.contains(key) ? key + " " + shown : shown);
  }
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

bool more_is_better(const Result& result) {
  return result.unit.ends_with("/s");
}

std::optional<Section> suite_section(const SuiteView& view, const std::vector<Result>& results, Palette& palette) {
  std::vector<Facet> facets = facets_of(view.suite, results);
  if (facets.empty()) return std::nullopt;
  std::stable_partition(facets.begin(), facets.end(), [](const Facet& facet) { return is_usual(facet.common); });
  Section section{view.suite, view.title, view.paragraphs};
  const Trust trust(results);
  const std::vector<std::string> shared = shared_keys(facets);
  std::vector<const Facet*> bars;
  std::map<std::string, std::vector<const Facet*>> lines;  // by metric
  for (const Facet& facet : facets) {
    (facet.axis.empty() ? bars : lines[facet.metric]).push_back(&facet);
    for (const Result* result : facet.results) {
      const std::string name = contestant(result->of);
      const std::pair entry(name, palette.colour_of(name));
      if (std::find(section.legend.begin(), section.legend.end(), entry) == section.legend.end()) {
        section.legend.push_back(entry);
      }
    }
    // A copy in memory is the ceiling, not a contestant: it would flatten the lines of all others.
    Facet shown = facet;
    std::erase_if(shown.results, [](const Result* one) { return value_of(one->of, "orb") == "memcpy"; });
    const bool charted =
        view.charted.empty() || std::find(view.charted.begin(), view.charted.end(), facet.metric) != view.charted.end();
    if (!charted) continue;
    const bool only = view.charted.size() == 1 || std::all_of(facets.begin(), facets.end(), [&](const Facet& one) {
                        return one.metric == facet.metric;
                      });
    Case title = without(facet.common, shared);
    if (!only) title["zz"] = facet.metric;  // last
    const std::string text = case_text(title);
    section.charts.push_back(facet.axis.empty() ? bar_chart(shown, text, palette)
                                                : line_chart(shown, text, view.logarithmic, palette));
  }
  for (const auto& [metric, group] : lines) {
    section.tables.push_back(line_table(group, case_text({{"", metric}}) + ", " + group[0]->unit, trust));
  }
  if (!bars.empty()) section.tables.push_back(bar_table(bars, "All figures", trust));
  return section;
}

}  // namespace bench
