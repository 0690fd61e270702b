// SPDX-License-Identifier: Apache-2.0
#include "report/bars.hpp"

#include <set>

#include "report/reader.hpp"

namespace bench {
namespace {

const std::set<std::string> kMessaging = {"request header", "marshal",      "unmarshal",
                                          "framing",        "reply header", "reply header and marshal"};
const std::set<std::string> kAdapter = {"transport send", "wait and receive", "transport adapter"};

/// Adds a side's layers; returns what its system calls took, waiting included.
double add_side(const std::vector<Result>& results, Case wanted, const char* side, CallBars& bars) {
  wanted["side"] = side;
  double system = 0;
  for (const Result& result : results) {
    if (result.suite != "whitebox" || result.metric != "layer_time" || !matches(result.of, wanted)) continue;
    const std::string& layer = result.of.at("layer");
    double& sum = is_system_layer(layer)       ? system
                  : kMessaging.contains(layer) ? bars.messaging
                  : kAdapter.contains(layer)   ? bars.adapter
                                               : bars.orb;
    sum += result.value.median;
  }
  return system;
}

}  // namespace

bool is_system_layer(const std::string& layer) {
  return layer.starts_with("system ");
}

std::vector<CallBars> bars_of(const std::vector<Result>& results) {
  std::vector<CallBars> all;
  for (const char* const transport : {"tcp", "unix"}) {
    for (const char* const protocol : {"giop", "giop_lite"}) {
      const Case wanted{{"protocol", protocol}, {"transport", transport}, {"type", "void"}};
      CallBars bars{{{"protocol", protocol}, {"transport", transport}}};
      const double waited = add_side(results, wanted, "client", bars);  // while the server works, too
      const double client = bars.messaging + bars.adapter + bars.orb;
      add_side(results, wanted, "server", bars);
      bars.system = waited - (bars.messaging + bars.adapter + bars.orb - client);
      if (waited <= 0) continue;
      const Result* const whole = find_result(results, "whitebox", "call_time", wanted);
      if (whole != nullptr) bars.whole = whole->value.median;
      all.push_back(std::move(bars));
    }
  }
  return all;
}

}  // namespace bench
