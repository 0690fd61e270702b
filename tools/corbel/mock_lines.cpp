// SPDX-License-Identifier: Apache-2.0
#include "mock_lines.hpp"

#include <algorithm>
#include <stdexcept>

namespace corbel::tool {
namespace {

namespace model = idl::model;

/// A value with parts that are written only and never read is compared all the same.
bool refers_back(const Json& value) {
  if (value.is_object() && value.size() == 1 && value.contains("same_as")) return true;
  return value.is_structured() && std::any_of(value.begin(), value.end(), refers_back);
}

void check_arguments(const Json& arguments, const Signature& signature, JsonValues& json) {
  std::size_t taken = 0;
  for (const auto& parameter : signature.parameters) {
    if (parameter.direction == model::Direction::out) continue;
    if (!arguments.contains(parameter.name)) throw std::runtime_error("argument '" + parameter.name + "' is missing");
    const Json& value = arguments[parameter.name];
    if (!refers_back(value)) json.from_json(value, parameter.type, parameter.name);
    ++taken;
  }
  if (taken < arguments.size()) throw std::runtime_error("there are arguments that the operation does not have");
}

void check_members(const Json& members) {
  if (members.is_null()) return;
  if (!members.is_object()) throw std::runtime_error("'members' is no object");
  if (const auto minor = members.find("minor"); minor != members.end()) {
    if (!minor->is_number_unsigned() || minor->get<std::uint64_t>() > 0xffffffff)
      throw std::runtime_error("'minor' is no number from 0 to 4294967295");
  }
  if (const auto completed = members.find("completed"); completed != members.end()) {
    if (*completed != "COMPLETED_YES" && *completed != "COMPLETED_NO" && *completed != "COMPLETED_MAYBE")
      throw std::runtime_error("'completed' is none of COMPLETED_YES, COMPLETED_NO, COMPLETED_MAYBE");
  }
}

void check_system_exception(const std::string& name) try {
  corba::raise_system_exception("IDL:omg.org/CORBA/" + name + ":1.0", 0, CORBA::CompletionStatus::COMPLETED_NO);
} catch (const CORBA::SystemException& raised) {
  if (raised._name() != name) throw std::runtime_error("there is no system exception CORBA::" + name);
}

void check_exception(const Exchange& exchange, const Signature& signature, Types& types, JsonValues& json) {
  if (exchange.exception.starts_with("CORBA::")) {
    check_members(exchange.members);
    return check_system_exception(exchange.exception.substr(7));
  }
  const auto found = std::find_if(signature.raises.begin(), signature.raises.end(), [&](const auto* one) {
    return model::scoped_name(*one) == exchange.exception || one->repository_id == exchange.exception;
  });
  if (found == signature.raises.end()) throw std::runtime_error("the operation does not raise " + exchange.exception);
  json.from_json(exchange.members, types.type_code(**found), exchange.exception);
}

void check_result(const Json& result, const Signature& signature, bool defaults, JsonValues& json) {
  const auto look = [&](const std::string& name, const CORBA::typecode_reference& type) {
    if (result.contains(name))
      json.from_json(result[name], type, name);
    else if (!defaults)
      throw std::runtime_error("'" + name + "' is missing in the answer");
  };
  if (signature.result->kind() != CORBA::TCKind::tk_void) look("result", signature.result);
  for (const auto& parameter : signature.parameters)
    if (parameter.direction != model::Direction::in) look(parameter.name, parameter.type);
}

/// Throws what is wrong with it.
void check(const Exchange& exchange, const model::Interface& interface, const Served& served, Types& types,
           JsonValues& json) {
  const Signature signature = find_signature(types, model::scoped_name(interface), exchange.operation);
  if (signature.oneway) return;
  if (exchange.arguments && !served.any_arguments) check_arguments(*exchange.arguments, signature, json);
  if (!exchange.no_arguments.empty() && !served.any_arguments)
    throw std::runtime_error("no arguments: " + exchange.no_arguments);
  if (!exchange.no_result.empty()) throw std::runtime_error("no result: " + exchange.no_result);
  if (!exchange.answers()) throw std::runtime_error("there is neither 'result' nor 'exception'");
  if (!exchange.exception.empty() && exchange.result) throw std::runtime_error("there is 'result' and 'exception'");
  if (!exchange.exception.empty())
    check_exception(exchange, signature, types, json);
  else if (exchange.result)
    check_result(*exchange.result, signature, served.defaults, json);
}

}  // namespace

UnusableLines unusable_lines(const Recording& recording, const Served& served, Types& types, JsonValues& json) {
  UnusableLines all{recording.unread, {}};
  for (const Exchange& one : recording.exchanges) {
    const bool of_every_object =
        one.operation.starts_with("_") && !one.operation.starts_with("_get_") && !one.operation.starts_with("_set_");
    if (of_every_object) continue;  // the mock answers that itself
    const auto object = served.objects.find(one.object);
    try {
      check(one, object == served.objects.end() ? *served.main : *object->second, served, types, json);
    } catch (const std::exception& failure) {
      all.numbers.insert(one.line);
      all.why.push_back("line " + std::to_string(one.line) + ": " + one.operation + ": " + failure.what());
    }
  }
  return all;
}

void raise_system(const std::string& name, const Json& members) {
  const auto minor = members.is_object() ? members.value("minor", 0U) : 0U;
  const std::string completed = members.is_object() ? members.value("completed", "COMPLETED_NO") : "COMPLETED_NO";
  const auto status = completed == "COMPLETED_YES"  ? CORBA::CompletionStatus::COMPLETED_YES
                      : completed == "COMPLETED_NO" ? CORBA::CompletionStatus::COMPLETED_NO
                                                    : CORBA::CompletionStatus::COMPLETED_MAYBE;
  corba::raise_system_exception("IDL:omg.org/CORBA/" + name + ":1.0", minor, status);
}

}  // namespace corbel::tool
