// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/orb.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <utility>

#include "corbel/base/deadline.hpp"
#include "corbel/base/mutex.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/corba/pollable.hpp"
#include "corbel/corba/service_information.hpp"
#include "corbel/ipc/standard_handles.hpp"
#include "corbel/orb/components.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/orb/error_map.hpp"
#include "corbel/orb/face.hpp"
#include "corbel/orb/initial_references.hpp"
#include "corbel/orb/object_urls.hpp"
#include "corbel/orb/option_list.hpp"
#include "corbel/orb/orb_registry.hpp"
#include "corbel/orb/part_failure.hpp"
#include "corbel/orb/policy_managers.hpp"
#include "corbel/orb/read_options.hpp"

namespace corbel::orb {

/// What an ORB owns.
class OrbState {
 public:
  OrbState(Options options, CoreParts parts, const Components& components)
      : face(std::move(options), std::move(parts)), initial_references(face, local_references(components)) {}
  ~OrbState() {
    core.shutdown(true);
    core.set_adapter(nullptr);
  }

  static std::vector<LocalInitialReference> local_references(const Components& components) {
    std::vector<LocalInitialReference> all = components.local_references;
    all.insert(all.end(), {{"ORBPolicyManager", &make_policy_manager}, {"PolicyCurrent", &make_policy_current}});
    return all;
  }
  static CORBA::OBJECT_NOT_EXIST gone() {
    return CORBA::OBJECT_NOT_EXIST(corba::minor::kAdapterGone, CORBA::CompletionStatus::COMPLETED_NO,
                                   "the ORB has been destroyed");
  }
  /// Throws unless the ORB still serves.
  void check() const {
    if (destroyed.load(std::memory_order_acquire)) throw gone();
    if (core.is_shut_down()) throw CORBA::BAD_INV_ORDER(corba::minor::kOrbShutDown);
  }
  /// The same, but requests that still run may go on using the ORB, which has shut down when the last one has ended or
  /// nobody waits for it any more.
  void check_usable() const {
    if (!in_upcall() || core.left_running()) check();
  }
  bool in_upcall() const noexcept {
    return AtEdge::is_of(core) || (core.adapter() != nullptr && core.adapter()->in_upcall());
  }
  /// Throws if waiting for requests to finish would wait for the caller's own request.
  void check_may_wait() const {
    if (core.left_behind()) return;  // then there is no thread to wait for
    if (in_upcall() || core.on_own_thread() || core.completions().busy_here()) {
      throw CORBA::BAD_INV_ORDER(corba::minor::kWouldDeadlock, CORBA::CompletionStatus::COMPLETED_NO,
                                 "waiting for requests to finish from inside a request or what follows one");
    }
  }

  /// Requests of send_multiple_requests_deferred() whose responses have not been got.
  CORBA::object_reference<CORBA::PollableSet> sent() {
    check();
    const std::lock_guard lock(sent_mutex);
    if (sent_requests == nullptr) sent_requests = CORBA::make_reference<CORBA::PollableSet>(face.dii_requests());
    return sent_requests;
  }

  void forget_sent() {
    CORBA::object_reference<CORBA::PollableSet> forgotten;  // goes after the lock
    const std::lock_guard lock(sent_mutex);
    std::swap(forgotten, sent_requests);
  }

  Face face;
  Core& core = face.core();
  InitialReferences initial_references;
  base::Mutex sent_mutex;
  CORBA::object_reference<CORBA::PollableSet> sent_requests;
  std::unique_ptr<ObjectAdapter> adapter;
  std::atomic<bool> destroyed{false};
};

namespace {

/// From what a program was linked without.
[[noreturn]] void refuse_option(const char* why) {
  raise(base::error(base::Stage::configure, base::Code::unsupported), why);
}

std::shared_ptr<base::LogSink> log_sink(const Options& options, const Components& components) {
  if (components.open_log != nullptr) return components.open_log(options, components.log_sink);
  if (components.log_sink != nullptr || options.log_file != "stderr")
    refuse_option("-ORBLogFile: this program logs to stderr alone (Components::open_log)");
  return nullptr;
}

CoreParts parts_of(const Options& options, const Components& components) {
  return {components.protocols, components.transports, components.layers, components.requests,
          log_sink(options, components)};
}

IDL::traits<CORBA::ORB>::ref_type init(Options options, const std::string& id, const Components& components,
                                       const std::vector<std::string>& arguments) {
  ipc::hold_standard_handles();
  if (!id.empty()) options.id = id;
  const std::string name = options.id;
  const auto make = [&] {
    CoreParts made_of = parts_of(options, components);
    auto state = made_by(
        "ORB", name, [&] { return std::make_unique<OrbState>(std::move(options), std::move(made_of), components); });
    OrbState& parts = *state;
    auto orb = CORBA::make_reference<CORBA::ORB>(parts);
    (void)state.release();  // it is the ORB's now
    parts.face.set_orb(orb);
    if (components.make_adapter != nullptr) {
      parts.adapter = components.make_adapter(parts.core);
      parts.core.set_adapter(parts.adapter.get());
    }
    return orb;
  };
  return OrbRegistry::instance().find_or_make(name, make, [&](const OrbRegistry::OrbRef& orb) {
    if (components.initialise != nullptr) components.initialise(orb->_core(), arguments, components.initialisers);
  });
}

const Components& checked(const Components& components) {
  const std::string why = option_clash(components.transports, components.layers);
  if (why.empty()) return components;
  throw CORBA::BAD_PARAM(corba::vendor_minor(base::Stage::configure, base::Code::bad_argument),
                         CORBA::CompletionStatus::COMPLETED_NO, "ORB_init was given " + why);
}

WithOptions parts_with(const std::vector<PluginFile>& plugins, Components& components) {
  if (!plugins.empty() && components.load_plugins == nullptr)
    refuse_option("-ORBLoad: this program loads no plug-ins (Components::load_plugins)");
  for (const PluginFile& each : plugins) {
    try {
      components.load_plugins({each.file}, components);
    } catch (CORBA::SystemException& failure) {
      failure.detail(each.where + failure.detail());
      throw;
    }
  }
  return {components.transports, components.layers};
}

}  // namespace

IDL::traits<CORBA::ORB>::ref_type init(int& argc, char** argv, const std::string& id, const Components& components) {
  Components all = checked(components);
  Options options = read_options(argc, argv, [&](const auto& plugins) { return parts_with(plugins, all); });
  return init(std::move(options), id, all, std::vector<std::string>(argv, argv + std::max(argc, 0)));
}

IDL::traits<CORBA::ORB>::ref_type init(std::vector<std::string>& arguments, const std::string& id,
                                       const Components& components) {
  Components all = checked(components);
  Options options = read_options(arguments, [&](const auto& plugins) { return parts_with(plugins, all); });
  return init(std::move(options), id, all, arguments);
}

std::string options_help(const Components& components) {
  Options options;
  return OptionList(options, components.transports, components.layers).help();
}

}  // namespace corbel::orb

namespace CORBA {

IDL::traits<ORB>::ref_type ORB_init(int& argc, char** argv, const std::string& id,
                                    const corbel::orb::Components& components) {
  return corbel::orb::init(argc, argv, id, components);
}

ORB::ORB(corbel::orb::OrbState& state) noexcept : state_(&state) {}
ORB::~ORB() {
  state_->core.shutdown(true);
  // What still runs after -ORBShutdownTimeout uses all of it, and cannot be made to stop. In a child of the process
  // that made it, its threads do not even exist, and no call-back is told that it ended.
  if (!state_->core.left_running() && !state_->core.left_behind()) delete state_;
}

corbel::orb::Core& ORB::_core() noexcept {
  return state_->core;
}

std::string ORB::id() const {
  return state_->core.options().id;
}

std::string ORB::object_to_string(IDL::traits<Object>::ref_type object) {
  state_->check_usable();
  if (object == nullptr) return corbel::ior::to_string(corbel::ior::Ior{});
  if (object->_target() == nullptr) {
    throw MARSHAL(corbel::corba::minor::kLocalObjectMarshalled, CompletionStatus::COMPLETED_NO,
                  "a local object has no string form");
  }
  return corbel::ior::to_string(object->_target()->ior());
}

IDL::traits<Object>::ref_type ORB::string_to_object(const std::string& text) {
  state_->check_usable();
  return corbel::orb::read_reference(state_->core, text);
}

IDL::traits<Object>::ref_type ORB::resolve_initial_references(const ObjectId& name) {
  state_->check_usable();
  return state_->initial_references.resolve(name);
}

void ORB::register_initial_reference(const ObjectId& name, IDL::traits<Object>::ref_type object) {
  state_->check_usable();
  state_->initial_references.add(name, std::move(object));
}

IDL::traits<Object>::ref_type ORB::unregister_initial_reference(const ObjectId& name) {
  state_->check_usable();
  return state_->initial_references.remove(name);
}

ORB::ObjectIdList ORB::list_initial_services() {
  state_->check_usable();
  return state_->initial_references.names();
}

bool ORB::get_service_information(ServiceType, ServiceInformation& service_information) {
  state_->check_usable();
  service_information = ServiceInformation();
  return false;
}

IDL::traits<Object>::ref_type ORB::_registered(std::string_view name) const {
  return state_->initial_references.find_added(name);
}

object_reference<ValueFactoryBase> ORB::register_value_factory(const std::string& id,
                                                               object_reference<ValueFactoryBase> factory) {
  state_->check_usable();
  if (id.empty() || factory == nullptr) throw BAD_PARAM(corbel::corba::minor::kValueFactory);
  return state_->face.value_factories().exchange(id, std::move(factory));
}

void ORB::unregister_value_factory(const std::string& id) {
  state_->check_usable();
  if (state_->face.value_factories().exchange(id, nullptr) == nullptr) {
    throw BAD_PARAM(corbel::corba::minor::kValueFactory);
  }
}

object_reference<ValueFactoryBase> ORB::lookup_value_factory(const std::string& id) {
  state_->check_usable();
  auto factory = state_->face.value_factories().find(id);
  if (factory == nullptr) throw BAD_PARAM(corbel::corba::minor::kValueFactory);
  return factory;
}

void ORB::_sent(const object_reference<Pollable>& request) {
  state_->sent()->add_pollable(request);
}

bool ORB::poll_next_response() try {
  return state_->sent()->_any_ready();
} catch (const PollableSet::NoPossiblePollable&) {
  throw BAD_INV_ORDER(corbel::corba::minor::kRequestNotSent);
}

object_reference<Pollable> ORB::_next_response() try {
  return state_->sent()->get_ready_pollable(corbel::corba::PollableCall::kForEver);
} catch (const PollableSet::NoPossiblePollable&) {
  throw BAD_INV_ORDER(corbel::corba::minor::kRequestNotSent);
}

void ORB::run() {
  state_->check();
  state_->core.run();
}

void ORB::perform_work() {
  state_->check();
  state_->core.perform_work();
}

double ORB::_work_for_seconds(double seconds, bool once) {
  state_->check();
  constexpr double kLongest = 1e9;  // some thirty years; what is no number is no time
  const auto time = std::chrono::duration<double>(seconds > 0 ? std::min(seconds, kLongest) : 0);
  const auto deadline = corbel::base::Deadline::after(std::chrono::duration_cast<std::chrono::nanoseconds>(time));
  state_->core.work_until(deadline, once);
  return deadline.expired() ? 0 : std::chrono::duration<double>(deadline.remaining()).count();
}

bool ORB::work_pending() {
  state_->check();
  return state_->core.work_pending();
}

void ORB::shutdown(bool wait_for_completion) {
  if (wait_for_completion) state_->check_may_wait();
  state_->core.shutdown(wait_for_completion);
}

void ORB::destroy() {
  state_->check_may_wait();
  if (state_->destroyed.exchange(true)) throw corbel::orb::OrbState::gone();
  state_->core.destroy();
  state_->initial_references.clear();
  state_->forget_sent();
  state_->core.log().flush();
  corbel::orb::OrbRegistry::instance().remove(id(), *this);
}

void InvalidName::_info(std::string& text) const {
  text += _name();
  if (!detail_.empty()) text += ": " + detail_;
}

}  // namespace CORBA
