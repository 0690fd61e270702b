// SPDX-License-Identifier: Apache-2.0
// How a POA comes into the tree.
#include <mutex>
#include <utility>

#include "corbel/corba/failure.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/poa/object_key.hpp"
#include "corbel/poa/poa_impl.hpp"

namespace corbel::poa {

/// A POA on its way into the tree. Until it is there, the end of this takes back all that was done for it.
class Poa::Making {
 public:
  explicit Making(AdapterSpace& space) : space_(space), telling_(space), tree_(space.tree()) {}
  ~Making() {
    if (slot_ == nullptr) return;
    if (poa_ != nullptr) poa_->withdraw();
    space_.table().give_back(*slot_);
    tree_.unlock();
    if (poa_ == nullptr) return;
    Gone gone;
    poa_->note_gone(gone);
    poa_->tell_gone(gone);
  }
  Making(const Making&) = delete;
  Making& operator=(const Making&) = delete;

  std::unique_lock<std::mutex>& tree() noexcept { return tree_; }
  PoaSlot& take_slot() { return *(slot_ = &space_.table().take()); }
  Poa& take(base::SharedPtr<Poa> poa) { return *(poa_ = std::move(poa)); }
  /// With the tree unlocked meanwhile. No other adapter of this path is made then.
  void tell_hooks() {
    if (telling_.hooks() == nullptr) return;
    const auto mine = space_.introduced().insert(poa_->path_).first;
    tree_.unlock();
    struct Back {
      Making& making;
      decltype(mine) path;
      ~Back() {
        making.tree_.lock();
        making.space_.introduced().erase(path);
      }
    } const back{*this, mine};
    poa_->introduce(*telling_.hooks());
  }
  base::SharedPtr<Poa> done() noexcept {
    slot_ = nullptr;
    return std::move(poa_);
  }

 private:
  AdapterSpace& space_;
  const AdapterSpace::Telling telling_;
  base::SharedPtr<Poa> poa_;  // goes without the lock, as what hooks keep with it
  std::unique_lock<std::mutex> tree_;
  PoaSlot* slot_ = nullptr;
};

/// With the tree locked.
void Poa::check_can_have(std::string_view name) {
  const std::lock_guard lock(slot_.mutex);
  if (life_ != Life::alive) corba::raise("BAD_INV_ORDER", corba::minor::kPoaBeingDestroyed, kNo);
  const auto& introduced = space_->introduced();
  if (children_.contains(name) || (!introduced.empty() && introduced.contains(path_below(path_, name))))
    raise(Refused::adapter_already_exists);
}

/// With the tree locked: from now on others know the POA.
void Poa::publish() {
  manager_->add(*this);  // before the first request, which then sees each change of its state
  if (policies_.persistent) space_->paths()[path_] = &slot_;
  if (parent_ != nullptr) parent_->children_.emplace(name_, self());
  const std::lock_guard lock(slot_.mutex);
  slot_.poa = self();
}

/// With the tree locked: takes back what publish() may have done before it threw.
void Poa::withdraw() {
  manager_->remove(*this);
  const auto mine = space_->paths().find(path_);
  if (mine != space_->paths().end() && mine->second == &slot_) space_->paths().erase(mine);
  const std::lock_guard lock(slot_.mutex);
  ++slot_.generation;  // hooks may have made references
  life_ = Life::gone;
}

base::SharedPtr<Poa> Poa::make(base::SharedPtr<AdapterSpace> space, base::SharedPtr<Poa> parent,
                               const std::string& name, base::SharedPtr<Manager> manager,
                               const AdapterPolicies& policies) {
  Making making(*space);
  if (parent != nullptr) {
    parent->wait_until_free(making.tree(), name);
    parent->check_can_have(name);
  }
  const AdapterMakers& makers = space->makers();
  PoaSlot& slot = making.take_slot();
  Poa& poa = making.take(makers.poa({std::move(space), parent, name, std::move(manager), policies, slot}));
  making.tell_hooks();
  if (parent != nullptr) parent->check_can_have(name);
  poa.publish();
  return making.done();
}

}  // namespace corbel::poa
