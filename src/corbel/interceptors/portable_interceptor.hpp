// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "corbel/corba/messaging_policies.hpp"
#include "corbel/corba/policy.hpp"
#include "corbel/dynamic/any.hpp"
#include "corbel/dynamic/iop.hpp"
#include "corbel/interceptors/dynamic_types.hpp"
#include "corbel/interceptors/object_references.hpp"
#include "corbel/interceptors/processing_mode.hpp"

/// Portable interceptors (CORBA 3.3 part 1, clause 16): code of the application at fixed points of each call, on either
/// side. Derive from ClientRequestInterceptor, ServerRequestInterceptor or IORInterceptor and register an
/// ORBInitializer before ORB_init. ORBs without any pay nothing.
namespace PortableInterceptor {

class Interceptor;
class Current;
class RequestInfo;
class ClientRequestInfo;
class ServerRequestInfo;
class ClientRequestInterceptor;
class ServerRequestInterceptor;
class IORInfo;
class IORInterceptor;
class IORInterceptor_3_0;
class PolicyFactory;
class ORBInitInfo;
class ORBInitInfo_3_1;
class ORBInitializer;

}  // namespace PortableInterceptor

#define CORBEL_INTERCEPTOR_TRAITS(NAME) \
  template <>                           \
  struct IDL::traits<PortableInterceptor::NAME> : corbel::corba::LocalTraits<PortableInterceptor::NAME> {};
CORBEL_INTERCEPTOR_TRAITS(Interceptor)
CORBEL_INTERCEPTOR_TRAITS(Current)
CORBEL_INTERCEPTOR_TRAITS(RequestInfo)
CORBEL_INTERCEPTOR_TRAITS(ClientRequestInfo)
CORBEL_INTERCEPTOR_TRAITS(ServerRequestInfo)
CORBEL_INTERCEPTOR_TRAITS(ClientRequestInterceptor)
CORBEL_INTERCEPTOR_TRAITS(ServerRequestInterceptor)
CORBEL_INTERCEPTOR_TRAITS(IORInfo)
CORBEL_INTERCEPTOR_TRAITS(IORInterceptor)
CORBEL_INTERCEPTOR_TRAITS(IORInterceptor_3_0)
CORBEL_INTERCEPTOR_TRAITS(PolicyFactory)
CORBEL_INTERCEPTOR_TRAITS(ORBInitInfo)
CORBEL_INTERCEPTOR_TRAITS(ORBInitInfo_3_1)
CORBEL_INTERCEPTOR_TRAITS(ORBInitializer)
#undef CORBEL_INTERCEPTOR_TRAITS

namespace PortableInterceptor {

/// What every local interface of the module says of itself.
#define CORBEL_INTERCEPTOR_INTERFACE(NAME)                                                           \
  static constexpr std::string_view _interface_id = "IDL:omg.org/PortableInterceptor/" #NAME ":1.0"; \
                                                                                                     \
 protected:                                                                                          \
  NAME() = default;

/// Thrown by interceptors: the request shall go to `forward` instead (16.3.6). Not at each point: see RequestInfo.
class CORBEL_API ForwardRequest final : public CORBA::UserException {
 public:
  static constexpr const char* _id = "IDL:omg.org/PortableInterceptor/ForwardRequest:1.0";

  ForwardRequest() = default;
  explicit ForwardRequest(IDL::traits<CORBA::Object>::ref_type forward) : _forward(std::move(forward)) {}
  void forward(IDL::traits<CORBA::Object>::ref_type value) { _forward = std::move(value); }
  IDL::traits<CORBA::Object>::ref_type forward() const { return _forward; }
  IDL::traits<CORBA::Object>::ref_type& forward() { return _forward; }

  [[noreturn]] void _raise() const override;
  const char* _rep_id() const noexcept override;
  const char* _name() const noexcept override;
  void _encode(corbel::cdr::Encoder& encoder) const override;

 private:
  IDL::traits<CORBA::Object>::ref_type _forward;
};

using ReplyStatus = std::int16_t;
inline constexpr ReplyStatus SUCCESSFUL = 0;
inline constexpr ReplyStatus SYSTEM_EXCEPTION = 1;
inline constexpr ReplyStatus USER_EXCEPTION = 2;
inline constexpr ReplyStatus LOCATION_FORWARD = 3;
inline constexpr ReplyStatus TRANSPORT_RETRY = 4;
inline constexpr ReplyStatus UNKNOWN = 5;

using SlotId = std::uint32_t;
/// The slot was not allocated (16.4.1).
class CORBEL_API InvalidSlot final : public corbel::corba::MemberlessException<InvalidSlot> {
 public:
  static constexpr const char* _id = "IDL:omg.org/PortableInterceptor/InvalidSlot:1.0";
  static constexpr const char* _label = "InvalidSlot";
};

/// Base of all interceptors (16.2.1). What threads call concurrently must be thread-safe.
class CORBEL_API Interceptor : public virtual CORBA::LocalObject {
 public:
  /// No two of a kind in one ORB may have the same name, unless that is empty.
  virtual std::string name() = 0;
  /// The ORB ends: it serves nothing any more, and what begins from now on is not told. Calls of other objects from
  /// here are carried out, unless ORB::shutdown came before.
  virtual void destroy() {}
  CORBEL_INTERCEPTOR_INTERFACE(Interceptor)
};

/// Slots of the calling thread (16.4): `resolve_initial_references("PICurrent")`. What a thread has set when it calls
/// goes along with the request; the servant finds here what interceptors have set on the server's side
/// (ServerRequestInfo::set_slot).
class CORBEL_API Current : public virtual CORBA::Current {
 public:
  /// Empty if it was not set. Throws InvalidSlot for one that was not allocated; BAD_INV_ORDER minor OMG 14 while the
  /// ORB is being initialised.
  virtual CORBA::Any get_slot(SlotId id) = 0;
  /// Sets the slot of the calling thread; throws as get_slot().
  virtual void set_slot(SlotId id, const CORBA::Any& data) = 0;
  CORBEL_INTERCEPTOR_INTERFACE(Current)
};

/// What an interceptor is told of a request (16.3.12). Valid until the interceptor returns, at the points that table
/// 16.1 (clients) or 16.2 (servers) gives; elsewhere BAD_INV_ORDER minor OMG 14. Not thread-safe.
class CORBEL_API RequestInfo : public virtual CORBA::LocalObject {
 public:
  /// The same at all points of one request, and of no other request meanwhile. Not the id of GIOP.
  virtual std::uint32_t request_id() = 0;
  virtual std::string operation() = 0;
  /// These throw NO_RESOURCES minor OMG 1 for what generated code calls or serves. Of a CORBA::Request the client knows
  /// `arguments`, `exceptions` and `result`; a server, in send_reply, the first and last of a DynamicImplementation's
  /// request. Contexts are never known.
  virtual Dynamic::ParameterList arguments() = 0;
  virtual Dynamic::ExceptionList exceptions() = 0;
  virtual Dynamic::ContextList contexts() = 0;
  virtual Dynamic::RequestContext operation_context() = 0;
  virtual CORBA::Any result() = 0;
  /// False for oneways, whatever their sync scope.
  virtual bool response_expected() = 0;
  virtual Messaging::SyncScope sync_scope() = 0;
  virtual ReplyStatus reply_status() = 0;
  /// Only if reply_status() is LOCATION_FORWARD.
  virtual IDL::traits<CORBA::Object>::ref_type forward_reference() = 0;
  /// Of the request, not of the thread. Throws InvalidSlot.
  virtual CORBA::Any get_slot(SlotId id) = 0;
  /// A copy; BAD_PARAM minor OMG 26 if there is none with the id.
  virtual IOP::ServiceContext get_request_service_context(IOP::ServiceId id) = 0;
  virtual IOP::ServiceContext get_reply_service_context(IOP::ServiceId id) = 0;
  CORBEL_INTERCEPTOR_INTERFACE(RequestInfo)
};

/// On the client's side (16.3.13).
class CORBEL_API ClientRequestInfo : public virtual RequestInfo {
 public:
  /// What was called, and where the request goes (after forwards).
  virtual IDL::traits<CORBA::Object>::ref_type target() = 0;
  virtual IDL::traits<CORBA::Object>::ref_type effective_target() = 0;
  /// The first profile of the effective target.
  virtual IOP::TaggedProfile effective_profile() = 0;
  /// A system exception as itself, a user exception as UNKNOWN minor OMG 1: its type is not known here.
  virtual CORBA::Any received_exception() = 0;
  virtual CORBA::RepositoryId received_exception_id() = 0;
  /// Of the effective profile; BAD_PARAM minor OMG 28 if it has none with the id.
  virtual IOP::TaggedComponent get_effective_component(IOP::ComponentId id) = 0;
  virtual IOP::TaggedComponentSeq get_effective_components(IOP::ComponentId id) = 0;
  /// What the call obeys; INV_POLICY minor OMG 1 if there is none of the type.
  virtual IDL::traits<CORBA::Policy>::ref_type get_request_policy(CORBA::PolicyType type) = 0;
  /// Only in send_request. BAD_INV_ORDER minor OMG 15 if there is one with the id and it is not to be replaced.
  virtual void add_request_service_context(const IOP::ServiceContext& service_context, bool replace) = 0;
  CORBEL_INTERCEPTOR_INTERFACE(ClientRequestInfo)
};

/// On the server's side (16.3.14).
class CORBEL_API ServerRequestInfo : public virtual RequestInfo {
 public:
  /// As ClientRequestInfo::received_exception.
  virtual CORBA::Any sending_exception() = 0;
  /// What -ORBServerId says; empty without it.
  virtual ServerId server_id() = 0;
  virtual ORBId orb_id() = 0;
  /// Names of the POA and those above, without the root's.
  virtual AdapterName adapter_name() = 0;
  /// NO_RESOURCES minor OMG 1 if the request ended before its servant was found; so do the next two.
  virtual ObjectId object_id() = 0;
  virtual CORBA::OctetSeq adapter_id() = 0;
  virtual CORBA::RepositoryId target_most_derived_interface() = 0;
  /// A policy of the POA, nil if it has none of the type, or is yet to be made by an adapter activator; INV_POLICY
  /// minor OMG 2 if POAs have no policies of the type: it is neither one of PortableServer's, nor
  /// BidirectionalPolicy's, nor has it a PolicyFactory.
  virtual IDL::traits<CORBA::Policy>::ref_type get_server_policy(CORBA::PolicyType type) = 0;
  /// Throws InvalidSlot.
  virtual void set_slot(SlotId id, const CORBA::Any& data) = 0;
  virtual bool target_is_a(const CORBA::RepositoryId& id) = 0;
  /// It goes with the reply, whatever that is. BAD_INV_ORDER minor OMG 15 as for requests.
  virtual void add_reply_service_context(const IOP::ServiceContext& service_context, bool replace) = 0;
  CORBEL_INTERCEPTOR_INTERFACE(ServerRequestInfo)
};

/// Sees the requests that this process sends, also to its own objects (16.3.5). An interceptor that returned normally
/// from send_request gets exactly one of the receive points, in reverse order. Asynchronous calls: receive_other when
/// they have been sent.
class CORBEL_API ClientRequestInterceptor : public virtual Interceptor {
 public:
  /// May throw ForwardRequest, and system exceptions with COMPLETED_NO.
  virtual void send_request(IDL::traits<ClientRequestInfo>::ref_type ri) = 0;
  /// For the polling model, which Corbel does not have: never called.
  virtual void send_poll(IDL::traits<ClientRequestInfo>::ref_type ri) = 0;
  /// May throw system exceptions with COMPLETED_YES.
  virtual void receive_reply(IDL::traits<ClientRequestInfo>::ref_type ri) = 0;
  /// May throw another system exception, and ForwardRequest if the request was not executed.
  virtual void receive_exception(IDL::traits<ClientRequestInfo>::ref_type ri) = 0;
  /// As send_request.
  virtual void receive_other(IDL::traits<ClientRequestInfo>::ref_type ri) = 0;
  CORBEL_INTERCEPTOR_INTERFACE(ClientRequestInterceptor)
};

/// Sees the requests that come (16.3.8). An interceptor that returned normally from receive_request_service_contexts
/// gets exactly one of the send points, in reverse order.
class CORBEL_API ServerRequestInterceptor : public virtual Interceptor {
 public:
  /// Before anything is looked up. May throw ForwardRequest, and system exceptions with COMPLETED_NO.
  virtual void receive_request_service_contexts(IDL::traits<ServerRequestInfo>::ref_type ri) = 0;
  /// The servant has been found. May throw the same.
  virtual void receive_request(IDL::traits<ServerRequestInfo>::ref_type ri) = 0;
  /// May throw system exceptions with COMPLETED_YES.
  virtual void send_reply(IDL::traits<ServerRequestInfo>::ref_type ri) = 0;
  /// May throw another system exception, and ForwardRequest if the request was not executed.
  virtual void send_exception(IDL::traits<ServerRequestInfo>::ref_type ri) = 0;
  /// May throw ForwardRequest, and system exceptions with COMPLETED_NO.
  virtual void send_other(IDL::traits<ServerRequestInfo>::ref_type ri) = 0;
  CORBEL_INTERCEPTOR_INTERFACE(ServerRequestInterceptor)
};

using AdapterManagerId = std::string;
/// What an adapter does with new requests (16.5.2.2).
using AdapterState = std::int16_t;
inline constexpr AdapterState HOLDING = 0;
inline constexpr AdapterState ACTIVE = 1;
inline constexpr AdapterState DISCARDING = 2;
inline constexpr AdapterState INACTIVE = 3;
inline constexpr AdapterState NON_EXISTENT = 4;

/// An object adapter that is being made (16.5.5). Valid until the last components_established has returned, at the
/// points that are given; elsewhere BAD_INV_ORDER minor OMG 14. For the thread that it is given to.
class CORBEL_API IORInfo : public virtual CORBA::LocalObject {
 public:
  /// Nil if the adapter has none of the type; INV_POLICY minor OMG 2 if nothing knows the type.
  virtual IDL::traits<CORBA::Policy>::ref_type get_effective_policy(CORBA::PolicyType type) = 0;
  /// All profiles of the adapter's references get it. There may be several with one id. In establish_components.
  virtual void add_ior_component(const IOP::TaggedComponent& a_component) = 0;
  /// The same for profiles of that kind; BAD_PARAM minor OMG 29 if this ORB makes none such.
  virtual void add_ior_component_to_profile(const IOP::TaggedComponent& a_component, IOP::ProfileId profile_id) = 0;
  /// The adapter's manager, and its state.
  virtual AdapterManagerId manager_id() = 0;
  virtual AdapterState state() = 0;
  /// In components_established.
  virtual IDL::traits<ObjectReferenceTemplate>::ref_type adapter_template() = 0;
  /// What will make the adapter's references: the template, or what an interceptor before has set. In
  /// components_established. BAD_PARAM for nil.
  virtual IDL::traits<ObjectReferenceFactory>::ref_type current_factory() = 0;
  virtual void current_factory(IDL::traits<ObjectReferenceFactory>::ref_type value) = 0;
  CORBEL_INTERCEPTOR_INTERFACE(IORInfo)
};

/// Says what references carry besides addresses (16.5.4): called once for each adapter, the root's included, that is
/// made after ORB_init.
class CORBEL_API IORInterceptor : public virtual Interceptor {
 public:
  /// What it throws is ignored.
  virtual void establish_components(IDL::traits<IORInfo>::ref_type info) = 0;
  CORBEL_INTERCEPTOR_INTERFACE(IORInterceptor)
};

/// Sees adapters come and go, and decides what makes their references (16.5.4); added as any IORInterceptor. No lock of
/// the ORB is held while it is called, but the end of the ORB waits for it: waiting for that inside throws
/// BAD_INV_ORDER. It may use and make adapters, other than the one that it is told of and, until that is made, the
/// root.
class CORBEL_API IORInterceptor_3_0 : public virtual IORInterceptor {
 public:
  /// After establish_components of all, before anybody else knows the adapter. If it throws, the adapter is not made:
  /// OBJ_ADAPTER minor OMG 6; those before it in the list are told that it is NON_EXISTENT.
  virtual void components_established(IDL::traits<IORInfo>::ref_type info) = 0;
  /// After the state of a manager has changed, whether it has adapters or not: each change once, in their order, and
  /// before the operation returns that made it, unless another thread is just telling. What it throws is ignored.
  virtual void adapter_manager_state_changed(const AdapterManagerId& id, AdapterState state) = 0;
  /// After changes that are no manager's: NON_EXISTENT, when the end of adapters has begun and new requests find none,
  /// while others may still run. One call for all that end together, an adapter before those below it. What it throws
  /// is ignored.
  virtual void adapter_state_changed(const ObjectReferenceTemplateSeq& templates, AdapterState state) = 0;
  CORBEL_INTERCEPTOR_INTERFACE(IORInterceptor_3_0)
};

/// Makes policies of a type of the application's for ORB::create_policy (16.6). Thread-safe.
class CORBEL_API PolicyFactory : public virtual CORBA::LocalObject {
 public:
  /// May throw PolicyError.
  virtual IDL::traits<CORBA::Policy>::ref_type create_policy(CORBA::PolicyType type, const CORBA::Any& value) = 0;
  CORBEL_INTERCEPTOR_INTERFACE(PolicyFactory)
};

/// What an ORBInitializer works with (16.7.2). Once ORB_init has returned everything throws OBJECT_NOT_EXIST.
class CORBEL_API ORBInitInfo : public virtual CORBA::LocalObject {
 public:
  using ObjectId = std::string;

  /// An interceptor of this kind has the name already.
  class CORBEL_API DuplicateName final : public CORBA::UserException {
   public:
    static constexpr const char* _id = "IDL:omg.org/PortableInterceptor/ORBInitInfo/DuplicateName:1.0";
    DuplicateName() = default;
    explicit DuplicateName(std::string name) : _name_(std::move(name)) {}
    void name(std::string value) { _name_ = std::move(value); }
    const std::string& name() const { return _name_; }
    std::string& name() { return _name_; }
    [[noreturn]] void _raise() const override;
    const char* _rep_id() const noexcept override;
    const char* _name() const noexcept override;
    void _encode(corbel::cdr::Encoder& encoder) const override;

   private:
    std::string _name_;
  };
  /// The name of an initial reference is empty, taken or unknown.
  class CORBEL_API InvalidName final : public corbel::corba::MemberlessException<InvalidName> {
   public:
    static constexpr const char* _id = "IDL:omg.org/PortableInterceptor/ORBInitInfo/InvalidName:1.0";
    static constexpr const char* _label = "InvalidName";
  };

  /// What ORB_init was given, without the options that were the ORB's.
  virtual std::vector<std::string> arguments() = 0;
  virtual std::string orb_id() = 0;
  virtual IDL::traits<IOP::CodecFactory>::ref_type codec_factory() = 0;
  /// Throws InvalidName; BAD_PARAM minor OMG 27 for nil.
  virtual void register_initial_reference(const ObjectId& id, IDL::traits<CORBA::Object>::ref_type obj) = 0;
  /// Only in post_init, else BAD_INV_ORDER minor OMG 14. Throws InvalidName.
  virtual IDL::traits<CORBA::Object>::ref_type resolve_initial_references(const ObjectId& id) = 0;
  /// They run in the order in which they were added. Throw DuplicateName; BAD_PARAM for nil.
  virtual void add_client_request_interceptor(IDL::traits<ClientRequestInterceptor>::ref_type interceptor) = 0;
  virtual void add_server_request_interceptor(IDL::traits<ServerRequestInterceptor>::ref_type interceptor) = 0;
  virtual void add_ior_interceptor(IDL::traits<IORInterceptor>::ref_type interceptor) = 0;
  /// ORB::create_policy then asks it, unless the ORB knows the type itself; object adapters keep such policies. Throws
  /// BAD_INV_ORDER minor OMG 16 if the type has a factory, BAD_PARAM for nil.
  virtual void register_policy_factory(CORBA::PolicyType type, IDL::traits<PolicyFactory>::ref_type policy_factory) = 0;
  /// 0, 1, 2 and so on.
  virtual SlotId allocate_slot_id() = 0;
  CORBEL_INTERCEPTOR_INTERFACE(ORBInitInfo)
};

/// What an ORBInitializer is given, too; narrow ORBInitInfo to it.
class CORBEL_API ORBInitInfo_3_1 : public virtual ORBInitInfo {
 public:
  /// As without policies, LOCAL_AND_REMOTE unless a ProcessingModePolicy says otherwise; an IORInterceptor sees no
  /// requests, and is the same in every mode. Throw besides PolicyError: BAD_POLICY for nil and for two of a type,
  /// UNSUPPORTED_POLICY for other policies.
  virtual void add_client_request_interceptor_with_policy(IDL::traits<ClientRequestInterceptor>::ref_type interceptor,
                                                          const CORBA::PolicyList& policies) = 0;
  virtual void add_server_request_interceptor_with_policy(IDL::traits<ServerRequestInterceptor>::ref_type interceptor,
                                                          const CORBA::PolicyList& policies) = 0;
  virtual void add_ior_interceptor_with_policy(IDL::traits<IORInterceptor>::ref_type interceptor,
                                               const CORBA::PolicyList& policies) = 0;
  CORBEL_INTERCEPTOR_INTERFACE(ORBInitInfo_3_1)
};

/// What an application registers to take part in making ORBs (16.7.1). What it throws ends ORB_init.
class CORBEL_API ORBInitializer : public virtual CORBA::LocalObject {
 public:
  /// Before post_init of any.
  virtual void pre_init(IDL::traits<ORBInitInfo>::ref_type info) = 0;
  /// The ORB's initial references are there.
  virtual void post_init(IDL::traits<ORBInitInfo>::ref_type info) = 0;
  CORBEL_INTERCEPTOR_INTERFACE(ORBInitializer)
};
#undef CORBEL_INTERCEPTOR_INTERFACE

/// Each ORB that is made from now on runs it (16.7.3). Thread-safe; BAD_PARAM for nil.
CORBEL_API void register_orb_initializer(IDL::traits<ORBInitializer>::ref_type init);

}  // namespace PortableInterceptor

namespace corbel::interceptors {

/// What a ServerRequestInfo is, too: how much is waiting for the servant.
class SizedRequest {
 public:
  virtual ~SizedRequest() = default;
  /// Octets of the arguments as they came; nothing if the request came from this process and is not marshalled. At all
  /// points.
  virtual std::optional<std::uint64_t> request_octets() = 0;
};

}  // namespace corbel::interceptors
