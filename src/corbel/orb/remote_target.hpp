// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <new>
#include <string>
#include <utility>

#include "corbel/base/fork.hpp"
#include "corbel/base/probe.hpp"
#include "corbel/base/shared_ptr.hpp"
#include "corbel/connection/connection.hpp"
#include "corbel/corba/call.hpp"
#include "corbel/ior/ior.hpp"
#include "corbel/orb/attempts.hpp"
#include "corbel/orb/branches.hpp"
#include "corbel/orb/hooks.hpp"
#include "corbel/orb/invocation.hpp"
#include "corbel/orb/lent.hpp"
#include "corbel/orb/policy_levels.hpp"
#include "corbel/orb/searches.hpp"
#include "corbel/routing/registry.hpp"

namespace corbel::orb {

class CallTrace;
class Core;

/// A remote object: the whole client algorithm (what is tried, in which order: Attempts). Thread-safe; shared by all
/// stubs of a reference. Keeps the ORB in memory, also when it has been destroyed.
class RemoteTarget final : public corba::Target, public base::SharedFromThis {
 public:
  enum class Leads : std::uint8_t {
    everywhere,  ///< also to this ORB, over a connection
    elsewhere,   ///< only to others
    onward,      ///< follow(): also to this ORB's adapter, which is asked without a connection
  };
  /// `lent`: a connection that may be used, too; null: none. `branch`: which of the object's calls it has; null: all.
  RemoteTarget(Core& core, ior::Ior ior, corba::PolicySetPtr overrides, LentPtr lent = nullptr,
               Leads leads = Leads::everywhere, BranchPtr branch = nullptr);

  void invoke(const corba::Call& call) override;
  void invoke_async(corba::AsyncCall& call) override;
  const ior::Ior& ior() const override { return ior_; }
  cdr::Context& context() const noexcept override;
  bool is_local() const noexcept override { return false; }
  corba::PolicySetPtr overrides() const override { return policies_.overrides(); }
  corba::TargetPtr with_overrides(corba::PolicySetPtr overrides) const override;
  corba::PolicyCorePtr policy(std::uint32_t type) override;
  void rebind() override;
  corba::PolicyCores unfit_policies() override;
  corba::TargetPtr called_directly() override;
  /// Sends the oneways that wait for this object, and what waits with them; true if all has left by the deadline.
  bool flush_oneways(base::Deadline deadline);
  /// Memory of the carrier by which calls leave; empty if it lends none. Connects, if nothing does. Throws as rebind().
  transport::LentMemory lend(std::size_t octets);

  /// What hooks are told of a call that was begun elsewhere.
  struct Begun {
    corba::TargetPtr target;
    std::shared_ptr<const void> slots;  ///< ClientRequest::slots
  };
  /// Carries out a call that an adapter of this process has refused: as invoke(), with that as its first attempt.
  void go_on(const corba::Call& call, const EffectivePolicies& policies, const CallLimits& limits, Refusal refusal,
             Begun begun);
  /// Carries out a call that this ORB's adapter has sent on, as the reference's first place does; once.
  void follow(const corba::Call& call, const EffectivePolicies& policies, const CallLimits& limits, Forward forward,
              Begun begun);

 private:
  friend class RemoteCall;

  /// A place with its connection, and the policies that govern calls there: what calls use until it fails or the
  /// policies change. Immutable.
  struct Binding : base::RefCounted {
    PlacesPtr places;
    std::size_t at = 0;
    const Places::Place* place = nullptr;  ///< that one
    connection::ConnectionPtr connection;
    connection::ConnectionPtr oneways;  ///< for what wants no reply; null: `connection` is used
    EffectivePtr policies;
    cdr::Context* context = nullptr;     ///< what results are decoded with
    bool lent = false;                   ///< the connection is, by the object's side
    std::uint64_t word = Edges::kNever;  ///< while the ORB's is the same, `policies` are those of every thread
    bool fresh = false;                  ///< made for the call that is being tried
    const routing::Route& route() const noexcept { return place->route; }
    void lead_to(PlacesPtr all, std::size_t index) noexcept {
      places = std::move(all);
      at = index;
      place = &(*places)[at];
    }
  };
  using BindingPtr = base::IntrusivePtr<const Binding>;

  // --- binding (remote_binding.cpp) ---

  [[gnu::always_inline]] BindingPtr bound() {
    const std::lock_guard lock(mutex_);
    return binding_;
  }
  /// True if the binding serves a call that begins at `now`: no policies changed, nothing is installed, the connection
  /// is there.
  bool settled(const BindingPtr& binding, std::int64_t now) const;
  /// A connection for the next attempt. Throws if there is none.
  BindingPtr bind(Invocation& invocation, std::int64_t now);
  BindingPtr connect(Invocation& invocation);
  static void check_time(const Invocation& invocation, const std::string& peer);
  void find_way(const EffectivePolicies& policies);
  connection::ConnectionPtr find_lent(const Attempts& attempts);
  static base::Deadline head_start(const Invocation& invocation, std::size_t others);
  bool is_outdated(const Binding& binding, const Invocation& invocation);
  BindingPtr publish(connection::ConnectionPtr connection, bool fresh, bool lent, const Invocation& invocation);
  BindingPtr refresh(const BindingPtr& binding, const Invocation& invocation);
  void begin(Invocation& invocation);
  bool look_again(Invocation& invocation);
  void drop(const Binding& binding);
  void forget_way(const Invocation& invocation);
  using ReferencePtr = std::shared_ptr<const ior::Ior>;  // null: ior_
  const ior::Ior& ior_of(const ReferencePtr& reference) const noexcept { return reference ? *reference : ior_; }
  /// What the object's server said last about where it is: the reference, or what a permanent forward replaced it by.
  ReferencePtr present();
  base::Result<Ways> present_ways(const Invocation& invocation);
  base::Result<Ways> ways_of(ReferencePtr reference, const Invocation& invocation);
  base::Result<Ways> routes_of(const ior::Ior& ior, const Invocation& invocation);
  static void keep_fitting(Ways& ways, const policy::TransportOptionsPtr& wanted);
  base::Result<std::vector<routing::Route>> routes_of_branch(const ior::Ior& ior, const EffectivePolicies& policies);
  base::Result<Ways> ways_of_branch(const ior::Ior& ior, const EffectivePolicies& policies);
  /// True if the reference must not leave the place where it is bound (Messaging::NO_REBIND, NO_RECONNECT), but for
  /// what keep_agreeing() leaves.
  bool is_fixed(const Invocation& invocation);

  // --- connections of oneways (remote_oneways.cpp) ---

  connection::ConnectionPtr connect_oneways(const Invocation& invocation);
  BindingPtr bind_apart(const Invocation& invocation, std::int64_t now);
  BindingPtr connect_apart(const Invocation& invocation);
  /// As bind(), for calls that wait for nothing: null if the way has to be looked for and that takes long, and then the
  /// call counts as dropped.
  BindingPtr bind_at_once(Invocation& invocation, std::int64_t now);

  // --- calls (remote_target.cpp) ---

  void invoke_unsettled(const corba::Call& call, std::int64_t now);
  void carry_out(const corba::Call& call, Invocation& invocation, std::int64_t now);
  void carry_out_traced(const corba::Call& call, Invocation& invocation, std::int64_t now, const CallTrace& trace);
  /// For the log, after a call.
  void tell(const CallTrace& trace, const corba::Operation& operation, std::string_view outcome);
  /// `request` has the service contexts, if there are any. `kept` gets those of the reply, if it is wanted.
  template <bool kKeeps>
  base::Status try_once(const Binding& binding, messaging::OutgoingRequest& request, const corba::Call& call,
                        Invocation& invocation, KeptContexts* kept);
  base::Status share(const Binding& binding, connection::Caller& caller, const messaging::OutgoingRequest& request,
                     const corba::Call& call, Invocation& invocation, connection::OnReply on_reply);
  base::Status post(connection::Connection& connection, const messaging::OutgoingRequest& request,
                    const corba::Call& call, const Invocation& invocation);
  /// Runs with the reply in place: `decode(body)`, or throws the user exception that the peer raised.
  template <class Decode>
  [[gnu::always_inline]] void on_reply(const corba::Operation& operation, const Decode& decode,
                                       const messaging::IncomingReply& reply, cdr::Decoder& body, Attempts& attempts,
                                       cdr::Context& context) try {
    CORBEL_PROBE("unmarshal");
    body.set_context(&context);
    body.withhold();
    if (reply.status != messaging::ReplyStatus::no_exception) [[unlikely]]
      return on_other_reply(operation, reply, body, attempts);
    decode(body);
    if (!body.ok()) [[unlikely]]
      attempts.set_answer(body.error());
  } catch (const std::bad_alloc&) {
    raise_no_memory_for(reply.status);
  }
  [[noreturn]] static void raise_no_memory_for(messaging::ReplyStatus status);

  // --- calls that came from, or come to, this ORB's own adapter (remote_here.cpp) ---

  /// While this ORB's adapter is the next place: asks it. True if the call is over.
  bool over_here(const corba::Call& call, Invocation& invocation);
  bool over_here_seen(const corba::Call& call, Invocation& invocation, ClientRequest& seen);
  bool let_go(const corba::Call& call, const Invocation& invocation);
  void settle_here(Attempts::Answer answer, Invocation& invocation);
  base::Result<Ways> ways_with_here(const ior::Ior& ior, const policy::ProtocolPreference& preference);

  // --- calls that hooks see (remote_hooks.cpp) ---

  void carry_out_seen(const corba::Call& call, Invocation& invocation, std::int64_t now, Begun begun = {});
  /// With the request's contexts; keeps those of the reply. (In remote_target.cpp.)
  base::Status try_once_seen(const Binding& binding, const corba::Call& call, Invocation& invocation,
                             ClientRequest& seen);
  void try_and_note(const Binding& binding, const corba::Call& call, Invocation& invocation, ClientRequest& seen);
  void begin_seen(const corba::Operation& operation, const Invocation& invocation, ClientRequest& seen);
  void begin_attempt(const Binding* binding, const Invocation& invocation, ClientRequest& seen);
  BindingPtr bind_seen(Invocation& invocation, std::int64_t now, ClientRequest& seen);
  /// Does what the outcome of `seen` asks for: true if the call is over and went well, false if it is to be tried
  /// again; throws if it failed. `followed`: the forward that needs nothing more.
  bool conclude(const Binding* binding, Invocation& invocation, ClientRequest& seen, const ior::Ior& followed);
  void forward_to(const Binding* binding, Invocation& invocation, const ior::Ior& forward);

  // --- what came of an attempt (remote_outcome.cpp) ---

  void on_other_reply(const corba::Operation& operation, const messaging::IncomingReply& reply, cdr::Decoder& body,
                      Attempts& attempts);
  /// After a call that got through.
  void note_success(const Invocation& invocation);
  /// After an attempt that did not bring results: returns if the call has to be tried again, else throws.
  void after(const Binding& binding, base::Status status, Invocation& invocation) {
    status ? settle(binding, invocation) : recover(binding, status.error(), invocation);
  }
  void settle(const Binding& binding, Invocation& invocation);
  void settle_answer(const Binding& binding, Invocation& invocation);
  bool follow_forward(Forward forward, Invocation& invocation, bool fixed = false);
  /// Of a call that must not leave its place: throws REBIND if it may not follow a forward there at all, and where all
  /// of that has other policies; leaves the ways that have the same. `by`: who forwards.
  void keep_agreeing(base::Result<Ways>& ways, const ior::Ior& to, const std::string& by,
                     const Invocation& invocation) const;
  void go_on_after(bool again, bool forwarded, std::string_view peer, Invocation& invocation);
  bool readdress(messaging::TargetAddress::By by, Attempts& attempts, std::string what);
  void recover(const Binding& binding, base::Error error, Invocation& invocation);
  [[noreturn]] void give_up(Invocation& invocation);

  Core& core_;
  const base::SharedPtr<Core> owner_;  // of core_
  const ior::Ior ior_;
  ReferencePolicies policies_;
  const LentPtr lent_;
  const Leads leads_;
  const BranchPtr branch_;

  base::ForkMutex mutex_;  // guards what follows
  BindingPtr binding_;
  BindingPtr apart_;  // of oneways to a group, while there is no binding
  PlacesPtr places_;  // where calls begin if there is no binding: the way that was found last
  std::size_t at_ = 0;
  policy::TransportOptionsPtr options_;  // that were wanted then
  bool got_through_ = false;             // a call did, there: for those that must not leave it
  ReferencePtr moved_;                   // where the object has moved for good, as a server said; null if it has not
  Searches::SearchPtr search_;           // the last one
};

/// Sets what the request is for.
inline void aim(messaging::OutgoingRequest& request, const routing::Route& route) noexcept {
  request.object_key = route.object_key;
  request.address = route.address.get();
}

}  // namespace corbel::orb
