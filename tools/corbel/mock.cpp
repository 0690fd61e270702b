// SPDX-License-Identifier: Apache-2.0
// corbel mock: serves the answers of a recording, or of a file written by hand.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <iostream>
#include <mutex>
#include <set>
#include <thread>

#include "command.hpp"
#include "corbel/base/log.hpp"
#include "corbel/dynamic/dynamic_implementation.hpp"
#include "corbel/ior/profile.hpp"
#include "mock_lines.hpp"
#include "output_file.hpp"
#include "recording.hpp"
#include "relay.hpp"
#include "repository.hpp"

namespace corbel::tool {
namespace {

namespace model = idl::model;
using ObjectRef = IDL::traits<CORBA::Object>::ref_type;

struct MockArguments {
  std::string recording;
  std::string interface;
  std::string listen = "tcp://127.0.0.1:0";
  std::string ior_file;
  Files files;
  bool defaults = false;
  bool any_arguments = false;
  bool timed = false;
  bool quiet = false;
  bool json = false;
};

/// All answers, and which were given. Thread-safe.
class Answers {
 public:
  explicit Answers(std::vector<Exchange> exchanges, bool any_arguments)
      : exchanges_(std::move(exchanges)), given_(exchanges_.size()), any_arguments_(any_arguments) {
    for (std::size_t i = 0; i < exchanges_.size(); ++i) by_operation_[exchanges_[i].operation].push_back(i);
  }

  /// The next answer to this call: of those with these arguments in their order, the last one again and again; else of
  /// those for any arguments. Null if there is none.
  const Exchange* next(const std::string& object, const std::string& operation, const Json& arguments) {
    const nlohmann::json wanted = plain(arguments);
    const auto found = by_operation_.find(operation);
    if (found == by_operation_.end()) return nullptr;
    const auto choose = [&](auto fits) -> const Exchange* {
      const std::size_t* last = nullptr;
      for (const std::size_t& at : found->second) {
        const Exchange& one = exchanges_[at];
        if (!one.answers()) continue;
        if ((!one.object.empty() && !object.empty() && one.object != object) || !fits(one)) continue;
        last = &at;
        if (!given_[at]) break;
      }
      if (last == nullptr) return nullptr;
      given_[*last] = true;
      return &exchanges_[*last];
    };
    const std::lock_guard lock(mutex_);
    if (const auto* one = choose([&](const Exchange& e) { return e.arguments && plain(*e.arguments) == wanted; }))
      return one;
    if (const auto* one = choose([](const Exchange& e) { return !e.arguments && e.no_arguments.empty(); })) return one;
    return any_arguments_ ? choose([](const Exchange&) { return true; }) : nullptr;
  }

  /// Before the first call.
  void leave_out(const std::set<std::size_t>& lines) {
    for (auto& [operation, all] : by_operation_)
      std::erase_if(all, [&](std::size_t at) { return lines.contains(exchanges_[at].line); });
  }

 private:
  /// Members in any order.
  static nlohmann::json plain(const Json& json) {
    return nlohmann::json::parse(json.dump(-1, ' ', false, Json::error_handler_t::replace));
  }

  std::mutex mutex_;
  const std::vector<Exchange> exchanges_;
  std::map<std::string, std::vector<std::size_t>> by_operation_;
  std::vector<bool> given_;
  const bool any_arguments_;
};

/// What all objects share. One call at a time.
struct Stage {
  const MockArguments& arguments;
  Types& types;
  JsonValues& json;
  IDL::traits<DynamicAny::DynAnyFactory>::ref_type factory;
  Answers answers;
  std::map<std::string, std::string> references = {};  ///< of objects by their recorded keys
  std::mutex mutex = {};

  /// People read the text on standard error, scripts the line of JSON on standard output.
  void tell(const Json& line, const std::string& text) const {
    if (arguments.json)
      std::cout << line.dump(-1, ' ', false, Json::error_handler_t::replace) << std::endl;
    else
      std::cerr << text << '\n';
  }
};

/// One object.
class Actor final : public PortableServer::DynamicImplementation {
 public:
  Actor(Stage& stage, std::string key, const model::Interface* interface)
      : stage_(stage), key_(std::move(key)), interface_(interface) {}

  std::string _primary_interface(const std::vector<std::uint8_t>&,
                                 CORBA::object_reference<PortableServer::POA>) override {
    return interface_->repository_id;
  }
  bool _is_a(const std::string& id) override {
    const auto all = with_ancestors(*interface_);
    return id == "IDL:omg.org/CORBA/Object:1.0" ||
           std::any_of(all.begin(), all.end(), [&](const auto* one) { return one->repository_id == id; });
  }

  void invoke(IDL::traits<CORBA::ServerRequest>::ref_type request) override {
    double wait = 0;
    {
      const std::lock_guard lock(stage_.mutex);
      wait = answer(*request);
    }
    if (stage_.arguments.timed) take(std::chrono::duration<double, std::milli>(wait));
  }

 private:
  /// Not beyond the end: clients get their answers then.
  static void take(std::chrono::duration<double, std::milli> time) {
    constexpr std::chrono::duration<double, std::milli> kTurn(50);
    const auto begin = std::chrono::steady_clock::now();
    for (auto left = time; left.count() > 0 && !end_came(); left = time - (std::chrono::steady_clock::now() - begin))
      std::this_thread::sleep_for(std::min(left, kTurn));
  }

  double answer(CORBA::ServerRequest& request) {
    const std::string& operation = request.operation();
    Signature signature;
    try {
      signature = find_signature(stage_.types, model::scoped_name(*interface_), operation);
    } catch (const std::runtime_error&) {
      throw CORBA::BAD_OPERATION();
    }
    CORBA::NVList list;
    for (const auto& parameter : signature.parameters) {
      const CORBA::Flags way = parameter.direction == model::Direction::in    ? CORBA::ARG_IN
                               : parameter.direction == model::Direction::out ? CORBA::ARG_OUT
                                                                              : CORBA::ARG_INOUT;
      list.add_type(parameter.name, parameter.type, way);
    }
    CORBA::NVList& values = request.arguments(std::move(list));
    Json arguments = Json::object();
    for (const auto& value : values)
      if ((value.flags & CORBA::ARG_IN) != 0) arguments[value.name] = stage_.json.to_json(value.value);
    const Exchange* const chosen = stage_.answers.next(key_, operation, arguments);
    const std::string call =
        operation + " " + arguments.dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, 500);
    if (!stage_.arguments.quiet) {
      Json line = {{"kind", "call"}, {"operation", operation}, {"arguments", arguments}};
      if (!key_.empty()) line["object"] = key_;
      if (chosen != nullptr) line["line"] = chosen->line;
      stage_.tell(line, call + (chosen == nullptr ? "  no answer" : "  line " + std::to_string(chosen->line)));
    }
    if (chosen == nullptr && !stage_.arguments.defaults && !signature.oneway)
      throw CORBA::NO_IMPLEMENT(0, CORBA::CompletionStatus::COMPLETED_NO, "the mock has no answer for " + call);
    try {
      give(request, signature, values, chosen);
    } catch (const CORBA::Exception&) {
      throw;
    } catch (const std::exception& failure) {
      const std::string line = chosen == nullptr ? "" : "line " + std::to_string(chosen->line) + ": ";
      stage_.tell({{"kind", "unusable"}, {"problem", line + failure.what()}}, "corbel: " + line + failure.what());
      throw CORBA::INTERNAL(0, CORBA::CompletionStatus::COMPLETED_NO, line + failure.what());
    }
    return chosen == nullptr ? 0 : chosen->milliseconds;
  }

  void give(CORBA::ServerRequest& request, const Signature& signature, CORBA::NVList& values, const Exchange* chosen) {
    if (chosen != nullptr && !chosen->exception.empty()) return raise(request, signature, *chosen);
    const Json result = chosen == nullptr || !chosen->result ? Json::object() : translated(*chosen->result);
    const auto make = [&](const std::string& name, const CORBA::typecode_reference& type) {
      if (result.contains(name)) return stage_.json.from_json(result[name], type, name);
      if (!stage_.arguments.defaults) throw std::runtime_error("'" + name + "' is missing in the answer");
      const auto dynamic = stage_.factory->create_dyn_any_from_type_code(type);
      CORBA::Any value = dynamic->to_any();
      dynamic->destroy();
      return value;
    };
    if (signature.result->kind() != CORBA::TCKind::tk_void) request.set_result(make("result", signature.result));
    for (std::size_t i = 0; i < values.size(); ++i) {
      if ((values[i].flags & CORBA::ARG_OUT) != 0) values[i].value = make(values[i].name, signature.parameters[i].type);
    }
  }

  void raise(CORBA::ServerRequest& request, const Signature& signature, const Exchange& chosen) {
    for (const auto* one : signature.raises) {
      if (model::scoped_name(*one) != chosen.exception && one->repository_id != chosen.exception) continue;
      return request.set_exception(
          stage_.json.from_json(translated(chosen.members), stage_.types.type_code(*one), chosen.exception));
    }
    if (chosen.exception.starts_with("CORBA::")) raise_system(chosen.exception.substr(7), chosen.members);
    throw std::runtime_error("the operation does not raise " + chosen.exception);
  }

  /// The JSON, with references to recorded objects led to this server.
  Json translated(const Json& json) const {
    if (json.is_string()) {
      const std::string key = key_of(json.get_ref<const std::string&>());
      const auto found = key.empty() ? stage_.references.end() : stage_.references.find(key);
      return found == stage_.references.end() ? json : Json(found->second);
    }
    Json all = json;
    if (json.is_structured())
      for (auto& one : all) one = translated(one);
    return all;
  }

  Stage& stage_;
  const std::string key_;
  const model::Interface* const interface_;
};

class Mock {
 public:
  explicit Mock(const MockArguments& arguments)
      : arguments_(arguments),
        recording_(arguments.recording.empty() ? Recording() : read_recording(arguments.recording)),
        orb_(make_orb({"-ORBListenEndpoints", arguments.listen})),
        factory_(IDL::traits<DynamicAny::DynAnyFactory>::narrow(orb_->resolve_initial_references("DynAnyFactory"))),
        types_(arguments.files, factory_),
        json_(orb_, factory_, types_, JsonValues::Paths::refused),
        stage_{arguments, types_, json_, factory_, Answers(recording_.exchanges, arguments.any_arguments)} {
    if (arguments.files.repository.empty()) return;
    const auto recorded = ior::from_string(recording_.reference);
    const std::string wanted = arguments.interface.empty() && recorded ? recorded->type_id : arguments.interface;
    types_.add(ask_repository(orb_, arguments.files.repository, wanted, nullptr));
  }
  ~Mock() {
    try {
      orb_->destroy();
    } catch (const CORBA::Exception&) {  // nothing is left to be done about it
    }
  }
  Mock(const Mock&) = delete;
  Mock& operator=(const Mock&) = delete;

  int run() {
    const auto root = IDL::traits<PortableServer::POA>::narrow(orb_->resolve_initial_references("RootPOA"));
    const auto poa =
        root->create_POA("mock", root->the_POAManager(),
                         {root->create_id_assignment_policy(PortableServer::IdAssignmentPolicyValue::USER_ID),
                          root->create_lifespan_policy(PortableServer::LifespanPolicyValue::PERSISTENT)});
    const std::string main_key = key_of(recording_.reference);
    const std::map<std::string, const model::Interface*> all = interfaces(main_key);
    for (const auto& [key, interface] : all) {
      const std::string name = key.empty() ? "mock" : key;
      const PortableServer::ObjectId id(name.begin(), name.end());
      poa->activate_object_with_id(id, CORBA::make_reference<Actor>(stage_, key, interface));
      const ObjectRef object = poa->id_to_reference(id);
      stage_.references[key] = orb_->object_to_string(object);
      if (key == main_key) orb_->register_initial_reference("mock", object);
    }
    if (recording_.exchanges.empty() && !arguments_.recording.empty())
      std::cerr << "corbel: there are no answers in " << arguments_.recording << '\n';
    const Served served{all, all.at(main_key), arguments_.any_arguments, arguments_.defaults};
    const UnusableLines unusable = unusable_lines(recording_, served, types_, json_);
    stage_.answers.leave_out(unusable.numbers);
    if (!arguments_.json)
      for (const std::string& line : unusable.why)
        std::cerr << "corbel: cannot be used: " << base::printable(line, 500) << '\n';
    const std::string& reference = stage_.references.at(main_key);
    if (!arguments_.ior_file.empty()) write_line_to(arguments_.ior_file, reference);
    if (arguments_.json)
      stage_.tell({{"reference", reference}, {"unusable", unusable.why}}, "");
    else
      std::cout << reference << std::endl;
    root->the_POAManager()->activate();  // now calls may be printed, too
    std::thread serving([&] {
      try {
        orb_->run();
      } catch (const CORBA::BAD_INV_ORDER&) {
        // The signal came before run().
      }
    });
    wait_for_end();
    orb_->shutdown(false);
    serving.join();
    return kDone;
  }

 private:
  /// The interface of every object, by its recorded key.
  std::map<std::string, const model::Interface*> interfaces(const std::string& main_key) {
    std::map<std::string, const model::Interface*> all;
    for (const Exchange& one : recording_.exchanges) {
      if (one.object.empty() || one.object == main_key) continue;
      if (const auto* interface = types_.find_interface(one.interface)) all.emplace(one.object, interface);
    }
    for (const Exchange& one : recording_.exchanges)
      if (one.result) improve(*one.result, all);
    all[main_key] = main_interface();
    return all;
  }

  /// References say what their objects are, calls only what declares the operation.
  void improve(const Json& json, std::map<std::string, const model::Interface*>& all) const {
    if (json.is_structured())
      for (const auto& one : json) improve(one, all);
    if (!json.is_string() || !json.get_ref<const std::string&>().starts_with("IOR:")) return;
    const auto known = all.find(key_of(json.get_ref<const std::string&>()));
    const auto ior = ior::from_string(json.get_ref<const std::string&>());
    if (known == all.end() || !ior) return;
    if (const auto* interface = types_.find_interface(ior->type_id)) known->second = interface;
  }

  const model::Interface* main_interface() const {
    if (!arguments_.interface.empty()) {
      if (const auto* found = types_.find_interface(arguments_.interface)) return found;
      throw std::runtime_error("the IDL files declare no interface '" + arguments_.interface + "'");
    }
    if (const auto ior = ior::from_string(recording_.reference))
      if (const auto* found = types_.find_interface(ior->type_id)) return found;
    std::vector<const model::Interface*> candidates;
    std::string names;
    for (const auto* one : types_.interfaces()) {
      const bool has_heirs =
          std::any_of(types_.interfaces().begin(), types_.interfaces().end(), [&](const auto* other) {
            return std::find(other->ancestors.begin(), other->ancestors.end(), one) != other->ancestors.end();
          });
      if (!one->in_main_file || has_heirs || one->is_local || one->is_abstract) continue;
      candidates.push_back(one);
      names += (names.empty() ? "" : ", ") + model::scoped_name(*one);
    }
    if (candidates.size() != 1)
      throw std::runtime_error("say with --interface which it is: " + (names.empty() ? "the files have none" : names));
    return candidates.front();
  }

  const MockArguments& arguments_;
  const Recording recording_;
  IDL::traits<CORBA::ORB>::ref_type orb_;
  IDL::traits<DynamicAny::DynAnyFactory>::ref_type factory_;
  Types types_;
  JsonValues json_;
  Stage stage_;
};

}  // namespace

void add_mock(CLI::App& app, Run& run) {
  const auto arguments = std::make_shared<MockArguments>();
  CLI::App* const command = app.add_subcommand("mock", "Serve an interface with answers from a file");
  command->add_option("FILE", arguments->recording, "What `corbel record` wrote, or the like written by hand")
      ->check(CLI::ExistingFile);
  add_idl_options(*command, arguments->files, "IDL files that declare the interfaces; this or --ir");
  add_repository_option(*command, arguments->files);
  command->add_option("--interface", arguments->interface,
                      "Of the object, as M::I [the recorded one, or the only one]");
  command->add_option("--listen", arguments->listen, "Where to serve")->type_name("ENDPOINT")->capture_default_str();
  command->add_option("--ior-file", arguments->ior_file, "Write the reference into this file")->type_name("FILE");
  command->add_flag("--defaults", arguments->defaults,
                    "Answer what the file does not have with zeros, empty texts and sequences");
  command->add_flag("--any-arguments", arguments->any_arguments,
                    "Take an answer to the operation with other arguments if there is none for these");
  command->add_flag("--timed", arguments->timed, "Take as long as the recorded server did");
  command->add_flag("--quiet", arguments->quiet, "Do not print calls");
  command->add_flag("--json", arguments->json,
                    "Print the reference with the lines that cannot be used, then calls, as JSON, one object a line");
  command->footer(
      "FILE has one JSON object a line (or is one array of them):\n"
      "  {\"operation\": \"divide\", \"arguments\": {\"a\": 7, \"b\": 2}, \"result\": {\"result\": 3, \"rest\": 1}}\n"
      "  {\"operation\": \"divide\", \"exception\": \"Test::Refused\", \"members\": {\"why\": \"no\", \"code\": 1}}\n"
      "Without \"arguments\" it answers all calls that nothing else does. Several for the same call are given in turn, "
      "the\n"
      "last one from then on. The object is also at corbaloc::HOST:PORT/mock.");
  command->callback([arguments, &run] {
    if (arguments->files.idl.empty() && arguments->files.repository.empty()) throw CLI::RequiredError("--idl or --ir");
    run = [arguments] {
      block_signals();
      return Mock(*arguments).run();
    };
  });
}

}  // namespace corbel::tool
