// SPDX-License-Identifier: Apache-2.0
#include "corbel/messaging/giop_lite/giop_lite.hpp"

#include "corbel/messaging/giop_lite/codec.hpp"

namespace corbel::messaging {

std::shared_ptr<const Protocol> make_giop_lite() {
  return std::make_shared<giop_lite::GiopLite>();
}

}  // namespace corbel::messaging
