// SPDX-License-Identifier: Apache-2.0
// What a session of frames sends: frames, pieces of them, questions, reports and refusals.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>

#include "corbel/messaging/frames/layout.hpp"
#include "corbel/messaging/frames/session.hpp"
#include "corbel/messaging/frames/stamps.hpp"
#include "corbel/messaging/header_output.hpp"

namespace corbel::messaging::frames {

using base::Code;

namespace {

constexpr std::int64_t kSameMoment = 20'000;  // in which two clocks are read
constexpr int kClockReadings = 8;

class FrameWriter : public HeaderOutput {
 public:
  FrameWriter(cdr::Encoder& encoder, std::size_t room)
      : HeaderOutput(encoder, kHeaderSize + kSourceSize + room, false) {}

  void begin(std::uint8_t flags, std::uint16_t index, std::uint32_t sequence, std::uint32_t stamp) noexcept {
    put(kMagic);
    put(static_cast<std::uint8_t>(kVersion << 4 | (kNativeIsLittle ? kLittleEndian : 0) | flags));
    store(index);
    put_zero();  // the size
    put(sequence);
    put(stamp);
  }
  void finish(BodyWriter body) {
    const std::size_t gap = align<8>();
    commit();
    const std::size_t from = encoder().position();
    body(encoder());
    std::size_t size = encoder().position();
    if (size == from) {
      encoder().uncommit(gap);
      size -= gap;
    }
    patch_size(4, 0, size);
  }
  void finish_word(std::size_t words) noexcept {
    for (; words < kWordSize / 4; ++words) put_zero();
    commit();
    patch_size(4, 0, encoder().position());
  }
};

/// The number of a frame. It is given back if the frame is not made after all (what writes its body may throw), unless
/// others were counted since: the peer would take it for lost.
struct Counted {
  ~Counted() {
    std::uint64_t next = number + 1;
    if (!made) counter.compare_exchange_strong(next, number, std::memory_order_relaxed);
  }
  std::atomic<std::uint64_t>& counter;
  const std::uint64_t number;
  bool made = false;
};

}  // namespace

void FramesSession::put_request(cdr::Encoder& encoder, Token, const OutgoingRequest& request, BodyWriter body) {
  encoder.reset({});
  if (request.response != Response::none) return encoder.fail(Code::unsupported);
  // Without a host another thread is the writer: the frame carries its names, and no index is given.
  const bool is_writer = encoder.host() != nullptr;
  const GivenNames::Given given = is_writer ? given_.give(request.object_key, request.operation) : GivenNames::Given();
  // Counted before the body: while it is written others may come to write (Session).
  Counted counted{sent_, sent_.fetch_add(1, std::memory_order_relaxed)};
  const std::int64_t now = now_();
  if (is_writer) {
    const bool untold = given.tell && lossy_ && !group_;
    if (untold) asking_.untold();
    if (asking_.is_due(now, untold)) has_own(true);
  }
  FrameWriter frame(encoder, given.tell ? 24 + request.object_key.size() + request.operation.size() : 8);
  frame.begin(given.tell ? kNames : 0, given.index, static_cast<std::uint32_t>(counted.number), stamp_at(now));
  if (lossy_) frame.put(source_);
  if (given.tell) {
    frame.put_octets(request.object_key);
    frame.align();
    frame.put_string(request.operation);
  }
  frame.finish(body);
  counted.made = encoder.ok();
  if (counted.made && encoder.host() != nullptr && given.tell) given_.told(given.index);
}

base::Status FramesSession::cut(std::span<const cdr::Segment> message, std::size_t most, MessageSender send) {
  base::Octet head[kHeaderSize + kSourceSize + kPieceSize];
  std::size_t known = 0;
  for (const cdr::Segment& segment : message) {
    const std::size_t part = std::min(segment.size, header_size_ - known);
    if (part != 0) std::memcpy(head + known, segment.data, part);
    known += part;
  }
  head[1] = static_cast<base::Octet>((head[1] & ~kNames) | kPiece);
  return cut_frame(message, {head, header_size_ + kPieceSize}, most, send);
}

void FramesSession::put_answer(cdr::Encoder& encoder, const Incoming&) {
  const auto get = [](const Answer::Number& number) { return number.load(std::memory_order_relaxed); };
  const auto count = [](const Counts::Counter& counter) { return static_cast<std::uint32_t>(Counts::get(counter)); };
  const std::int64_t now = now_();
  encoder.reset({});
  FrameWriter word(encoder, kWordSize);
  word.begin(kControl, static_cast<std::uint16_t>(Word::report), get(answer_.highest),
             static_cast<std::uint32_t>(now / 1000));
  if (lossy_) word.put(get(answer_.source));
  word.put(get(answer_.question));
  word.put(get(answer_.question_stamp));
  word.put(static_cast<std::uint32_t>((now - answer_.came.load(std::memory_order_relaxed)) / 1000));
  word.put(static_cast<std::uint32_t>(Counts::get(counts_.jitter) >> 4));
  word.put(count(counts_.received));
  word.put(count(counts_.lost));
  word.put(get(answer_.fraction));
  word.put(count(counts_.unresolved));
  for (std::size_t i = 0; i < KnownIndices::kWords; ++i) word.put(answer_.known.word(i));
  word.finish_word(8 + KnownIndices::kWords);
}

bool FramesSession::put_error(cdr::Encoder& encoder) {
  if (lossy_ || side_ != Side::acceptor) return false;
  encoder.reset({});
  FrameWriter word(encoder, kWordSize);
  word.begin(kControl, static_cast<std::uint16_t>(Word::refusal), 0, static_cast<std::uint32_t>(now_() / 1000));
  word.finish_word(0);
  return true;
}

bool FramesSession::put_own(cdr::Encoder& encoder) {
  has_own(false);
  std::int64_t now = now_();
  if (!asking_.ask(now)) return false;
  if (group_) asking_.answered(asking_.number());  // no peer will
  std::int64_t wall = wall_();
  for (int again = 0; again < kClockReadings; ++again) {
    const std::int64_t after = now_();
    if (after - now < kSameMoment) break;
    now = after;  // the thread was kept waiting in between
    wall = wall_();
  }
  encoder.reset({});
  FrameWriter word(encoder, kWordSize);
  word.begin(kControl, static_cast<std::uint16_t>(Word::question),
             static_cast<std::uint32_t>(sent_.load(std::memory_order_relaxed)), static_cast<std::uint32_t>(now / 1000));
  if (lossy_) word.put(source_);
  word.put(asking_.number());
  word.put(static_cast<std::uint32_t>(wall / 1'000'000'000));
  word.put(static_cast<std::uint32_t>(wall % 1'000'000'000));
  word.finish_word(3);
  return true;
}

}  // namespace corbel::messaging::frames
