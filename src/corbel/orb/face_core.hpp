// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/cdr/decoder.hpp"
#include "corbel/orb/lent.hpp"

namespace corbel::orb {

/// What the core has of the C++ mapping in which its applications see their ORB. Owns the core. Thread-safe.
class FaceCore {
 public:
  /// What values are decoded with, and what targets give out as theirs (corba::Target::context). Always the same.
  virtual cdr::Context& context() noexcept = 0;
  /// The same for what comes over a connection that its client lends.
  virtual LentPtr lend(connection::Connection& connection) = 0;
  /// The asynchronous calls of the ORB, which ends, have been given up: who waits for one that may come waits no more.
  virtual void calls_ended() noexcept {}

 protected:
  ~FaceCore() = default;
};

}  // namespace corbel::orb
