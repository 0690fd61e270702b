// SPDX-License-Identifier: Apache-2.0
// corbel replay: makes the calls of a recording, and compares.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <set>
#include <thread>

#include "caller.hpp"
#include "corbel/base/log.hpp"
#include "corbel/ior/profile.hpp"
#include "recording.hpp"

namespace corbel::tool {
namespace {

struct ReplayArguments {
  std::string recording;
  std::string reference;
  Files files;
  std::vector<std::string> ignored;
  std::vector<std::string> orb_options;
  double speed = 0;
  long timeout = 0;
  bool json = false;
};

/// References differ in each life of a server: what counts is that they are there, and their interface.
Json comparable(const Json& json, const std::set<std::string>& ignored) {
  if (json.is_object()) {
    Json all = Json::object();
    for (const auto& [name, value] : json.items())
      if (!ignored.contains(name)) all[name] = comparable(value, ignored);
    return all;
  }
  if (json.is_array()) {
    Json all = Json::array();
    for (const Json& one : json) all.push_back(comparable(one, ignored));
    return all;
  }
  if (json.is_string() && json.get_ref<const std::string&>().starts_with("IOR:")) {
    const auto ior = ior::from_string(json.get_ref<const std::string&>());
    if (ior) return "a reference to " + ior->type_id;
  }
  return json;
}

class Replay {
 public:
  explicit Replay(const ReplayArguments& arguments)
      : arguments_(arguments),
        recording_(read_recording(arguments.recording)),
        orb_(make_orb(orb_options())),
        factory_(IDL::traits<DynamicAny::DynAnyFactory>::narrow(orb_->resolve_initial_references("DynAnyFactory"))),
        types_(arguments.files, factory_),
        json_(orb_, factory_, types_, JsonValues::Paths::refused),
        ignored_(arguments.ignored.begin(), arguments.ignored.end()) {
    if (recording_.exchanges.empty()) throw std::runtime_error("there are no calls in " + arguments.recording);
    const std::string given = arguments.reference.empty() ? recording_.reference : arguments.reference;
    if (given.empty()) throw std::runtime_error("the recording does not say against which object; give REF");
    object_ = find_object(orb_, given);
    if (object_ == nullptr) throw std::runtime_error("this reference is nil");
  }
  ~Replay() {
    try {
      object_.reset();
      orb_->destroy();
    } catch (const CORBA::Exception&) {  // nothing is left to be done about it
    }
  }
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;

  int run() {
    const auto begin = std::chrono::steady_clock::now();
    const double first = recording_.exchanges.front().time;
    for (const std::string& line : recording_.unread) leave_out(line);
    for (const Exchange& exchange : recording_.exchanges) {
      if (arguments_.speed > 0 && exchange.time > first) {
        std::this_thread::sleep_until(begin +
                                      std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                          std::chrono::duration<double>((exchange.time - first) / arguments_.speed)));
      }
      if (exchange.operation.starts_with("_") && !exchange.operation.starts_with("_get_") &&
          !exchange.operation.starts_with("_set_"))
        continue;  // what every object has is the ORBs' own business
      if (!exchange.arguments || !exchange.answers()) {
        ++skipped_;
        continue;
      }
      try {
        compare(exchange, call(exchange));
      } catch (const std::exception& failure) {
        leave_out("line " + std::to_string(exchange.line) + ": " + exchange.operation + ": " + failure.what());
      }
    }
    if (arguments_.json) {
      std::cout
          << Json{{"calls", calls_}, {"different", different_}, {"skipped", skipped_}, {"unusable", unusable_}}.dump()
          << '\n';
    } else {
      std::cout << calls_ << " calls, " << different_ << " with another end";
      if (skipped_ > 0) std::cout << "; " << skipped_ << " skipped that were recorded without arguments or result";
      if (unusable_ > 0) std::cout << "; " << unusable_ << " lines that cannot be used";
      std::cout << '\n';
    }
    return different_ + unusable_ == 0 ? kDone : kUserException;
  }

 private:
  void leave_out(const std::string& why) {
    ++unusable_;
    std::cerr << "corbel: left out: " << base::printable(why, 500) << '\n';
  }

  std::vector<std::string> orb_options() const {
    std::vector<std::string> all = arguments_.orb_options;
    if (arguments_.timeout > 0) all.insert(all.end(), {"-ORBCallTimeout", std::to_string(arguments_.timeout)});
    return all;
  }

  /// The object that was called: REF itself, or another one at the same address by its key.
  IDL::traits<CORBA::Object>::ref_type object(const std::string& key) {
    if (key.empty() || key == key_of(recording_.reference)) return object_;
    auto& known = objects_[key];
    if (known != nullptr) return known;
    auto ior = *ior::from_string(orb_->object_to_string(object_));
    const auto octets = from_base64(key);
    ior::Ior other{"", {}};
    for (const auto& profile : ior.profiles) {
      auto body = ior::decode_iiop_profile(profile);
      if (!body) continue;
      body->object_key = octets;
      other.profiles.push_back(ior::encode_profile(*body));
    }
    if (other.profiles.empty())
      throw std::runtime_error("REF has no IIOP profile, by which other objects could be reached");
    return known = orb_->string_to_object(ior::to_string(other));
  }

  Exchange call(const Exchange& recorded) {
    const Signature signature = find_signature(types_, recorded.interface, recorded.operation);
    const auto request = object(recorded.object)->_request(recorded.operation);
    for (const auto& parameter : signature.parameters) {
      if (parameter.direction == idl::model::Direction::out) {
        request->add_out_arg(parameter.type, parameter.name);
        continue;
      }
      if (!recorded.arguments->contains(parameter.name))
        throw std::runtime_error("argument '" + parameter.name + "' is missing");
      (parameter.direction == idl::model::Direction::in ? request->add_in_arg(parameter.name)
                                                        : request->add_inout_arg(parameter.name)) =
          json_.from_json((*recorded.arguments)[parameter.name], parameter.type, parameter.name);
    }
    request->set_return_type(signature.result);
    for (const auto* raised : signature.raises) request->exceptions().push_back(types_.type_code(*raised));
    Exchange outcome{.operation = recorded.operation};
    ++calls_;
    try {
      if (recorded.oneway) {
        request->send_oneway();
        return outcome;
      }
      request->invoke();
      Json result = Json::object();
      if (signature.result->kind() != CORBA::TCKind::tk_void) result["result"] = json_.to_json(request->return_value());
      for (const auto& argument : request->arguments())
        if ((argument.flags & CORBA::ARG_OUT) != 0) result[argument.name] = json_.to_json(argument.value);
      outcome.result = std::move(result);
    } catch (const CORBA::UnknownUserException& exception) {
      outcome.exception = types_.name_of(exception.exception()._type());
      outcome.members = json_.to_json(exception.exception());
    } catch (const CORBA::SystemException& exception) {
      constexpr const char* kCompleted[] = {"COMPLETED_YES", "COMPLETED_NO", "COMPLETED_MAYBE"};
      outcome.exception = std::string("CORBA::") + exception._name();
      outcome.members = {{"minor", exception.minor()},
                         {"completed", kCompleted[static_cast<std::size_t>(exception.completed())]}};
    }
    return outcome;
  }

  void compare(const Exchange& recorded, const Exchange& now) {
    if (recorded.oneway) return;
    // Members in any order: recordings are also written by hand.
    const nlohmann::json expected = nlohmann::json::parse(
        comparable(recorded.outcome(), ignored_).dump(-1, ' ', false, Json::error_handler_t::replace));
    const nlohmann::json got =
        nlohmann::json::parse(comparable(now.outcome(), ignored_).dump(-1, ' ', false, Json::error_handler_t::replace));
    if (expected == got) return;
    ++different_;
    if (arguments_.json) {
      std::cout << Json{{"line", recorded.line},
                        {"operation", recorded.operation},
                        {"expected", expected},
                        {"got", got}}
                       .dump()
                << '\n';
    } else {
      std::cout << "line " << recorded.line << ": " << recorded.operation << ' '
                << recorded.arguments->dump(-1, ' ', false, Json::error_handler_t::replace) << "\n  expected "
                << expected.dump() << "\n  got      " << got.dump() << '\n';
    }
  }

  const ReplayArguments& arguments_;
  const Recording recording_;
  IDL::traits<CORBA::ORB>::ref_type orb_;
  IDL::traits<DynamicAny::DynAnyFactory>::ref_type factory_;
  Types types_;
  JsonValues json_;
  const std::set<std::string> ignored_;
  IDL::traits<CORBA::Object>::ref_type object_;
  std::map<std::string, IDL::traits<CORBA::Object>::ref_type> objects_;
  std::size_t calls_ = 0, different_ = 0, skipped_ = 0, unusable_ = 0;
};

}  // namespace

void add_replay(CLI::App& app, Run& run) {
  const auto arguments = std::make_shared<ReplayArguments>();
  CLI::App* const command =
      app.add_subcommand("replay", "Make the calls of a recording again, and compare what comes back");
  command->add_option("FILE", arguments->recording, "What `corbel record` wrote")->required()->check(CLI::ExistingFile);
  command->add_option("REF", arguments->reference, "The object to call [the recorded one]");
  add_idl_options(*command, arguments->files, "IDL files that declare the interfaces")->required();
  command->add_option("--ignore", arguments->ignored, "Do not compare members of this name (\"timestamp\")")
      ->type_name("NAME")
      ->allow_extra_args(false);
  check_range(command->add_option("--speed", arguments->speed,
                                  "Keep the recorded pace, so many times faster [one call after the other]"),
              0.001, 1e6);
  command->add_option("--timeout", arguments->timeout, "Milliseconds for a call")
      ->check(CLI::Range(1L, 86'400'000L))
      ->type_name("MS");
  command->add_option("--orb", arguments->orb_options, "An option of the ORB and its value")
      ->type_name("OPTION")
      ->allow_extra_args(false);
  command->add_flag("--json", arguments->json, "Print JSON lines");
  command->footer(
      "Exit status 0: every call ended as it did when it was recorded; 1: some did not, or lines of "
      "FILE\n"
      "cannot be used, as standard error says. References are compared by their interface. Objects other than REF are "
      "called at REF's address by the recorded key.");
  command->callback([arguments, &run] { run = [arguments] { return Replay(*arguments).run(); }; });
}

}  // namespace corbel::tool
