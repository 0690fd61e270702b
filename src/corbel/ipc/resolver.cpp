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

namespace corbel::ipc {

using base::Code;
using base::Deadline;
using base::Stage;

struct Resolver::Job {
  std::optional<base::Result<std::vector<InetAddress>>> result;
};

/// Shared with the threads, which may outlive the resolver.
struct Resolver::State {
  State(Lookup with, unsigned limit) : lookup(std::move(with)), max_threads(limit) {}

  const Lookup lookup;
  const unsigned max_threads;
  std::mutex mutex;  // guards what follows
  std::condition_variable changed;
  std::map<std::string, std::shared_ptr<Job>, std::less<>> under_way;

  static void run(const std::shared_ptr<State>& state, const std::string& host) {
    auto result = [&]() -> base::Result<std::vector<InetAddress>> {
      try {
        return state->lookup(host, 0);
      } catch (const std::bad_alloc&) {
        return base::error(Stage::resolve, Code::out_of_resources);
      }
    }();
    const std::lock_guard lock(state->mutex);
    state->under_way.extract(host).mapped()->result = std::move(result);
    state->changed.notify_all();
  }
};

namespace {

/// Waits until `done`; false if the deadline passed first.
template <class Done>
bool wait_until(std::condition_variable& changed, std::unique_lock<std::mutex>& lock, Deadline deadline, Done done) {
  while (!done()) {
    if (deadline.expired()) return false;
    changed.wait_for(lock, deadline.remaining());
  }
  return true;
}

}  // namespace

Resolver::Resolver(Lookup lookup, unsigned max_threads)
    : state_(std::make_shared<State>(std::move(lookup), max_threads)) {}

Resolver::~Resolver() = default;

/// The parent's threads, and perhaps a lock that one of them holds, stay what they are.
void Resolver::after_fork() noexcept {
  auto fresh = std::make_shared<State>(state_->lookup, state_->max_threads);
  state_.swap(fresh);
  (void)new (std::nothrow) std::shared_ptr<State>(std::move(fresh));  // never given back
}

unsigned Resolver::threads() const {
  const std::lock_guard lock(state_->mutex);
  return static_cast<unsigned>(state_->under_way.size());
}

base::Result<std::vector<InetAddress>> Resolver::resolve(std::string_view host, std::uint16_t port, Deadline deadline) {
  if (auto numeric = InetAddress::parse(host, port)) return std::vector{*numeric};
  const auto state = state_;
  if (deadline.is_none()) return state->lookup(host, port);
  const base::Error late = base::error(Stage::resolve, Code::timed_out);
  std::unique_lock lock(state->mutex);
  const std::string name(host);
  std::shared_ptr<Job> job;
  const auto found_or_room = [&] {
    const auto found = state->under_way.find(name);
    if (found != state->under_way.end()) job = found->second;
    return job != nullptr || state->under_way.size() < state->max_threads;
  };
  if (!wait_until(state->changed, lock, deadline, found_or_room)) return late;
  if (job == nullptr) {
    job = std::make_shared<Job>();
    state->under_way.emplace(name, job);
    try {
      std::thread([state, name] { State::run(state, name); }).detach();
    } catch (const std::system_error& failure) {
      state->under_way.erase(name);
      return base::error(Stage::resolve, Code::out_of_resources, failure.code().value());
    } catch (const std::bad_alloc&) {
      state->under_way.erase(name);
      return base::error(Stage::resolve, Code::out_of_resources);
    }
  }
  if (!wait_until(state->changed, lock, deadline, [&] { return job->result.has_value(); })) return late;
  if (!*job->result) return job->result->error();
  std::vector<InetAddress> addresses = **job->result;
  for (InetAddress& address : addresses) address = address.with_port(port);
  return addresses;
}

}  // namespace corbel::ipc
