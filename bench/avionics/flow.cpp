// SPDX-License-Identifier: Apache-2.0
#include "avionics/flow.hpp"

#include <algorithm>
#include <corbel/corbel.hpp>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <vector>

#include "common/statistics.hpp"

namespace avionics {
namespace {

constexpr char kBetween = '|';

std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == kBetween; }, ' ');
  return text;
}

/// What stands between the bars of a line.
class Fields {
 public:
  Fields(const std::string& line, const std::string& kind) : line_(line), in_(line) {
    if (text() != kind) fail();
  }
  std::string text() {
    std::string field;
    if (!std::getline(in_, field, kBetween)) fail();
    return field;
  }
  template <class Number>
  Number number() {
    std::istringstream in(text());
    Number value{};
    if (!(in >> value)) fail();
    return value;
  }

 private:
  [[noreturn]] void fail() const { throw std::runtime_error("another process said '" + line_ + "'"); }

  std::string line_;
  std::istringstream in_;
};

}  // namespace

void fly(Flow& flow, const Sortie& sortie, const std::function<bool(std::uint32_t activation)>& activate) {
  std::vector<double> latencies;
  const auto turns = static_cast<std::uint32_t>(std::chrono::microseconds(sortie.length) / flow.period);
  latencies.reserve(turns);
  for (std::uint32_t turn = 0; turn < turns && !interrupted; ++turn) {
    const auto activated = sortie.begin + turn * flow.period;
    std::this_thread::sleep_until(activated);
    ++flow.activations;
    bool done = false;
    try {
      if (!activate(turn)) ++flow.wrong;
      done = true;
    } catch (const CORBA::Exception& exception) {
      std::ostringstream why;
      why << exception;
      if (flow.failed++ == 0) flow.why = one_line(why.str());
    }
    const std::chrono::duration<double, std::micro> latency = Steady::now() - activated;
    ++(done && latency <= flow.period ? flow.met : flow.missed);
    latencies.push_back(latency.count());
  }
  if (latencies.empty()) return;
  std::sort(latencies.begin(), latencies.end());
  flow.p50_us = bench::percentile(latencies, 50);
  flow.p99_us = bench::percentile(latencies, 99);
  flow.max_us = latencies.back();
}

std::string to_line(const Flow& flow) {
  std::ostringstream out;
  out << "flow" << kBetween << flow.name << kBetween << flow.way << kBetween << flow.period.count() << kBetween
      << flow.activations << kBetween << flow.met << kBetween << flow.missed << kBetween << flow.failed << kBetween
      << flow.wrong << kBetween << flow.p50_us << kBetween << flow.p99_us << kBetween << flow.max_us << kBetween
      << flow.why;
  return out.str();
}

std::string to_line(const Bulk& bulk) {
  std::ostringstream out;
  out << "bulk" << kBetween << bulk.blocks << kBetween << bulk.octets << kBetween << bulk.seconds << kBetween
      << one_line(bulk.why);
  return out.str();
}

bool is_flow(const std::string& line) {
  return line.starts_with("flow|");
}

Flow read_flow(const std::string& line) {
  Fields fields(line, "flow");
  Flow flow;
  flow.name = fields.text();
  flow.way = fields.text();
  flow.period = std::chrono::microseconds(fields.number<std::int64_t>());
  for (auto* count : {&flow.activations, &flow.met, &flow.missed, &flow.failed, &flow.wrong}) {
    *count = fields.number<std::uint64_t>();
  }
  for (auto* time : {&flow.p50_us, &flow.p99_us, &flow.max_us}) *time = fields.number<double>();
  flow.why = fields.text();
  return flow;
}

Bulk read_bulk(const std::string& line) {
  Fields fields(line, "bulk");
  Bulk bulk;
  bulk.blocks = fields.number<std::uint64_t>();
  bulk.octets = fields.number<std::uint64_t>();
  bulk.seconds = fields.number<double>();
  bulk.why = fields.text();
  return bulk;
}

}  // namespace avionics
