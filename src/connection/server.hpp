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
    base::Duration slow_upcall = std::chrono::milliseconds(10);  ///< when somebody else begins to read the connection
    Connection::Settings connection;
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
  /// Closes all connections in order and stops the threads; with `wait`, returns when they have ended.
  void stop(bool wait);
  /// True if the calling thread is one of those that stop() waits for.
  bool on_own_thread() const noexcept { return pool_ && pool_->on_own_thread(); }

  // --- for connections ---

  /// A thread begins to serve the connection; true if it may keep it while it is idle. Pair with end_serving().
  bool begin_serving(Connection& connection);
  void end_serving(Connection& connection, bool sticky);
  /// As end_serving() for a thread whose connection was handed over to others meanwhile.
  void release_sticky(bool sticky) noexcept;
  /// The connection that a thread was serving is free for others.
  void mark_unserved(Connection& connection);
  /// Lets the pool serve the connection when octets arrive, or at once if it has some already.
  void wait_for(Connection& connection, bool has_octets);
  /// The connection is finished.
  void forget(Connection& connection);

 private:
  Server(const Settings& settings, RequestHandler& handler, std::unique_ptr<reactor::Reactor> reactor);
  bool look_for_slow_upcalls();

  const Settings settings_;
  RequestHandler& handler_;
  std::unique_ptr<reactor::Reactor> reactor_;
  std::unique_ptr<reactor::ThreadPool> pool_;  // none in single mode
  Completions completions_;
  std::atomic<bool> started_{false};
  std::atomic<unsigned> sticky_{0};
  std::mutex mutex_;  // guards what follows
  Connection* live_ = nullptr;
  bool stopping_ = false;
};

}  // namespace corbel::connection
