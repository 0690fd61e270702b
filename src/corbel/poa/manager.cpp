// SPDX-License-Identifier: Apache-2.0
#include "corbel/poa/manager.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "corbel/base/log.hpp"
#include "corbel/corba/failure.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/orb/hooks.hpp"
#include "corbel/poa/adapter_space.hpp"
#include "corbel/poa/poa_impl.hpp"
#include "corbel/poa/upcall.hpp"

namespace corbel::poa {
namespace {

std::string_view name_of(ManagerState state) noexcept {
  constexpr std::string_view kNames[] = {"HOLDING", "ACTIVE", "DISCARDING", "INACTIVE"};
  return kNames[static_cast<std::size_t>(state) % 4];
}

}  // namespace

Manager::Manager(base::SharedPtr<AdapterSpace> space, std::string id) : space_(std::move(space)), id_(std::move(id)) {}

Manager::~Manager() {
  space_->managers().leave(*this);
}

void Manager::raise(Refused why) const {
  throw_refused(why);
  std::terminate();
}

void Manager::activate() {
  change(State::active, false);
}

void Manager::hold_requests(bool wait_for_completion) {
  check_ended(State::holding, change(State::holding, wait_for_completion));
}

void Manager::discard_requests(bool wait_for_completion) {
  check_ended(State::discarding, change(State::discarding, wait_for_completion));
}

void Manager::deactivate(bool etherealize_objects, bool wait_for_completion) {
  if (wait_for_completion) space_->check_may_wait_for_requests();
  const auto stuck = change(State::inactive, wait_for_completion, etherealize_objects);
  if (has_ended_objects()) {
    // Objects with requests that run are etherealised when these end, however late.
    for (const auto& poa : poas()) poa->etherealize_all();
  }
  check_ended(State::inactive, stuck);
}

bool Manager::has_ended_objects() noexcept {
  const std::lock_guard lock(mutex_);
  return state_ == State::inactive && etherealizes_;
}

void Manager::check_ended(State state, const base::SharedPtr<Poa>& stuck) const {
  if (stuck == nullptr) return;
  corba::raise("TIMEOUT", kStillRunning, corba::Completed::maybe,
               "POA manager '" + id_ + "' is " + std::string(name_of(state)) + ", but requests of POA '" +
                   stuck->shown_path() + "' still run after -ORBShutdownTimeout");
}

base::SharedPtr<Poa> Manager::change(State state, bool wait_for_completion, bool etherealizes) {
  if (wait_for_completion) space_->check_may_wait_for_requests();
  if (!space_->closed()) {
    CORBEL_LOG(space_->core().log(), poa, info, "manager's state", {"manager", id_}, {"state", name_of(state)},
               {"before", name_of(this->state())});
  }
  const AdapterSpace::Telling telling(*space_);
  {
    const std::lock_guard lock(mutex_);
    if (state_ == State::inactive && state != State::inactive) raise(Refused::adapter_inactive);
    // Only the first call decides about etherealising (CORBA 3.3 part 1, 15.3.2, deactivate).
    if (state_ != State::inactive) etherealizes_ = etherealizes;
    set(state, telling.hooks() != nullptr);
  }
  const auto poas = this->poas();
  for (const auto& poa : poas) poa->look_again();  // threads that wait for requests under the state before wait no more
  tell(telling.hooks());
  if (!wait_for_completion) return nullptr;
  const base::Deadline deadline = space_->shutdown_deadline();  // for all of them
  base::SharedPtr<Poa> stuck;
  for (const auto& poa : poas) {
    const bool idle = poa->wait_until_idle([&] { return this->state() != state; }, deadline, name_of(state));
    if (!idle && stuck == nullptr) stuck = poa;
  }
  return stuck;
}

/// With the mutex locked. `noted`: for tell().
void Manager::set(State state, bool noted) {
  if (noted && state != state_) untold_.push_back(state);
  state_.store(state, std::memory_order_release);
  changed_.notify_all();
}

/// Tells hooks of all changes in their order. A thread that finds another one telling, or itself, leaves it to that.
void Manager::tell(orb::CallHooks* hooks) noexcept {
  if (hooks == nullptr) return;
  const AroundUpcall around(*space_, AroundUpcall::In::ending);
  std::unique_lock lock(mutex_);
  if (std::exchange(telling_, true)) return;
  while (!untold_.empty()) {
    const State state = untold_.front();
    untold_.erase(untold_.begin());
    lock.unlock();
    hooks->on_manager(id_, static_cast<orb::AdapterState>(state));
    lock.lock();
  }
  telling_ = false;
}

void Manager::retire() {
  orb::CallHooks* const hooks = space_->hooks();
  {
    const std::lock_guard lock(mutex_);
    try {
      set(State::inactive, hooks != nullptr);
    } catch (const std::bad_alloc&) {  // the ORB ends all the same
      set(State::inactive, false);
    }
  }
  tell(hooks);
}

bool Manager::wait_while_holding(std::uint64_t seen, base::Deadline deadline) {
  std::unique_lock lock(mutex_);
  const auto over = [&] { return state_ != State::holding || wakes_ != seen; };
  if (!deadline.is_none()) return changed_.wait_for(lock, deadline.remaining(), over);
  changed_.wait(lock, over);
  return true;
}

void Manager::wake() {
  const std::lock_guard lock(mutex_);
  ++wakes_;
  changed_.notify_all();
}

void Manager::add(Poa& poa) {
  space_->managers().used(*this);
  const std::lock_guard lock(mutex_);
  poas_.push_back(&poa);
}

void Manager::remove(Poa& poa) {
  const std::lock_guard lock(mutex_);
  std::erase(poas_, &poa);
}

std::vector<base::SharedPtr<Poa>> Manager::poas() {
  const std::lock_guard lock(mutex_);
  std::vector<base::SharedPtr<Poa>> result;
  for (Poa* poa : poas_) {
    if (auto owner = poa->shared_from(poa); owner != nullptr) result.push_back(std::move(owner));
  }
  return result;
}

}  // namespace corbel::poa
