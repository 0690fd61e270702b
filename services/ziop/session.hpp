// SPDX-License-Identifier: Apache-2.0
// A conversation in GIOP, some of whose messages are compressed.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>

#include <corbel/messaging/protocol.hpp>

#include "engine.hpp"

namespace corbel::ziop {

/// Reads messages that come compressed, and compresses requests and replies as interceptors (interceptors.cpp) and
/// peers say; all else is the session's below. The peer is told with the first request that its replies may be
/// compressed.
class ZiopSession final : public messaging::Session {
 public:
  ZiopSession(std::unique_ptr<messaging::Session> below, EnginePtr engine, const messaging::SessionSettings& settings);

  base::Status take(base::ConstByteSpan octets, messaging::Incoming& incoming) override;
  base::Status take_begun(base::ConstByteSpan begun, messaging::Incoming& incoming) override;
  void forget_parts() noexcept override;

  void put_request(cdr::Encoder& encoder, messaging::Token token, const messaging::OutgoingRequest& request,
                   messaging::BodyWriter body) override;
  void put_reply(cdr::Encoder& encoder, const messaging::Origin& origin, messaging::ReplyStatus status,
                 std::span<const messaging::ServiceContext> contexts, messaging::BodyWriter body) override;
  void put_swapped_reply(cdr::Encoder& encoder, const messaging::Origin& origin, messaging::ReplyStatus status,
                         std::span<const messaging::ServiceContext> contexts, messaging::BodyWriter body) override;
  void put_locate_reply(cdr::Encoder& encoder, const messaging::Origin& origin, messaging::LocateStatus status,
                        messaging::BodyWriter body) override;
  void put_answer(cdr::Encoder& encoder, const messaging::Incoming& incoming) override;
  bool put_cancel(cdr::Encoder& encoder, messaging::Token token) override;
  bool put_close(cdr::Encoder& encoder) override;
  bool put_error(cdr::Encoder& encoder) override;
  void unsent() noexcept override;
  bool put_own(cdr::Encoder& encoder) override;
  base::Status cut(std::span<const cdr::Segment> message, std::size_t most, MessageSender send) override;
  void introduce(std::uint32_t context_id, base::Bytes data) override;
  bool goes_both_ways(const messaging::Origin& origin) const noexcept override;
  bool heard_code_sets() const noexcept override;
  void report(base::FunctionRef<void(const messaging::Figure&)> visit) const override;

 private:
  using ReplyWriter = base::FunctionRef<void(std::span<const messaging::ServiceContext>)>;

  base::Status take_compressed(base::ConstByteSpan octets, messaging::Incoming& incoming);
  base::Status open(base::ConstByteSpan message, const Head& head, messaging::Joined& joined);
  base::Error refuse(base::Code code, std::string_view why);
  base::Status taken(base::Status status, messaging::Incoming& incoming);
  void hear(base::ConstByteSpan policies);
  void put_reply_with(cdr::Encoder& encoder, std::span<const messaging::ServiceContext> contexts, ReplyWriter put);

  const std::unique_ptr<messaging::Session> below_;
  const EnginePtr engine_;
  const cdr::Limits limits_;
  const bool has_compression_;  // GIOP 1.2
  const bool lossy_;
  messaging::Memory* const memory_;
  const base::Log& log_;
  const std::string_view peer_;
  std::atomic<std::uint64_t> told_{0};  // what the peer knows of the compressors here, as a number; 0: nothing
  std::atomic<bool> is_heard_{false};   // the peer takes compressed replies
  std::mutex mutex_;                    // guards what follows
  Levels heard_;                        // by these
};

}  // namespace corbel::ziop
