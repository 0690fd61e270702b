// SPDX-License-Identifier: Apache-2.0
#include "corbel/messaging/giop/giop.hpp"

#include "corbel/messaging/giop/codec.hpp"

namespace corbel::messaging {

std::shared_ptr<const Protocol> make_giop(Version max) {
  return std::make_shared<giop::Giop>(max);
}

}  // namespace corbel::messaging
