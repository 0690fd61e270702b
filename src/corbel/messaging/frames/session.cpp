// SPDX-License-Identifier: Apache-2.0
#include "corbel/messaging/frames/session.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <random>

#include "corbel/messaging/frames/arrival.hpp"
#include "corbel/messaging/frames/layout.hpp"
#include "corbel/messaging/frames/stamps.hpp"
#include "corbel/messaging/header_input.hpp"

namespace corbel::messaging::frames {

using base::Code;
using base::Stage;

namespace {

constexpr std::size_t kMostSources = 4;        // of one peer: it may have begun anew
constexpr std::size_t kMostGroupSources = 64;  // that send to a group
constexpr std::int64_t kSilence = 1'000'000'000;
constexpr std::int64_t kAnswerAgain = 1'000'000;

base::Error refuse_frame(Code code) noexcept {
  return base::error(Stage::receive, code);
}

GivenNames::Telling telling(const SessionSettings& settings) noexcept {
  if (settings.group_profile != 0) return GivenNames::Telling::now_and_then;
  return settings.lossy ? GivenNames::Telling::until_known : GivenNames::Telling::once;
}

}  // namespace

FramesSession::FramesSession(const SessionSettings& settings)
    : Session(settings),
      limits_(settings.limits),
      side_(settings.side),
      lossy_(settings.lossy),
      group_(settings.group_profile != 0),
      memory_(settings.memory),
      now_(settings.now),
      wall_(settings.wall),
      header_size_(kHeaderSize + (settings.lossy ? kSourceSize : 0)),
      source_(settings.lossy ? std::random_device()() : 0),
      given_(telling(settings)),
      names_(settings.memory),
      last_answer_(INT64_MIN / 2) {}

/// `message` has at least `header_size_` octets.
[[gnu::always_inline]] inline FramesSession::Head FramesSession::head_of(base::ConstByteSpan message) const noexcept {
  Head head;
  std::memcpy(static_cast<void*>(&head), message.data(), kHeaderSize);
  if (lossy_) std::memcpy(&head.source, message.data() + kHeaderSize, kSourceSize);
  if (head.swapped()) [[unlikely]] {
    head.index = cdr::byte_swap(head.index);
    for (std::uint32_t* const each : {&head.size, &head.sequence, &head.stamp, &head.source}) {
      *each = cdr::byte_swap(*each);
    }
  }
  return head;
}

base::Status FramesSession::take(base::ConstByteSpan octets, Incoming& incoming) {
  incoming.kind = Kind::nothing;
  incoming.size = incoming.wanted = 0;
  if (octets.size() < header_size_) return {};
  const Head head = head_of(octets);
  const auto what = static_cast<std::uint8_t>(head.flags & (kNames | kPiece | kControl));
  if (head.magic != kMagic || (what & (what - 1)) != 0) return refuse_frame(Code::malformed);
  if (head.flags >> 4 != kVersion) return refuse_frame(Code::unsupported);
  if (head.size < header_size_) return refuse_frame(Code::malformed);
  if (head.size > limits_.max_message_size) return refuse_frame(Code::too_large);
  if (octets.size() < head.size) {
    incoming.wanted = head.size;
    return {};
  }
  incoming.size = head.size;
  incoming.octets = octets.first(head.size);
  incoming.joints = {};
  const std::int64_t now = now_();
  try {
    if (what == kPiece) return take_piece(head, now, incoming);
    if (what != kControl) return take_frame(incoming.octets, head, now, incoming);
    if (head.size != header_size_ + kWordSize) return refuse_frame(Code::malformed);
    take_word(head, now, incoming);
    return {};
  } catch (const std::bad_alloc&) {
    return refuse_frame(Code::out_of_resources);
  }
}

base::Status FramesSession::take_piece(const Head& head, std::int64_t now, Incoming& incoming) {
  const base::ConstByteSpan message = incoming.octets;
  if (message.size() < header_size_ + kPieceSize || incoming.joined == nullptr) return refuse_frame(Code::malformed);
  HeaderInput header(message, header_size_, head.swapped());
  Piece piece;
  piece.sequence = head.sequence;
  piece.came = now;
  piece.total = header.get();
  std::uint16_t halves[2];
  std::memcpy(halves, header.take(4).data(), sizeof halves);
  piece.number = head.swapped() ? cdr::byte_swap(halves[0]) : halves[0];
  piece.unit = (head.swapped() ? cdr::byte_swap(halves[1]) : halves[1]) * std::uint32_t{kPieceUnit};
  piece.data = message.subspan(header.position());
  if (!piece.makes_sense()) return refuse_frame(Code::malformed);
  if (piece.total > limits_.max_message_size) return refuse_frame(Code::too_large);
  Source* const source = find_source(head.source, now);
  if (source == nullptr || source->tally.has_come(head.sequence)) return {};
  const auto whole = source->pieces.add(piece, *incoming.joined);
  note_parts();
  if (!whole) return whole.error();
  if (!*whole) return {};
  const base::ConstByteSpan frame = incoming.joined->octets;
  if (frame.size() < header_size_) return refuse_frame(Code::malformed);
  const Head inner = head_of(frame);
  const bool is_frame =
      inner.magic == kMagic && inner.flags >> 4 == kVersion && (inner.flags & (kPiece | kControl)) == 0;
  if (!is_frame || inner.size != frame.size() || inner.sequence != head.sequence || inner.source != head.source) {
    return refuse_frame(Code::malformed);
  }
  incoming.octets = frame;
  return take_frame(frame, inner, now, incoming);
}

base::Status FramesSession::take_frame(base::ConstByteSpan frame, const Head& head, std::int64_t now,
                                       Incoming& incoming) {
  const bool named = (head.flags & kNames) != 0;
  IncomingRequest& request = incoming.request;
  request = {};
  HeaderInput header(frame, header_size_, head.swapped());
  if (named) {
    request.object_key = header.get_key(header.get(), limits_);
    request.operation = header.get_string(limits_.max_operation);
    if (!header.ok()) return refuse_frame(Code::malformed);
  } else if (head.index >= kMaxIndices) {
    return refuse_frame(Code::malformed);
  }
  Source* const source = find_source(head.source, now);
  if (source == nullptr) return {};
  if (named && head.index != kNoIndex) CORBEL_CHECK(take_names(*source, head.index, request));
  const Name* const name = named ? nullptr : source->names.find(head.index);
  if (!source->tally.count(head.sequence, head.stamp, static_cast<std::uint32_t>(now / 1000))) return {};
  if (oldest_part() != 0) [[unlikely]]
    give_up_old_parts(now);
  if (!named && name == nullptr) {
    Counts::add(counts_.unresolved);
    // What is known, in the hope to be told the rest; but not to a sender that may have forged a smaller frame.
    if ((!lossy_ || frame.size() >= header_size_ + kWordSize) && may_answer(now)) {
      answer_.question.store(0, std::memory_order_relaxed);
      leave_answer(*source, now);
      incoming.kind = Kind::answer;
    }
    return {};
  }
  if (!named) {
    request.object_key = name->key();
    request.operation = name->operation();
  }
  request.origin.id = head.sequence;
  note_arrival({head.sequence, head.source, head.stamp, source->moment.of(head.stamp),
                std::chrono::steady_clock::time_point(std::chrono::nanoseconds(now))});
  incoming.kind = Kind::request;
  incoming.body_at = std::min((header.position() + 7) & ~std::size_t{7}, frame.size());
  cdr::Format format;
  format.little_endian = kNativeIsLittle != head.swapped();
  incoming.body = cdr::Decoder(frame, format, limits_, incoming.body_at);
  return {};
}

/// Where strangers may fill the store, names that find no room in it are good for their own frame nevertheless.
base::Status FramesSession::take_names(Source& source, std::uint16_t index, const IncomingRequest& request) {
  auto taken = source.names.take(names_, index, request.object_key, request.operation);
  if (!taken && lossy_ && taken.error().code != Code::malformed) return {};
  return taken;
}

void FramesSession::take_word(const Head& head, std::int64_t now, Incoming& incoming) {
  if (head.index == static_cast<std::uint16_t>(Word::refusal)) {
    if (!lossy_ && side_ == Side::initiator) incoming.kind = Kind::error;  // else anybody might end it
    return;
  }
  HeaderInput words(incoming.octets, header_size_, head.swapped());
  if (head.index == static_cast<std::uint16_t>(Word::question)) {
    if (side_ != Side::acceptor) return;
    Source* const source = find_source(head.source, now);
    if (source == nullptr) return;
    const std::uint32_t number = words.get();
    const std::int64_t seconds = words.get();
    const std::int64_t nanoseconds = words.get();
    source->moment = {true, head.stamp, seconds * 1'000'000'000 + nanoseconds};
    if (!may_answer(now)) return;
    answer_.question.store(number, std::memory_order_relaxed);
    answer_.question_stamp.store(head.stamp, std::memory_order_relaxed);
    leave_answer(*source, now);
    incoming.kind = Kind::answer;
    return;
  }
  if (head.index != static_cast<std::uint16_t>(Word::report) || side_ != Side::initiator) return;
  if (group_ || head.source != source_) return;
  const std::uint32_t number = words.get();
  const std::uint32_t stamp = words.get();
  const std::uint32_t held = words.get();
  const auto note = [](PeerFigures::Number& figure, std::uint32_t value) {
    figure.store(value, std::memory_order_relaxed);
  };
  note(peer_.jitter, words.get());
  note(peer_.received, words.get());
  note(peer_.lost, words.get());
  note(peer_.fraction, words.get());
  note(peer_.unresolved, words.get());
  for (std::size_t i = 0; i < KnownIndices::kWords; ++i) given_.known().set_word(i, words.get());
  peer_.reports.fetch_add(1, std::memory_order_relaxed);
  if (number == 0 || number != asking_.number()) return;
  asking_.answered(number);
  const auto trip = static_cast<std::int32_t>(static_cast<std::uint32_t>(now / 1000) - stamp - held);
  note(peer_.round_trip, static_cast<std::uint32_t>(std::max(trip, 0)));
}

/// Any but the last: true, and it is the last, if there is or can be one.
[[gnu::noinline]] bool FramesSession::look_for_source(std::uint32_t id, std::int64_t now) {
  const auto found =
      std::find_if(sources_.begin(), sources_.end(), [&](const auto& source) { return source->id == id; });
  if (found != sources_.end()) {
    last_ = found->get();
    return true;
  }
  if (!make_room(now)) {
    Counts::add(counts_.refused);
    return false;
  }
  sources_.push_back(std::make_unique<Source>(id, *this));
  last_ = sources_.back().get();
  return true;
}

/// The source that has been silent for longest has to go, but none that is still heard.
bool FramesSession::make_room(std::int64_t now) noexcept {
  if (sources_.size() < (group_ ? kMostGroupSources : kMostSources)) return true;
  const auto oldest = std::min_element(sources_.begin(), sources_.end(),
                                       [](const auto& a, const auto& b) { return a->heard < b->heard; });
  if (now - (*oldest)->heard < kSilence) return false;
  last_ = nullptr;
  sources_.erase(oldest);
  note_parts();
  return true;
}

bool FramesSession::may_answer(std::int64_t now) noexcept {
  if (group_ || side_ != Side::acceptor || now - last_answer_ < kAnswerAgain) return false;
  last_answer_ = now;
  return true;
}

void FramesSession::leave_answer(Source& source, std::int64_t now) noexcept {
  answer_.source.store(source.id, std::memory_order_relaxed);
  answer_.highest.store(source.tally.highest(), std::memory_order_relaxed);
  answer_.came.store(now, std::memory_order_relaxed);
  answer_.fraction.store(source.tally.fraction_lost(), std::memory_order_relaxed);
  for (std::size_t i = 0; i < KnownIndices::kWords; ++i) answer_.known.set_word(i, source.names.known(i));
}

void FramesSession::note_parts() noexcept {
  part_octets_ = 0;
  std::uint64_t oldest_of_all = 0;
  for (const auto& source : sources_) {
    part_octets_ += source->pieces.octets();
    const std::uint64_t oldest = source->pieces.oldest();
    if (oldest != 0 && (oldest_of_all == 0 || oldest < oldest_of_all)) oldest_of_all = oldest;
  }
  oldest_part_.store(oldest_of_all, std::memory_order_relaxed);
}

/// Once others have come, what is missing of a frame will not.
void FramesSession::give_up_old_parts(std::int64_t now) noexcept {
  for (const auto& source : sources_) source->pieces.give_up_old(source->tally, now - kSilence);
  note_parts();
}

void FramesSession::forget_parts() noexcept {
  for (const auto& source : sources_) source->pieces.clear();
  note_parts();
}

void FramesSession::report(base::FunctionRef<void(const Figure&)> visit) const {
  visit({"sent", sent_.load(std::memory_order_relaxed)});
  counts_.report(visit);
  peer_.report(visit);
}

}  // namespace corbel::messaging::frames
