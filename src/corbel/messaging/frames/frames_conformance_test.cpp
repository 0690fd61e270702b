// SPDX-License-Identifier: Apache-2.0
#include "conformance/session_conformance.hpp"
#include "corbel/messaging/frames/frames.hpp"

namespace corbel::conformance {
namespace {

std::vector<Dialect> frames_dialects() {
  return {{.name = "frames", .make = messaging::make_frames}};
}

}  // namespace
}  // namespace corbel::conformance

CORBEL_SESSION_CONFORMANCE(Frames, frames_dialects())
