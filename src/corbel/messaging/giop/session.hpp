// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "corbel/messaging/giop/codec.hpp"
#include "corbel/messaging/giop/joining.hpp"
#include "corbel/messaging/session.hpp"

namespace corbel::messaging::giop {

/// A conversation in GIOP: the version, the code sets, and messages in fragments.
class GiopSession : public Session {
 public:
  GiopSession(const Giop& codec, const SessionSettings& settings) noexcept;

  base::Status take(base::ConstByteSpan octets, Incoming& incoming) override;
  void forget_parts() noexcept override;

  void put_request(cdr::Encoder& encoder, Token token, const OutgoingRequest& request, BodyWriter body) override;
  void put_reply(cdr::Encoder& encoder, const Origin& origin, ReplyStatus status,
                 std::span<const ServiceContext> contexts, BodyWriter body) override;
  void put_locate_reply(cdr::Encoder& encoder, const Origin& origin, LocateStatus status, BodyWriter body) override;
  void put_answer(cdr::Encoder& encoder, const Incoming& incoming) override;
  bool put_cancel(cdr::Encoder& encoder, Token token) override;
  bool put_close(cdr::Encoder& encoder) override;
  bool put_error(cdr::Encoder& encoder) override;
  void unsent() noexcept override;

 protected:
  /// Says the code sets of the next request anew; what another sender said is forgotten.
  void forget_code_sets() noexcept {
    char_set_.store(code_sets_.for_char, std::memory_order_relaxed);
    wchar_set_.store(code_sets_.for_wchar, std::memory_order_relaxed);
  }
  cdr::Format request_format() const noexcept { return format(minor_); }
  bool negotiated() const noexcept { return code_sets_.negotiated; }
  void with_code_sets(const OutgoingRequest& request, base::FunctionRef<void(const OutgoingRequest&)> put) const;

 private:
  base::Status take_piece(const FrameHeader& frame, Incoming& incoming);
  base::Status look(const FrameHeader& frame, Incoming& incoming);
  base::Status look_at_request(const FrameHeader& frame, Incoming& incoming);
  base::Status look_at_locate_request(const FrameHeader& frame, Incoming& incoming);
  base::Status look_at_reply(const FrameHeader& frame, Incoming& incoming);
  bool take_code_sets(const IncomingRequest& request);
  void put_first_request(cdr::Encoder& encoder, Token token, const OutgoingRequest& request, BodyWriter body);
  void note_parts() noexcept;
  cdr::Format format(std::uint8_t minor) const noexcept {
    cdr::Format format;
    format.giop_minor = minor;
    format.char_set = char_set_.load(std::memory_order_relaxed);
    format.wchar_set = wchar_set_.load(std::memory_order_relaxed);
    return format;
  }

  const Giop codec_;
  const Side side_;
  const std::uint8_t minor_;  // of requests and of what is no answer
  const cdr::Limits limits_;
  const ior::CodeSetChoice code_sets_;
  const bool lossy_;
  const base::Log& log_;
  const std::string_view peer_;
  std::atomic<bool> code_sets_told_;  // changed by the writer
  std::atomic<cdr::CodeSet> char_set_;
  std::atomic<cdr::CodeSet> wchar_set_;
  Joining joining_;
};

}  // namespace corbel::messaging::giop
