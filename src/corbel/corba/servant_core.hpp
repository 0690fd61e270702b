// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "corbel/base/bytes.hpp"
#include "corbel/base/shared_ptr.hpp"
#include "corbel/corba/call.hpp"

namespace corbel::ior {
struct Ior;
}

namespace corbel::corba {

/// The object adapter in which a servant serves an object, for code that knows more of it: the face to which it shows
/// itself.
class AdapterCore {
 protected:
  ~AdapterCore() = default;
};

/// What object adapters know of a servant, whichever C++ mapping it was written for. The base of servants in a mapping
/// (PortableServer::Servant in that of C++11) derives from it. Made by base::make_shared. Operations are called from
/// any thread of the ORB, several at once; what they throw is what their mapping throws.
class CORBEL_API ServantCore : public virtual base::SharedFromThis {
 public:
  virtual ~ServantCore();
  ServantCore(const ServantCore&) = delete;
  ServantCore& operator=(const ServantCore&) = delete;

  /// Finds and serves the operation; false if the interface has none of that name.
  virtual bool _dispatch(ServerCall& call) = 0;
  /// True if the servant's interface, or a base of it, has this repository id.
  virtual bool _is_a(const std::string& repository_id) = 0;
  /// True if the object is gone for good.
  virtual bool _non_existent() = 0;
  /// The repository id of the most derived interface when the servant serves the object `object_id` of `adapter`.
  virtual std::string _interface_in(base::ConstByteSpan object_id, AdapterCore& adapter) = 0;
  /// What `_component` answers; nil (no component) unless overridden.
  virtual ior::Ior _component_reference();
  /// What `_interface` answers; raises INTF_REPOS minor OMG 1 unless overridden.
  virtual ior::Ior _interface_reference();

 protected:
  ServantCore() noexcept = default;
};

using ServantCorePtr = base::SharedPtr<ServantCore>;

}  // namespace corbel::corba
