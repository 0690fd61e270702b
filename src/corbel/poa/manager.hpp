// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <vector>

#include "corbel/base/deadline.hpp"
#include "corbel/base/shared_ptr.hpp"
#include "corbel/poa/poa_manager.hpp"

namespace corbel::poa {

class Poa;
class AdapterSpace;

/// Made by the space's ManagerRegistry; shared by its POAs and the application. Thread-safe.
class Manager final : public PortableServer::POAManager {
 public:
  Manager(base::SharedPtr<AdapterSpace> space, std::string id);
  ~Manager() override;

  void activate() override;
  void hold_requests(bool wait_for_completion) override;
  void discard_requests(bool wait_for_completion) override;
  void deactivate(bool etherealize_objects, bool wait_for_completion) override;
  State get_state() override { return state(); }
  std::string get_id() override { return id_; }
  bool _static_is_a(std::string_view repository_id) const noexcept override;

  /// A POA reads this with its own mutex locked, so that a thread that changes the state and then locks the POA's mutex
  /// knows that no request passes under the old state any more.
  State state() const noexcept { return state_.load(std::memory_order_acquire); }
  /// Waits until the state is no longer HOLDING, wakes() is no longer `seen` or the deadline has passed; false in the
  /// last case.
  bool wait_while_holding(std::uint64_t seen, base::Deadline deadline);
  std::uint64_t wakes() const noexcept { return wakes_.load(std::memory_order_acquire); }
  /// The ORB ends: INACTIVE, as after deactivate().
  void retire();
  /// Lets all threads in wait_while_holding() look again at their POA.
  void wake();

  AdapterSpace& space() const noexcept { return *space_; }
  const std::string& id() const noexcept { return id_; }
  void add(Poa& poa);
  void remove(Poa& poa);

 private:
  std::vector<base::SharedPtr<Poa>> poas();
  /// The first POA whose requests did not end in time; null if none was waited for in vain.
  base::SharedPtr<Poa> change(State state, bool wait_for_completion);
  void check_ended(State state, const base::SharedPtr<Poa>& stuck) const;

  const base::SharedPtr<AdapterSpace> space_;
  const std::string id_;
  std::atomic<State> state_{State::HOLDING};
  std::atomic<std::uint64_t> wakes_{0};
  std::mutex mutex_;  // guards what follows and changes of the two above
  std::condition_variable changed_;
  std::vector<Poa*> poas_;
  bool etherealizes_ = false;  // as the caller that deactivated it first wanted
};

}  // namespace corbel::poa
