// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "corbel/connection/admission.hpp"
#include "corbel/connection/budget.hpp"
#include "corbel/connection/completions.hpp"
#include "corbel/connection/connection.hpp"
#include "corbel/connection/hand_shakes.hpp"
#include "corbel/connection/input_memory.hpp"
#include "corbel/connection/own_threads.hpp"
#include "corbel/connection/short_requests.hpp"
#include "corbel/connection/single_lead.hpp"
#include "corbel/policy/qos.hpp"
#include "corbel/reactor/reactor.hpp"
#include "corbel/reactor/thread_pool.hpp"

namespace corbel::connection {

/// Everything about serving connections that is not one connection's business: the threads, who may keep a thread, slow
/// upcalls, and the orderly end. Thread-safe. Outlives its connections.
class Server final : private InputUser {
 public:
  struct Settings {
    policy::Serving serving;
    policy::ServerLimits limits;
    Connection::Settings connection;
    base::Duration shutdown_timeout = std::chrono::seconds(30);  ///< longest wait of stop(); 0: unbounded
    /// Where asynchronous calls over its connections are finished, which outlives it; null: its own. An ORB has one for
    /// all lanes, because its calls wait there whichever lane reads their reply.
    Completions* completions = nullptr;
    /// What incoming messages take, which outlives it; null: its own, of limits.input_memory. An ORB has one.
    InputMemory* input_memory = nullptr;
    /// How long a peer that has begun a message, or has a reply to take, may be just about to go on: when places or
    /// memory run out, those that have taken longer have to go first.
    base::Duration patience = std::chrono::seconds(1);
    std::size_t stack_size = 0;  ///< of its threads (ThreadPoolOptions::stack_size)
    /// Nobody waits for what comes while a request runs that is probably short (ShortRequests).
    bool expects_short = true;
  };

  /// Fails with stage configure if the system gives no descriptors or threads.
  static base::Result<std::unique_ptr<Server>> create(const Settings& settings, RequestHandler& handler);
  ~Server();

  const Settings& settings() const noexcept { return settings_; }
  RequestHandler& handler() noexcept { return *handler_; }
  /// Another one than create() was given; before the first connection.
  void set_handler(RequestHandler& handler) noexcept { handler_ = &handler; }
  const base::Log& log() const noexcept { return *settings_.connection.log; }
  reactor::Reactor& reactor() noexcept { return *reactor_; }
  /// Where asynchronous calls that this server's threads attend to are finished.
  Completions& completions() noexcept {
    return settings_.completions != nullptr ? *settings_.completions : completions_;
  }

  /// Starts the threads of the pool; does nothing the second time.
  base::Status start();
  /// Returns after stop(). In single mode the calling thread serves until then, else it only waits: what it ran could
  /// keep it beyond the end.
  void run();
  /// In single mode: true if the calling thread is the one that serves.
  bool leads() noexcept { return !pool_ && lead_.mine(); }
  /// As run(), but returns true as soon as `done` is true. In single mode it never asks.
  bool run_until(base::FunctionRef<bool()> done);
  /// Makes run_until() ask again, as soon as the request that its thread may be running is over; in single mode, has
  /// the thread that runs call `work`.
  void call_runner(std::function<void()> work);
  bool work_pending();
  /// Serves what is ready now, in single mode no more than `most` things; only then is there usually anything. How many
  /// in single mode, where it waits `until` something is; 0 if another thread has the lead.
  std::size_t perform_work(std::size_t most = SIZE_MAX, base::Deadline until = base::Deadline::now());
  /// In single mode: a handle that is readable as long as perform_work() finds something, or nothing ever will any more
  /// (Reactor::pollable). Errors (stage configure): bad_argument in other modes, cancelled if another thread has the
  /// lead, out_of_resources.
  base::Result<int> pollable();
  /// False in single mode.
  bool has_threads() const noexcept { return pool_ != nullptr; }
  /// True once stop() is over: nothing is served any more.
  bool ended() const noexcept { return reactor_->stopped(); }
  /// Takes a connection that was accepted.
  void adopt(std::unique_ptr<transport::Transport> transport, routing::ProtocolPtr protocol,
             routing::TransportPtr installed = nullptr);
  /// Takes one that may bring requests.
  void take(const ConnectionPtr& connection);
  /// Takes one that was opened here and that nobody else knows yet, so that its peer may ask, too. False, and it is
  /// what it was, if there is no room, the end has begun, or there is only one thread.
  /// Fails with out_of_resources (stage connect) if nobody can be had to wait for what comes: it is closed then.
  base::Result<bool> share(const ConnectionPtr& connection);
  /// Tells one that cannot be taken so, and closes it.
  void refuse(std::unique_ptr<transport::Transport> transport, std::shared_ptr<const messaging::Protocol> protocol);
  /// The connections that have not ended.
  std::vector<ConnectionPtr> all_live();
  /// Descriptors ran out: closes the connection that can be spared most easily. False if none can.
  bool make_room();
  /// Begins no more requests. Idle connections are closed in order at once, the others when what runs has been
  /// answered. Those that were opened here stay for what this side asks, until stop().
  void drain();
  /// Ends the calls that this side has under way.
  void end_calls();
  /// As drain(), and run() and the pool's threads return when all connections have ended, or when the time for that
  /// (Settings::shutdown_timeout) is over and they were cut. With `wait`, returns then; false if something still runs.
  bool stop(bool wait);
  /// The same with another time-out: both are over at the deadline.
  bool stop(bool wait, base::Deadline deadline);
  /// As drain(), of those connections only; others come and go on. True if none of them is left at the deadline, for
  /// which the calling thread waits.
  bool drain(base::FunctionRef<bool(const Connection&)> which, base::Deadline deadline);
  /// True if the calling thread is one of those that stop() waits for.
  bool on_own_thread() const noexcept { return pool_ && pool_->on_own_thread(); }

  // --- for connections ---

  /// A thread begins to serve the connection; false if another one does already, or it is not to be read now. `sticky`:
  /// it may keep it while it is idle, and must say release_sticky().
  bool begin_serving(Connection& connection, bool& sticky);
  void release_sticky(bool sticky) noexcept;
  ShortRequests& short_requests() noexcept { return short_requests_; }
  /// The hand-shake of a connection with a handle has not begun or may go on: it does when it has its turn, on a thread
  /// of its own kind.
  void await_turn(Connection& connection) noexcept;
  /// True if it has just begun to end, so that newcomers may yet come as far as to be told.
  bool awaits_hand_shakes() const noexcept {
    return base::Deadline::clock_now() < shakes_until_.load(std::memory_order_relaxed);
  }
  /// True if others wait for a thread: who keeps one for an idle connection should leave it.
  bool starving() const noexcept { return pool_ && pool_->starving(); }
  /// True if the calling thread is wanted elsewhere (call_runner()). Only while starving() is, too.
  bool called_away() const noexcept { return pool_ && pool_->called_away(); }
  /// For a thread that is a connection's own: one of -ORBThreads, for a request that it has read. Waits for it.
  reactor::ThreadPool::Place place() noexcept { return reactor::ThreadPool::Place(*pool_); }
  /// True if the calling thread may wait for a reply that another one has to read.
  bool has_spare_thread() const noexcept { return pool_ && pool_->has_spare_thread(); }
  /// Threads that run a request, and wait for the reply to one that they have sent the same way or are about to.
  std::atomic<unsigned>& askers() noexcept { return askers_; }
  /// True if there are others, which may be on their way back.
  bool expects_thread() const noexcept { return askers_.load() < settings_.serving.threads; }
  /// The thread leaves the connection: the pool serves it when octets arrive, or at once if it has some already.
  /// `part`: Framer::oldest_part(). False if it has nothing left, and something has come meanwhile: the thread serves
  /// on.
  bool wait_for(Connection& connection, Left left, std::uint64_t part);
  /// As wait_for(), for one whose message cannot go on because others take all the memory (-ORBMaxInputMemory).
  void wait_for_memory(Connection& connection, std::uint64_t part);
  /// Some thread looks whether there is something to read.
  void read_on(Connection& connection);
  /// Most requests of one connection, and therefore threads, at the same time.
  std::uint32_t most_requests() const noexcept { return most_requests_; }
  /// How long a thread may wait for a peer to take a reply.
  base::Deadline reply_grace() const noexcept;
  Budget& reply_memory() noexcept { return reply_memory_; }
  /// Cuts the peer, other than `sender`, that would need longest to take what waits for it, going by what it has taken
  /// so far; false if every peer still has time.
  bool make_room_for_replies(const Connection& sender);
  /// With the writer token: so many octets of replies wait for the peer to take them. The second: they still do, and
  /// the peer took some.
  void sends_slowly(Connection& connection, std::size_t unread);
  void still_sends(Connection& connection, std::size_t taken, std::size_t unread);
  /// Has it called again in a moment, as if its peer took more; false without memory.
  bool asks_again(Connection& connection) noexcept;
  /// True if it is not read because of that.
  bool is_parked(const Connection& connection);
  /// The thread leaves a connection that begins no more requests.
  void leave(Connection& connection);
  /// The connection is finished.
  void forget(Connection& connection);

 private:
  static constexpr std::int64_t kNever = INT64_MAX;
  static constexpr base::Duration kLeastLook = std::chrono::milliseconds(1);

  Server(const Settings& settings, RequestHandler& handler, std::unique_ptr<reactor::Reactor> reactor);
  bool look_for_slow_upcalls();
  base::Status list(Connection& connection, ConnectionPtr& leaves);
  static bool hears_group(Connection& connection) noexcept;
  static bool takes_no_place(Connection& connection) noexcept;
  base::Status watch(const ConnectionPtr& connection);
  bool shake_next() noexcept;
  void drain(bool all);
  void put(Connection& connection, Place place, std::int64_t now) noexcept;
  void await_room(Connection& connection, bool reads);
  void have_told(Connection& connection, bool edges, bool wants_room);
  void ask_again(Connection& connection);
  static bool is_read_meanwhile(const Connection& connection);
  std::vector<ConnectionPtr> slow_readers(const Connection& sender);
  bool still_reads(Connection& connection);
  ConnectionPtr find_dispensable(std::string_view host);
  bool stop_reading(Connection& connection);
  void dismiss(Connection& connection, const char* why);
  void give_up_half(Connection& connection);
  std::int64_t oldest() override;
  void cut_oldest() override;
  Connection* next_to_cut();
  Connection* oldest_half(bool idle);
  base::Duration send_timeout() const noexcept;
  base::Status serve_apart(const ConnectionPtr& connection);
  void cannot_wait(Connection& connection, base::Error error);
  void lose(Connection& connection, base::Error error, const char* why);
  void look_after(base::Duration delay, std::int64_t now);
  void look_at_ages();
  static bool keep(std::vector<ConnectionPtr>& among, Connection& connection) noexcept;
  void collect_overdue(std::int64_t now, std::vector<ConnectionPtr>& idle, std::vector<ConnectionPtr>& half,
                       std::vector<ConnectionPtr>& stuck);
  void stop_threads();
  static std::shared_ptr<const ConnectionSettings> accepted(const Settings& settings, InputMemory& memory);
  bool any_live(base::FunctionRef<bool(Connection&)> found);
  void with_all(base::FunctionRef<void(Connection&)> action);
  void with_each(base::FunctionRef<void(Connection&)> action);
  bool await(base::FunctionRef<bool()> ended, base::Deadline deadline);
  void cut_all();

  const Settings settings_;
  RequestHandler* handler_;
  Budget reply_memory_;  // these outlive the connections, which the reactor may be the last to hold
  InputMemory own_input_memory_;
  InputMemory& input_memory_;
  const std::shared_ptr<const ConnectionSettings> accepted_;  // of the connections that come
  std::unique_ptr<reactor::Reactor> reactor_;
  std::unique_ptr<reactor::ThreadPool> pool_;  // none in single mode
  SingleLead lead_;                            // in single mode
  Completions completions_;
  const std::uint32_t most_requests_ = std::max(
      std::min(settings_.limits.requests_of_connection, std::max(settings_.serving.threads, 1U) - 1), std::uint32_t{1});
  std::atomic<bool> started_{false};
  std::atomic<unsigned> sticky_{0};
  std::atomic<unsigned> askers_{0};
  ShortRequests short_requests_;
  std::atomic<unsigned> loops_{0};  // threads in run()
  std::atomic<std::int64_t> shakes_until_{0};
  std::mutex starting_;               // of two that start the threads one does
  std::atomic<bool> hurried_{false};  // no thread waits for a peer to take a reply; written under the mutex
  std::mutex mutex_;                  // guards what follows
  LiveConnections live_;
  Turns turns_;
  Admission admission_;
  std::size_t own_ = 0;  // of live_, those that hear groups or were opened here
  std::int64_t next_look_ = kNever;
  reactor::TimerId look_timer_;
  bool draining_ = false;
  bool stopping_ = false;
  std::uint64_t walks_ = 0;        // of with_each()
  unsigned awaiting_ = 0;          // threads in drain()
  std::condition_variable ended_;  // no connection is left, or one less and a thread waits for it
  OwnThreads readers_;             // of connections that no reactor can wait for
  HandShakes hand_shakes_;
};

}  // namespace corbel::connection
