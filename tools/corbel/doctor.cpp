// SPDX-License-Identifier: Apache-2.0
// corbel doctor: what is wrong with a reference, in words, and what to do.
#include "doctor.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iomanip>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "command.hpp"
#include "corbel/base/log.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/dynamic/request.hpp"

namespace corbel::tool {
namespace {

using Json = nlohmann::ordered_json;
using Level = Finding::Level;
using ObjectRef = IDL::traits<CORBA::Object>::ref_type;
using OrbRef = IDL::traits<CORBA::ORB>::ref_type;

constexpr int kMostForwards = 5;

struct DoctorArguments {
  std::string reference;
  std::string type;
  long timeout = 3000;
  bool json = false;
};

/// Finds out, and says what came of it.
class Doctor {
 public:
  explicit Doctor(const DoctorArguments& arguments)
      : arguments_(arguments),
        orb_(make_orb({"-ORBCallTimeout", std::to_string(arguments.timeout), "-ORBConnectTimeout",
                       std::to_string(arguments.timeout)})) {}
  ~Doctor() {
    try {
      orb_->destroy();
    } catch (const CORBA::Exception&) {  // nothing is left to be done about it
    }
  }
  Doctor(const Doctor&) = delete;
  Doctor& operator=(const Doctor&) = delete;

  int run() {
    const int status = examine();
    print(status);
    return status;
  }

 private:
  void add(Level level, const std::string& where, const std::string& text, const std::string& advice = {}) {
    findings_.push_back({level, where, text, advice});
  }

  int examine() {
    const std::string text = arguments_.reference.starts_with("ns:") ? "" : reference_text(arguments_.reference);
    if (text.starts_with("corbaname:") && text.find('#') != std::string::npos) {
      const int status = examine_service(text);
      if (status != kDone) return status;
    }
    ObjectRef object;
    try {
      object = find_object(orb_, arguments_.reference);
    } catch (const BadReference& failure) {
      add(Level::problem, "the reference", std::string("cannot be read: ") + base::printable(failure.what()),
          "copy all of it, from IOR: to the last digit, or check the URL");
      return kUsage;
    } catch (const CORBA::UserException& exception) {
      add(Level::problem, "the name", std::string("is not known to the naming service: ") + exception.what(),
          "`corbel ns tree` shows what is");
      return kSystemException;
    } catch (const CORBA::SystemException& exception) {
      add(Level::problem, "the naming service", "cannot be asked: " + detail(exception),
          "`corbel doctor` on its reference says more");
      return status_of(exception);
    }
    if (object == nullptr) {
      add(Level::problem, "the reference", "is nil: it leads to no object", "whoever gave it had none to give");
      return kUsage;
    }
    return examine_object(object);
  }

  /// The part of a corbaname before '#'.
  int examine_service(const std::string& text) {
    std::string service = "corbaloc:" + text.substr(10, text.find('#') - 10);
    if (service.find('/') == std::string::npos) service += "/NameService";
    if (service.starts_with("corbaloc:rir:")) return kDone;
    try {
      const ObjectRef object = orb_->string_to_object(service);
      const auto ior = ior::from_string(orb_->object_to_string(object));
      if (reach(*ior, "the naming service") == Reached::object) return kDone;
      add(Level::problem, "the naming service", "does not answer, so the name cannot be resolved", "see above");
      return kNoAnswer;
    } catch (const CORBA::BAD_PARAM& exception) {
      add(Level::problem, "the reference", "cannot be read: " + detail(exception), "check the URL");
      return kUsage;
    }
  }

  int examine_object(const ObjectRef& object) {
    const auto ior = ior::from_string(orb_->object_to_string(object));
    if (!ior) throw std::runtime_error("the reference has no stringified form");
    type_ = arguments_.type.empty() ? ior->type_id : arguments_.type;
    judge(*ior, findings_);
    const Reached reached = reach(*ior, "");
    if (places_seen_ == 0 && names_group(*ior)) return send_to_group(object);
    if (reached == Reached::nothing || reached == Reached::silence) {
      // The ORB may know carriers that were not probed.
      if (places_seen_ > 0) return kNoAnswer;
    }
    return ask(object, reached);
  }

  /// Nothing comes back from a group, so that nothing is asked.
  int send_to_group(const ObjectRef& object) {
    try {
      CORBA::PolicyList unmet;
      object->_validate_connection(unmet);
      add(Level::good, "the group", "can be sent oneways from here");
      return kDone;
    } catch (const CORBA::SystemException& exception) {
      add(Level::problem, "the group", "cannot be sent anything: " + detail(exception),
          "CORBEL_MULTICAST_INTERFACE names the network interface by which groups are sent to");
      return status_of(exception);
    }
  }

  /// Probes all places of the reference, and of those that it is forwarded to.
  Reached reach(const ior::Ior& first, const std::string& whose) {
    Reached best = Reached::nothing;
    ior::Ior ior = first;
    for (int hop = 0;; ++hop) {
      best = Reached::nothing;
      std::optional<ior::Ior> forward;
      for (const Place& place : places_of(ior, findings_)) {
        ++places_seen_;
        const std::size_t before = findings_.size();
        best = std::max(best, probe(place, std::chrono::milliseconds(arguments_.timeout), findings_, forward));
        if (!whose.empty()) {
          for (std::size_t i = before; i < findings_.size(); ++i)
            findings_[i].where = whose + " at " + findings_[i].where;
        }
      }
      if (!forward) return best;
      if (hop == kMostForwards || forward->profiles == ior.profiles) {
        add(Level::problem, "the object", "is forwarded in a circle, or too often",
            "the servers that forward (an implementation repository, an agent) disagree about where it is");
        return Reached::server;
      }
      ior = *forward;
      judge(ior, findings_);
    }
  }

  template <class Call>
  bool timed(const std::string& what, Call call) {
    const auto begin = std::chrono::steady_clock::now();
    const std::string said = call();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    findings_.push_back({Level::good, "the object", what + ": " + said, "", took.count()});
    return true;
  }

  /// What the object itself answers.
  int ask(const ObjectRef& object, Reached reached) {
    try {
      bool gone = false;
      timed("_non_existent", [&] { return (gone = object->_non_existent()) ? "true" : "false"; });
      if (gone) {
        explain_gone(0);
        return kSystemException;
      }
      if (type_.empty()) {
        add(Level::note, "the reference", "does not say of which interface the object is",
            "give --type to have that checked");
        return kDone;
      }
      bool is_a = false;
      timed("_is_a(" + base::printable(type_) + ")", [&] {
        auto request = object->_request("_is_a");
        request->add_in_arg() <<= type_;
        request->set_return_type(CORBA::_tc_boolean);
        request->invoke();
        request->return_value() >>= is_a;
        return is_a ? "true" : "false";
      });
      if (is_a) return kDone;
      add(Level::problem, "the object", "is not of the interface " + base::printable(type_),
          "client and server were built from different IDL, or another object has the reference's key now");
      return kSystemException;
    } catch (const CORBA::SystemException& exception) {
      explain(exception, reached);
      return status_of(exception);
    }
  }

  void explain_gone(std::uint32_t minor) {
    const bool former = minor == corba::minor::kPoaNotFound;
    add(Level::problem, "the object",
        former ? "is gone: its POA is not there, as after a restart of the server" : "is gone for good",
        "get a new reference; for references that outlive their server, its POA has to be persistent, with the same "
        "name and ids");
  }

  void explain(const CORBA::SystemException& exception, Reached reached) {
    const std::string name = exception._name();
    const std::string said = detail(exception);
    if (name == "OBJECT_NOT_EXIST") {
      explain_gone(exception.minor());
    } else if (name == "TIMEOUT" || (name == "TRANSIENT" && exception.minor() == corba::minor::kHeldTooLong)) {
      add(Level::problem, "the object",
          reached == Reached::object ? "is known to its server, which does not answer requests for it: " + said
                                     : "does not answer: " + said,
          "its POA manager holds requests (the_POAManager()->activate() was not called, or hold_requests() was), or "
          "all its "
          "threads are busy: with a SINGLE_THREAD_MODEL POA one slow request is enough");
    } else if (reached == Reached::nothing && (name == "TRANSIENT" || name == "COMM_FAILURE")) {
      add(Level::problem, "the object", "cannot be reached, so nothing is known of it: " + said,
          exception.minor() == corba::minor::kNoUsableProfile
              ? "get a reference with a profile that can be used from here; what is wrong with these is said above"
              : "its server has ended, or is out of reach by the carriers of this reference");
    } else if (name == "OBJ_ADAPTER") {
      add(Level::problem, "the object", "cannot be served: its POA manager is inactive, or it has no servant: " + said,
          "the server is shutting down, or has deactivated its manager; restart it");
    } else if (name == "TRANSIENT") {
      add(Level::problem, "the object", "is not served now: " + said,
          "its POA manager discards requests, or the server is shutting down; try again later");
    } else if (name == "NO_PERMISSION") {
      add(Level::problem, "the object", "may not be asked: " + said, "the server's access control refuses this client");
    } else if (name == "BAD_OPERATION" || name == "NO_IMPLEMENT") {
      add(Level::note, "the object", "answers, but has not even the operations of every object: " + said, "");
    } else {
      const std::string where = where_explained(exception);
      add(Level::problem, "the object", "answers with " + said, where.empty() ? "" : "see " + where);
    }
  }

  static std::string detail(const CORBA::SystemException& exception) { return base::printable(exception.what()); }

  void print(int status) const {
    std::size_t problems = 0;
    for (const Finding& finding : findings_) problems += finding.level == Level::problem ? 1 : 0;
    const char* const verdict = status == kDone ? (problems == 0 ? "healthy" : "usable, with problems") : "not usable";
    if (arguments_.json) {
      Json json{{"verdict", verdict}, {"findings", Json::array()}};
      for (const Finding& finding : findings_) {
        Json one{{"level", name(finding.level)}, {"where", finding.where}, {"text", finding.text}};
        if (!finding.advice.empty()) one["advice"] = finding.advice;
        if (finding.milliseconds >= 0) one["ms"] = finding.milliseconds;
        json["findings"].push_back(std::move(one));
      }
      std::cout << json.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
      return;
    }
    for (const Finding& finding : findings_) {
      std::cout << std::left << std::setw(9) << name(finding.level) << finding.where << ' ' << finding.text;
      if (finding.milliseconds >= 0)
        std::cout << std::fixed << std::setprecision(1) << "  (" << finding.milliseconds << " ms)";
      std::cout << '\n';
      if (!finding.advice.empty()) std::cout << "         -> " << finding.advice << '\n';
    }
    std::cout << verdict << '\n';
  }

  static const char* name(Level level) {
    return level == Level::good ? "ok" : level == Level::note ? "note" : "problem";
  }

  const DoctorArguments& arguments_;
  OrbRef orb_;
  std::vector<Finding> findings_;
  std::string type_;
  int places_seen_ = 0;
};

}  // namespace

void add_doctor(CLI::App& app, Run& run) {
  const auto arguments = std::make_shared<DoctorArguments>();
  CLI::App* const command = app.add_subcommand("doctor", "Find out what is wrong with a reference, and say what to do");
  command->add_option("REF", arguments->reference, "The object")->required();
  command->add_option("--type", arguments->type, "Repository id that the object should have [the reference's own]")
      ->type_name("ID");
  command->add_option("--timeout", arguments->timeout, "Milliseconds for each step")
      ->check(CLI::Range(1L, 600'000L))
      ->type_name("MS");
  command->add_flag("--json", arguments->json, "Print JSON");
  command->footer(
      "Reads the reference, resolves its hosts, connects to every address, asks there for the object in its GIOP "
      "version,\n"
      "through TLS where it says so (CORBEL_TLS_AUTHORITIES, CORBEL_TLS_CERTIFICATE and so on in the environment),\n"
      "and then as a client would. Exit status 0: the object can be used (there may be notes and problems of some\n"
      "addresses); 2: the reference cannot be read; 3: a server was reached, but not a living object; 4: none was "
      "reached.");
  command->callback([arguments, &run] { run = [arguments] { return Doctor(*arguments).run(); }; });
}

}  // namespace corbel::tool
