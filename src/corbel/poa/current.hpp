// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/poa/exceptions.hpp"
#include "corbel/poa/servant_managers.hpp"

namespace PortableServer {
class Current;
}

template <>
struct IDL::traits<PortableServer::Current> : corbel::corba::LocalTraits<PortableServer::Current> {};

namespace PortableServer {

/// What the calling thread's running request is about (CORBA 3.3 part 1, 15.3.10): initial reference "POACurrent".
/// Outside a request every operation throws NoContext. Thread-safe.
class CORBEL_API Current : public virtual CORBA::LocalObject {
 public:
  static constexpr std::string_view _interface_id = "IDL:omg.org/PortableServer/Current:2.3";
  CORBEL_POA_EXCEPTION(NoContext, "Current");

  virtual IDL::traits<POA>::ref_type get_POA() = 0;
  virtual ObjectId get_object_id() = 0;
  virtual IDL::traits<CORBA::Object>::ref_type get_reference() = 0;
  virtual IDL::traits<Servant>::ref_type get_servant() = 0;

 protected:
  Current() noexcept = default;
};

}  // namespace PortableServer
