// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "corbel/poa/manager.hpp"
#include "corbel/poa/poa_manager.hpp"
#include "corbel/poa/poa_manager_factory.hpp"

namespace corbel::poa {

class AdapterSpace;

/// A manager as applications of the C++11 mapping see it. Thread-safe.
class ManagerFace final : public PortableServer::POAManager, public Manager {
 public:
  using Ref = IDL::traits<PortableServer::POAManager>::ref_type;

  ManagerFace(base::SharedPtr<AdapterSpace> space, std::string id) : Manager(std::move(space), std::move(id)) {}
  /// For AdapterMakers.
  static base::SharedPtr<Manager> make_one(base::SharedPtr<AdapterSpace> space, std::string id);
  /// The manager, which this face made, as its applications hold it.
  static Ref as_ref(const base::SharedPtr<Manager>& manager);

  void activate() override;
  void hold_requests(bool wait_for_completion) override;
  void discard_requests(bool wait_for_completion) override;
  void deactivate(bool etherealize_objects, bool wait_for_completion) override;
  PortableServer::POAManager::State get_state() override {
    return static_cast<PortableServer::POAManager::State>(state());
  }
  std::string get_id() override;
  bool _static_is_a(std::string_view repository_id) const noexcept override;

 private:
  void throw_refused(Refused why) const override;
};

/// The factory of the managers of an ORB: the one that there is, as long as anything refers to it.
IDL::traits<PortableServer::POAManagerFactory>::ref_type manager_factory(const base::SharedPtr<AdapterSpace>& space);

}  // namespace corbel::poa
