// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/bridge/reference_table.hpp"

namespace corbel::bridge {

/// Makes the references that lead through a bridge, and finds what is behind one. Thread-safe.
class Proxies {
 public:
  /// Neither is owned.
  Proxies(orb::Core& core, ReferenceTable& table) noexcept : core_(core), table_(table) {}

  /// A reference to what the table has under the key, in place of `ior`: of the same type, at the endpoints of this
  /// ORB, with the GIOP version and the code sets of the original, for bodies are passed on as they are. Throws as
  /// Core::listen().
  ior::Ior make(const ior::Ior& ior, base::ConstByteSpan key);
  /// What a reference becomes on its way through the bridge: one that leads through it; if it does that already, what
  /// is behind it. Nil stays nil. Fails with too_large if it is too large to be kept.
  base::Result<ior::Ior> replace(const ior::Ior& ior);

 private:
  orb::Core& core_;
  ReferenceTable& table_;
};

}  // namespace corbel::bridge
