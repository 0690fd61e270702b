// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <set>

#include "common/statistics.hpp"
#include "common/table.hpp"
#include "report/chart.hpp"
#include "report/reader.hpp"
#include "report/sections.hpp"
#include "report/trust.hpp"

namespace bench {
namespace {

constexpr double kEven = 1.05;  // less apart is called even

/// How Corbel does against one other in one suite: factors above 1 are Corbel's advantage.
struct Comparison {
  std::string suite;
  std::string peer;
  std::vector<double> factors;
  std::string worst_case;
};

/// Metrics that are compared: times and throughputs, not their percentiles in the tail.
bool compared(const Result& result) {
  static const std::set<std::string> kMetrics = {"throughput", "latency_p50", "time", "time_per_call",
                                                 "instructions_per_call"};
  return kMetrics.contains(result.metric) || (result.suite == "scale" && result.metric == "calls");
}

bool is_ours(const Case& of) {
  const std::string name = contestant(of);
  return name == "Corbel giop" || name == "Corbel" || name == "Corbel giop, adaptive";
}

std::vector<Comparison> compare(const std::vector<Result>& results) {
  std::vector<Comparison> comparisons;
  std::map<std::tuple<std::string, std::string, Case>, const Result*> ours;
  for (const Result& result : results) {
    if (compared(result) && is_ours(result.of)) ours[{result.suite, result.metric, common_part(result.of)}] = &result;
  }
  for (const Result& result : results) {
    if (!compared(result) || contestant(result.of).starts_with("Corbel") || value_of(result.of, "orb") == "memcpy")
      continue;
    const auto found = ours.find({result.suite, result.metric, common_part(result.of)});
    if (found == ours.end() || found->second->value.median <= 0 || result.value.median <= 0) continue;
    const std::string peer = contestant(result.of);
    auto one = std::find_if(comparisons.begin(), comparisons.end(),
                            [&](const Comparison& c) { return c.suite == result.suite && c.peer == peer; });
    if (one == comparisons.end()) one = comparisons.insert(one, {result.suite, peer, {}, {}});
    const double ratio = found->second->value.median / result.value.median;
    const double factor = more_is_better(result) ? ratio : 1 / ratio;
    const std::string text = case_text(common_part(result.of));
    if (one->factors.empty() || factor < *std::min_element(one->factors.begin(), one->factors.end()))
      one->worst_case = text;
    one->factors.push_back(factor);
  }
  return comparisons;
}

/// "Streams" for "ttcp".
std::string in_words(const std::string& suite) {
  static const std::map<std::string, std::string> kWords = {{"ttcp", "Streams"},
                                                            {"latency", "Latency"},
                                                            {"counts", "Instructions of a call"},
                                                            {"cubit", "IDL_Cubit"},
                                                            {"demux", "Finding an operation"},
                                                            {"micro", "Marshalling"},
                                                            {"networks", "Emulated networks"},
                                                            {"predictability", "High priority against low"},
                                                            {"scale", "Many connections and threads"}};
  const auto found = kWords.find(suite);
  return found == kWords.end() ? suite : found->second;
}

std::string factor_text(double factor) {
  if (factor >= 100) return number(factor) + " x ahead";
  if (factor < 1.005 && factor > 0.995) return "even";
  return factor >= 1 ? number(factor, 2) + " x ahead" : number(1 / factor, 2) + " x behind";
}

DataTable wins_and_losses(const std::vector<Comparison>& comparisons) {
  DataTable table{"Corbel (giop) against each other mechanism; even: less than 5 % apart",
                  {"suite", "against", "cases", "ahead", "even", "behind", "median", "best", "worst", "the worst case"},
                  {},
                  2,
                  true,
                  true};
  for (const Comparison& one : comparisons) {
    const auto ahead = std::count_if(one.factors.begin(), one.factors.end(), [](double f) { return f > kEven; });
    const auto behind = std::count_if(one.factors.begin(), one.factors.end(), [](double f) { return f < 1 / kEven; });
    const Summary all = summarise(one.factors);
    table.rows.push_back({in_words(one.suite), one.peer, std::to_string(all.n), std::to_string(ahead),
                          std::to_string(static_cast<long>(all.n) - ahead - behind), std::to_string(behind),
                          factor_text(all.median), factor_text(all.max), factor_text(all.min),
                          all.min < 1 / kEven ? one.worst_case : ""});
  }
  return table;
}

}  // namespace

Section summary_section(const std::vector<Result>& all) {
  Section section{"summary", "In short"};
  const std::vector<Result> results = Trust(all).trusted(all);
  const auto comparisons = compare(results);
  if (comparisons.empty()) {
    section.paragraphs = {all.size() == results.size()
                              ? "These results hold nothing that Corbel could be compared with."
                              : "The raw sockets themselves varied too much in this run for anything to be compared."};
    return section;
  }
  section.paragraphs = plain_words(results);
  section.paragraphs.push_back(
      "Wins and losses of Corbel with its standard protocol, giop. Against raw sockets a factor tells what the ORB "
      "costs, "
      "against another ORB or other code who does it better. A factor is a ratio of medians of the same run.");
  if (all.size() != results.size()) {
    section.paragraphs.push_back(
        std::to_string(all.size() - results.size()) + " of " + std::to_string(all.size()) +
        " figures are left out here, because the raw sockets beside them varied by more than a "
        "quarter between repetitions; below they are grey and have a question mark.");
  }
  section.tables.push_back(wins_and_losses(comparisons));
  return section;
}

std::vector<std::pair<std::string, std::string>> headline(const std::vector<Result>& all) {
  const std::vector<Result> results = Trust(all).trusted(all);
  std::vector<std::pair<std::string, std::string>> figures;
  const Case corbel{{"orb", "corbel"}, {"protocol", "giop"}, {"transport", "tcp"}};
  const auto with = [&](Case more) {
    more.insert(corbel.begin(), corbel.end());
    return more;
  };
  const auto add_ratio = [&](const Result* result, const std::string& what) {
    if (result == nullptr || !result->control || *result->control <= 0) return;
    figures.emplace_back(number(result->value.median / *result->control, 2) + " x raw", what);
  };
  if (const Result* call = find_result(results, "latency", "latency_p50",
                                       with({{"placement", "one cpu"}, {"loop", "closed"}, {"payload", "0"}}))) {
    figures.emplace_back(number(call->value.median, 1) + " us",
                         "two-way void call over tcp, both ends on one processor");
    add_ratio(call, "that call's time, beside plain C sockets");
  }
  for (const char* const type : {"octet", "BinStruct"}) {
    add_ratio(find_result(results, "ttcp", "throughput",
                          with({{"type", type}, {"buffer", "131072"}, {"mode", "oneway"}, {"queue", "default"}})),
              std::string("throughput of ") + type + "s in 128 KiB buffers over tcp, beside plain C sockets");
  }
  const Result* const client = find_result(results, "counts", "instructions_per_call", with({{"side", "client"}}));
  const Result* const server = find_result(results, "counts", "instructions_per_call", with({{"side", "server"}}));
  if (client != nullptr && server != nullptr) {
    figures.emplace_back(plain_number(client->value.median) + " + " + plain_number(server->value.median),
                         "instructions of a void two-way call, client and server");
  }
  return figures;
}

}  // namespace bench
