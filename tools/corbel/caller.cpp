// SPDX-License-Identifier: Apache-2.0
#include "caller.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace corbel::tool {
namespace {

namespace model = idl::model;

/// An argument is JSON; where that is a text, quotes may be left out.
Json parse_argument(const std::string& text, const CORBA::typecode_reference& type, const std::string& where) {
  Json json(Json::value_t::discarded);
  try {
    json = parse_json(text);
  } catch (const RepeatedMember& repeated) {
    throw std::runtime_error(where + ": " + repeated.what());
  } catch (const std::runtime_error&) {  // perhaps a text without quotes
  }
  const CORBA::TCKind kind = type->_resolved().kind();
  const bool takes_text = kind == CORBA::TCKind::tk_string || kind == CORBA::TCKind::tk_wstring ||
                          kind == CORBA::TCKind::tk_enum || kind == CORBA::TCKind::tk_objref ||
                          kind == CORBA::TCKind::tk_char || kind == CORBA::TCKind::tk_wchar ||
                          kind == CORBA::TCKind::tk_TypeCode || kind == CORBA::TCKind::tk_sequence;
  if (json.is_discarded() || (takes_text && !json.is_string() && (json.is_number() || json.is_boolean()))) {
    if (takes_text) return text;
    throw std::runtime_error(where + ": '" + text.substr(0, 60) + "' is no JSON");
  }
  if (kind == CORBA::TCKind::tk_objref && json.is_string()) try {
      return reference_text(json.get<std::string>());
    } catch (const std::runtime_error& failure) {
      throw std::runtime_error(where + ": " + failure.what());
    }
  return json;
}

std::string signature(const model::Operation& operation) {
  std::string text;
  for (const auto& parameter : operation.parameters) {
    if (parameter.direction == model::Direction::out) continue;
    text += (text.empty() ? "" : ", ") + model::spelling(*parameter.type) + " " + parameter.name;
  }
  return operation.name + "(" + text + ")";
}

constexpr char kMark = '\x1f';  // no JSON begins with it

}  // namespace

std::vector<std::string> command_line(int argc, char** argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  const bool takes_arguments = !words.empty() && (words.front() == "call" || words.front() == "bench");
  for (std::string& word : words) {
    if (takes_arguments && word.starts_with('[') && word.ends_with(']')) word.insert(word.begin(), kMark);
  }
  std::reverse(words.begin(), words.end());
  return words;
}

void add_call_options(CLI::App& app, CallOptions& options) {
  CLI::App* const command = &app;
  command->add_option("REF", options.reference, "the object")->required();
  command
      ->add_option("OPERATION", options.operation, "operation or attribute; also _is_a, _non_existent, _repository_id")
      ->required();
  command->add_option_function<std::vector<std::string>>(
      "ARGS",
      [&options](const std::vector<std::string>& given) {
        options.values = given;
        for (std::string& value : options.values) {
          if (value.starts_with(kMark)) value.erase(0, 1);
        }
      },
      "JSON, in order or as NAME=JSON; quotes around a lone text may be left out");
  add_idl_options(*command, options.files, "IDL files that declare the interface [what the server tells]");
  add_repository_option(*command, options.files);
  command->add_option("--interface", options.interface,
                      "Where the operation is declared, as M::I or a repository id; if left out, it is looked for");
  command->add_option("--timeout", options.timeout, "Milliseconds for the call")
      ->check(CLI::Range(1L, 86'400'000L))
      ->type_name("MS");
  command
      ->add_option("--orb", options.orb_options, "An option of the ORB and its value, as in --orb -ORBGiopVersion=1.0")
      ->type_name("OPTION")
      ->allow_extra_args(false);
  command
      ->add_option("--policy", options.policies,
                   "A policy of the call, as in --policy SyncScope=SYNC_WITH_TARGET: RelativeRoundtripTimeout, "
                   "RelativeRequestTimeout and ConnectionTimeout (milliseconds), SyncScope, Rebind")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
}

Caller::Caller(const CallOptions& options)
    : options_(options),
      orb_(make_orb(orb_options())),
      factory_(IDL::traits<DynamicAny::DynAnyFactory>::narrow(orb_->resolve_initial_references("DynAnyFactory"))),
      object_(with_policies(find_object(orb_, options.reference), options.policies)),
      types_(types()),
      json_(orb_, factory_, types_, JsonValues::Paths::read) {}

/// Nobody is asked for them if the operation is known anyway.
Types Caller::types() {
  if (object_ == nullptr) throw std::runtime_error("this reference is nil");
  const std::string& operation = options_.operation;
  const bool built_in =
      operation.starts_with("_") && !operation.starts_with("_get_") && !operation.starts_with("_set_");
  if (built_in) return Types({options_.files.idl, options_.files.include_dirs}, factory_);
  return types_for(orb_, object_, options_.files, options_.interface, factory_, why_no_types_);
}

Caller::~Caller() {
  try {
    orb_->destroy();
  } catch (const CORBA::Exception&) {  // nothing is left to be done about it
  }
}

std::vector<std::string> Caller::orb_options() const {
  std::vector<std::string> all = options_.orb_options;
  if (options_.timeout > 0) all.insert(all.end(), {"-ORBCallTimeout", std::to_string(options_.timeout)});
  return all;
}

Caller::RequestRef Caller::make(bool& oneway) {
  const RequestRef request = object_->_request(wire_name());
  oneway = prepare(*request);
  return request;
}

Caller::RequestRef Caller::again(const CORBA::Object& object, CORBA::Request& request) {
  const RequestRef fresh = const_cast<CORBA::Object&>(object)._request(request.operation());
  fresh->arguments() = request.arguments();
  fresh->result() = request.result();
  fresh->exceptions() = request.exceptions();
  return fresh;
}

/// The interface that the operation is looked up in: the one asked for, or every one that has it and that the object
/// says it is.
const model::Interface& Caller::interface() {
  if (!options_.interface.empty()) {
    const auto* found = types_.find_interface(options_.interface);
    if (found == nullptr) throw std::runtime_error("the IDL files declare no interface '" + options_.interface + "'");
    return *found;
  }
  const model::Interface* chosen = nullptr;
  std::string others;
  for (const model::Interface* one : types_.interfaces()) {
    const Callable callable = find_callable(*one, name());
    others += (others.empty() ? "" : ", ") + model::scoped_name(*one);
    if (callable.operation == nullptr && callable.attribute == nullptr) continue;
    if (chosen != nullptr && find_callable(*chosen, name()).operation == callable.operation &&
        find_callable(*chosen, name()).attribute == callable.attribute) {
      continue;  // inherited from the same place
    }
    if (chosen != nullptr && !object_->_is_a(one->repository_id)) continue;
    chosen = one;
  }
  if (types_.interfaces().empty())
    throw std::runtime_error("no interface is known: name IDL files with --idl" +
                             (why_no_types_.empty() ? "" : " (" + why_no_types_ + ")"));
  if (chosen == nullptr) throw std::runtime_error("none of the interfaces " + others + " has '" + name() + "'");
  return *chosen;
}

/// "x" of "_get_x" and "_set_x", too.
std::string Caller::name() const {
  const std::string& given = options_.operation;
  return given.starts_with("_get_") || given.starts_with("_set_") ? given.substr(5) : given;
}

std::string Caller::wire_name() {
  callable_ = find_callable(interface(), name());
  if (callable_.operation != nullptr) return options_.operation;
  if (callable_.attribute == nullptr) throw std::runtime_error("the interface has no '" + name() + "'");
  return (options_.values.empty() ? "_get_" : "_set_") + name();
}

/// Adds arguments and types; true for a oneway.
bool Caller::prepare(CORBA::Request& request) {
  if (callable_.attribute != nullptr) {
    const CORBA::typecode_reference type = types_.type_code(*callable_.attribute->type);
    if (options_.values.empty()) {
      request.set_return_type(type);
    } else {
      if (options_.values.size() > 1) throw std::runtime_error("an attribute takes one value");
      if (callable_.attribute->readonly) throw std::runtime_error("attribute '" + name() + "' is readonly");
      request.add_in_arg(name()) = json_.from_json(parse_argument(options_.values[0], type, name()), type, name());
    }
    add_exceptions(request,
                   options_.values.empty() ? callable_.attribute->get_raises : callable_.attribute->set_raises);
    return false;
  }
  const model::Operation& operation = *callable_.operation;
  add_arguments(request, operation);
  request.set_return_type(types_.type_code(*operation.result));
  add_exceptions(request, operation.raises);
  return operation.oneway;
}

void Caller::add_exceptions(CORBA::Request& request, const std::vector<const model::Exception*>& raised) {
  for (const model::Exception* one : raised) request.exceptions().push_back(types_.type_code(*one));
}

/// By position, or all by name as in `x=1 y=2`.
void Caller::add_arguments(CORBA::Request& request, const model::Operation& operation) {
  std::size_t next = 0;
  for (const auto& parameter : operation.parameters) {
    const CORBA::typecode_reference type = types_.type_code(*parameter.type);
    if (parameter.direction == model::Direction::out) {
      request.add_out_arg(type, parameter.name);
      continue;
    }
    const std::string prefix = parameter.name + "=";
    const auto named = std::find_if(options_.values.begin(), options_.values.end(),
                                    [&](const std::string& value) { return value.starts_with(prefix); });
    const bool by_name = named != options_.values.end();
    if (!by_name && next >= options_.values.size()) {
      throw std::runtime_error("argument '" + parameter.name + "' is missing: " + signature(operation));
    }
    const std::string text = by_name ? named->substr(prefix.size()) : options_.values[next];
    ++next;
    CORBA::Any value = json_.from_json(parse_argument(text, type, parameter.name), type, parameter.name);
    (parameter.direction == model::Direction::in ? request.add_in_arg(parameter.name)
                                                 : request.add_inout_arg(parameter.name)) = std::move(value);
  }
  if (next < options_.values.size()) throw std::runtime_error("too many arguments: " + signature(operation));
}

}  // namespace corbel::tool
