// SPDX-License-Identifier: Apache-2.0
#include "corbel/reactor/reactor.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "corbel/ipc/os_error.hpp"

namespace corbel::reactor {
namespace {

using base::Code;
using base::Stage;

constexpr bool same(Events event, std::uint32_t native) {
  return static_cast<std::uint32_t>(event) == native;
}
static_assert(same(Events::readable, EPOLLIN) && same(Events::urgent, EPOLLPRI) && same(Events::writable, EPOLLOUT) &&
              same(Events::error, EPOLLERR) && same(Events::hangup, EPOLLHUP) && same(Events::peer_closed, EPOLLRDHUP));

std::uint32_t trigger_bits(Trigger trigger) noexcept {
  switch (trigger) {
    case Trigger::one_shot:
      return EPOLLONESHOT;
    case Trigger::edge:
      return EPOLLET;
    default:
      return 0;
  }
}

/// Milliseconds for epoll_wait, rounded up so that a timer is never looked at too early.
int milliseconds(base::Duration left) noexcept {
  if (left <= base::Duration::zero()) return 0;
  const auto rounded = std::chrono::ceil<std::chrono::milliseconds>(left).count();
  return static_cast<int>(std::min<std::int64_t>(rounded, std::numeric_limits<int>::max()));
}

int shorter(int a, int b) noexcept {
  if (a < 0) return b;
  if (b < 0) return a;
  return std::min(a, b);
}

}  // namespace

struct Reactor::Event : epoll_event {};

bool Reactor::Work::promotes() const noexcept {
  return handler == nullptr || handler->promotion_ == Promotion::before_dispatch;
}

void Reactor::Work::run() {
  if (handler != nullptr) {
    handler->on_event(events);
    handler.reset();
  } else {
    std::exchange(callback, {})();
  }
}

base::Result<std::unique_ptr<Reactor>> Reactor::create(const Clock& clock) {
  ipc::Handle epoll(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll) return ipc::last_failure(Stage::configure);
  ipc::Handle wakeup(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wakeup) return ipc::last_failure(Stage::configure);
  // Edge-triggered: every write wakes, and no thread has to read.
  epoll_event event{.events = EPOLLIN | EPOLLET, .data = {.ptr = nullptr}};
  if (::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, wakeup.get(), &event) != 0) return ipc::last_failure(Stage::configure);
  return std::unique_ptr<Reactor>(new Reactor(clock, std::move(epoll), std::move(wakeup)));
}

Reactor::Reactor(const Clock& clock, ipc::Handle epoll, ipc::Handle wakeup)
    : clock_(clock), epoll_(std::move(epoll)), wakeup_(std::move(wakeup)), events_(new Event[kBatch]) {
  posted_.reserve(kBatch);
  running_.reserve(kBatch);
}

/// What is registered in an epoll instance that two processes share is registered for both.
void Reactor::after_fork() noexcept {
  epoll_.reset();
  wakeup_.reset();
  guest_timer_.reset();
  stopped_ = true;
}

Reactor::~Reactor() {
  while (registered_ != nullptr) remove(*registered_);
  release_removed();
  // What these own may call us while it goes, so they go before the members do.
  const auto posted = std::exchange(posted_, {});
  const auto timers = std::exchange(timers_, {});
}

// --- events ---

base::Status Reactor::control(int operation, EventHandler& handler) noexcept {
  epoll_event event{.events = static_cast<std::uint32_t>(handler.interest_) | trigger_bits(handler.trigger_),
                    .data = {.ptr = &handler}};
  if (::epoll_ctl(epoll_.get(), operation, handler.handle_, &event) == 0) return {};
  const int os_error = errno;
  if (os_error == EPERM || os_error == EEXIST) return base::error(Stage::configure, Code::bad_argument, os_error);
  return ipc::failure(Stage::configure, os_error);
}

base::Status Reactor::add(base::IntrusivePtr<EventHandler> handler, int handle, Events interest, Trigger trigger,
                          Promotion promotion) noexcept {
  const std::lock_guard guard(handler->mutex_);
  if (handler->registered_) return base::error(Stage::configure, Code::bad_argument);
  handler->handle_ = handle;
  handler->interest_ = interest;
  handler->trigger_ = trigger;
  handler->promotion_ = promotion;
  handler->registered_ = true;  // before the first event can come
  if (auto status = control(EPOLL_CTL_ADD, *handler); !status) {
    handler->registered_ = false;
    return status;
  }
  const std::lock_guard list_guard(mutex_);
  handler->previous_ = nullptr;
  handler->next_ = registered_;
  if (registered_ != nullptr) registered_->previous_ = handler.get();
  registered_ = handler.get();
  handler->add_reference();  // the registration's
  return {};
}

base::Status Reactor::modify(EventHandler& handler, Events interest, Trigger trigger) noexcept {
  const std::lock_guard guard(handler.mutex_);
  if (!handler.registered_) return base::error(Stage::configure, Code::not_found);
  handler.interest_ = interest;
  handler.trigger_ = trigger;
  handler.registered_.store(true, std::memory_order_release);  // see rearm()
  return control(EPOLL_CTL_MOD, handler);
}

base::Status Reactor::rearm(EventHandler& handler) noexcept {
  const std::lock_guard guard(handler.mutex_);
  if (!handler.registered_) return base::error(Stage::configure, Code::not_found);
  // Whoever gets the next event sees what the caller did before; the memory model knows nothing of the kernel's order.
  handler.registered_.store(true, std::memory_order_release);
  return control(EPOLL_CTL_MOD, handler);
}

bool Reactor::has_edges(EventHandler& handler, Events interest) noexcept {
  const std::lock_guard guard(handler.mutex_);
  return handler.registered_ && handler.trigger_ == Trigger::edge && handler.interest_ == interest;
}

void Reactor::end_edges(EventHandler& handler) noexcept {
  const std::lock_guard guard(handler.mutex_);
  if (!handler.registered_ || handler.trigger_ != Trigger::edge) return;
  handler.interest_ = Events::none;
  handler.trigger_ = Trigger::one_shot;
  (void)control(EPOLL_CTL_MOD, handler);
}

void Reactor::remove(EventHandler& handler) noexcept {
  // Removal ends with the lock's release, which must not be the release of a dead handler's lock.
  const base::IntrusivePtr<EventHandler> keep(&handler);
  const std::lock_guard guard(handler.mutex_);
  if (!handler.registered_) return;
  (void)control(EPOLL_CTL_DEL, handler);
  handler.registered_ = false;
  handler.handle_ = -1;
  {
    const std::lock_guard list_guard(mutex_);
    (handler.previous_ != nullptr ? handler.previous_->next_ : registered_) = handler.next_;
    if (handler.next_ != nullptr) handler.next_->previous_ = handler.previous_;
    if (handler.awaits_release_) {  // removed and added again since the last wait: one reference waits already
      (void)handler.remove_reference();
      return;
    }
    handler.awaits_release_ = true;
    handler.next_removed_ = std::exchange(removed_, &handler);
    has_removed_ = true;
  }
  wake();
}

/// Removed handlers may still be named by the batch; once it is used up nothing names them. For the leader.
void Reactor::release_removed() noexcept {
  for (;;) {
    base::IntrusivePtr<EventHandler> handler;  // goes after the lock has gone
    const std::lock_guard guard(mutex_);
    if (removed_ == nullptr) {
      has_removed_ = false;
      return;
    }
    handler = base::IntrusivePtr<EventHandler>::adopt(std::exchange(removed_, removed_->next_removed_));
    handler->awaits_release_ = false;
  }
}

// --- timers and notification ---

TimerId Reactor::schedule(TimePoint when, Callback callback) {
  TimerId id;
  {
    const std::lock_guard guard(mutex_);
    id = timers_.schedule(when, std::move(callback));
    const std::int64_t earliest = timers_.earliest()->time_since_epoch().count();
    if (timer_next_ == earliest) return id;
    timer_next_ = earliest;
  }
  wake();
  return id;
}

TimerId Reactor::schedule_after(base::Duration delay, Callback callback) {
  return schedule(clock_.now() + delay, std::move(callback));
}

bool Reactor::cancel(TimerId id) {
  Callback cancelled;  // goes after the lock has gone
  const std::lock_guard guard(mutex_);
  cancelled = timers_.cancel(id);
  return static_cast<bool>(cancelled);
}

void Reactor::post(Callback callback) {
  post(Work{.handler = {}, .events = Events::none, .callback = std::move(callback)});
}

void Reactor::post(base::IntrusivePtr<EventHandler> handler, Events events) {
  post(Work{.handler = std::move(handler), .events = events, .callback = {}});
}

void Reactor::post(Work work) {
  {
    const std::lock_guard guard(mutex_);
    posted_.push_back(std::move(work));
    has_posted_ = true;
  }
  wake();
}

void Reactor::notify() noexcept {
  notified_ = true;
  wake();
}

void Reactor::stop() noexcept {
  stopped_ = true;
  wake();
}

/// To be called after something was published: costs a system call only if the leader waits and was not woken yet.
void Reactor::wake() noexcept {
  if (waiting_.exchange(false)) (void)::eventfd_write(wakeup_.get(), 1);
}

// --- the tick ---

void Reactor::set_tick(base::Duration interval, std::function<bool()> look) {
  tick_interval_ = interval;
  tick_look_ = std::move(look);
}

void Reactor::switch_tick_on() noexcept {
  if (!tick_on_.exchange(true)) wake();
}

void Reactor::run_tick() {
  if (!tick_running_ || clock_.now() < tick_next_) return;
  tick_running_ = false;
  // Off before the look, so that a start_tick() during it counts.
  tick_on_ = false;
  if (tick_look_()) tick_on_ = true;
}

// --- running it ---

/// How long epoll_wait may sleep. Looks at everything that other threads publish; waiting_ must be set.
int Reactor::wait_milliseconds(base::Deadline deadline) noexcept {
  if (has_posted_ || notified_) return 0;
  int timeout = deadline.poll_timeout();
  const std::int64_t timer_next = timer_next_;
  const bool tick_on = tick_on_;
  if (timer_next == kNever && !tick_on) {
    tick_running_ = false;
    return timeout;
  }
  const TimePoint now = clock_.now();
  if (tick_on) {
    if (!std::exchange(tick_running_, true)) tick_next_ = now + tick_interval_;
    timeout = shorter(timeout, milliseconds(tick_next_ - now));
  }
  if (timer_next != kNever) timeout = shorter(timeout, milliseconds(TimePoint(base::Duration(timer_next)) - now));
  return timeout;
}

base::Status Reactor::wait(base::Deadline deadline) {
  waiting_ = true;
  if (has_removed_) release_removed();
  if (stopped_) {
    waiting_ = false;
    return base::error(Stage::wait, Code::cancelled);
  }
  const int count = ::epoll_wait(epoll_.get(), events_.get(), kBatch, wait_milliseconds(deadline));
  const int os_error = errno;
  waiting_ = false;
  notified_ = false;
  if (count < 0 && os_error != EINTR) return ipc::failure(Stage::wait, os_error);
  begin_batch(count < 0 ? 0 : static_cast<std::size_t>(count));
  return {};
}

void Reactor::begin_batch(std::size_t events) {
  event_next_ = 0;
  event_count_ = events;
  if (has_posted_) {
    const std::lock_guard guard(mutex_);
    running_.clear();
    running_next_ = 0;
    running_.swap(posted_);
    has_posted_ = false;
  }
  if (const std::int64_t timer_next = timer_next_; timer_next != kNever) {
    batch_time_ = clock_.now();
    if (batch_time_.time_since_epoch().count() >= timer_next) {
      const std::lock_guard guard(mutex_);
      batch_sequence_ = timers_.next_sequence();
      timers_due_ = true;
    }
  }
  run_tick();
}

bool Reactor::next(Work& work) {
  while (event_next_ < event_count_) {
    const Event& event = events_[event_next_++];
    auto* handler = static_cast<EventHandler*>(event.data.ptr);
    if (handler == nullptr || !handler->registered_.load(std::memory_order_acquire)) continue;
    work.handler = base::IntrusivePtr<EventHandler>(handler);
    work.events = static_cast<Events>(event.events);
    return true;
  }
  if (running_next_ < running_.size()) {
    work = std::exchange(running_[running_next_++], {});
    return true;
  }
  return timers_due_ && next_timer(work);
}

bool Reactor::next_timer(Work& work) {
  const std::lock_guard guard(mutex_);
  auto due = timers_.pop_due(batch_time_, batch_sequence_);
  const bool found = due.has_value();
  if (found) {
    work.callback = *std::move(due);
  } else {
    timers_due_ = false;
  }
  const auto earliest = timers_.earliest();
  timer_next_ = earliest ? earliest->time_since_epoch().count() : kNever;
  return found;
}

base::Result<std::size_t> Reactor::run_once(base::Deadline deadline, std::size_t most) {
  if (stopped_) return base::error(Stage::wait, Code::cancelled);
  Work work;
  std::size_t dispatched = 0;
  bool found = most != 0 && next(work);
  if (!found && most != 0) {
    CORBEL_CHECK(wait(deadline));
    found = next(work);
  }
  while (found) {
    work.run();
    found = ++dispatched < most && !stopped_ && next(work);
  }
  if (guest_timer_) arm();
  return dispatched;
}

void Reactor::run() {
  while (run_once()) {
  }
}

/// True if something of the batch is left.
bool Reactor::has_batch() const noexcept {
  return std::any_of(events_.get() + event_next_, events_.get() + event_count_,
                     [](const Event& event) { return event.data.ptr != nullptr; }) ||
         running_next_ < running_.size() || (timers_due_ && timer_next_ <= batch_time_.time_since_epoch().count());
}

bool Reactor::work_pending() {
  if (stopped_) return false;
  const bool pending = has_batch() || (wait(base::Deadline::now()).ok() && has_batch());
  if (guest_timer_) arm();
  return pending;
}

}  // namespace corbel::reactor
