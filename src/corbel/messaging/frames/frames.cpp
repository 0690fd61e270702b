// SPDX-License-Identifier: Apache-2.0
#include "corbel/messaging/frames/frames.hpp"

#include "corbel/messaging/frames/session.hpp"

namespace corbel::messaging {
namespace frames {
namespace {

class FramesProtocol final : public Protocol {
 public:
  std::string_view name() const noexcept override { return "frames"; }
  Requirements requirements() const noexcept override { return {.ordered = false, .reliable = false}; }
  Offers offers() const noexcept override { return {.two_way = false, .fragments = true, .groups = true}; }
  /// The version of GIOP whose rules bodies follow.
  Version version() const noexcept override { return {1, 2}; }
  std::unique_ptr<Session> open(const SessionSettings& settings) const override {
    return std::make_unique<FramesSession>(settings);
  }
};

}  // namespace
}  // namespace frames

std::shared_ptr<const Protocol> make_frames() {
  return std::make_shared<frames::FramesProtocol>();
}

}  // namespace corbel::messaging
