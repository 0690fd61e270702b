// SPDX-License-Identifier: Apache-2.0
#include "common/results.hpp"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace bench {
namespace {

using Json = nlohmann::ordered_json;

Json machine_json(const Machine& machine) {
  Json json;
  json["processor"] = machine.processor;
  json["cores"] = machine.cores;
  json["kernel"] = machine.kernel;
  json["load"] = machine.load;
  json["versions"] = machine.versions;
  return json;
}

Json result_json(const Result& result) {
  Json json;
  json["suite"] = result.suite;
  json["case"] = result.of;
  json["metric"] = result.metric;
  json["unit"] = result.unit;
  json["value"] = result.value.median;
  json["min"] = result.value.min;
  json["max"] = result.value.max;
  json["n"] = result.value.n;
  if (result.value.uncertainty >= 0) json["uncertainty"] = result.value.uncertainty;
  if (result.control && *result.control > 0) {
    json["control"] = *result.control;
    json["ratio"] = result.value.median / *result.control;
  }
  return json;
}

}  // namespace

std::string to_json(const Report& report) {
  Json json;
  json["machine"] = machine_json(report.machine);
  json["results"] = Json::array();
  for (const Result& result : report.results) {
    if (std::isfinite(result.value.median)) json["results"].push_back(result_json(result));
  }
  json["warnings"] = report.warnings;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void write_json(const Report& report, const std::string& path) {
  std::ofstream file(path, std::ios::trunc);
  file << to_json(report) << std::flush;
  if (!file) throw std::runtime_error("cannot write " + path + ": " + std::strerror(errno));
}

}  // namespace bench
