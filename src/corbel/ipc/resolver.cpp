// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/resolver.hpp"

#include <condition_variable>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "corbel/base/cancellation.hpp"

namespace corbel::ipc {

using base::Code;
using base::Deadline;
using base::Stage;

struct Resolver::Job {
  const std::int64_t begun = Deadline::clock_now();
  std::optional<std::int64_t> given_up;  // when a caller last went without an answer
  unsigned waiting = 0;                  // callers
  std::optional<base::Result<std::vector<InetAddress>>> result;
};

/// Shared with the threads, which may outlive the resolver.
struct Resolver::State {
  State(Lookup with, ResolverLimits at_most) : lookup(std::move(with)), limits(at_most) {}

  const Lookup lookup;
  const ResolverLimits limits;
  std::mutex mutex;  // guards what follows
  std::condition_variable changed;
  std::map<std::string, std::shared_ptr<Job>, std::less<>> under_way;

  bool slow(const Job& job, std::int64_t now) const { return now - job.begun >= limits.patience.count(); }
  /// Others wait, and it has just been seen that this takes long.
  bool hopeless(const Job& job, std::int64_t now) const {
    return job.waiting != 0 && slow(job, now) && job.given_up && now - *job.given_up < limits.memory.count();
  }

  /// Until when there is no room for another lookup, if nothing changes; now() if there is.
  Deadline full_until() const {
    if (under_way.size() >= limits.threads) return Deadline::none();
    const std::int64_t now = Deadline::clock_now();
    unsigned prompt = 0;
    Deadline until = Deadline::none();
    for (const auto& [host, job] : under_way) {
      if (job->waiting == 0 || slow(*job, now)) continue;
      ++prompt;
      until = earlier(until, Deadline::after(limits.patience, job->begun));
    }
    return prompt < limits.prompt ? Deadline::now() : until;
  }

  std::shared_ptr<Job> find(std::string_view host) const {
    const auto found = under_way.find(host);
    return found != under_way.end() ? found->second : nullptr;
  }

  static void run(const std::shared_ptr<State>& state, const std::string& host) {
    auto result = [&]() -> base::Result<std::vector<InetAddress>> {
      try {
        return state->lookup(host, 0);
      } catch (const std::bad_alloc&) {
        return base::error(Stage::resolve, Code::out_of_resources, ENOMEM);
      }
    }();
    const std::lock_guard lock(state->mutex);
    state->under_way.extract(host).mapped()->result = std::move(result);
    state->changed.notify_all();
  }

  /// With the mutex of `state`.
  static base::Result<std::shared_ptr<Job>> begin(const std::shared_ptr<State>& state, const std::string& host) {
    auto job = std::make_shared<Job>();
    state->under_way.emplace(host, job);
    try {
      std::thread([state, host] { run(state, host); }).detach();
      return job;
    } catch (const std::system_error& failure) {
      state->under_way.erase(host);
      return base::error(Stage::resolve, Code::out_of_resources, failure.code().value());
    } catch (const std::bad_alloc&) {
      state->under_way.erase(host);
      return base::error(Stage::resolve, Code::out_of_resources, ENOMEM);
    }
  }
};

/// A caller that waits for a lookup; made and gone with the mutex.
class Resolver::Wait {
 public:
  Wait(State& state, Job& job) noexcept : state_(state), job_(job) { ++job_.waiting; }
  ~Wait() {
    if (--job_.waiting == 0 && !job_.result) state_.changed.notify_all();  // there may be room
  }
  Wait(const Wait&) = delete;
  Wait& operator=(const Wait&) = delete;

  /// False if the deadline passed first, or it was cancelled.
  bool until(std::unique_lock<std::mutex>& lock, Deadline deadline, const base::Cancellation::Wait& waiting) {
    while (!job_.result) {
      if (waiting.cancelled()) return false;
      if (deadline.expired()) {
        job_.given_up = Deadline::clock_now();
        return false;
      }
      state_.changed.wait_for(lock, deadline.remaining());
    }
    return true;
  }

 private:
  State& state_;
  Job& job_;
};

Resolver::Resolver(Lookup lookup, ResolverLimits limits) : state_(std::make_shared<State>(std::move(lookup), limits)) {}

Resolver::~Resolver() = default;

/// The parent's threads, and perhaps a lock that one of them holds, stay what they are.
void Resolver::after_fork() noexcept {
  auto fresh = std::make_shared<State>(state_->lookup, state_->limits);
  state_.swap(fresh);
  (void)new (std::nothrow) std::shared_ptr<State>(std::move(fresh));  // never given back
}

unsigned Resolver::threads() const {
  const std::lock_guard lock(state_->mutex);
  return static_cast<unsigned>(state_->under_way.size());
}

unsigned Resolver::callers(std::string_view host) const {
  const std::lock_guard lock(state_->mutex);
  const auto job = state_->find(host);
  return job != nullptr ? job->waiting : 0;
}

base::Result<std::vector<InetAddress>> Resolver::resolve(std::string_view host, std::uint16_t port, Deadline deadline) {
  if (auto numeric = InetAddress::parse(host, port)) return std::vector{*numeric};
  const auto state = state_;
  if (deadline.is_none()) return state->lookup(host, port);
  const base::Error late = base::error(Stage::resolve, Code::timed_out);
  const auto wake = [](void* waits) noexcept {
    State& waited_for = *static_cast<State*>(waits);
    const std::lock_guard seen(waited_for.mutex);
    waited_for.changed.notify_all();
  };
  const base::Cancellation::Wait waiting(wake, state.get());
  std::unique_lock lock(state->mutex);
  const std::string name(host);
  std::shared_ptr<Job> job = state->find(name);
  for (; job == nullptr; job = state->find(name)) {
    const Deadline full = state->full_until();
    if (full.expired()) {
      CORBEL_TRY(job, State::begin(state, name));
      break;
    }
    if (deadline.expired() || waiting.cancelled()) return late;
    const Deadline next = earlier(full, deadline);
    state->changed.wait_for(lock, next.remaining());
  }
  if (state->hopeless(*job, Deadline::clock_now())) return late;
  if (!Wait(*state, *job).until(lock, deadline, waiting)) return late;
  if (!*job->result) return job->result->error();
  std::vector<InetAddress> addresses = **job->result;
  for (InetAddress& address : addresses) address = address.with_port(port);
  return addresses;
}

}  // namespace corbel::ipc
