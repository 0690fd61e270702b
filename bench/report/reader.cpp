// SPDX-License-Identifier: Apache-2.0
#include "report/reader.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace bench {
namespace {

using Json = nlohmann::json;

Machine machine_from(const Json& json) {
  Machine machine;
  machine.processor = json.at("processor").get<std::string>();
  machine.cores = json.at("cores").get<std::size_t>();
  machine.kernel = json.at("kernel").get<std::string>();
  machine.load = json.at("load").get<double>();
  machine.versions = json.at("versions").get<std::map<std::string, std::string>>();
  return machine;
}

Result result_from(const Json& json) {
  Result result{json.at("suite").get<std::string>(), json.at("case").get<Case>(), json.at("metric").get<std::string>(),
                json.at("unit").get<std::string>(), Summary{}};
  result.value = {json.at("value").get<double>(), json.at("min").get<double>(), json.at("max").get<double>(),
                  json.at("n").get<std::size_t>(), json.value("uncertainty", -1.0)};
  if (json.contains("control")) result.control = json.at("control").get<double>();
  return result;
}

}  // namespace

Report read_json(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  try {
    const Json json = Json::parse(file);
    Report report;
    report.machine = machine_from(json.at("machine"));
    for (const Json& result : json.at("results")) report.results.push_back(result_from(result));
    if (json.contains("warnings")) report.warnings = json.at("warnings").get<std::vector<std::string>>();
    return report;
  } catch (const Json::exception& failure) {
    throw std::runtime_error(path + " does not have the shape of --json: " + failure.what());
  }
}

Report read_all(const std::vector<std::string>& paths) {
  Report all;
  for (const std::string& path : paths) {
    Report one = read_json(path);
    if (&path == &paths.front()) all.machine = one.machine;
    all.machine.load = std::max(all.machine.load, one.machine.load);
    all.machine.versions.merge(one.machine.versions);
    const std::string suite = one.results.empty() ? path : one.results.front().suite;
    for (const std::string& warning : one.warnings) all.warnings.push_back(suite + ": " + warning);
    all.results.insert(all.results.end(), std::make_move_iterator(one.results.begin()),
                       std::make_move_iterator(one.results.end()));
  }
  return all;
}

std::string value_of(const Case& of, const std::string& key, const std::string& otherwise) {
  const auto found = of.find(key);
  return found == of.end() ? otherwise : found->second;
}

bool matches(const Case& of, const Case& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const auto& pair) {
    const auto found = of.find(pair.first);
    return found != of.end() && found->second == pair.second;
  });
}

const Result* find_result(const std::vector<Result>& results, const std::string& suite, const std::string& metric,
                          const Case& wanted) {
  const auto found = std::find_if(results.begin(), results.end(), [&](const Result& result) {
    return result.suite == suite && result.metric == metric && matches(result.of, wanted);
  });
  return found == results.end() ? nullptr : &*found;
}

Case without(Case of, const std::vector<std::string>& keys) {
  for (const std::string& key : keys) of.erase(key);
  return of;
}

std::string mechanism_name(const Case& of) {
  const std::string orb = value_of(of, "orb", "?");
  const std::string protocol = value_of(of, "protocol", "none");
  const std::string name = orb == "raw" ? "raw sockets" : orb == "corbel" ? "Corbel" : orb;
  const bool usual = protocol == "none" || (protocol == "giop" && orb != "corbel");
  return usual ? name : name + " " + protocol;
}

std::string size_text(const std::string& octets) {
  char* end = nullptr;
  const long long size = std::strtoll(octets.c_str(), &end, 10);
  if (end == octets.c_str() || *end != '\0') return octets;
  if (size >= 1 << 20 && size % (1 << 20) == 0) return std::to_string(size >> 20) + " MiB";
  if (size >= 1024 && size % 1024 == 0) return std::to_string(size >> 10) + " KiB";
  return std::to_string(size) + " B";
}

}  // namespace bench
