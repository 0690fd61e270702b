// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "corbel/messaging/frames/names.hpp"
#include "corbel/messaging/frames/peer.hpp"
#include "corbel/messaging/frames/pieces.hpp"
#include "corbel/messaging/frames/tally.hpp"
#include "corbel/messaging/session.hpp"

namespace corbel::messaging::frames {

/// A stream of frames: what the indices mean, what was counted, and what the other end says of it. Over a carrier that
/// loses messages it may hear several senders: one that began anew, forged ones, or all that send to a group.
class FramesSession final : public Session {
 public:
  explicit FramesSession(const SessionSettings& settings);

  base::Status take(base::ConstByteSpan octets, Incoming& incoming) override;
  void forget_parts() noexcept override;
  /// Fails with unsupported if a reply is wanted.
  void put_request(cdr::Encoder& encoder, Token token, const OutgoingRequest& request, BodyWriter body) override;
  base::Status cut(std::span<const cdr::Segment> message, std::size_t most, MessageSender send) override;
  void put_answer(cdr::Encoder& encoder, const Incoming& incoming) override;
  bool put_own(cdr::Encoder& encoder) override;
  bool put_error(cdr::Encoder& encoder) override;
  void unsent() noexcept override { given_.untell(); }
  void report(base::FunctionRef<void(const Figure&)> visit) const override;

 private:
  /// The first octets of a message, laid out as there, but in this machine's byte order.
  struct Head {
    std::uint8_t magic = 0;
    std::uint8_t flags = 0;
    std::uint16_t index = 0;
    std::uint32_t size = 0;
    std::uint32_t sequence = 0;
    std::uint32_t stamp = 0;
    std::uint32_t source = 0;
    bool swapped() const noexcept { return ((flags & kLittleEndian) != 0) != kNativeIsLittle; }
  };
  static_assert(offsetof(Head, source) == kHeaderSize && sizeof(Head) == kHeaderSize + kSourceSize);
  /// One that sends frames to this side.
  struct Source {
    Source(std::uint32_t number, FramesSession& session)
        : id(number),
          tally(session.counts_, session.lossy_),
          pieces(session.counts_, session.limits_, session.memory_, session.born_) {}
    const std::uint32_t id;
    std::int64_t heard = 0;  // when it was heard last
    TakenNames names;
    Tally tally;
    Pieces pieces;
    Moment moment;
  };

  Head head_of(base::ConstByteSpan message) const noexcept;
  base::Status take_piece(const Head& head, std::int64_t now, Incoming& incoming);
  base::Status take_frame(base::ConstByteSpan frame, const Head& head, std::int64_t now, Incoming& incoming);
  base::Status take_names(Source& source, std::uint16_t index, const IncomingRequest& request);
  void take_word(const Head& head, std::int64_t now, Incoming& incoming);
  /// nullptr if there is no room for one more.
  [[gnu::always_inline]] Source* find_source(std::uint32_t id, std::int64_t now) {
    if (last_ == nullptr || last_->id != id) [[unlikely]] {
      if (!look_for_source(id, now)) return nullptr;
    }
    last_->heard = now;
    return last_;
  }
  bool look_for_source(std::uint32_t id, std::int64_t now);
  bool make_room(std::int64_t now) noexcept;
  bool may_answer(std::int64_t now) noexcept;
  void leave_answer(Source& source, std::int64_t now) noexcept;
  void note_parts() noexcept;
  void give_up_old_parts(std::int64_t now) noexcept;

  const cdr::Limits limits_;
  const Side side_;
  const bool lossy_;
  const bool group_;
  Memory* const memory_;
  std::int64_t (*const now_)();
  std::int64_t (*const wall_)();
  const std::size_t header_size_;
  const std::uint32_t source_;  // this side's

  // The writer's.
  GivenNames given_;
  Asking asking_;
  std::atomic<std::uint64_t> sent_{0};  // its lower half is the next sequence number

  // The reader's.
  NameStore names_;
  Counts counts_;
  std::uint64_t born_ = 0;
  std::vector<std::unique_ptr<Source>> sources_;
  Source* last_ = nullptr;
  std::int64_t last_answer_;
  Answer answer_;  // left by the reader for the writer

  PeerFigures peer_;
};

}  // namespace corbel::messaging::frames
