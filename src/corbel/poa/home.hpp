// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <vector>

#include "corbel/base/fork.hpp"
#include "corbel/corba/servant_home.hpp"
#include "corbel/poa/adapter_space.hpp"

namespace corbel::poa {

/// The object adapters of all ORBs of the process, for servants that ask without naming one. Thread-safe.
class Home final : public corba::ServantHome {
 public:
  static Home& instance();

  CORBA::object_reference<PortableServer::POA> default_poa() override;
  CORBA::object_reference<CORBA::Object> reference_of(PortableServer::Servant& servant) override;
  CORBA::object_reference<PortableServer::POA> poa_of(corba::AdapterCore& adapter) override;

  void add(base::SharedPtr<AdapterSpace> space);
  void remove(const AdapterSpace& space);

 private:
  Home() noexcept { corba::set_servant_home(*this); }

  base::ForkMutex mutex_;  // guards spaces_; a child of a fork may ask for the default POA of its own ORB
  std::vector<base::SharedPtr<AdapterSpace>> spaces_;
};

}  // namespace corbel::poa
