// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "corbel/base/deadline.hpp"
#include "corbel/base/function_ref.hpp"
#include "corbel/corba/call.hpp"
#include "corbel/corba/exception_core.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/orb/main_thread.hpp"
#include "corbel/poa/active_object_map.hpp"
#include "corbel/poa/adapter_policies.hpp"
#include "corbel/poa/adapter_space.hpp"
#include "corbel/poa/entry.hpp"
#include "corbel/poa/hooked.hpp"
#include "corbel/poa/manager.hpp"
#include "corbel/poa/refused.hpp"
#include "corbel/poa/servant_source.hpp"
#include "corbel/poa/turn.hpp"

namespace corbel::poa {

/// How far most failed operations of an adapter got.
constexpr auto kNo = corba::Completed::no;
/// The minor code of TIMEOUT, for a caller that has waited for requests that still run after -ORBShutdownTimeout.
constexpr std::uint32_t kStillRunning = corba::vendor_minor(base::Stage::wait, base::Code::timed_out);

class Upcall;
/// One POA, whichever mapping its applications see it in: the object that they hold derives from this. Alive from
/// make() to its end(); as a C++ object, as long as something refers to it. What changes is guarded by its slot's
/// mutex, the tree by AdapterSpace::tree(). Thread-safe. Operations are those of PortableServer::POA (CORBA 3.3 part
/// 1, 15.3.9).
class Poa : public corba::AdapterCore, public virtual base::SharedFromThis {
 public:
  /// `parent`: null for the root. Throws as create_POA.
  static base::SharedPtr<Poa> make(base::SharedPtr<AdapterSpace> space, base::SharedPtr<Poa> parent,
                                   const std::string& name, base::SharedPtr<Manager> manager,
                                   const AdapterPolicies& policies);
  virtual ~Poa();
  Poa(const Poa&) = delete;
  Poa& operator=(const Poa&) = delete;

  // The tree (poa_impl.cpp)
  void destroy(bool etherealize_objects, bool wait_for_completion);
  std::string the_name();
  base::SharedPtr<Poa> the_parent();
  std::vector<base::SharedPtr<Poa>> the_children();
  base::Bytes id();

  // Servant managers (poa_servants.cpp)
  ServantSourcePtr get_servant_manager();
  void set_servant_manager(ServantSourcePtr source);
  ServantRef get_servant();
  void set_servant(ServantRef servant);

  // Objects (poa_objects.cpp)
  ObjectId activate_object(const ServantRef& servant);
  void activate_object_with_id(const ObjectId& id, const ServantRef& servant);
  void deactivate_object(const ObjectId& id);
  ior::Ior create_reference(const std::string& type_id);
  ior::Ior create_reference_with_id(const ObjectId& id, const std::string& type_id);
  ObjectId servant_to_id(const ServantRef& servant);
  ior::Ior servant_to_reference(const ServantRef& servant);
  ObjectId reference_to_id(const ior::Ior* reference);
  ServantRef id_to_servant(const ObjectId& id);
  ior::Ior id_to_reference(const ObjectId& id);

  // For the room
  AdapterSpace& space() const noexcept { return *space_; }
  PoaSlot& slot() const noexcept { return slot_; }
  /// Names from below the root, separated by kPathSeparator.
  const std::string& path() const noexcept { return path_; }
  /// For people: the root has a name, and no path.
  const std::string& shown_path() const noexcept { return path_.empty() ? name_ : path_; }
  const AdapterPolicies& policies() const noexcept { return policies_; }
  const base::SharedPtr<Manager>& manager() const noexcept { return manager_; }
  base::SharedPtr<Poa> self() noexcept { return shared_from(this); }
  /// Throws unless the POA exists, as most operations do.
  void check_exists();
  /// Throws BAD_PARAM for a name that no child can have.
  void check_name(const std::string& name);
  ChildSourcePtr child_source();
  void set_child_source(ChildSourcePtr source);
  /// Throws the user exception.
  [[noreturn]] void raise(Refused why) const;
  /// What child() does about a child that there is not: nothing, or ask the adapter activator. One of this name that is
  /// being destroyed is waited for before, other than by a request, which is to come again.
  enum class Missing : std::uint8_t { leave, activate, activate_for_request };
  /// The child; null if there is none. Throws TRANSIENT to requests, and as create_POA, for one that is being
  /// destroyed.
  base::SharedPtr<Poa> child(std::string_view name, Missing missing);
  /// The object key of one of this POA's objects.
  base::Bytes key_of(base::ConstByteSpan object_id) const;
  /// Throws what hooks throw that make references in the POA's place.
  ior::Ior make_reference(base::ConstByteSpan object_id, const std::string& type_id);

  /// As destroy(), but may wait for the caller's own requests. False if they have not ended by the deadline.
  bool end(bool etherealize_objects, bool wait_for_completion, base::Deadline deadline);
  /// True when the end is over: no request of this adapter or of one below it runs any more.
  bool is_gone() const noexcept;
  /// Deactivates every object, if the POA has a servant activator to tell.
  void etherealize_all();
  /// Waits until no request runs or `give_up` is true; false, and a line in the log that says what `wanted` that, if
  /// neither is so at the deadline.
  bool wait_until_idle(base::FunctionRef<bool()> give_up, base::Deadline deadline, std::string_view wanted);
  /// Makes wait_until_idle() ask again whether to give up.
  void look_again();

  // Requests (poa_dispatch.cpp)
  /// Serves the call; false if the manager held it and the caller shall look the POA up again. `place`: what the
  /// reference of a call of this process remembers; null if it is none.
  bool serve(PoaLock& lock, base::ConstByteSpan object_id, corba::ServerCall& call,
             std::optional<base::Deadline>& held_until, orb::Place* place);
  /// Throws NO_PERMISSION, and tells the log, if policies().callers, of which there are some, do not take the peer.
  void check_caller(const RequestPeer& peer, std::string_view operation) const;
  /// One more request runs, on the object that the upcall runs on, which is returned; null if that is not in the map.
  /// Until release().
  ActiveObject* hold(const Upcall& upcall) noexcept;
  void release(ActiveObject* object) noexcept { leave(object); }
  /// As far as can be known without an upcall. Call with the slot's mutex locked. Throws TRANSIENT if the end has
  /// begun.
  bool knows(base::ConstByteSpan object_id);

 protected:
  explicit Poa(PoaMaking making);

 private:
  friend class Entry;
  /// As raise(): by the face.
  virtual void throw_refused(Refused why) const = 0;
  enum class Life : std::uint8_t { alive, ending, clearing, gone };
  class Running;
  class HasTurn;
  class OwnReferences;
  class Making;
  using Gone = std::vector<std::shared_ptr<void>>;

  /// True if there is an application's part that is told of the ends of objects.
  bool tells_of_ends() const noexcept { return policies_.retain && servant_source_ != nullptr; }
  void check_alive() const;  // with the mutex locked: the end has not begun
  void check_not_ending() const;
  bool wait_until_gone(base::Deadline deadline);
  bool wait_for_change(PoaLock& lock, base::FunctionRef<bool()> over, base::Deadline deadline);
  void tell_still_running(std::string_view wanted);
  void require(bool policy) const {
    if (!policy) raise(Refused::wrong_policy);
  }
  base::SharedPtr<Poa> existing_child(std::string_view name) const;
  std::optional<base::SharedPtr<Poa>> child_in_turn(std::string_view name, const std::string& path);
  bool ask(ChildSource& source, const std::string& name, std::optional<std::string>& failure);
  using Otherwise = orb::MainThread::Otherwise;
  /// Runs `act`, which calls the application: at once, unless the thread policy makes it wait for its turn, or another
  /// thread run it. Comes before activator_turn_. `call`: throws TIMEOUT instead if its time is over by then.
  template <class Act, class... Call>
  void in_turn(const Act& act, Call&... call) {
    if (!policies_.takes_turns()) [[likely]]
      return act();
    wait_for_turn(act, Otherwise::refuse, &call...);
  }
  void wait_for_turn(base::FunctionRef<void()> act, Otherwise otherwise, corba::ServerCall* call = nullptr);
  void wait_for_main_thread(base::FunctionRef<void()> act, Otherwise otherwise, base::Deadline begin_by);
  bool own_id(base::ConstByteSpan object_id) const noexcept;
  void check_unique(const ServantRef& servant);
  ActiveObject& add(const ServantRef& servant);
  ObjectId added(const ServantRef& servant);
  ObjectId id_of(const ServantRef& servant, bool default_servant_counts);
  enum class Left : std::uint8_t { yes, would_wait_for_itself, too_late };
  Left wait_until_left(PoaLock& lock, base::ConstByteSpan object_id, base::Deadline deadline);
  void leave(ActiveObject* object) noexcept;
  void end_object(PoaLock& lock, ActiveObject& object);
  void list_to_end(ActiveObject& object) noexcept;
  void end_objects(PoaLock& lock);
  void end_objects_here(PoaLock& lock);
  void end_objects_after_turn() noexcept;
  void remove(PoaLock& lock, ActiveObject& object);
  void check_not_ended_here() const;
  void wait_until_free(std::unique_lock<std::mutex>& tree, std::string_view name);
  void check_can_have(std::string_view name);
  void publish();
  void withdraw();
  void end_tree(bool etherealize_objects, Gone& gone, bool outermost);
  bool begin_ending(bool etherealize_objects, const base::SharedPtr<Poa>& parent);
  void clear(PoaLock& lock);
  void deactivate(ActiveObject& object, PoaLock& lock, bool cleanup);
  void tell_activator(const ActiveObject& object, bool remaining);

  bool pass_manager(PoaLock& lock, corba::ServerCall& call, std::optional<base::Deadline>& held_until);
  void serve_without_object(PoaLock& lock, base::ConstByteSpan object_id, corba::ServerCall& call);
  ActiveObject& incarnate(base::ConstByteSpan object_id, corba::ServerCall& call);
  ActiveObject* incarnate_in_turn(const ObjectId& object_id, corba::ServerCall& call);
  base::Deadline turn_deadline() const;
  void take_turn(Turn& turn, corba::ServerCall& call, std::string_view where);
  ActiveObject& add_incarnated(const ObjectId& object_id, const ServantRef& servant);
  void serve_located(ServantSource& locator, base::ConstByteSpan object_id, corba::ServerCall& call);
  void serve_located_in_turn(ServantSource& locator, const ObjectId& object_id, corba::ServerCall& call);
  /// Has the call answered with what `serve` throws while it still counts as running, so that a thread that waits for
  /// requests to end waits for such answers, too.
  template <class Serve>
  static void answered(corba::ServerCall& call, const Serve& serve) {
    try {
      serve();
    } catch (...) {
      answer_thrown(call);
    }
  }
  [[gnu::cold]] static void answer_thrown(corba::ServerCall& call);
  void run(base::ConstByteSpan object_id, corba::ServantCore& servant, corba::ServerCall& call);
  void upcall(base::ConstByteSpan object_id, corba::ServantCore& servant, corba::ServerCall& call);
  [[noreturn, gnu::cold]] void throw_end_of_own_call(const corba::SystemExceptionCore& exception) const;
  [[noreturn, gnu::cold]] static void refuse_operation(const corba::ServerCall& call);

  // Hooks (poa_hooks.cpp)
  void introduce(orb::CallHooks& hooks);
  ior::Ior own_reference(base::ConstByteSpan object_id, const std::string& type_id);
  void note_gone(Gone& gone) noexcept;
  void tell_gone(const Gone& gone) noexcept;
  void log_untold() noexcept;

  void show_entry(ActiveObject& object, orb::Place& place);
  void close_entry(ActiveObject& object) noexcept;
  void close_entries() noexcept;
  bool close_gate(ActiveObject& object) noexcept;
  void count_in(ActiveObject& object, std::uint32_t inside) noexcept;

  const base::SharedPtr<AdapterSpace> space_;
  const std::string name_;
  const std::string path_;  // names from below the root, separated by kPathSeparator
  const base::SharedPtr<Manager> manager_;
  const AdapterPolicies policies_;
  PoaSlot& slot_;
  const std::uint32_t generation_;
  std::unique_ptr<Hooked> hooked_;  // null if hooks were not told; does not change when others know the POA

  // guarded by AdapterSpace::tree()
  base::SharedPtr<Poa> parent_;
  std::map<std::string, base::SharedPtr<Poa>, std::less<>> children_;
  std::map<std::string, base::SharedPtr<Poa>, std::less<>> leaving_;  // being destroyed: their names are not free yet
  ChildSourcePtr child_source_;

  // guarded by slot_.mutex
  Life life_ = Life::alive;
  bool etherealize_at_end_ = false;
  base::SharedPtr<Poa> waiting_parent_;  // ends after this
  // Requests, other than those that open entries count, and what behaves like one: deactivations, objects that are to
  // end, children that are ending.
  std::uint32_t running_ = 0;
  base::SharedPtr<Entries> entries_;  // null until the first call of this process
  ActiveObjectMap objects_;
  ActiveObject* first_to_end_ = nullptr;  // the servant activator is still to be told
  ActiveObject* last_to_end_ = nullptr;
  std::atomic<bool> some_to_end_{false};  // read without the mutex by threads that have had a turn
  ServantRef default_servant_;
  ServantSourcePtr servant_source_;
  std::condition_variable_any changed_;  // running_ fell to zero, an object left, the life ended
  std::uint32_t waiters_ = 0;

  Turn activator_turn_;  // incarnate and etherealize never overlap
  Turn one_at_a_time_;   // SINGLE_THREAD_MODEL
};

}  // namespace corbel::poa
