// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/corba/object.hpp"
#include "corbel/corba/servant_core.hpp"

namespace PortableServer {
class POA;
class Servant;
}  // namespace PortableServer

namespace corbel::corba {

/// What servants ask of the object adapters of this process; the poa room implements it. Thread-safe.
class ServantHome {
 public:
  /// The root POA of the default ORB. Throws if there is none.
  virtual CORBA::object_reference<PortableServer::POA> default_poa() = 0;
  /// The reference of the current target if this thread is in a request on `servant`, else of the servant, implicitly
  /// activated in its _default_POA() if need be.
  virtual CORBA::object_reference<CORBA::Object> reference_of(PortableServer::Servant& servant) = 0;

  /// An object adapter as this face knows it.
  virtual CORBA::object_reference<PortableServer::POA> poa_of(AdapterCore& adapter) = 0;

 protected:
  ~ServantHome() = default;
};

/// The home is set when the first ORB with object adapters is created and never goes away.
void set_servant_home(ServantHome& home) noexcept;

}  // namespace corbel::corba
