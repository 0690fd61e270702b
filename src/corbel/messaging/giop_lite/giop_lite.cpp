// SPDX-License-Identifier: Apache-2.0
#include "corbel/messaging/giop_lite/giop_lite.hpp"

#include "corbel/messaging/giop_lite/session.hpp"

namespace corbel::messaging {
namespace giop_lite {
namespace {

class GiopLiteProtocol final : public Protocol {
 public:
  std::string_view name() const noexcept override { return "giop_lite"; }
  Requirements requirements() const noexcept override { return {.ordered = false, .reliable = false}; }
  Offers offers() const noexcept override { return {.locate = true, .cancel = true}; }
  /// The version whose rules bodies follow.
  Version version() const noexcept override { return GiopLite::version(); }
  std::unique_ptr<Session> open(const SessionSettings& settings) const override {
    return std::make_unique<GiopLiteSession>(settings);
  }
};

}  // namespace
}  // namespace giop_lite

std::shared_ptr<const Protocol> make_giop_lite() {
  return std::make_shared<giop_lite::GiopLiteProtocol>();
}

}  // namespace corbel::messaging
