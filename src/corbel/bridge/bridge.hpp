// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "corbel/bridge/settings.hpp"
#include "corbel/orb/components.hpp"
#include "corbel/orb/orb.hpp"

namespace corbel::bridge {

class Forwarder;

/// An in-line bridge: an ORB that forwards the requests which it receives to objects elsewhere, whatever protocols and
/// transports lie on its two sides. Bodies are passed on octet for octet, so that it serves any interface.
///
///   bridge::Bridge bridge(settings);
///   auto orb = CORBA::ORB_init(argc, argv, "", bridge.components(builtins::components()));
///   std::string reference = bridge.add(*orb, orb->object_to_string(target));  // for clients
///   orb->run();
///
/// Only objects that were added can be called, and those whose references came in messages where Settings::signatures
/// tells types. A request is executed at most once; what becomes of it is told as it is. The ORB keeps what it needs of
/// this object alive. Thread-safe.
class CORBEL_API Bridge {
 public:
  explicit Bridge(Settings settings = {});
  ~Bridge();

  /// The same, for an ORB whose requests go through this bridge. For one ORB.
  orb::Components components(orb::Components components) const;
  /// Adds an object that clients may call, under a key of their own for corbaloc URLs; if that is empty, under the key
  /// that the object has. Returns the reference for clients ("IOR:..."), which names all endpoints of the ORB; listens
  /// first if need be. Throws BAD_PARAM for a key that is taken or longer than -ORBMaxObjectKey, for what is no
  /// reference (as string_to_object does), and for one that leads to this ORB or nowhere; INITIALIZE if an endpoint
  /// cannot be opened.
  std::string add(CORBA::ORB& orb, const std::string& reference, const std::string& key = {});
  Counts counts() const;

 private:
  const std::shared_ptr<Forwarder> forwarder_;
};

}  // namespace corbel::bridge
