// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "corbel/poa/active_object_map.hpp"

/// Parts of applications that an adapter calls, as it sees them whichever mapping they are written for. Faces make them
/// of what the application gives. They throw what the application's part throws, orb::LocationForward instead of its
/// ForwardRequest.
namespace corbel::poa {

class Poa;

/// A servant manager (CORBA 3.3 part 1, 15.3.5 to 15.3.7): a servant activator for adapters that retain servants, a
/// servant locator for others, of which each is asked for its own only.
class ServantSource {
 public:
  ServantSource() = default;
  virtual ~ServantSource() = default;
  ServantSource(const ServantSource&) = delete;
  ServantSource& operator=(const ServantSource&) = delete;

  virtual ServantRef incarnate(const ObjectId& id, Poa& poa) = 0;
  virtual void etherealize(const ObjectId& id, Poa& poa, const ServantRef& servant, bool cleanup, bool remaining) = 0;

  virtual ServantRef preinvoke(const ObjectId& id, Poa& poa, const std::string& operation, void*& cookie) = 0;
  virtual void postinvoke(const ObjectId& id, Poa& poa, const std::string& operation, void* cookie,
                          const ServantRef& servant) = 0;
};
using ServantSourcePtr = base::SharedPtr<ServantSource>;

/// An adapter activator (15.3.4).
class ChildSource {
 public:
  ChildSource() = default;
  virtual ~ChildSource() = default;
  ChildSource(const ChildSource&) = delete;
  ChildSource& operator=(const ChildSource&) = delete;

  /// True if it says that it has made the adapter, or finds that it is there.
  virtual bool unknown_adapter(Poa& parent, const std::string& name) = 0;
};
using ChildSourcePtr = base::SharedPtr<ChildSource>;

}  // namespace corbel::poa
