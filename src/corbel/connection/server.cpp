// SPDX-License-Identifier: Apache-2.0
#include "corbel/connection/server.hpp"

#include <algorithm>
#include <utility>

namespace corbel::connection {
namespace {

constexpr base::Duration kShakesHands = std::chrono::milliseconds(500);  // longest, when the end has begun
constexpr base::Duration kLastMoment = std::chrono::milliseconds(100);   // for those that were cut to notice

/// 0: the one thread that there is.
std::uint32_t most_hand_shakes(const Server::Settings& settings) noexcept {
  if (settings.serving.concurrency == policy::Concurrency::single) return 0;
  return settings.limits.hand_shakes != 0 ? settings.limits.hand_shakes : HandShakes::usual_most();
}

}  // namespace

base::Result<std::unique_ptr<Server>> Server::create(const Settings& settings, RequestHandler& handler) {
  CORBEL_TRY(auto reactor, reactor::Reactor::create());
  return std::unique_ptr<Server>(new Server(settings, handler, std::move(reactor)));
}

Server::Server(const Settings& settings, RequestHandler& handler, std::unique_ptr<reactor::Reactor> reactor)
    : settings_(settings),
      handler_(&handler),
      reply_memory_(settings.limits.reply_memory),
      own_input_memory_(settings.limits.input_memory),
      input_memory_(settings.input_memory != nullptr ? *settings.input_memory : own_input_memory_),
      accepted_(accepted(settings_, input_memory_)),
      reactor_(std::move(reactor)),
      lead_(*reactor_),
      completions_(*reactor_, settings.serving.concurrency != policy::Concurrency::single, log()),
      short_requests_(settings.expects_short && settings.serving.concurrency != policy::Concurrency::single
                          ? settings.serving.slow_upcall / ShortRequests::kPart
                          : base::Duration()),
      admission_(settings.limits.connections, settings.limits.connections_of_host),
      hand_shakes_(
          *reactor_, most_hand_shakes(settings_), [this] { return shake_next(); }, log()) {
  if (settings_.serving.concurrency != policy::Concurrency::single) {
    reactor_->set_tick(settings_.serving.slow_upcall, [this] { return look_for_slow_upcalls(); });
    reactor::ThreadPoolOptions options;
    options.max_threads = settings_.serving.threads;
    options.stack_size = settings_.stack_size;
    options.log = settings_.connection.log;
    pool_ = std::make_unique<reactor::ThreadPool>(*reactor_, options);
  }
  input_memory_.join(*this);  // last, for it does not leave if something fails here
}

Server::~Server() {
  (void)stop(true);
  input_memory_.leave(*this, true);
}

base::Status Server::start() {
  if (!pool_ || started_.load(std::memory_order_acquire)) return {};
  const std::lock_guard lock(starting_);  // who comes second hears whether it has started
  if (started_) return {};
  CORBEL_CHECK(pool_->start());
  started_ = true;
  return {};
}

void Server::run() {
  loops_.fetch_add(1);
  if (pool_) {
    // The threads of the pool serve. This one only waits, so that it returns at the end even if a servant does not.
    start() ? (void)pool_->wait_until([] { return false; }) : pool_->run();
  } else {
    lead_.lead([this] { reactor_->run(); });
  }
  loops_.fetch_sub(1);
}

bool Server::run_until(base::FunctionRef<bool()> done) {
  loops_.fetch_add(1);
  bool is_done = false;
  if (pool_) {
    is_done = (start() ? pool_->wait_until(done) : pool_->join_until(done)).ok();
  } else {
    lead_.lead([this] { reactor_->run(); });
  }
  loops_.fetch_sub(1);
  return is_done;
}

void Server::call_runner(std::function<void()> work) {
  if (pool_) {
    pool_->call_away();
  } else {
    reactor_->post(std::move(work));
  }
}

bool Server::work_pending() {
  bool pending = false;
  const auto look = [&] { pending = reactor_->work_pending(); };
  if (pool_) {
    (void)pool_->try_lead(look);
  } else {
    (void)lead_.try_lead(look);
  }
  return pending;
}

std::size_t Server::perform_work(std::size_t most, base::Deadline until) {
  std::size_t done = 0;
  loops_.fetch_add(1);
  if (pool_) {
    pool_->try_work();
  } else {
    (void)lead_.try_lead([&] {
      if (const auto ran = reactor_->run_once(until, most)) done = *ran;
    });
  }
  loops_.fetch_sub(1);
  return done;
}

base::Result<int> Server::pollable() {
  if (pool_) return base::error(base::Stage::configure, base::Code::bad_argument);
  base::Result<int> handle = base::error(base::Stage::configure, base::Code::cancelled);
  (void)lead_.try_lead([&] { handle = reactor_->pollable(); });
  return handle;
}

void Server::forget(Connection& connection) {
  reactor_->remove(connection);
  if (connection.owes_answers()) handler_->on_end(connection);
  bool last = false;
  {
    const std::lock_guard lock(mutex_);
    if (connection.live.place == Place::none) return;
    put(connection, Place::none, 0);
    if (connection.live.turn != nullptr) turns_.remove(*connection.live.turn);
    if (takes_no_place(connection)) {
      --own_;
    } else {
      admission_.went(std::exchange(connection.live.host, {}));
    }
    last = draining_ && live_.count() == 0;
    if (last || awaiting_ != 0) ended_.notify_all();
    last = last && stopping_;
  }
  (void)ConnectionPtr::adopt(&connection);
  if (last) stop_threads();
}

/// The tick, on the leader: short. False when nothing is being served, so that an idle server sleeps.
bool Server::look_for_slow_upcalls() {
  bool served = completions_.look();
  std::vector<ConnectionPtr> slow;
  {
    const std::lock_guard lock(mutex_);
    for (Connection* each = live_.oldest(Place::served); each != nullptr; each = LiveConnections::next(*each)) {
      served = true;
      if (each->in_same_upcall() && !keep(slow, *each)) break;
    }
  }
  for (const auto& connection : slow) connection->hand_over_slow_upcall();
  return served;
}

// --- the end ---

/// With the mutex: asks `found` about each until it says yes; false if it never does.
bool Server::any_live(base::FunctionRef<bool(Connection&)> found) {
  for (const Place place : {Place::served, Place::idle, Place::half, Place::sending}) {
    for (Connection* each = live_.oldest(place); each != nullptr; each = LiveConnections::next(*each)) {
      if (found(*each)) return true;
    }
  }
  return false;
}

std::vector<ConnectionPtr> Server::all_live() {
  std::vector<ConnectionPtr> all;
  const std::lock_guard lock(mutex_);
  (void)any_live([&](Connection& each) {
    all.emplace_back(&each);
    return false;
  });
  return all;
}

/// Without memory for all of them one is looked for after the other.
void Server::with_all(base::FunctionRef<void(Connection&)> action) {
  std::vector<ConnectionPtr> all;
  try {
    all = all_live();
  } catch (const std::bad_alloc&) {
    with_each(action);
  }
  for (const auto& each : all) action(*each);
}

void Server::with_each(base::FunctionRef<void(Connection&)> action) {
  std::unique_lock lock(mutex_);
  const std::uint64_t walk = ++walks_;
  for (ConnectionPtr next; any_live([&](Connection& each) {
         if (each.live.walk >= walk) return false;
         each.live.walk = walk;
         next = ConnectionPtr(&each);
         return true;
       });
       next = {}) {
    lock.unlock();
    action(*next);
    lock.lock();
  }
}

void Server::drain() {
  drain(false);
}

void Server::drain(bool all) {
  {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(draining_, true)) shakes_until_ = base::Deadline::clock_now() + kShakesHands.count();
    hurried_.store(true, std::memory_order_relaxed);
    look_after(send_timeout(), base::Deadline::clock_now());
  }
  // What ends connections must not wait for requests that do not return.
  if (pool_) pool_->lead_always();
  with_all([all](Connection& each) { all || !each.is_opened_here() ? each.drain() : each.begin_no_more(); });
}

bool Server::drain(base::FunctionRef<bool(const Connection&)> which, base::Deadline deadline) {
  with_all([&](Connection& each) {
    if (which(each)) each.drain();
  });
  const auto none_left = [&] { return !any_live([&](Connection& one) { return which(one); }); };
  {
    const std::lock_guard lock(mutex_);
    ++awaiting_;
  }
  const bool ended = await(none_left, deadline);
  const std::lock_guard lock(mutex_);
  --awaiting_;
  return ended;
}

bool Server::stop(bool wait) {
  const base::Duration longest = settings_.shutdown_timeout;
  return stop(wait, longest > base::Duration::zero() ? base::Deadline::after(longest) : base::Deadline::none());
}

bool Server::stop(bool wait, base::Deadline deadline) {
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    first = !std::exchange(stopping_, true);
  }
  // Before anything that could take its time.
  if (first && !deadline.is_none()) try {
      reactor_->schedule_after(deadline.remaining(), [this] { cut_all(); });
    } catch (const std::bad_alloc&) {  // then who waits for the end cuts them
    }
  drain(true);
  bool empty = false;
  {
    const std::lock_guard lock(mutex_);
    empty = live_.count() == 0;
  }
  if (empty) stop_threads();
  if (!wait) return empty;
  bool ended = await([this] { return live_.count() == 0; }, deadline);
  if (!ended) cut_all();
  const auto last = deadline.expired() ? base::Deadline::after(kLastMoment) : deadline;
  if (pool_) ended = pool_->join(last) && ended;
  // A program may end without destroying the server: no thread of its is left to run into that. Nothing depends on a
  // hand-shake that still takes its time.
  ended = readers_.join(last) && ended;
  (void)hand_shakes_.join(base::Deadline::after(kLastMoment));
  return ended;
}

/// Waits until `ended`, which is asked with the mutex. Where no other thread runs the reactor, the calling thread does.
bool Server::await(base::FunctionRef<bool()> ended, base::Deadline deadline) {
  std::unique_lock lock(mutex_);
  while (!ended()) {
    if (deadline.expired()) return false;
    const auto until = earlier(deadline, base::Deadline::after(kLastMoment));
    if (!pool_ && (loops_.load() == 0 || lead_.mine())) {
      lock.unlock();
      const bool led = lead_.try_lead([&] { (void)reactor_->run_once(until); });
      lock.lock();
      if (!led && !ended()) ended_.wait_for(lock, until.remaining());
    } else if (!pool_) {
      ended_.wait_for(lock, until.remaining());  // who runs it may leave it
    } else if (deadline.is_none()) {
      ended_.wait(lock);
    } else {
      ended_.wait_for(lock, deadline.remaining());
    }
  }
  return true;
}

/// Cuts all connections: nothing that is still under way gets to its end.
void Server::cut_all() {
  std::size_t left = 0;
  std::uint32_t running = 0;
  {
    const std::lock_guard lock(mutex_);
    left = live_.count();
    (void)any_live([&](Connection& each) {
      running += each.under_way();
      return false;
    });
  }
  if (left != 0) {
    CORBEL_LOG(log(), server, warning, "shutting down took too long: what still runs is left", {"connections", left},
               {"requests", running}, {"limit", "-ORBShutdownTimeout"});
  }
  with_all([](Connection& each) {
    // CloseConnection would tell the peer that nothing runs.
    if (each.under_way() == 0) each.close();
    each.cut(base::error(base::Stage::wait, base::Code::cancelled));
  });
  stop_threads();
}

void Server::stop_threads() {
  hand_shakes_.end();
  if (pool_) {
    pool_->stop();
  } else {
    reactor_->stop();
    lead_.wake();
  }
}

}  // namespace corbel::connection
