// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "corbel/base/deadline.hpp"
#include "corbel/base/function_ref.hpp"
#include "corbel/corba/call.hpp"
#include "corbel/corba/policy_core.hpp"
#include "corbel/ior/ior.hpp"
#include "corbel/messaging/message.hpp"
#include "corbel/orb/branches.hpp"
#include "corbel/orb/kept_contexts.hpp"
#include "corbel/orb/object_adapter.hpp"
#include "corbel/policy/client_policies.hpp"

/// What a module above the core does at the edges of calls: before a request is sent, after its reply, when a request
/// comes, before it is answered. Interceptors are such a module. None of it is looked at unless something is installed
/// (Edges).
namespace corbel::orb {

class Core;

/// How one request stands, for hooks: on its way, or how it ended.
enum class Outcome : std::uint8_t {
  pending,
  reply,      ///< results
  exception,  ///< HookedRequest::exception
  forward,    ///< HookedRequest::forward
  retry,      ///< it has to be sent again
  sent,       ///< it has left, and no reply is waited for
};

/// One request on one side of a call. Belongs to the thread that carries it on.
struct HookedRequest {
  std::string_view operation;
  bool response_expected = true;
  policy::SyncScope sync_scope = policy::SyncScope::with_target;
  bool here = false;     ///< it stays in this process, without a connection
  std::uint32_t id = 0;  ///< given by the hooks; unique among those under way
  Outcome outcome = Outcome::pending;
  std::exception_ptr exception;  ///< a CORBA exception, or one that has not become any yet
  ior::Ior forward;
  KeptContexts request_contexts;
  KeptContexts reply_contexts;
  base::SharedPtr<const corba::RunTimeValues> values;  ///< null if they are not known as Anys
  /// How many of the interceptors have to be told of the end: those before them in the list.
  std::size_t flow = 0;
};

/// A request that this process sends. One attempt after another uses it: contexts and outcome are new for each.
struct ClientRequest : HookedRequest {
  corba::TargetPtr target;            ///< what was invoked
  ior::Ior effective;                 ///< where it goes
  std::size_t effective_profile = 0;  ///< of that
  /// What hooks remember of the thread that began the call, for all of its attempts.
  std::shared_ptr<const void> slots;
};

/// A request that hooks may have wait before its upcall.
class Waits {
 public:
  /// It begins to: until when, which is -ORBHoldTimeout from now, or when its client's time is over. Throws
  /// std::bad_alloc. Its own thread.
  virtual base::Deadline begin_wait() = 0;
  /// Since then: its client has cancelled it, or has gone, or its time is over. Any thread.
  virtual bool is_given_up() const noexcept = 0;

 protected:
  ~Waits() = default;
};

/// A request that came, from another process or this one.
struct ServerRequest : HookedRequest {
  std::optional<std::uint64_t> octets;  ///< of its arguments; nothing if they are not marshalled
  base::ConstByteSpan object_key;
  bool located = false;  ///< the servant was found; `object` says of what
  ServedObject object;
  std::shared_ptr<void> slots;  ///< the hooks' own
  Waits* waits = nullptr;       ///< before its upcall, if it came over a connection; else null
};

/// Makes the references of an adapter. Thread-safe.
class ReferenceSource {
 public:
  virtual ~ReferenceSource() = default;
  /// May throw; OBJECT_NOT_EXIST if the adapter is gone.
  virtual ior::Ior make_reference(base::ConstByteSpan object_id, const std::string& type_id) = 0;
};

/// What an adapter does with new requests, or a manager has its adapters do. Numbers as in PortableInterceptor.
enum class AdapterState : std::uint8_t { holding, active, discarding, inactive, non_existent };

/// An object adapter that is being made. For the thread that makes it.
struct NewAdapter {
  struct Component {
    std::optional<std::uint32_t> profile;  ///< tag of those that it is for; else all
    ior::TaggedComponent component;
  };

  /// The policy of a type that it has, given or by default; null if it has none.
  base::FunctionRef<corba::PolicyCorePtr(std::uint32_t)> policy;
  base::FunctionRef<AdapterState()> state;  ///< its manager's
  const std::string& manager;               ///< its manager's id
  std::vector<std::string> name;            ///< the root's first
  std::shared_ptr<ReferenceSource> own;     ///< makes its references as it does itself; may outlive it

  // What the hooks say.
  std::vector<Component>& components;            ///< what its references say besides, from now on
  std::shared_ptr<ReferenceSource> source = {};  ///< makes its references in its place
  std::shared_ptr<void> known = {};              ///< by which they are told of its end; null: they are not
};

/// While hooks are told of a request outside of its upcall: it counts as running, and cannot wait for its own end. Used
/// only by its own thread.
class AtEdge {
 public:
  explicit AtEdge(const Core& core) noexcept : core_(core), previous_(top()) { top() = this; }
  ~AtEdge() { top() = previous_; }
  AtEdge(const AtEdge&) = delete;
  AtEdge& operator=(const AtEdge&) = delete;

  /// True if the calling thread is at one of the ORB.
  static bool is_of(const Core& core) noexcept {
    const AtEdge* edge = top();
    while (edge != nullptr && &edge->core_ != &core) edge = edge->previous_;
    return edge != nullptr;
  }

 private:
  static const AtEdge*& top() noexcept {
    thread_local const AtEdge* innermost = nullptr;
    return innermost;
  }

  const Core& core_;
  const AtEdge* const previous_;
};

/// The hooks of one ORB. None of the functions throws unless it says so: what goes wrong becomes the request's outcome.
/// Thread-safe.
class CallHooks {
 public:
  virtual ~CallHooks() = default;

  /// Which edges they want to be called at: they never change.
  virtual bool for_clients() const noexcept = 0;
  virtual bool for_servers() const noexcept = 0;

  /// Which ways the calls of a reference go; null: all go one. May throw.
  virtual std::shared_ptr<const Branches> branches_of(const ior::Ior& ior) const = 0;
  /// A call begins on this thread: notes what all its attempts need.
  virtual void begin_call(ClientRequest& request) noexcept = 0;
  /// Before a request is sent. If the outcome is no longer `pending` afterwards, it must not be sent, and the hooks
  /// that were told of it have been told of that, too.
  virtual void before_send(ClientRequest& request) noexcept = 0;
  /// After it ended as `outcome` says; the hooks may change that.
  virtual void after_reply(ClientRequest& request) noexcept = 0;

  /// A request came, and nothing was looked up yet; as before_send().
  virtual void on_request(ServerRequest& request) noexcept = 0;
  /// Its servant has been found and is about to be called, on this thread. As before_send(), but the hooks that were
  /// told have yet to be told of the end.
  virtual void before_upcall(ServerRequest& request) noexcept = 0;
  /// Before the answer; as after_reply().
  virtual void before_reply(ServerRequest& request) noexcept = 0;
  /// After before_upcall(), on the same thread: the end will be told on another thread, and possibly before this one
  /// has left the request. `request` has been moved from what leave() will be told of, and the two share `slots`.
  virtual void defer(ServerRequest& request) noexcept = 0;
  /// The thread that on_request() was called on leaves the request.
  virtual void leave(ServerRequest& request) noexcept = 0;

  /// The calling thread is about to wait while another one runs something in its place (MAIN_THREAD_MODEL): what the
  /// other one borrows of it, valid until the wait is over. Null if that is nothing.
  virtual void* lend() noexcept = 0;
  /// On the other thread, before and after: it has meanwhile what the waiting one had, and leaves then whatever
  /// requests it has begun there.
  virtual void borrow(void* lent) noexcept = 0;
  virtual void give_back(void* lent) noexcept = 0;

  /// True if they want to be told of adapters and their managers: it never changes.
  virtual bool for_adapters() const noexcept = 0;
  /// An adapter is being made, the root's included, and nobody else knows it yet: the hooks say what its references
  /// carry. Throws OBJ_ADAPTER if it is not to be made.
  virtual void on_adapter(NewAdapter& adapter) = 0;
  /// These adapters are no more, or were not made after all. Throws std::bad_alloc.
  virtual void on_adapters_gone(const std::vector<std::shared_ptr<void>>& known) = 0;
  /// A manager's state has changed.
  virtual void on_manager(const std::string& id, AdapterState state) noexcept = 0;
  /// True if policies of this type are the application's: adapters keep them.
  virtual bool takes_policy(std::uint32_t type) const noexcept = 0;

  /// The ORB ends: it serves no requests any more, but other objects can be called.
  virtual void close() noexcept = 0;
};

/// Throws what a request that is over ended with; returns if it ended well.
void throw_outcome(const HookedRequest& request);

}  // namespace corbel::orb
