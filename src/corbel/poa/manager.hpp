// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <vector>

#include "corbel/base/deadline.hpp"
#include "corbel/base/shared_ptr.hpp"
#include "corbel/poa/poa_table.hpp"
#include "corbel/poa/refused.hpp"

namespace corbel::orb {
class CallHooks;
}

namespace corbel::poa {

class Poa;
class AdapterSpace;

/// As in PortableServer::POAManager.
enum class ManagerState : std::uint32_t { holding, active, discarding, inactive };

/// A manager of POAs, whichever mapping its applications see it in: the object that they hold derives from this. Made
/// by the space's ManagerRegistry; shared by its POAs and the application. Thread-safe. Operations are those of
/// PortableServer::POAManager (CORBA 3.3 part 1, 15.3.2).
class Manager : public virtual base::SharedFromThis {
 public:
  using State = ManagerState;

  virtual ~Manager();
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;

  void activate();
  void hold_requests(bool wait_for_completion);
  void discard_requests(bool wait_for_completion);
  void deactivate(bool etherealize_objects, bool wait_for_completion);

  /// A POA reads this with its own mutex locked, so that a thread that changes the state and then locks the POA's mutex
  /// knows that no request passes under the old state any more.
  State state() const noexcept { return state_.load(std::memory_order_acquire); }
  /// Waits until the state is no longer holding, wakes() is no longer `seen` or the deadline has passed; false in the
  /// last case.
  bool wait_while_holding(std::uint64_t seen, base::Deadline deadline);
  std::uint64_t wakes() const noexcept { return wakes_.load(std::memory_order_acquire); }
  /// True if deactivate() has been told to end the objects of its POAs. Who asks with a POA's mutex locked, and is told
  /// no, has that look at this POA later.
  bool has_ended_objects() noexcept;
  /// The ORB ends: inactive, as after deactivate().
  void retire();
  /// Lets all threads in wait_while_holding() look again at their POA.
  void wake();

  /// Throws the user exception.
  [[noreturn]] void raise(Refused why) const;

  AdapterSpace& space() const noexcept { return *space_; }
  const std::string& id() const noexcept { return id_; }
  void add(Poa& poa);
  void remove(Poa& poa);

 protected:
  Manager(base::SharedPtr<AdapterSpace> space, std::string id);

 private:
  /// As raise(): by the face.
  virtual void throw_refused(Refused why) const = 0;
  std::vector<base::SharedPtr<Poa>> poas();
  void set(State state, bool noted);
  void tell(orb::CallHooks* hooks) noexcept;
  /// The first POA whose requests did not end in time; null if none was waited for in vain.
  base::SharedPtr<Poa> change(State state, bool wait_for_completion, bool etherealizes = false);
  void check_ended(State state, const base::SharedPtr<Poa>& stuck) const;

  const base::SharedPtr<AdapterSpace> space_;
  const std::string id_;
  std::atomic<State> state_{State::holding};
  std::atomic<std::uint64_t> wakes_{0};
  std::mutex mutex_;  // guards what follows and changes of the two above
  std::condition_variable changed_;
  std::vector<Poa*> poas_;
  bool etherealizes_ = false;  // as the caller that deactivated it first wanted
  std::vector<State> untold_;  // changes that hooks have yet to be told of
  bool telling_ = false;       // a thread does so
};

}  // namespace corbel::poa
