// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <string_view>

#include "corbel/messaging/giop_lite/codec.hpp"
#include "corbel/messaging/giop_lite/indices.hpp"
#include "corbel/messaging/session.hpp"

namespace corbel::messaging::giop_lite {

/// A conversation in GIOP_Lite. Text is UTF-8 and UTF-16. What is agreed on is that requests may name their target by
/// an index: the first reply says whether the peer understands them. Over carriers that may lose messages there are
/// none.
class GiopLiteSession final : public Session {
 public:
  explicit GiopLiteSession(const SessionSettings& settings) noexcept
      : Session(settings),
        limits_(settings.limits),
        lossy_(settings.lossy),
        log_(*settings.log),
        peer_(settings.peer),
        indexing_(settings.lossy ? Indexing::refused : Indexing::unknown),
        taken_(settings.memory) {}

  base::Status take(base::ConstByteSpan octets, Incoming& incoming) override;
  base::Status take_begun(base::ConstByteSpan begun, Incoming& incoming) override;

  void put_request(cdr::Encoder& encoder, Token token, const OutgoingRequest& request, BodyWriter body) override;
  void put_answer(cdr::Encoder& encoder, const Incoming& incoming) override;
  void put_reply(cdr::Encoder& encoder, const Origin& origin, ReplyStatus status,
                 std::span<const ServiceContext> contexts, BodyWriter body) override;
  void put_locate_reply(cdr::Encoder& encoder, const Origin& origin, LocateStatus status, BodyWriter body) override;
  bool put_cancel(cdr::Encoder& encoder, Token token) override;
  bool put_close(cdr::Encoder& encoder) override;
  bool put_error(cdr::Encoder& encoder) override;
  void unsent() noexcept override { given_.untell(); }

 private:
  /// What one side has said of indices to the other.
  enum class Indexing : std::uint8_t { unknown, understood, refused };

  base::Status take_request(base::ConstByteSpan message, Incoming& incoming);
  base::Status take_odd_request(base::Error why, base::ConstByteSpan message, Incoming& incoming);
  base::Status take_indexed(base::ConstByteSpan message, Incoming& incoming);
  base::Status take_reply(base::ConstByteSpan message, Incoming& incoming);
  bool offers() noexcept;
  base::Status take_names(std::uint16_t index, const IncomingRequest& request);
  base::Status take_odd_index(std::uint16_t index, Incoming& incoming);
  base::Status look(const FrameHeader& frame, Incoming& incoming) const;
  void put_other(cdr::Encoder& encoder, Token token, const OutgoingRequest& request, BodyWriter body);

  const GiopLite codec_{};
  const cdr::Limits limits_;
  const bool lossy_;
  const base::Log& log_;
  const std::string_view peer_;
  std::atomic<Indexing> indexing_;                   // there; written by the reader
  std::atomic<Indexing> offers_{Indexing::unknown};  // here; written by the reader, before it has a request
  GivenIndices given_;                               // the writer's
  TakenIndices taken_;                               // the reader's
  bool told_ = false;  // the log, of an index that makes no sense; the conversation ends then
};

}  // namespace corbel::messaging::giop_lite
