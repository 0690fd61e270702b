// SPDX-License-Identifier: Apache-2.0
#include "corbel/messaging/giop/giop.hpp"

#include "corbel/messaging/giop/group_session.hpp"

namespace corbel::messaging {
namespace giop {
namespace {

class GiopProtocol final : public Protocol {
 public:
  explicit GiopProtocol(Version max) noexcept : codec_(max) {}

  std::string_view name() const noexcept override { return "giop"; }
  /// Each message can be understood by itself.
  Requirements requirements() const noexcept override { return {.ordered = false, .reliable = false}; }
  Offers offers() const noexcept override {
    const std::uint8_t minor = codec_.version().minor;
    return {.locate = true,
            .cancel = true,
            .service_contexts = minor > 0,
            .fragments = minor > 0,
            .groups = minor > 1,
            .both_ways = minor > 1};
  }
  Version version() const noexcept override { return codec_.version(); }
  std::unique_ptr<Session> open(const SessionSettings& settings) const override {
    if (settings.group_profile != 0) return std::make_unique<GroupSession>(codec_, settings);
    return std::make_unique<GiopSession>(codec_, settings);
  }

 private:
  const Giop codec_;
};

}  // namespace
}  // namespace giop

std::shared_ptr<const Protocol> make_giop(Version max) {
  return std::make_shared<giop::GiopProtocol>(max);
}

}  // namespace corbel::messaging
