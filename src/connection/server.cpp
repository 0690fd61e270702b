// SPDX-License-Identifier: Apache-2.0
#include "connection/server.hpp"

#include <utility>

namespace corbel::connection {

base::Result<std::unique_ptr<Server>> Server::create(const Settings& settings, RequestHandler& handler) {
  CORBEL_TRY(auto reactor, reactor::Reactor::create());
  return std::unique_ptr<Server>(new Server(settings, handler, std::move(reactor)));
}

Server::Server(const Settings& settings, RequestHandler& handler, std::unique_ptr<reactor::Reactor> reactor)
    : settings_(settings),
      handler_(handler),
      reactor_(std::move(reactor)),
      completions_(*reactor_, settings.serving.concurrency != policy::Concurrency::single) {
  if (settings_.serving.concurrency == policy::Concurrency::single) return;
  reactor_->set_tick(settings_.slow_upcall, [this] { return look_for_slow_upcalls(); });
  reactor::ThreadPoolOptions options;
  // Threads kept by connections do not count: somebody must be left to serve the others.
  options.max_threads = settings_.serving.threads + settings_.serving.sticky_connections;
  pool_ = std::make_unique<reactor::ThreadPool>(*reactor_, options);
}

Server::~Server() {
  stop(true);
}

base::Status Server::start() {
  if (!pool_ || started_.exchange(true)) return {};
  auto status = pool_->start();
  if (!status) started_ = false;
  return status;
}

void Server::run() {
  if (pool_) {
    pool_->run();
  } else {
    reactor_->run();
  }
}

bool Server::work_pending() {
  bool pending = false;
  const auto look = [&] { pending = reactor_->work_pending(); };
  if (pool_) {
    (void)pool_->try_lead(look);
  } else {
    look();
  }
  return pending;
}

void Server::perform_work() {
  if (pool_) {
    pool_->try_work();
  } else {
    (void)reactor_->run_once(base::Deadline::now());
  }
}

void Server::adopt(std::unique_ptr<transport::Transport> transport,
                   std::shared_ptr<const messaging::Protocol> protocol) {
  const bool negotiates = protocol->has_service_contexts();
  ConnectionPtr connection(new Connection(std::move(transport), std::move(protocol), settings_.connection));
  // Wide characters have to be negotiated (CORBA 3.3 part 2, 7.10.2.6), except where both ends are Corbel.
  if (!negotiates) connection->set_code_sets(cdr::CodeSet::utf_8, cdr::CodeSet::utf_16);
  connection->set_server(this);
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return;
    connection->add_reference();  // the list's; forget() gives it back
    connection->listed = true;
    connection->next_live = live_;
    if (live_ != nullptr) live_->previous_live = connection.get();
    live_ = connection.get();
  }
  const int handle = connection->transport().handle();
  if (!reactor_->add(connection, handle, reactor::Events::readable, reactor::Trigger::one_shot)) forget(*connection);
}

void Server::forget(Connection& connection) {
  reactor_->remove(connection);
  {
    const std::lock_guard lock(mutex_);
    if (!connection.listed) return;
    connection.listed = false;
    (connection.previous_live != nullptr ? connection.previous_live->next_live : live_) = connection.next_live;
    if (connection.next_live != nullptr) connection.next_live->previous_live = connection.previous_live;
  }
  (void)ConnectionPtr::adopt(&connection);
}

bool Server::begin_serving(Connection& connection) {
  {
    const std::lock_guard lock(mutex_);
    connection.being_served = true;
  }
  if (settings_.serving.concurrency != policy::Concurrency::single) reactor_->start_tick();
  if (settings_.serving.concurrency != policy::Concurrency::adaptive) return false;
  if (sticky_.fetch_add(1, std::memory_order_relaxed) < settings_.serving.sticky_connections) return true;
  sticky_.fetch_sub(1, std::memory_order_relaxed);
  return false;
}

void Server::end_serving(Connection& connection, bool sticky) {
  release_sticky(sticky);
  mark_unserved(connection);
}

void Server::release_sticky(bool sticky) noexcept {
  if (sticky) sticky_.fetch_sub(1, std::memory_order_relaxed);
}

void Server::mark_unserved(Connection& connection) {
  const std::lock_guard lock(mutex_);
  connection.being_served = false;
}

void Server::wait_for(Connection& connection, bool has_octets) {
  if (has_octets) {
    reactor_->post([self = ConnectionPtr(&connection)] { self->on_event(reactor::Events::readable); });
  } else if (!reactor_->rearm(connection)) {
    forget(connection);
  }
}

/// The tick, on the leader: short. False when nothing is being served, so that an idle server sleeps.
bool Server::look_for_slow_upcalls() {
  bool served = completions_.look();
  std::vector<ConnectionPtr> slow;
  {
    const std::lock_guard lock(mutex_);
    for (Connection* connection = live_; connection != nullptr; connection = connection->next_live) {
      if (!connection->being_served) continue;
      served = true;
      if (connection->in_same_upcall()) slow.emplace_back(connection);
    }
  }
  for (const auto& connection : slow) connection->hand_over_slow_upcall();
  return served;
}

void Server::stop(bool wait) {
  std::vector<ConnectionPtr> connections;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    for (Connection* connection = live_; connection != nullptr; connection = connection->next_live) {
      connections.emplace_back(connection);
    }
  }
  for (const auto& connection : connections) {
    connection->close();
    forget(*connection);
  }
  if (pool_) {
    pool_->stop();
    if (wait) pool_->join();
  } else {
    reactor_->stop();
  }
}

}  // namespace corbel::connection
