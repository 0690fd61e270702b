// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "corbel/base/export.hpp"
#include "corbel/messaging/protocol.hpp"

namespace corbel::messaging {

/// GIOP 1.0, 1.1 and 1.2 (CORBA 3.3 part 2, clause 9). Messages are encoded in the version that the encoder's format
/// names; messages of a higher minor than `max` are refused as unsupported. `max` above 1.2 counts as 1.2.
CORBEL_API std::shared_ptr<const Protocol> make_giop(Version max = {1, 2});

}  // namespace corbel::messaging
