// SPDX-License-Identifier: Apache-2.0
#include "report/then_and_now.hpp"

#include <algorithm>
#include <sstream>

#include "common/table.hpp"
#include "report/chart.hpp"
#include "report/published.hpp"
#include "report/reader.hpp"

namespace bench {
namespace {

/// What of today's figures is compared with the papers'.
struct Today {
  const char* group;
  const char* suite;
  const char* metric;
  Case of;
  bool more_is_better;
};

const std::vector<Today>& todays() {
  static const std::vector<Today> kTodays = {
      {"Streams of scalars, share of C's throughput",
       "ttcp",
       "throughput",
       {{"transport", "tcp"},
        {"placement", "one cpu"},
        {"type", "octet"},
        {"buffer", "131072"},
        {"mode", "oneway"},
        {"queue", "default"}},
       true},
      {"Streams of structs, share of C's throughput",
       "ttcp",
       "throughput",
       {{"transport", "tcp"},
        {"placement", "one cpu"},
        {"type", "BinStruct"},
        {"buffer", "131072"},
        {"mode", "oneway"},
        {"queue", "default"}},
       true},
      {"Void two-way calls, C's time as a share of the ORB's",
       "latency",
       "latency_p50",
       {{"transport", "tcp"}, {"placement", "one cpu"}, {"loop", "closed"}, {"payload", "0"}},
       false}};
  return kTodays;
}

/// The raw sockets of a group; null if the results do not hold them.
const Result* control_of(const Today& today, const std::vector<Result>& results) {
  Case wanted = today.of;
  wanted["orb"] = "raw";
  wanted["protocol"] = "none";
  return find_result(results, today.suite, today.metric, wanted);
}

/// Corbel's and the newest omniORB's, in this order, those that the results hold; none without a control.
std::vector<const Result*> results_of(const Today& today, const std::vector<Result>& results) {
  const Result* corbel = nullptr;
  const Result* other = nullptr;
  for (const Result& result : results) {
    if (result.suite != today.suite || result.metric != today.metric || !matches(result.of, today.of)) continue;
    if (result.value.min <= 0) continue;
    const std::string name = mechanism_name(result.of);
    if (name == "Corbel giop") corbel = &result;
    if (name.starts_with("omniORB") && (other == nullptr || mechanism_name(other->of) < name)) other = &result;
  }
  std::vector<const Result*> found;
  const Result* const control = control_of(today, results);
  for (const Result* const one : {corbel, other}) {
    if (one != nullptr && control != nullptr && control->value.min > 0) found.push_back(one);
  }
  return found;
}

/// On one processor, where no figure depends on when the system wakes the other one.
double nearness_of(const Today& today, const Result& one, const Result& control) {
  return today.more_is_better ? one.value.median / control.value.median : control.value.median / one.value.median;
}

const PublishedRange& range_of(const std::string& mechanism) {
  return *std::find_if(std::begin(kSigcomm1996), std::end(kSigcomm1996),
                       [&](const PublishedRange& row) { return row.mechanism == mechanism; });
}

double stream_of(const std::string& mechanism) {
  return std::find_if(std::begin(kTtcp1995), std::end(kTtcp1995),
                      [&](const PublishedStream& row) {
                        return row.mechanism == mechanism && std::string(row.queue) == "64 KiB";
                      })
      ->atm.back();
}

/// What the papers say of the group with this number.
std::vector<Nearness> published(std::size_t number) {
  const std::string group = todays()[number].group;
  const PublishedRange& c = range_of("C and C++ sockets");
  std::vector<Nearness> all;
  for (const char* const orb : {"Orbix", "ORBeline"}) {
    const PublishedRange& row = range_of(orb);
    const std::string name = orb;
    if (number == 0) {
      const double octets = stream_of(name + " sequence") / stream_of("C sockets");
      all.push_back({group, name + ", 1995, ATM", octets, 0});
      all.push_back({group, name + ", 1996, ATM", row.remote_scalar[0] / c.remote_scalar[0], 0});
    } else if (number == 1) {
      all.push_back({group, name + ", 1996, ATM", row.remote_struct[0] / c.remote_struct[0], 0});
      all.push_back({group, name + ", 1996, loopback", row.loopback_struct[0] / c.loopback_struct[0], 0});
    }
  }
  if (number == 2) all.push_back({group, "TAO, 2001, loopback", 1 - kOrbOfCall2001 / kCall2001, 0});
  return all;
}

constexpr double kPaper = 720;
constexpr double kNames = 210;
constexpr double kPlot = 300;   ///< C's own speed is here, counted from the names
constexpr double kMost = 1.55;  ///< longer bars end with their figure only
constexpr double kLine = 19;
constexpr double kGroup = 30;

void draw_row(std::ostream& out, const Nearness& one, double y) {
  const double length = std::min(one.ratio, kMost) * kPlot;
  out << "<g class=\"s" << one.colour << "\"><text class=\"label end\" x=\"" << kNames - 8 << "\" y=\"" << y + 11
      << "\">" << escaped(one.who) << "</text><rect x=\"" << kNames << "\" y=\"" << y + 2 << "\" width=\"" << length
      << "\" height=\"11\" rx=\"2\"/><text class=\"value\" x=\"" << kNames + length + 5 << "\" y=\"" << y + 11 << "\">"
      << number(one.ratio, 2) << "</text></g>\n";
}

/// The colours of the page, for where there is none.
constexpr const char* kAloneStyle =
    "<style>text { font: 12px system-ui, 'DejaVu Sans', sans-serif; fill: #57606a } .end { text-anchor: end }\n"
    ".label, .value { fill: #24292f } .head { font-weight: 600; fill: #24292f } .c { stroke: #7c868f; "
    "stroke-dasharray: 3 "
    "3 }\n.s0 rect { fill: #7c868f } .s1 rect { fill: #0b62a8 } .s3 rect { fill: #d1620a }</style>\n"
    "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";

}  // namespace

std::vector<Nearness> then_and_now(const std::vector<Result>& results) {
  std::vector<Nearness> all;
  for (std::size_t i = 0; i < todays().size(); ++i) {
    const Today& today = todays()[i];
    const std::vector<const Result*> found = results_of(today, results);
    if (found.empty()) continue;
    const std::vector<Nearness> then = published(i);
    all.insert(all.end(), then.begin(), then.end());
    for (const Result* const one : found) {
      const double ratio = nearness_of(today, *one, *control_of(today, results));
      const std::string name = value_of(one->of, "orb") == "corbel" ? "Corbel" : mechanism_name(one->of);
      all.push_back({today.group, name + ", today", ratio, name == "Corbel" ? 1 : 3});
    }
  }
  return all;
}

std::string then_and_now_note(const Machine& machine) {
  return "Today: " + machine.processor + ", " + std::to_string(machine.cores) + " cores, " + machine.kernel +
         "; other programs took " + number(machine.load, 1) + " of them";
}

std::vector<Result> then_and_now_results(const std::vector<Result>& results) {
  std::vector<Result> used;
  for (const Today& today : todays()) {
    const std::vector<const Result*> found = results_of(today, results);
    if (!found.empty()) used.push_back(*control_of(today, results));
    for (const Result* const one : found) used.push_back(*one);
  }
  return used;
}

std::string then_and_now_svg(const std::vector<Nearness>& all, const std::string& note, bool alone) {
  if (all.empty()) return {};
  std::ostringstream body;
  body.precision(5);
  double y = 4;
  std::string group;
  for (const Nearness& one : all) {
    if (one.group != group) {
      group = one.group;
      body << "<text class=\"label head\" x=\"0\" y=\"" << y + 20 << "\">" << escaped(group) << "</text>\n";
      y += kGroup;
    }
    draw_row(body, one, y);
    y += kLine;
  }
  std::ostringstream out;
  out.precision(5);
  const char* const title = "How near to C, then and now";
  if (!alone) out << "<figcaption>" << title << "</figcaption>\n";
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " << kPaper << ' ' << y + 26 << "\"";
  if (alone) out << " width=\"" << kPaper << "\" height=\"" << y + 26 << "\"";
  out << " role=\"img\" aria-label=\"" << title << "\">\n" << (alone ? kAloneStyle : "");
  out << "<line class=\"grid c\" x1=\"" << kNames + kPlot << "\" x2=\"" << kNames + kPlot << "\" y1=\"4\" y2=\"" << y
      << "\"/><text class=\"tick\" x=\"" << kNames + kPlot + 4 << "\" y=\"14\">1: C sockets</text>\n"
      << body.str() << "<text class=\"tick\" x=\"0\" y=\"" << y + 18 << "\">" << escaped(note) << "</text>\n</svg>\n";
  return out.str();
}

}  // namespace bench
