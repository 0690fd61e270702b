// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "connection/completions.hpp"
#include "connection/connection.hpp"
#include "corbel/policy/qos.hpp"
#include "corbel/reactor/reactor.hpp"
#include "corbel/reactor/thread_pool.hpp"

namespace corbel::connection {

/// Everything about serving connections that is not one connection's business: the threads, who may keep a thread, slow
/// upcalls, and the orderly end. Thread-safe. Outlives its connections.
class Server {
 public:
  struct Settings {
    policy::Serving serving;
    Connection::Settings connection;
    base::Duration shutdown_timeout = std::chrono::seconds(30);  ///< longest wait of stop(); 0: unbounded
  };

  /// Fails with stage configure if the system gives no descriptors or threads.
  static base::Result<std::unique_ptr<Server>> create(const Settings& settings, RequestHandler& handler);
  ~Server();

  const Settings& settings() const noexcept { return settings_; }
  RequestHandler& handler() noexcept { return handler_; }
  const base::Log& log() const noexcept { return *settings_.connection.log; }
  reactor::Reactor& reactor() noexcept { return *reactor_; }
  /// Where asynchronous calls that this server's threads attend to are finished.
  Completions& completions() noexcept { return completions_; }

  /// Starts the threads of the pool; does nothing the second time.
  base::Status start();
  /// The calling thread serves until stop().
  void run();
  bool work_pending();
  /// Serves what is ready now. Only in single mode is there usually anything.
  void perform_work();
  /// Takes a connection that was accepted.
  void adopt(std::unique_ptr<transport::Transport> transport, std::shared_ptr<const messaging::Protocol> protocol);
  /// Begins no more requests. Idle connections are closed in order at once, the others when what runs has been
  /// answered.
  void drain();
  /// As drain(), and run() and the pool's threads return when all connections have ended, or when the time for that
  /// (Settings::shutdown_timeout) is over and they were cut. With `wait`, returns then; false if something still runs.
  bool stop(bool wait);
  /// True if the calling thread is one of those that stop() waits for.
  bool on_own_thread() const noexcept { return pool_ && pool_->on_own_thread(); }

  // --- for connections ---

  /// A thread begins to serve the connection; false if another one does already, or it is not to be read now. `sticky`:
  /// it may keep it while it is idle, and must say release_sticky().
  bool begin_serving(Connection& connection, bool& sticky);
  void release_sticky(bool sticky) noexcept;
  /// True if others wait for a thread: who keeps one for an idle connection should leave it.
  bool starving() const noexcept { return pool_ && pool_->starving(); }
  /// The thread leaves the connection: the pool serves it when octets arrive, or at once if it has some already.
  /// `part`: Framer::oldest_part().
  void wait_for(Connection& connection, bool has_octets, std::uint64_t part);
  /// The connection is finished.
  void forget(Connection& connection);

 private:
  Server(const Settings& settings, RequestHandler& handler, std::unique_ptr<reactor::Reactor> reactor);
  bool look_for_slow_upcalls();
  std::vector<ConnectionPtr> all_live();
  void stop_threads();
  bool await_end(base::Deadline deadline);
  void cut_all();

  const Settings settings_;
  RequestHandler& handler_;
  std::unique_ptr<reactor::Reactor> reactor_;
  std::unique_ptr<reactor::ThreadPool> pool_;  // none in single mode
  Completions completions_;
  std::atomic<bool> started_{false};
  std::atomic<unsigned> sticky_{0};
  std::atomic<unsigned> loops_{0};  // threads in run()
  std::mutex mutex_;                // guards what follows
  LiveConnections live_;
  bool draining_ = false;
  bool stopping_ = false;
  std::condition_variable ended_;  // no connection is left
};

}  // namespace corbel::connection
