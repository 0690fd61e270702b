// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/searches.hpp"

#include <thread>
#include <utility>

namespace corbel::orb {

using base::Deadline;

namespace {

constexpr unsigned kMost = 64;

template <class Done>
bool wait_until(std::condition_variable& changed, std::unique_lock<std::mutex>& lock, Deadline deadline, Done done) {
  while (!done()) {
    if (deadline.expired()) return false;
    if (deadline.is_none()) {
      changed.wait(lock);
    } else {
      changed.wait_for(lock, deadline.remaining());
    }
  }
  return true;
}

}  // namespace

bool Searches::Search::wait_a_moment(Deadline deadline) {
  std::unique_lock lock(mutex_);
  if (!wait_until(changed_, lock, earlier(patience_, deadline), [this] { return over_.load(); })) return false;
  if (failure_ != nullptr) std::rethrow_exception(failure_);
  return true;
}

void Searches::Search::run(const std::function<void()>& find) noexcept {
  std::exception_ptr failure;
  try {
    find();
  } catch (...) {
    failure = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  failure_ = std::move(failure);
  over_ = true;
  changed_.notify_all();
}

Searches::SearchPtr Searches::start(std::function<void()> find) {
  auto search = std::make_shared<Search>();
  {
    const std::lock_guard lock(shared_->mutex);
    if (shared_->under_way >= kMost) return nullptr;
    ++shared_->under_way;
  }
  const auto end = [](Shared& shared) {
    const std::lock_guard lock(shared.mutex);
    --shared.under_way;
    shared.changed.notify_all();
  };
  try {
    std::thread([shared = shared_, search, end, find = std::move(find)]() mutable {
      search->run(find);
      end(*shared);
      find = nullptr;  // perhaps the last reference to the ORB, whose end waits for searches
    }).detach();
  } catch (const std::exception& failure) {  // no more threads or memory
    end(*shared_);
    CORBEL_LOG(log_, client, warning, "a thread could not be started", {"wanted_for", "a connection for oneways"},
               {"error", failure.what()});
    return nullptr;
  }
  return search;
}

bool Searches::wait(Deadline deadline) noexcept {
  std::unique_lock lock(shared_->mutex);
  return wait_until(shared_->changed, lock, deadline, [this] { return shared_->under_way == 0; });
}

}  // namespace corbel::orb
