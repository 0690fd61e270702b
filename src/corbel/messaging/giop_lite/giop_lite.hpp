// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "corbel/base/export.hpp"
#include "corbel/messaging/protocol.hpp"

namespace corbel::messaging {

/// GIOP_Lite: GIOP without magic, version, byte order, service contexts and fragments, for hosts that are alike and
/// configured alike. 5-octet message header (size, type) in host byte order.
CORBEL_API std::shared_ptr<const Protocol> make_giop_lite();

}  // namespace corbel::messaging
