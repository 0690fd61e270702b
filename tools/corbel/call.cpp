// SPDX-License-Identifier: Apache-2.0
// corbel call: any operation or attribute of any object, arguments and results as JSON.
#include <CLI/CLI.hpp>
#include <chrono>
#include <iostream>

#include "command.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/dynamic/request.hpp"
#include "json_values.hpp"

namespace corbel::tool {
namespace {

namespace model = idl::model;

struct Arguments {
  std::string reference;
  std::string operation;
  std::vector<std::string> values;
  Files files;
  std::string interface;
  std::vector<std::string> orb_options;
  long timeout = 0;
  long repeat = 1;
  bool json = false;
};

/// An argument is JSON; where that is a text, quotes may be left out.
Json parse_argument(const std::string& text, const CORBA::typecode_reference& type, const std::string& where) {
  Json json = Json::parse(text, nullptr, false);
  const CORBA::TCKind kind = type->_resolved().kind();
  const bool takes_text = kind == CORBA::TCKind::tk_string || kind == CORBA::TCKind::tk_wstring ||
                          kind == CORBA::TCKind::tk_enum || kind == CORBA::TCKind::tk_objref ||
                          kind == CORBA::TCKind::tk_char || kind == CORBA::TCKind::tk_wchar ||
                          kind == CORBA::TCKind::tk_TypeCode || kind == CORBA::TCKind::tk_sequence;
  if (json.is_discarded() || (takes_text && !json.is_string() && (json.is_number() || json.is_boolean()))) {
    if (takes_text) return text;
    throw std::runtime_error(where + ": '" + text.substr(0, 60) + "' is no JSON");
  }
  if (kind == CORBA::TCKind::tk_objref && json.is_string()) return reference_text(json.get<std::string>());
  return json;
}

/// One call, as the IDL describes it.
class Caller {
 public:
  explicit Caller(const Arguments& arguments)
      : arguments_(arguments),
        orb_(make_orb(options())),
        factory_(IDL::traits<DynamicAny::DynAnyFactory>::narrow(orb_->resolve_initial_references("DynAnyFactory"))),
        types_(arguments.files, factory_),
        json_(orb_, factory_, types_),
        object_(find_object(orb_, arguments.reference)) {
    if (object_ == nullptr) throw std::runtime_error("this reference is nil");
  }
  ~Caller() {
    try {
      orb_->destroy();
    } catch (const CORBA::Exception&) {  // nothing is left to be done about it
    }
  }
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  int run() {
    for (long i = 1; i < arguments_.repeat; ++i) {
      if (const int status = call_once(); status != kDone) return status;
    }
    return call_once();
  }

 private:
  std::vector<std::string> options() const {
    std::vector<std::string> all = arguments_.orb_options;
    if (arguments_.timeout > 0) all.insert(all.end(), {"-ORBCallTimeout", std::to_string(arguments_.timeout)});
    return all;
  }

  int call_once() {
    if (arguments_.operation == "_non_existent" || arguments_.operation == "_is_a" ||
        arguments_.operation == "_repository_id") {
      return print(built_in());
    }
    auto request = object_->_request(wire_name());
    const bool oneway = prepare(*request);
    try {
      if (oneway)
        request->send_oneway();
      else
        request->invoke();
    } catch (const CORBA::UnknownUserException& exception) {
      Json json;
      json["exception"] = type_name(exception.exception()._type());
      json["members"] = json_.to_json(exception.exception());
      if (arguments_.json)
        print(json);
      else
        std::cerr << "raised " << json["exception"].get<std::string>() << ' ' << json["members"].dump() << '\n';
      return kUserException;
    }
    return print(results(*request));
  }

  Json built_in() {
    const auto expect = [&](std::size_t count) {
      if (arguments_.values.size() != count)
        throw std::runtime_error(arguments_.operation + " takes " + std::to_string(count) + " arguments");
    };
    if (arguments_.operation == "_is_a") {
      expect(1);
      return object_->_is_a(arguments_.values[0]);
    }
    expect(0);
    if (arguments_.operation == "_non_existent") return object_->_non_existent();
    auto request = object_->_request("_repository_id");
    request->set_return_type(CORBA::_tc_string);
    request->invoke();
    return json_.to_json(request->return_value());
  }

  /// The interface that the operation is looked up in: the one asked for, or every one that has it and that the object
  /// says it is.
  const model::Interface& interface() {
    if (!arguments_.interface.empty()) {
      const auto* found = types_.find_interface(arguments_.interface);
      if (found == nullptr)
        throw std::runtime_error("the IDL files declare no interface '" + arguments_.interface + "'");
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
    if (types_.interfaces().empty()) throw std::runtime_error("no interface is known: name IDL files with --idl");
    if (chosen == nullptr) throw std::runtime_error("none of the interfaces " + others + " has '" + name() + "'");
    return *chosen;
  }

  /// "x" of "_get_x" and "_set_x", too.
  std::string name() const {
    const std::string& given = arguments_.operation;
    return given.starts_with("_get_") || given.starts_with("_set_") ? given.substr(5) : given;
  }

  std::string wire_name() {
    callable_ = find_callable(interface(), name());
    if (callable_.operation != nullptr) return arguments_.operation;
    if (callable_.attribute == nullptr) throw std::runtime_error("the interface has no '" + name() + "'");
    return (arguments_.values.empty() ? "_get_" : "_set_") + name();
  }

  /// Adds arguments and types; true for a oneway.
  bool prepare(CORBA::Request& request) {
    if (callable_.attribute != nullptr) {
      const CORBA::typecode_reference type = types_.type_code(*callable_.attribute->type);
      if (arguments_.values.empty()) {
        request.set_return_type(type);
      } else {
        if (arguments_.values.size() > 1) throw std::runtime_error("an attribute takes one value");
        if (callable_.attribute->readonly) throw std::runtime_error("attribute '" + name() + "' is readonly");
        request.add_in_arg(name()) = json_.from_json(parse_argument(arguments_.values[0], type, name()), type, name());
      }
      add_exceptions(request,
                     arguments_.values.empty() ? callable_.attribute->get_raises : callable_.attribute->set_raises);
      return false;
    }
    const model::Operation& operation = *callable_.operation;
    add_arguments(request, operation);
    request.set_return_type(types_.type_code(*operation.result));
    add_exceptions(request, operation.raises);
    return operation.oneway;
  }

  void add_exceptions(CORBA::Request& request, const std::vector<const model::Exception*>& raised) {
    for (const model::Exception* one : raised) request.exceptions().push_back(types_.type_code(*one));
  }

  static std::string signature(const model::Operation& operation) {
    std::string text;
    for (const auto& parameter : operation.parameters) {
      if (parameter.direction == model::Direction::out) continue;
      text += (text.empty() ? "" : ", ") + model::spelling(*parameter.type) + " " + parameter.name;
    }
    return operation.name + "(" + text + ")";
  }

  /// By position, or all by name as in `x=1 y=2`.
  void add_arguments(CORBA::Request& request, const model::Operation& operation) {
    std::size_t next = 0;
    for (const auto& parameter : operation.parameters) {
      const CORBA::typecode_reference type = types_.type_code(*parameter.type);
      if (parameter.direction == model::Direction::out) {
        request.add_out_arg(type, parameter.name);
        continue;
      }
      const std::string prefix = parameter.name + "=";
      const auto named = std::find_if(arguments_.values.begin(), arguments_.values.end(),
                                      [&](const std::string& value) { return value.starts_with(prefix); });
      const bool by_name = named != arguments_.values.end();
      if (!by_name && next >= arguments_.values.size()) {
        throw std::runtime_error("argument '" + parameter.name + "' is missing: " + signature(operation));
      }
      const std::string text = by_name ? named->substr(prefix.size()) : arguments_.values[next];
      ++next;
      CORBA::Any value = json_.from_json(parse_argument(text, type, parameter.name), type, parameter.name);
      (parameter.direction == model::Direction::in ? request.add_in_arg(parameter.name)
                                                   : request.add_inout_arg(parameter.name)) = std::move(value);
    }
    if (next < arguments_.values.size()) throw std::runtime_error("too many arguments: " + signature(operation));
  }

  /// The result alone, or an object with all that came back.
  Json results(CORBA::Request& request) {
    Json outs = Json::object();
    for (const auto& argument : request.arguments()) {
      if ((argument.flags & CORBA::ARG_OUT) != 0) outs[argument.name] = json_.to_json(argument.value);
    }
    const Json result = json_.to_json(request.return_value());
    if (outs.empty()) return result;
    if (request.return_value()._type().kind() == CORBA::TCKind::tk_void) return outs;
    Json all;
    all["result"] = result;
    for (auto& [name, value] : outs.items()) all[name] = value;
    return all;
  }

  int print(const Json& json) const {
    if (!json.is_null() || arguments_.json)
      std::cout << json.dump(arguments_.json ? 2 : -1, ' ', false, Json::error_handler_t::replace) << '\n';
    return kDone;
  }

  const Arguments& arguments_;
  IDL::traits<CORBA::ORB>::ref_type orb_;
  IDL::traits<DynamicAny::DynAnyFactory>::ref_type factory_;
  Types types_;
  JsonValues json_;
  IDL::traits<CORBA::Object>::ref_type object_;
  Callable callable_;
};

}  // namespace

void add_call(CLI::App& app, Run& run) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* const command = app.add_subcommand("call", "Call an operation, or read or write an attribute");
  command->add_option("REF", arguments->reference, "the object")->required();
  command
      ->add_option("OPERATION", arguments->operation,
                   "operation or attribute; also _is_a, _non_existent, _repository_id")
      ->required();
  command->add_option("ARGS", arguments->values,
                      "JSON, in order or as NAME=JSON; quotes around a lone text may be left out");
  command->add_option("--idl", arguments->files.idl, "IDL files that declare the interface")
      ->check(CLI::ExistingFile)
      ->type_name("FILE")
      ->allow_extra_args(false);
  command->add_option("-I", arguments->files.include_dirs, "Search this folder for #include")
      ->type_name("DIR")
      ->allow_extra_args(false);
  command->add_option("--interface", arguments->interface,
                      "Where the operation is declared, as M::I or a repository id; if left out, it is looked for");
  command->add_option("--timeout", arguments->timeout, "Milliseconds for the call")
      ->check(CLI::Range(1L, 86'400'000L))
      ->type_name("MS");
  command->add_option("--repeat", arguments->repeat, "Call so many times")
      ->check(CLI::Range(1L, 1'000'000'000L))
      ->type_name("N");
  command
      ->add_option("--orb", arguments->orb_options,
                   "An option of the ORB and its value, as in --orb -ORBGiopVersion=1.0")
      ->type_name("OPTION")
      ->allow_extra_args(false);
  command->add_flag("--json", arguments->json, "Print exceptions as JSON, too, and indent");
  command->footer(
      "Octet sequences are base64, an array of numbers or {\"file\": PATH}; an any is {\"type\": NAME, \"value\": "
      "...}.\n"
      "Example: corbel call server.ior greet world --idl hello.idl");
  command->callback([arguments, &run] { run = [arguments] { return Caller(*arguments).run(); }; });
}

}  // namespace corbel::tool
