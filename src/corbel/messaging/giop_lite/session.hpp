// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/messaging/giop_lite/codec.hpp"
#include "corbel/messaging/session.hpp"

namespace corbel::messaging::giop_lite {

/// A conversation in GIOP_Lite. There is nothing to agree on: text is UTF-8 and UTF-16.
class GiopLiteSession final : public Session {
 public:
  explicit GiopLiteSession(const SessionSettings& settings) noexcept : Session(settings), limits_(settings.limits) {}

  base::Status take(base::ConstByteSpan octets, Incoming& incoming) override;
  base::Status take_begun(base::ConstByteSpan begun, Incoming& incoming) override;

  void put_request(cdr::Encoder& encoder, Token token, const OutgoingRequest& request, BodyWriter body) override;
  void put_reply(cdr::Encoder& encoder, const Origin& origin, ReplyStatus status,
                 std::span<const ServiceContext> contexts, BodyWriter body) override;
  void put_locate_reply(cdr::Encoder& encoder, const Origin& origin, LocateStatus status, BodyWriter body) override;
  bool put_cancel(cdr::Encoder& encoder, Token token) override;
  bool put_close(cdr::Encoder& encoder) override;
  bool put_error(cdr::Encoder& encoder) override;

 private:
  base::Status look(const FrameHeader& frame, Incoming& incoming) const;

  const GiopLite codec_{};
  const cdr::Limits limits_;
};

}  // namespace corbel::messaging::giop_lite
