// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "corbel/orb/group_table.hpp"
#include "corbel/orb/object_adapter.hpp"
#include "corbel/poa/adapter_space.hpp"
#include "corbel/poa/object_key.hpp"
#include "corbel/poa/poa_table.hpp"

namespace corbel::poa {

/// What the ORB core sees of object adapters: keys to POAs. Whatever derives from it has to shut it down before it ends
/// itself: requests ask it for names. Thread-safe.
class Adapter : public orb::ObjectAdapter {
 public:
  Adapter(orb::Core& core, const AdapterMakers& makers);

  void dispatch(base::ConstByteSpan object_key, corba::ServerCall& call) override;
  void dispatch_to_group(base::ConstByteSpan profile_body, corba::ServerCall& call) override;
  void dispatch_here(base::ConstByteSpan object_key, corba::ServerCall& call, orb::Place& place) override;
  void locate(base::ConstByteSpan object_key) override;
  void locate_for(base::ConstByteSpan object_key, orb::Sender sender) override;
  void check_both_ways(base::ConstByteSpan object_key) override;
  bool made_here(base::ConstByteSpan object_key) const noexcept override;
  bool in_upcall() const noexcept override { return space_->in_upcall(); }
  bool describe(orb::ServedObject& object) override;
  std::string served_interface() override;
  bool served_is_a(const std::string& id) override;
  corba::PolicyCorePtr served_policy(const orb::ServedObject& object, std::uint32_t type) override;
  std::shared_ptr<const void> policies_at(base::ConstByteSpan object_key) override;
  Hold hold() noexcept override;
  void release(const Hold& hold) noexcept override;
  bool shutdown(bool wait, base::Deadline deadline) override { return space_->close(wait, deadline); }

 protected:
  const base::SharedPtr<AdapterSpace>& space() const noexcept { return space_; }

 private:
  /// Where a plain name leads, which is the key of no object; nothing if nowhere. May ask the application, and throw
  /// what that does.
  virtual std::optional<ior::Ior> named(std::string_view name) const = 0;

  void find(base::ConstByteSpan object_key, const orb::Sender* sender);
  void take(base::ConstByteSpan object_key, corba::ServerCall& call, orb::Place* place);
  void take_for_all(const orb::GroupTable::Keys& members, corba::ServerCall& call);
  Poa* lock_poa(const ObjectKey& key, PoaLock& lock, corba::ServerCall* call = nullptr);
  Poa* lock_persistent(const ObjectKey& key, PoaLock& lock, corba::ServerCall* call);
  void wait_for(std::unique_lock<std::mutex>& tree, const ActivationPtr& activation, corba::ServerCall* call);
  bool activate(std::string_view path);
  [[noreturn]] void refuse(std::string why) const;
  [[noreturn]] void forward_named(base::ConstByteSpan object_key) const;

  const base::SharedPtr<AdapterSpace> space_;
};

}  // namespace corbel::poa
