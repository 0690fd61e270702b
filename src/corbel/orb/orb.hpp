// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "corbel/corba/local_traits.hpp"
#include "corbel/corba/policy.hpp"
#include "corbel/corba/servant.hpp"
#include "corbel/orb/type_codes.hpp"

namespace corbel::orb {
class Core;
class OrbState;
struct Components;
}  // namespace corbel::orb

template <>
struct IDL::traits<CORBA::ORB> : corbel::corba::LocalTraits<CORBA::ORB> {};

namespace CORBA {

class Any;
class InvalidName;
class Pollable;
class Request;
class ServiceInformation;
using ServiceType = std::uint16_t;

/// An object request broker (OMG IDL-to-C++11 mapping 1.7, 6.29; CORBA 3.3 part 1, 8.2). Obtained from ORB_init and
/// kept alive by it until destroy(). Thread-safe. After shutdown() operations that need a running ORB throw
/// BAD_INV_ORDER minor OMG 4; after destroy() all of them throw OBJECT_NOT_EXIST.
class CORBEL_API ORB final : public corbel::base::SharedFromThis, public TypeCodeOperations {
 public:
  using _ref_type = object_reference<ORB>;
  using ObjectId = std::string;
  using ObjectIdList = std::vector<ObjectId>;
  using InvalidName = CORBA::InvalidName;

  ~ORB();
  ORB(const ORB&) = delete;
  ORB& operator=(const ORB&) = delete;

  /// The name given to ORB_init or -ORBId (-ORBid).
  std::string id() const;

  /// The "IOR:" form. Throws MARSHAL minor OMG 4 for a local object.
  std::string object_to_string(IDL::traits<Object>::ref_type object);
  /// Reads IOR:, corbaloc:, corbaname: (which asks the naming service) and file: forms. Throws BAD_PARAM minors OMG 7
  /// to 10 for what it cannot read.
  IDL::traits<Object>::ref_type string_to_object(const std::string& text);

  /// Looks in this order: registered references, -ORBInitRef, what the ORB has itself ("RootPOA", "POACurrent",
  /// "IORTable", "ORBPolicyManager", "PolicyCurrent", "CodecFactory", "DynAnyFactory", "TypeCodeFactory", "PICurrent"),
  /// -ORBDefaultInitRef. Throws InvalidName if none knows the name.
  IDL::traits<Object>::ref_type resolve_initial_references(const ObjectId& name);
  /// Adds an initial reference, and makes `corbaloc::host:port/name` of this server lead to it. Throws InvalidName for
  /// an empty name or one in use, BAD_PARAM minor OMG 27 for nil.
  void register_initial_reference(const ObjectId& name, IDL::traits<Object>::ref_type object);
  /// Takes such a reference back, and gives it out. Throws InvalidName if none was added under this name. Beyond the
  /// standard; programs for TAO and TAOX11 use it.
  IDL::traits<Object>::ref_type unregister_initial_reference(const ObjectId& name);
  ObjectIdList list_initial_services();

  /// Whether the ORB has a service of this type, and what there is to know of it (8.2.2; the types are in
  /// corbel/corba/service_information.hpp). The only type that the standard knows is Security, for its security
  /// service, which this ORB does not have: false, and `service_information` is emptied. That connections may be
  /// protected by TLS is no such service.
  bool get_service_information(ServiceType service_type, ServiceInformation& service_information);

  /// Returns after shutdown(); any number of threads may call it. With -ORBConcurrency single one of them serves until
  /// then; else the ORB's own threads serve, and this one runs only what is for the main thread (MAIN_THREAD_MODEL).
  /// Throws BAD_INV_ORDER while the ORB is the guest of another loop (corbel/orb/work_handle.hpp).
  void run();
  /// Serves what is ready now, without waiting (8.2.3.2); does nothing while another thread serves in mode single.
  void perform_work();
  /// True if perform_work() would find something (8.2.3.1).
  bool work_pending();
  /// The same for no longer than `time`, a std::chrono::duration, which is then what is left of it: run() until
  /// shutdown(), perform_work() until something was there. Beyond the standard; programs for TAO and TAOX11 use it.
  template <class Rep, class Period, template <class, class> class Duration>
  void run(Duration<Rep, Period>& time) {
    _work_for(time, false);
  }
  template <class Rep, class Period, template <class, class> class Duration>
  void perform_work(Duration<Rep, Period>& time) {
    _work_for(time, true);
  }
  /// Stops serving. With `wait_for_completion`, returns when running requests have finished. Throws BAD_INV_ORDER minor
  /// OMG 3 where that would wait for the caller itself: inside a request, a servant manager or the destructor of a
  /// servant that the adapter releases, and on the ORB's own threads. Calling it again does nothing.
  void shutdown(bool wait_for_completion = false);
  /// Shuts down (waiting, with the same exception), gives back everything and frees the id for a new ORB.
  void destroy();

  /// Registers how values of a type are made when they arrive; returns the factory that was registered before, nil if
  /// none. Throws BAD_PARAM minor OMG 1 for an empty id or a nil factory.
  object_reference<ValueFactoryBase> register_value_factory(const std::string& id,
                                                            object_reference<ValueFactoryBase> factory);
  /// Throws BAD_PARAM minor OMG 1 if none is registered.
  void unregister_value_factory(const std::string& id);
  /// The factory; throws BAD_PARAM minor OMG 1 if none is registered.
  object_reference<ValueFactoryBase> lookup_value_factory(const std::string& id);

  /// Makes a policy of what the Any says (8.9.2): those that calls obey (corbel/corba/messaging_policies.hpp) and those
  /// of object adapters. Throws PolicyError: BAD_POLICY for an unknown type, UNSUPPORTED_POLICY for one of the
  /// standard's that this ORB does not obey, BAD_POLICY_TYPE if the Any holds something else than the policy's value,
  /// BAD_POLICY_VALUE if that is out of range.
  IDL::traits<Policy>::ref_type create_policy(PolicyType type, const Any& value);

  /// Several requests of the dynamic invocation interface at once (7.3; corbel/dynamic/request.hpp has to be included).
  /// BAD_PARAM if one is nil: then none is sent. What stops one from being sent, does not stop the others; the first
  /// such exception is thrown when all have been tried.
  template <class R = Request>
  void send_multiple_requests_oneway(const std::vector<object_reference<R>>& requests) {
    R::_send_each(requests, [](const object_reference<R>& request) { request->send_oneway(); });
  }
  /// The same, with responses, which the requests' get_response() or get_next_response() ends. The ORB keeps the
  /// requests until then.
  template <class R = Request>
  void send_multiple_requests_deferred(const std::vector<object_reference<R>>& requests) {
    R::_send_each(requests, [this](const object_reference<R>& request) {
      request->send_deferred();
      _sent(request);
    });
  }
  /// True if get_next_response() would not wait. Throws BAD_INV_ORDER minor OMG 11 if no request that was sent by
  /// send_multiple_requests_deferred() is outstanding.
  bool poll_next_response();
  /// Waits for one of these requests that has completed, gives it out, and then throws what its call raised, if
  /// anything. Throws BAD_INV_ORDER minor OMG 11, and leaves `request` nil, if none is outstanding.
  template <class R = Request>
  void get_next_response(object_reference<R>& request) {
    request = nullptr;
    request = object_reference<R>(corbel::base::dynamic_pointer_cast<R>(_next_response()._shared()));
    request->get_response();
  }

  /// For the ORB: its core, which lives as long as this.
  corbel::orb::Core& _core() noexcept;
  /// For object adapters: what register_initial_reference was given under this name; nil if nothing.
  IDL::traits<Object>::ref_type _registered(std::string_view name) const;

  /// For ORB_init: takes over `state`, which was made by new.
  explicit ORB(corbel::orb::OrbState& state) noexcept;

 private:
  /// Without <chrono>, which few that include this need.
  template <class Duration>
  void _work_for(Duration& time, bool once) {
    constexpr auto kSeconds = static_cast<double>(Duration::period::num) / static_cast<double>(Duration::period::den);
    const double left = _work_for_seconds(static_cast<double>(time.count()) * kSeconds, once);
    time = Duration(static_cast<typename Duration::rep>(left / kSeconds));
  }
  double _work_for_seconds(double seconds, bool once);
  void _sent(const object_reference<Pollable>& request);
  object_reference<Pollable> _next_response();

  corbel::orb::OrbState* const state_;  // owned; <memory> would be a third of what every application reads
};

/// Raised for initial references: the name is empty, unknown or taken (CORBA::ORB::InvalidName).
class CORBEL_API InvalidName final : public corbel::corba::MemberlessException<InvalidName> {
 public:
  static constexpr const char* _id = "IDL:omg.org/CORBA/ORB/InvalidName:1.0";
  static constexpr const char* _label = "InvalidName";

  InvalidName() = default;
  /// Beyond the mapping: what is wrong with the name, for people.
  explicit InvalidName(std::string detail) : detail_(std::move(detail)) {}

 protected:
  void _info(std::string& text) const override;

 private:
  std::string detail_;
};

/// The ORB with the id; creates it if there is none (or it was destroyed). Takes -ORB options out of the arguments
/// (docs/options.md); an id given here wins over -ORBId. Throws BAD_PARAM for a bad option, INITIALIZE when the ORB
/// cannot start.
CORBEL_API IDL::traits<ORB>::ref_type ORB_init(int& argc, char** argv, const std::string& id = {});
/// The same with arguments that are strings.
CORBEL_API IDL::traits<ORB>::ref_type ORB_init(std::vector<std::string>& arguments, const std::string& id = {});
/// The same, built from the caller's protocols and transports instead of those that ship.
CORBEL_API IDL::traits<ORB>::ref_type ORB_init(int& argc, char** argv, const std::string& id,
                                               const corbel::orb::Components& components);

}  // namespace CORBA

namespace corbel::orb {

/// What every ORB_init does.
IDL::traits<CORBA::ORB>::ref_type init(int& argc, char** argv, const std::string& id, const Components& components);
IDL::traits<CORBA::ORB>::ref_type init(std::vector<std::string>& arguments, const std::string& id,
                                       const Components& components);

/// What -ORBHelp shows to an ORB of these components: one line per option.
CORBEL_API std::string options_help(const Components& components);

}  // namespace corbel::orb
