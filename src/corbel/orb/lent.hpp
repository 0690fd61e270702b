// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/cdr/decoder.hpp"
#include "corbel/connection/lender.hpp"

namespace corbel::orb {

/// A connection that a client lends.
class Lent : public connection::Lender {
 public:
  /// With it references are decoded that may be called over the connection.
  virtual cdr::Context& context() noexcept = 0;

 protected:
  using Lender::Lender;
};
using LentPtr = base::SharedPtr<Lent>;

}  // namespace corbel::orb
