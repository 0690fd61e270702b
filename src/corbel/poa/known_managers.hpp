// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "corbel/poa/poa.hpp"
#include "corbel/poa/servant_source.hpp"

namespace corbel::poa {

/// A servant manager of the C++11 mapping. Thread-safe.
class KnownServantManager final : public ServantSource {
 public:
  using Ref = IDL::traits<PortableServer::ServantManager>::ref_type;

  explicit KnownServantManager(Ref manager);
  const Ref& manager() const noexcept { return manager_; }
  bool is_activator() const noexcept { return activator_ != nullptr; }
  bool is_locator() const noexcept { return locator_ != nullptr; }

  ServantRef incarnate(const ObjectId& id, Poa& poa) override;
  void etherealize(const ObjectId& id, Poa& poa, const ServantRef& servant, bool cleanup, bool remaining) override;
  ServantRef preinvoke(const ObjectId& id, Poa& poa, const std::string& operation, void*& cookie) override;
  void postinvoke(const ObjectId& id, Poa& poa, const std::string& operation, void* cookie,
                  const ServantRef& servant) override;

 private:
  const Ref manager_;
  PortableServer::ServantActivator* const activator_;  // null if it is none; the same for the other
  PortableServer::ServantLocator* const locator_;
};

/// An adapter activator of the C++11 mapping. Thread-safe.
class KnownActivator final : public ChildSource {
 public:
  using Ref = IDL::traits<PortableServer::AdapterActivator>::ref_type;

  explicit KnownActivator(Ref activator) noexcept : activator_(std::move(activator)) {}
  const Ref& activator() const noexcept { return activator_; }

  bool unknown_adapter(Poa& parent, const std::string& name) override;

 private:
  const Ref activator_;
};

}  // namespace corbel::poa
