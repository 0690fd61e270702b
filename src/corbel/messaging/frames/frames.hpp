// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "corbel/base/export.hpp"
#include "corbel/messaging/protocol.hpp"

namespace corbel::messaging {

/// Frames: oneway requests for streams of audio, video and measurements. A frame has a sequence number and a time
/// stamp, and after an object and operation were named once an index of two octets instead of key and name. The
/// receiver counts what was lost, came in another order or irregularly (corbel/orb/statistics.hpp shows it). Needs
/// neither order nor reliability of its carrier. Both ends are Corbel: text is UTF-8 and UTF-16.
CORBEL_API std::shared_ptr<const Protocol> make_frames();

}  // namespace corbel::messaging
