// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "corbel/corba/local_traits.hpp"
#include "corbel/poa/exceptions.hpp"

namespace PortableServer {
class POAManager;
}

template <>
struct IDL::traits<PortableServer::POAManager> : corbel::corba::LocalTraits<PortableServer::POAManager> {};

namespace PortableServer {

/// Opens and closes the tap for the requests of its POAs (CORBA 3.3 part 1, 15.3.2). Starts in HOLDING. Thread-safe.
class CORBEL_API POAManager : public virtual CORBA::LocalObject {
 public:
  using _ref_type = CORBA::object_reference<POAManager>;
  static constexpr std::string_view _interface_id = "IDL:omg.org/PortableServer/POAManager:1.0";

  /// HOLDING: requests wait, at most -ORBHoldTimeout, then TRANSIENT. DISCARDING: TRANSIENT minor OMG 1. INACTIVE:
  /// OBJ_ADAPTER minor Corbel "adapter inactive"; final.
  enum class State : std::uint32_t { HOLDING, ACTIVE, DISCARDING, INACTIVE };
  CORBEL_POA_EXCEPTION(AdapterInactive, "POAManager");

  virtual void activate() = 0;
  /// With `wait_for_completion` these return when no request of the manager's POAs runs or the state has changed, throw
  /// TIMEOUT after -ORBShutdownTimeout (the state is the new one), and BAD_INV_ORDER minor OMG 3 inside a request.
  virtual void hold_requests(bool wait_for_completion) = 0;
  virtual void discard_requests(bool wait_for_completion) = 0;
  virtual void deactivate(bool etherealize_objects, bool wait_for_completion) = 0;
  virtual State get_state() = 0;
  virtual std::string get_id() = 0;

 protected:
  POAManager() noexcept = default;
};

}  // namespace PortableServer
