// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>

#include "corbel/messaging/giop/codec.hpp"
#include "corbel/messaging/giop/joining.hpp"
#include "corbel/messaging/session.hpp"

namespace corbel::messaging::giop {

/// A conversation in GIOP: the version, the code sets, and messages in fragments.
class GiopSession : public Session {
 public:
  GiopSession(const Giop& codec, const SessionSettings& settings) noexcept;

  base::Status take(base::ConstByteSpan octets, Incoming& incoming) override;
  base::Status take_begun(base::ConstByteSpan begun, Incoming& incoming) override;
  void forget_parts() noexcept override;
  bool has_part_of_reply(base::FunctionRef<bool(Token)> awaited) const override {
    return joining_ != nullptr && joining_->has_reply(awaited);
  }

  void put_request(cdr::Encoder& encoder, Token token, const OutgoingRequest& request, BodyWriter body) override;
  void put_reply(cdr::Encoder& encoder, const Origin& origin, ReplyStatus status,
                 std::span<const ServiceContext> contexts, BodyWriter body) override;
  void put_locate_reply(cdr::Encoder& encoder, const Origin& origin, LocateStatus status, BodyWriter body) override;
  void put_swapped_reply(cdr::Encoder& encoder, const Origin& origin, ReplyStatus status,
                         std::span<const ServiceContext> contexts, BodyWriter body) override;
  void put_answer(cdr::Encoder& encoder, const Incoming& incoming) override;
  bool put_cancel(cdr::Encoder& encoder, Token token) override;
  bool put_close(cdr::Encoder& encoder) override;
  bool put_error(cdr::Encoder& encoder) override;
  void unsent() noexcept override;
  void introduce(std::uint32_t context_id, base::Bytes data) override;
  bool heard_code_sets() const noexcept override { return heard_.load(std::memory_order_relaxed); }
  /// Both sides have to speak GIOP 1.2 (CORBA 3.3 part 2, 9.8).
  bool goes_both_ways(const Origin& origin) const noexcept override {
    return minor_ >= 2 && origin.version >= 2 && !lossy_;
  }

 protected:
  /// What the sender before said about code sets is forgotten.
  void forget_code_sets() noexcept { served_.set(code_sets_.for_char, code_sets_.for_wchar); }
  cdr::Format request_format() const noexcept { return format(minor_, asked_); }
  bool tells_code_sets() const noexcept;
  void with_introduction(const OutgoingRequest& request, base::FunctionRef<void(const OutgoingRequest&)> put) const;

 private:
  /// The code sets of one direction: of its requests and their replies. Written by the side that they say it to.
  struct CodeSets {
    explicit CodeSets(const ior::CodeSetChoice& choice) noexcept
        : for_char(choice.for_char), for_wchar(choice.for_wchar) {}
    void set(cdr::CodeSet narrow, cdr::CodeSet wide) noexcept {
      for_char.store(narrow, std::memory_order_relaxed);
      for_wchar.store(wide, std::memory_order_relaxed);
    }
    void copy(const CodeSets& other) noexcept {
      set(other.for_char.load(std::memory_order_relaxed), other.for_wchar.load(std::memory_order_relaxed));
    }
    std::atomic<cdr::CodeSet> for_char;
    std::atomic<cdr::CodeSet> for_wchar;
  };

  static bool is_whole(std::size_t message_size, base::ConstByteSpan octets, Incoming& incoming) noexcept;
  base::Status take_unusual(base::ConstByteSpan octets, Incoming& incoming);
  base::Status take_piece(const FrameHeader& frame, Incoming& incoming);
  base::Status look(const FrameHeader& frame, Incoming& incoming);
  base::Status look_at_request(const FrameHeader& frame, Incoming& incoming);
  base::Status look_at_odd_request(base::Error why, const FrameHeader& frame, Incoming& incoming);
  /// The option that a request is beyond; empty: none.
  std::string_view limit_passed_by(const IncomingRequest& request) const noexcept;
  base::Status look_at_locate_request(const FrameHeader& frame, Incoming& incoming);
  base::Status look_at_reply(const FrameHeader& frame, Incoming& incoming);
  base::Error refuse(base::Error why, const Incoming& incoming, std::string_view message,
                     std::string_view limits) const noexcept;
  bool take_code_sets(const IncomingRequest& request);
  void put_first_request(cdr::Encoder& encoder, Token token, const OutgoingRequest& request, BodyWriter body);
  void note_parts() noexcept;
  static cdr::Format format(std::uint8_t minor, const CodeSets& sets) noexcept {
    cdr::Format format;
    format.giop_minor = minor;
    format.char_set = sets.for_char.load(std::memory_order_relaxed);
    format.wchar_set = sets.for_wchar.load(std::memory_order_relaxed);
    return format;
  }
  static void read_with(const CodeSets& sets, cdr::Decoder& body) noexcept {
    body.set_code_sets(sets.for_char.load(std::memory_order_relaxed), sets.for_wchar.load(std::memory_order_relaxed));
  }

  const Giop codec_;
  const Side side_;
  const std::uint8_t minor_;  // of requests and of what is no answer
  const cdr::Limits limits_;
  const ior::CodeSetChoice code_sets_;
  const bool lossy_;
  const base::Log& log_;
  const std::string_view peer_;
  std::atomic<bool> introduced_;    // changed by the writer
  CodeSets asked_;                  // what this side asks
  CodeSets served_;                 // what the peer asks
  Memory* const memory_;            // pays for messages in pieces
  std::atomic<bool> heard_{false};  // it has said in which
  std::uint32_t introduction_id_ = 0;
  base::Bytes introduction_;          // empty: nothing but code sets
  std::unique_ptr<Joining> joining_;  // there while messages come in pieces
};

}  // namespace corbel::messaging::giop
