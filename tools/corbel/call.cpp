// SPDX-License-Identifier: Apache-2.0
// corbel call: any operation or attribute of any object, arguments and results as JSON.
#include <CLI/CLI.hpp>
#include <chrono>
#include <iostream>
#include <thread>

#include "caller.hpp"

namespace corbel::tool {
namespace {

struct CallArguments {
  CallOptions call;
  long repeat = 1;
  double rate = 0;
  bool oneway = false;
  bool json = false;
};

class Call {
 public:
  explicit Call(const CallArguments& arguments) : arguments_(arguments), caller_(arguments.call) {}

  int run() {
    const auto begin = std::chrono::steady_clock::now();
    for (long i = 0;; ++i) {
      if (arguments_.rate > 0) {
        const std::chrono::duration<double> due(static_cast<double>(i) / arguments_.rate);
        std::this_thread::sleep_until(begin + std::chrono::duration_cast<std::chrono::steady_clock::duration>(due));
      }
      const int status = call_once();
      if (status != kDone || i + 1 == arguments_.repeat) return status;
    }
  }

 private:
  int call_once() {
    const std::string& operation = arguments_.call.operation;
    if (operation == "_non_existent" || operation == "_is_a" || operation == "_repository_id") return print(built_in());
    bool oneway = false;
    const auto request = caller_.make(oneway);
    try {
      if (oneway || arguments_.oneway) {
        request->send_oneway();
        return kDone;
      }
      request->invoke();
    } catch (const CORBA::UnknownUserException& exception) {
      Json json;
      json["exception"] = caller_.json().name_of(exception.exception()._type());
      json["members"] = caller_.json().to_json(exception.exception());
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
      if (arguments_.call.values.size() != count)
        throw std::runtime_error(arguments_.call.operation + " takes " + std::to_string(count) + " arguments");
    };
    if (arguments_.call.operation == "_is_a") {
      expect(1);
      return caller_.object()->_is_a(arguments_.call.values[0]);
    }
    expect(0);
    if (arguments_.call.operation == "_non_existent") return caller_.object()->_non_existent();
    auto request = caller_.object()->_request("_repository_id");
    request->set_return_type(CORBA::_tc_string);
    request->invoke();
    return caller_.json().to_json(request->return_value());
  }

  /// The result alone, or an object with all that came back.
  Json results(CORBA::Request& request) {
    Json outs = Json::object();
    for (const auto& argument : request.arguments()) {
      if ((argument.flags & CORBA::ARG_OUT) != 0) outs[argument.name] = caller_.json().to_json(argument.value);
    }
    const Json result = caller_.json().to_json(request.return_value());
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

  const CallArguments& arguments_;
  Caller caller_;
};

}  // namespace

void add_call(CLI::App& app, Run& run) {
  auto arguments = std::make_shared<CallArguments>();
  CLI::App* const command = app.add_subcommand("call", "Call an operation, or read or write an attribute");
  add_call_options(*command, arguments->call);
  command->add_option("--repeat", arguments->repeat, "Call so many times")
      ->check(CLI::Range(1L, 1'000'000'000L))
      ->type_name("N");
  check_range(command->add_option("--rate", arguments->rate, "With --repeat: begin at most so many calls a second"),
              0.001, 1e7)
      ->type_name("N");
  command->add_flag("--oneway", arguments->oneway, "Send it, and wait for no answer, though the IDL has one");
  command->add_flag("--json", arguments->json, "Print exceptions as JSON, too, and indent");
  command->footer(
      "Octet sequences are base64, an array of numbers or {\"file\": PATH}; an any is {\"type\": NAME, \"value\": "
      "...}.\n"
      "Example: corbel call server.ior greet world --idl hello.idl");
  command->callback([arguments, &run] { run = [arguments] { return Call(*arguments).run(); }; });
}

}  // namespace corbel::tool
