// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "corbel/base/log.hpp"
#include "corbel/connection/connection_cache.hpp"
#include "corbel/connection/socket_hooks.hpp"
#include "corbel/connection/watchers.hpp"
#include "corbel/orb/bidirectional.hpp"
#include "corbel/orb/core_parts.hpp"
#include "corbel/orb/deferrals.hpp"
#include "corbel/orb/edges.hpp"
#include "corbel/orb/face_core.hpp"
#include "corbel/orb/group_table.hpp"
#include "corbel/orb/hooks.hpp"
#include "corbel/orb/lane.hpp"
#include "corbel/orb/main_thread.hpp"
#include "corbel/orb/object_adapter.hpp"
#include "corbel/orb/options.hpp"
#include "corbel/orb/policy_levels.hpp"
#include "corbel/orb/searches.hpp"
#include "corbel/orb/value_memory.hpp"
#include "corbel/policy/request_policies.hpp"
#include "corbel/routing/registry.hpp"

namespace corbel::orb {

/// The core of one ORB: what its parts share. Owned by what applications hold as their ORB; outlives every target and
/// connection of that ORB. Thread-safe.
class Core final {
 public:
  /// Throws INITIALIZE or BAD_PARAM when options and components do not fit together.
  Core(Options options, CoreParts parts, FaceCore& face);
  ~Core();
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  FaceCore& face() const noexcept { return face_; }
  /// What values are decoded with: the face's.
  cdr::Context& context() const noexcept { return context_; }
  /// Keeps the ORB, and so the core, in memory; null once that ends.
  base::SharedPtr<Core> owner() const noexcept { return owner_.lock(); }
  /// Set once by the face, before anything else runs.
  void set_owner(const base::SharedPtr<Core>& owner) noexcept { owner_ = owner; }

  /// For what is settled once; calls and requests go by what was made of them (scripts/check_layers.py).
  const Options& options() const noexcept { return options_; }
  /// What this ORB tells about itself. Outlives all of its parts.
  const base::Log& log() const noexcept { return log_; }
  base::Log& log() noexcept { return log_; }

  /// What calls have to look at besides their references.
  const Edges& edges() const noexcept { return edges_; }
  /// After the levels of the log have changed.
  void note_log_levels() noexcept;
  /// Sets what is to see calls once it is attached. At most once, before ORB_init returns.
  void set_hooks(std::unique_ptr<CallHooks> hooks) noexcept;
  void attach_hooks() noexcept;
  /// Not null if the flags of the edges say so.
  CallHooks* hooks() const noexcept { return hooks_.get(); }
  /// Null while the ORB is being made.
  CallHooks* attached_hooks() const noexcept { return hooks_attached_ ? hooks_.get() : nullptr; }
  /// The policies of this ORB and its threads.
  PolicyLevels& policies() noexcept { return policies_; }
  /// What governs requests that this ORB serves.
  const policy::RequestPolicies& request_policies() const noexcept { return request_policies_; }

  /// Where the calls of a reference that has these policies go, be it to this process or to another one. The reference
  /// is not nil. `lent`: it came over a connection which its client lends.
  corba::TargetPtr make_target(ior::Ior ior, corba::PolicySetPtr overrides, LentPtr lent = nullptr);
  /// One that calls an object of this ORB's adapters directly, whatever -ORBCollocation says; null if it is elsewhere,
  /// and then `ior` is left as it is.
  corba::TargetPtr make_target_here(ior::Ior& ior, corba::PolicySetPtr overrides);
  /// Where the reference leads besides this ORB, as Registry::routes tells; fails if that is nowhere.
  base::Result<std::vector<routing::Route>> routes_elsewhere(const ior::Ior& ior,
                                                             const policy::ProtocolPreference& preference);
  const cdr::Limits& limits() const noexcept { return options_.limits; }
  ValueMemory* value_memory() noexcept { return &value_memory_; }

  /// Opens the listening endpoints (those of -ORBListenEndpoints, else that of each transport which has a
  /// Factory::default_address) and starts serving; does nothing the second time. Throws INITIALIZE naming the endpoint
  /// that failed.
  void listen();
  /// Listens at one more endpoint of a lane, and at all the others if it does not yet. What references say of it.
  /// Throws as listen(), or std::bad_alloc: then it does not listen there.
  std::vector<std::string> listen_at(const std::string& endpoint, std::string_view lane);
  /// Listens no more at the endpoint, as it was opened or published; false if nothing listens there.
  bool stop_listening(std::string_view endpoint);
  /// Adds all of them to what this ORB is made of, or none. Returns why not, in words that follow "it brings"; empty if
  /// they have been added.
  std::string add(const std::vector<routing::ProtocolPtr>& protocols, std::vector<routing::FactoryPtr> transports);
  /// Nothing new begins over it. False if calls were still under way at the deadline; they go on. Throws BAD_PARAM if
  /// there is none.
  bool withdraw_protocol(std::string_view name, base::Deadline deadline);
  bool withdraw_transport(std::string_view scheme, base::Deadline deadline);
  /// The profiles that publish an object with this key at a lane's endpoints; listens first if need be.
  std::vector<ior::TaggedProfile> make_profiles(base::ConstByteSpan object_key, std::string_view lane = {});
  /// Requests that wait for their answers.
  Deferrals& deferrals() noexcept { return deferrals_; }
  GroupTable& groups() noexcept { return groups_; }
  Bidirectional& bidirectional() noexcept { return bidirectional_; }
  // For bidirectional GIOP: requests have to look at it; what new connections offer; what references say, and whether
  // one would.
  void set_both_ways() noexcept { edges_.set(Edges::kBothWays, true); }
  void hear_groups() noexcept { edges_.set(Edges::kGroups, true); }
  void offer(std::uint64_t generation, std::uint32_t context_id,
             const std::map<std::string, base::Bytes, std::less<>>& contexts);
  void for_each_listen_point(base::FunctionRef<void(const routing::ListenPoint&)> visit);
  bool publishes(std::string_view endpoint);
  /// Listens at the address of a group, on threads of the first lane; does nothing the second time. Throws INITIALIZE
  /// or BAD_PARAM.
  void listen_to_group(const ior::TaggedProfile& profile);
  void listen_to_group(const std::string& endpoint);
  bool is_of_group(const std::string& endpoint, const base::Bytes& body) const;
  /// Makes another lane. Throws BAD_PARAM if there is one of the name, IMP_LIMIT if there are LaneList::kMost,
  /// INITIALIZE if the system gives no descriptors, and as calls do after shutdown().
  void add_lane(const LaneOptions& lane);
  bool has_lane(std::string_view name) const noexcept { return find_lane(name) != nullptr; }
  /// The object keys in those of a reference's profiles that lead to our endpoints; listens first if need be.
  std::vector<base::Bytes> keys_of_ours(const ior::Ior& ior);
  /// Turns a corbaloc address list and key into a reference's data. Throws BAD_PARAM minors OMG 7 to 10.
  ior::Ior make_ior(const ior::ObjectUrl& url);

  /// The adapter that requests go to; not owned; set before listen(). Null: there is none any more.
  void set_adapter(ObjectAdapter* adapter);
  /// What serves with adapters; only if there is or was one.
  const ServingHalf& serving_half() const noexcept { return *serving_half_; }
  ObjectAdapter* adapter() const noexcept { return adapter_.load(std::memory_order_acquire); }

  /// Throws BAD_INV_ORDER in a child of the process whose ORB it is.
  void check_process() const;
  /// Starts the threads that serve requests and attend to asynchronous calls; there are none in single mode. Throws
  /// BAD_INV_ORDER after shutdown.
  void start_threads();
  /// True if that need not be done before an asynchronous call of this process.
  bool calls_async() const noexcept { return calls_async_.load(std::memory_order_acquire); }
  /// Where asynchronous calls are finished.
  connection::Completions& completions() const noexcept { return server().completions(); }
  /// True if it has threads that do that.
  bool attends_calls() const noexcept { return server().has_threads(); }
  connection::ConnectionCache& cache() noexcept { return cache_; }
  Searches& searches() noexcept { return searches_; }
  /// Connections that have not ended: those made here and, with `accepted`, those of clients.
  std::vector<connection::ConnectionPtr> connections(bool accepted);
  /// The call-backs that hear of connections which begin and end.
  const std::shared_ptr<connection::Watchers>& watchers() const noexcept { return watchers_; }
  /// The call-backs that see new sockets.
  const std::shared_ptr<connection::SocketHooks>& socket_hooks() const noexcept { return socket_hooks_; }
  const routing::Registry& registry() const noexcept { return registry_; }

  /// Serves until shutdown; any number of threads.
  void run();
  /// True if perform_work() would find something to do at once.
  bool work_pending();
  /// Serves what is ready now, on this thread; no more than `most` things in single mode. How many of what is counted
  /// there, and of what waited for the main thread.
  std::size_t perform_work(std::size_t most = SIZE_MAX);
  /// Serves until the deadline or the end of the ORB; with `once`, until something was done. Throws as run().
  void work_until(base::Deadline deadline, bool once);
  /// The handle for WorkHandle, which holds run() off until give_pollable(). `main_thread`: of what is for that alone;
  /// the calling thread is it until then. Throws BAD_PARAM, BAD_INV_ORDER, NO_RESOURCES.
  int take_pollable(bool main_thread);
  void give_pollable(bool main_thread) noexcept;
  /// Runs what waits for the main thread, if the calling one is that; how much.
  std::size_t perform_main_work(std::size_t most);
  /// True once nothing is served any more.
  bool ended() const noexcept { return server().ended(); }
  /// Stops accepting and begins no more requests; a connection is closed when its last running request has been
  /// answered, and then run() returns. With `wait`, returns when that has come about. Both end at -ORBShutdownTimeout.
  /// Calls of other objects end then, too, or at once if no request runs.
  void shutdown(bool wait);
  /// From now on calls are refused with OBJECT_NOT_EXIST, as far as shutdown(true) ends them, which this does. Before
  /// it ends those of other objects it closes the hooks.
  void destroy();
  /// When the end stops waiting: -ORBShutdownTimeout after shutdown() was first called; none before.
  base::Deadline end_deadline() const noexcept { return end_by_.load(std::memory_order_acquire); }
  /// Where adapters with MAIN_THREAD_MODEL call the application.
  MainThread& main_thread() noexcept { return main_thread_; }
  /// True if the calling thread is one of those that shutdown() waits for.
  bool on_own_thread() const noexcept;
  /// True if shutdown(true) gave up waiting (-ORBShutdownTimeout): something runs that needs this object.
  bool left_running() const noexcept { return left_running_.load(std::memory_order_acquire); }
  /// Throws what calls end with after shutdown(): BAD_INV_ORDER, or OBJECT_NOT_EXIST if the ORB was destroyed.
  [[noreturn]] void refuse_call() const;
  bool is_destroyed() const noexcept { return destroyed_.load(std::memory_order_acquire); }
  /// The same if the ORB was destroyed; after shutdown() alone it returns.
  void check_not_destroyed() const {
    if (is_destroyed()) refuse_call();
  }
  /// True in a child of the process that made this ORB: its threads and sockets stayed behind, and all it can do there
  /// is to call other objects.
  bool left_behind() const noexcept { return process_ != base::process_generation(); }
  bool is_shut_down() const noexcept { return shut_down_.load(std::memory_order_acquire); }
  /// Throws unless objects of this process may be called: not after shutdown(), nor in a child of the process, where
  /// threads that no longer exist may hold any lock.
  void check_serves() const {
    if (!serves_.load(std::memory_order_acquire)) [[unlikely]]
      refuse_local_call();
  }

 private:
  void tell_settings() const;
  void see_to_idle_connections() noexcept;
  void end_idle_connections_later();
  void make_lane(const LaneOptions& lane);
  Lane::PublishedPtr listen(Lane& lane);
  bool withdraw(base::FunctionRef<bool(const messaging::Protocol&, const routing::TransportPtr&)> which,
                base::Deadline deadline);
  Lane* find_lane(std::string_view name) const noexcept;
  connection::Server& server() const noexcept { return lanes_.front()->server(); }
  void end(bool wait, bool hooks);
  void close_hooks() noexcept;
  bool cancel_async(bool wait, base::Deadline deadline);
  void end_client_side(base::Deadline deadline);
  bool end_adapter(bool wait, base::Deadline deadline);
  void call_main_thread();
  [[noreturn]] void refuse_local_call() const;
  bool is_here(const ior::Ior& ior, base::Bytes& object_key);
  bool leads_here(const routing::Route& route);
  bool is_published(const routing::Route& route) const;

  FaceCore& face_;
  cdr::Context& context_;
  const Options options_;
  const std::uint32_t process_ = base::process_generation();
  base::Log log_;
  Edges edges_;
  std::unique_ptr<CallHooks> hooks_;
  std::atomic<bool> hooks_attached_{false};
  PolicyLevels policies_;
  const policy::RequestPolicies request_policies_;
  ValueMemory value_memory_{options_.server_limits.input_memory};
  connection::InputMemory input_memory_{options_.server_limits.input_memory};
  routing::Registry registry_;
  const std::shared_ptr<connection::Watchers> watchers_ = std::make_shared<connection::Watchers>(log_);
  const std::shared_ptr<connection::SocketHooks> socket_hooks_ = std::make_shared<connection::SocketHooks>(log_);
  connection::ConnectionCache cache_;
  Searches searches_{log_};
  const ServingHalf* serving_half_ = nullptr;  // the first adapter's; stays when that goes
  std::atomic<ObjectAdapter*> adapter_{nullptr};
  Deferrals deferrals_{log_, value_memory_, adapter_};
  GroupTable groups_;
  Bidirectional bidirectional_{*this};
  std::unique_ptr<connection::RequestHandler> dispatch_;
  const std::shared_ptr<connection::RequestHandler> requests_;  // null: dispatch_ has them
  LaneList lanes_;
  base::ForkMutex listen_mutex_;            // guards what they listen at
  std::atomic<bool> shutting_down_{false};  // no new asynchronous calls
  std::atomic<bool> calls_async_{false};    // not shutting down, and the threads are there
  std::atomic<bool> shut_down_{false};
  std::atomic<bool> serves_{true};
  std::atomic<base::Deadline> end_by_{base::Deadline::none()};
  MainThread main_thread_{[this] { call_main_thread(); }, [this] { return server().leads(); }};
  std::atomic<bool> sees_to_idle_{false};
  std::atomic<unsigned> work_handles_{0};
  std::atomic<bool> left_running_{false};
  std::atomic<bool> told_end_{false};
  std::atomic<bool> told_leads_nowhere_{false};
  std::atomic<bool> destroyed_{false};
  base::WeakPtr<Core> owner_;
  base::ForkHook fork_hook_{[](void* self) noexcept { static_cast<Core*>(self)->serves_ = false; }, this};
};

}  // namespace corbel::orb
