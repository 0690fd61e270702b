// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>

#include "corbel/base/bytes.hpp"
#include "corbel/base/deadline.hpp"
#include "corbel/base/log.hpp"
#include "corbel/base/shared_ptr.hpp"
#include "corbel/ior/ior.hpp"
#include "corbel/poa/activations.hpp"
#include "corbel/poa/adapter_makers.hpp"
#include "corbel/poa/id_source.hpp"
#include "corbel/poa/manager_registry.hpp"
#include "corbel/poa/poa_table.hpp"

namespace corbel::orb {
class CallHooks;
class Core;
}  // namespace corbel::orb

namespace corbel::poa {

/// All object adapters of one ORB and what they share. Owned by the ORB's adapter and by every POA and manager; what it
/// says about the ORB is valid until close(). Thread-safe.
///
/// Locks are taken in this order: tree(), a POA's slot, a manager's own, the managers' registry.
class AdapterSpace final : public base::SharedFromThis {
 public:
  AdapterSpace(orb::Core& core, const AdapterMakers& makers) noexcept;

  orb::Core& core() noexcept { return core_; }
  const AdapterMakers& makers() const noexcept { return makers_; }
  IdSource& ids() noexcept { return ids_; }
  PoaTable& table() noexcept { return table_; }
  ManagerRegistry& managers() noexcept { return managers_; }

  /// Guards the tree of POAs, the paths and taking and giving back of slots.
  std::mutex& tree() noexcept { return tree_; }
  /// Persistent POAs by path; with tree() locked.
  std::map<std::string, PoaSlot*, std::less<>>& paths() noexcept { return paths_; }
  /// Told whenever the end of an adapter begins or is over; waits with tree().
  std::condition_variable& ends_changed() noexcept { return ends_changed_; }
  /// What adapter activators are asked for just now; with tree() locked.
  Activations& activations() noexcept { return activations_; }
  /// How long a request waits for a manager or an adapter activator from now on.
  base::Deadline hold_deadline() const;
  /// False if requests are not to wait for these at all.
  bool holds() const noexcept { return hold_timeout_ != base::Duration::zero(); }
  /// Where the ORB logs; valid until close().
  const base::Log& log() const noexcept;

  /// The root POA, made when first asked for; nil after close(). Throws what hooks have against it, and BAD_INV_ORDER
  /// minor OMG 14 to these while they are told of it.
  base::SharedPtr<Poa> root();
  /// The root POA if it has been made.
  base::SharedPtr<Poa> existing_root();
  /// How long a thread that ends a POA or the ORB, or waits for requests otherwise, does so from now on.
  base::Deadline shutdown_deadline() const;
  /// Ends all POAs; with `wait`, returns when no request runs any more, or false if some do at the deadline. Their
  /// managers are inactive for ever.
  bool close(bool wait, base::Deadline deadline);
  bool closed() const noexcept { return closed_.load(std::memory_order_acquire); }

  /// True if the calling thread is in a request to one of these POAs.
  bool in_request() const noexcept;
  /// True if it is in a request, or etherealises or releases a servant: all that the end of the ORB waits for.
  bool in_upcall() const noexcept;
  /// Throws BAD_INV_ORDER minor OMG 3 if in_request().
  void check_may_wait() const;
  /// Throws also if in_upcall(), which counts as a request of its POA.
  void check_may_wait_for_requests() const;

  /// A reference with the key, published at the endpoints of the adapter's lane.
  ior::Ior make_ior(base::ConstByteSpan key, const std::string& type_id, const AdapterPolicies& policies);

  /// While the hooks are told of adapters or managers: the end of the ORB waits for that, and cannot be waited for
  /// inside. Take it before all locks.
  class Telling {
   public:
    explicit Telling(AdapterSpace& space);
    ~Telling();
    Telling(const Telling&) = delete;
    Telling& operator=(const Telling&) = delete;
    /// Null if the ORB has none that want to be told, or has ended.
    orb::CallHooks* hooks() const noexcept { return hooks_; }

   private:
    AdapterSpace& space_;
    orb::CallHooks* hooks_ = nullptr;
  };
  /// Paths of adapters that hooks are just told of, and that nobody else knows yet; with tree() locked.
  std::set<std::string, std::less<>>& introduced() noexcept { return introduced_; }
  /// The hooks that want to be told, for what the end of the ORB brings about; null if there are none.
  orb::CallHooks* hooks() const noexcept;

 private:
  bool wait_until_told(base::Deadline deadline);

  orb::Core& core_;
  const AdapterMakers makers_;
  const base::Duration hold_timeout_;
  const base::Duration shutdown_timeout_;
  IdSource ids_;
  PoaTable table_;
  ManagerRegistry managers_;
  std::mutex tree_;
  std::condition_variable ends_changed_;
  std::map<std::string, PoaSlot*, std::less<>> paths_;
  Activations activations_;
  std::set<std::string, std::less<>> introduced_;
  std::mutex root_mutex_;  // guards root_; taken before tree_, and held while hooks are told of the root
  std::atomic<std::thread::id> root_maker_{};
  base::SharedPtr<Poa> root_;
  std::atomic<bool> closed_{false};
  std::mutex telling_mutex_;  // guards telling_
  std::condition_variable told_;
  std::uint32_t telling_ = 0;
};

}  // namespace corbel::poa
