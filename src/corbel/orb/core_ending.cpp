// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/core.hpp"
#include "corbel/orb/hooks.hpp"

namespace corbel::orb {
namespace {

constexpr base::Duration kLastFlush = std::chrono::milliseconds(500);  // at the end, for oneways that were kept back

// At the end, for other threads that are just answering a request.
constexpr base::Duration kLastAnswers = std::chrono::seconds(5);

}  // namespace

/// Called while objects of this process can still be called: reply handlers usually are such objects. False if some of
/// them still run at the deadline.
bool Core::cancel_async(bool wait, base::Deadline deadline) {
  auto cancelled = cache_.cancel_async();
  server().completions().run(cancelled);
  face_.calls_ended();
  return !wait || server().completions().settle(deadline);
}

/// Closes what this ORB has opened. Peers that read take what was kept back; others are not waited for.
void Core::end_client_side(base::Deadline deadline) {
  (void)cache_.flush_oneways(earlier(deadline, base::Deadline::after(kLastFlush)));
  cache_.close();
  for (const auto& lane : lanes_) lane->server().end_calls();
}

/// Requests that wait for their answers run. At the deadline the ORB gives them an answer, so that nothing of it is
/// used after its end. False if something else still runs then.
bool Core::end_adapter(bool wait, base::Deadline deadline) {
  ObjectAdapter* const adapter = this->adapter();
  const bool ended = adapter == nullptr || adapter->shutdown(wait, deadline);
  if (!wait || (ended && deferrals_.count() == 0)) return ended;
  const std::size_t left = deferrals_.count();
  if (left != 0) {
    CORBEL_LOG(log_, orb, warning, "requests that nobody has answered are answered by the end", {"requests", left},
               {"limit", "-ORBShutdownTimeout"});
  }
  const bool answered = deferrals_.end_all(base::Deadline::after(kLastAnswers));
  return (ended || adapter->shutdown(wait, deadline)) && answered;
}

void Core::shutdown(bool wait) {
  end(wait, false);
}

void Core::destroy() {
  destroyed_.store(true, std::memory_order_release);
  end(true, true);
}

/// What interceptors do at their end may call other objects, as long as the client side is there; no hook sees that,
/// nor other calls from now on. They cannot wait for the end that waits for them.
void Core::close_hooks() noexcept {
  edges_.set(Edges::kHooks, false);
  if (hooks_ == nullptr) return;
  const AtEdge at_edge(*this);
  hooks_->close();
}

/// `hooks`: they end, too.
void Core::end(bool wait, bool hooks) {
  if (left_behind()) {
    shutting_down_ = shut_down_ = true;
    calls_async_ = false;
    cache_.close();
    if (hooks) close_hooks();
    return face_.calls_ended();
  }
  // All waits together, in whichever call they are, have one time, which begins with the first of them.
  const base::Duration longest = options_.timeouts.shutdown;
  if (longest != base::Duration::zero()) {
    base::Deadline unset = base::Deadline::none();
    (void)end_by_.compare_exchange_strong(unset, base::Deadline::after(longest));
  }
  const base::Deadline deadline = end_deadline();
  // A handler that forwards requests needs its calls and connections until the last request has been answered.
  const bool forwards = requests_ != nullptr;
  const bool was_shutting_down = shutting_down_.exchange(true);
  calls_async_ = false;
  bool ended = was_shutting_down || forwards || cancel_async(wait, deadline);
  serves_ = false;
  const bool again = shut_down_.exchange(true);
  if (again && !wait) return;  // the first may not have waited
  if (!again) {
    CORBEL_LOG(log_, orb, info, "shutting down", {"wait", wait});
    // First: clients that are told that this is the end try again at once, and nobody is to be listening for them then.
    for (const auto& lane : lanes_) lane->close();
    for (const auto& lane : lanes_) lane->server().drain();
    main_thread_.close();
  }
  const bool none_runs = end_adapter(wait, deadline);
  ended = none_runs && ended;
  if (hooks && !forwards) close_hooks();
  // CORBA 3.3 part 1, 8.2.4: until they end, requests that still run may call others. Who waits for them ends that.
  if (!forwards && (wait || none_runs)) end_client_side(deadline);
  if (!forwards) server().completions().close();
  for (const auto& lane : lanes_) (void)lane->server().stop(false, deadline);
  for (const auto& lane : lanes_) {
    if (wait) ended = lane->server().stop(true, deadline) && ended;
  }
  if (wait && forwards) {
    if (hooks) close_hooks();
    server().completions().close();  // no thread is left for that
    ended = cancel_async(true, deadline) && ended;
    end_client_side(deadline);
  }
  if (!wait) return;
  (void)searches_.wait(earlier(deadline, base::Deadline::after(kLastFlush)));
  watchers_->end();
  left_running_.store(!ended, std::memory_order_release);
  if (told_end_.exchange(true)) return;
  if (ended) {
    CORBEL_LOG(log_, orb, info, "shut down");
  } else {
    CORBEL_LOG(log_, orb, error, "shut down while requests still run", {"limit", "-ORBShutdownTimeout"});
  }
}

}  // namespace corbel::orb
