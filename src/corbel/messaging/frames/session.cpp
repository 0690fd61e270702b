// SPDX-License-Identifier: Apache-2.0
#include "corbel/messaging/frames/session.hpp"

#include <bit>
#include <cstring>
#include <new>

#include "corbel/messaging/frames/layout.hpp"
#include "corbel/messaging/header_input.hpp"
#include "corbel/messaging/header_output.hpp"

namespace corbel::messaging::frames {

using base::Code;
using base::Stage;

namespace {

constexpr bool kNativeIsLittle = std::endian::native == std::endian::little;

base::Error refuse_frame(Code code) noexcept {
  return base::error(Stage::receive, code);
}

class FrameWriter : public HeaderOutput {
 public:
  FrameWriter(cdr::Encoder& encoder, std::size_t room) : HeaderOutput(encoder, kHeaderSize + room, false) {}

  void begin(bool names, std::uint16_t index, std::uint32_t sequence, std::uint32_t stamp) noexcept {
    put(kMagic);
    put(static_cast<std::uint8_t>(kVersion << 4 | (kNativeIsLittle ? kLittleEndian : 0) | (names ? kNames : 0)));
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
};

}  // namespace

base::Status FramesSession::take(base::ConstByteSpan octets, Incoming& incoming) {
  incoming.kind = Kind::nothing;
  incoming.size = incoming.wanted = 0;
  if (octets.size() < kHeaderSize) return {};
  if (octets[0] != kMagic || (octets[1] & 0x0f & ~kFlagBits) != 0) return refuse_frame(Code::malformed);
  if (octets[1] >> 4 != kVersion) return refuse_frame(Code::unsupported);
  const bool swapped = ((octets[1] & kLittleEndian) != 0) != kNativeIsLittle;
  std::uint32_t size;
  std::memcpy(&size, octets.data() + 4, sizeof size);
  if (swapped) size = cdr::byte_swap(size);
  if (size < kHeaderSize) return refuse_frame(Code::malformed);
  if (size > limits_.max_message_size) return refuse_frame(Code::too_large);
  if (octets.size() < size) {
    incoming.wanted = size;
    return {};
  }
  incoming.size = size;
  incoming.octets = octets.first(size);
  incoming.joints = {};
  try {
    return read(incoming.octets, swapped, incoming);
  } catch (const std::bad_alloc&) {
    return refuse_frame(Code::out_of_resources);
  }
}

base::Status FramesSession::read(base::ConstByteSpan frame, bool swapped, Incoming& incoming) {
  HeaderInput header(frame, kHeaderSize, swapped);
  std::uint16_t index;
  std::memcpy(&index, frame.data() + 2, sizeof index);
  if (swapped) index = cdr::byte_swap(index);
  const std::uint32_t sequence = header.load(frame.data() + 8);
  const std::uint32_t stamp = header.load(frame.data() + 12);
  IncomingRequest& request = incoming.request;
  request = {};
  const Name* name = nullptr;
  if ((frame[1] & kNames) != 0) {
    request.object_key = header.get_key(header.get(), limits_);
    request.operation = header.get_string(limits_.max_operation);
    if (!header.ok()) return refuse_frame(Code::malformed);
    if (index != kNoIndex) CORBEL_CHECK(taken_.take(index, request.object_key, request.operation));
  } else {
    if (index >= kMaxIndices) return refuse_frame(Code::malformed);
    name = taken_.find(index);
  }
  if (!tally_.count(sequence, stamp, microseconds())) return {};
  if ((frame[1] & kNames) == 0) {
    if (name == nullptr) {
      tally_.count_unresolved();
      return {};
    }
    request.object_key = name->key();
    request.operation = name->operation();
  }
  request.origin.id = sequence;
  incoming.kind = Kind::request;
  incoming.body_at = std::min((header.position() + 7) & ~std::size_t{7}, frame.size());
  cdr::Format format;
  format.little_endian = kNativeIsLittle != swapped;
  incoming.body = cdr::Decoder(frame, format, limits_, incoming.body_at);
  return {};
}

void FramesSession::put_request(cdr::Encoder& encoder, Token, const OutgoingRequest& request, BodyWriter body) {
  encoder.reset({});
  if (request.response != Response::none) return encoder.fail(Code::unsupported);
  // Without a host another thread is the writer: the frame carries its names, and no index is given.
  const bool is_writer = encoder.host() != nullptr;
  const GivenNames::Given given =
      is_writer ? given_.give(request.object_key, request.operation, lossy_) : GivenNames::Given();
  // Counted before the body: while it is written others may come to write (Session).
  const std::uint64_t sequence = sent_.fetch_add(1, std::memory_order_relaxed);
  FrameWriter frame(encoder, given.tell ? 24 + request.object_key.size() + request.operation.size() : 8);
  frame.begin(given.tell, given.index, static_cast<std::uint32_t>(sequence), microseconds());
  if (given.tell) {
    frame.put_octets(request.object_key);
    frame.align();
    frame.put_string(request.operation);
  }
  frame.finish(body);
  if (encoder.host() == nullptr) return;
  if (!encoder.ok()) {
    std::uint64_t next = sequence + 1;
    sent_.compare_exchange_strong(next, sequence, std::memory_order_relaxed);
  } else if (given.tell) {
    given_.told(given.index);
  }
}

void FramesSession::report(base::FunctionRef<void(const Figure&)> visit) const {
  visit({"sent", sent_.load(std::memory_order_relaxed)});
  tally_.report(visit);
}

}  // namespace corbel::messaging::frames
