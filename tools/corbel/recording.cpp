// SPDX-License-Identifier: Apache-2.0
#include "recording.hpp"

#include <array>
#include <fstream>
#include <stdexcept>

#include "corbel/ior/profile.hpp"

namespace corbel::tool {
namespace {

namespace model = idl::model;

constexpr std::size_t kLongestLine = 64 << 20;
constexpr std::size_t kMostExchanges = 10'000'000;

Exchange exchange_of(const Json& json, std::size_t line) {
  const auto wrong = [&](const std::string& what) {
    throw std::runtime_error("line " + std::to_string(line) + ": " + what);
  };
  if (!json.is_object()) wrong("this is no JSON object");
  const auto text = [&](const char* name) {
    if (!json.contains(name)) return std::string();
    if (!json[name].is_string()) wrong(std::string("'") + name + "' is no text");
    return json[name].get<std::string>();
  };
  const auto number = [&](const char* name) {
    if (!json.contains(name)) return 0.0;
    if (!json[name].is_number()) wrong(std::string("'") + name + "' is no number");
    return json[name].get<double>();
  };
  Exchange exchange{.operation = text("operation")};
  if (exchange.operation.empty()) wrong("'operation' is missing");
  exchange.interface = text("interface");
  exchange.object = text("object");
  exchange.exception = text("exception");
  exchange.no_arguments = text("no_arguments");
  exchange.no_result = text("no_result");
  exchange.milliseconds = number("ms");
  exchange.time = number("time");
  exchange.line = line;
  exchange.oneway = json.contains("oneway") && json["oneway"] == true;
  if (json.contains("arguments")) {
    if (!json["arguments"].is_object()) wrong("'arguments' is no object of names and values");
    exchange.arguments = json["arguments"];
  }
  if (json.contains("result")) {
    // A lone value stands for a result without out arguments.
    exchange.result = json["result"].is_object() ? json["result"] : Json{{"result", json["result"]}};
  }
  if (json.contains("members")) exchange.members = json["members"];
  return exchange;
}

/// Whether a file has an end is seen only there.
void check_size(std::size_t octets) {
  constexpr std::size_t kLargest = 1U << 30;
  if (octets > kLargest) throw std::runtime_error("it, or a line of it, is larger than a gibibyte");
}

/// The next line; of one that is too long the beginning. False at the end.
bool read_line(std::istream& in, std::string& text) {
  text.clear();
  std::array<char, 1 << 16> block;
  for (std::size_t octets = 0;;) {
    in.getline(block.data(), block.size());
    const auto count = static_cast<std::size_t>(in.gcount());
    const bool ends = in.good();  // then the end of the line is counted, too
    if (text.size() <= kLongestLine) text.append(block.data(), ends ? count - 1 : count);
    if (ends) return true;
    if (in.eof() || count == 0) return octets + count > 0;
    check_size(octets += count);
    in.clear();
  }
}

std::string read_rest(std::istream& in) {
  std::string text;
  std::array<char, 1 << 16> block;
  while (in.read(block.data(), block.size()), in.gcount() > 0) {
    text.append(block.data(), static_cast<std::size_t>(in.gcount()));
    check_size(text.size());
  }
  return text;
}

}  // namespace

Json Exchange::outcome() const {
  if (!exception.empty()) return {{"exception", exception}, {"members", members.is_null() ? Json::object() : members}};
  return {{"result", result ? *result : Json::object()}};
}

Json to_json(const Exchange& exchange) {
  Json json{{"operation", exchange.operation}};
  if (!exchange.interface.empty()) json["interface"] = exchange.interface;
  if (!exchange.object.empty()) json["object"] = exchange.object;
  if (exchange.oneway) json["oneway"] = true;
  if (exchange.arguments) json["arguments"] = *exchange.arguments;
  if (!exchange.no_arguments.empty()) json["no_arguments"] = exchange.no_arguments;
  if (exchange.result) json["result"] = *exchange.result;
  if (!exchange.no_result.empty()) json["no_result"] = exchange.no_result;
  if (!exchange.exception.empty()) {
    json["exception"] = exchange.exception;
    json["members"] = exchange.members;
  }
  if (exchange.milliseconds > 0) json["ms"] = exchange.milliseconds;
  if (exchange.time > 0) json["time"] = exchange.time;
  return json;
}

Json recording_head(const std::string& reference) {
  return {{"corbel", "recording"}, {"version", 1}, {"reference", reference}};
}

Recording read_recording(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  Recording recording;
  const auto take = [&](const Json& json, std::size_t line) {
    if (recording.exchanges.size() >= kMostExchanges) throw std::runtime_error("too many exchanges");
    if (json.is_object() && json.contains("corbel")) {
      if (json["corbel"] != "recording" || !json.contains("version") || json["version"] != 1)
        throw std::runtime_error("line " + std::to_string(line) + ": this is no recording of version 1");
      if (json.contains("reference") && json["reference"].is_string()) recording.reference = json["reference"];
      return;
    }
    try {
      recording.exchanges.push_back(exchange_of(json, line));
    } catch (const std::runtime_error& failure) {
      recording.unread.emplace_back(failure.what());
    }
  };
  try {
    if (file.peek() == '[') {
      const Json all = parse_json(read_rest(file));
      for (std::size_t i = 0; i < all.size(); ++i) take(all[i], i + 1);
    } else {
      std::string text;
      for (std::size_t line = 1; read_line(file, text); ++line) {
        if (text.find_first_not_of(" \t\r") == std::string::npos) continue;
        Json json;
        try {
          if (text.size() > kLongestLine) throw std::runtime_error("it is too long");
          json = parse_json(text);
        } catch (const std::runtime_error& failure) {
          recording.unread.push_back("line " + std::to_string(line) + ": " + failure.what());
          continue;
        }
        take(json, line);
      }
    }
    if (recording.exchanges.empty() && !recording.unread.empty()) throw std::runtime_error(recording.unread.front());
  } catch (const std::exception& failure) {
    throw std::runtime_error(path + ": " + failure.what());
  }
  return recording;
}

std::string key_of(const std::string& text) {
  if (!text.starts_with("IOR:")) return {};
  const auto ior = ior::from_string(text);
  if (!ior) return {};
  for (const auto& profile : ior->profiles) {
    if (const auto key = ior::object_key_of(profile.tag, profile.data); key && !key->empty())
      return to_base64({key->begin(), key->end()});
  }
  return {};
}

Signature find_signature(Types& types, const std::string& interface, const std::string& operation) {
  const bool gets = operation.starts_with("_get_");
  const bool sets = operation.starts_with("_set_");
  const std::string name = gets || sets ? operation.substr(5) : operation;
  Callable callable;
  const auto look = [&](const model::Interface& one) {
    const Callable found = find_callable(one, name);
    const bool fits = gets || sets ? found.attribute != nullptr : found.operation != nullptr;
    if (fits) callable = found;
    return fits;
  };
  const model::Interface* const given = interface.empty() ? nullptr : types.find_interface(interface);
  if (given != nullptr) {
    look(*given);
  } else {
    for (const model::Interface* one : types.interfaces())
      if (look(*one)) break;
  }
  Signature signature;
  if (callable.operation != nullptr) {
    for (const auto& parameter : callable.operation->parameters)
      signature.parameters.push_back({parameter.name, types.type_code(*parameter.type), parameter.direction});
    signature.result = types.type_code(*callable.operation->result);
    signature.raises = callable.operation->raises;
    signature.oneway = callable.operation->oneway;
  } else if (callable.attribute != nullptr) {
    const auto type = types.type_code(*callable.attribute->type);
    signature.result = gets ? type : CORBA::_tc_void;
    if (sets) signature.parameters.push_back({"value", type, model::Direction::in});
    signature.raises = gets ? callable.attribute->get_raises : callable.attribute->set_raises;
  } else {
    throw std::runtime_error((given == nullptr ? "the IDL files have" : model::scoped_name(*given) + " has") + " no '" +
                             operation + "'");
  }
  return signature;
}

}  // namespace corbel::tool
