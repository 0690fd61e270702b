// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "corbel/corba/policy.hpp"
#include "corbel/poa/poa_manager.hpp"

namespace PortableServer {
class POAManagerFactory;
}

template <>
struct IDL::traits<PortableServer::POAManagerFactory> : corbel::corba::LocalTraits<PortableServer::POAManagerFactory> {
};

namespace PortableServer {

/// The POA managers of one ORB by their ids (CORBA 3.3 part 1, 15.3.3), those that create_POA made included. A manager
/// exists as long as the application or a POA refers to it; one made here, until its first POA at least. Its id is free
/// again after that. Thread-safe.
class CORBEL_API POAManagerFactory : public virtual CORBA::LocalObject {
 public:
  static constexpr std::string_view _interface_id = "IDL:omg.org/PortableServer/POAManagerFactory:1.0";

  using POAManagerSeq = std::vector<IDL::traits<POAManager>::ref_type>;
  CORBEL_POA_EXCEPTION(ManagerAlreadyExists, "POAManagerFactory");

  /// A manager in the holding state. Throws ManagerAlreadyExists if the id is in use, PolicyError (UNSUPPORTED_POLICY)
  /// for any policy, since managers have none here, and OBJECT_NOT_EXIST once the ORB has been shut down.
  virtual IDL::traits<POAManager>::ref_type create_POAManager(const std::string& id,
                                                              const CORBA::PolicyList& policies) = 0;
  virtual POAManagerSeq list() = 0;
  /// Nil if there is none.
  virtual IDL::traits<POAManager>::ref_type find(const std::string& id) = 0;

 protected:
  POAManagerFactory() noexcept = default;
};

}  // namespace PortableServer
