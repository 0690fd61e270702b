// SPDX-License-Identifier: Apache-2.0
#include "corbel/messaging/giop/joining.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

namespace corbel::messaging::giop {
namespace {

base::Error refuse_piece(base::Code code) noexcept {
  return base::error(base::Stage::receive, code);
}

}  // namespace

base::Status Joining::begin(const Giop& codec, const FrameHeader& frame, base::ConstByteSpan octets) {
  const auto id = codec.peek_request_id(frame, octets);
  if (!id) return refuse_piece(id.error().code == base::Code::truncated ? base::Code::malformed : id.error().code);
  for (const Open& open : open_) {
    if (open.request_id == *id) return refuse_piece(base::Code::malformed);
  }
  if (open_.size() >= kMaxOpen || open_octets_ + octets.size() > limits_.max_message_size) {
    return refuse_piece(base::Code::too_large);
  }
  Open open{frame, ++begun_, *id, {base::Bytes(octets.begin(), octets.end()), {}}};
  open_.reserve(kMaxOpen);  // what may throw comes before what is paid
  if (!pay(octets.size())) return refuse_piece(base::Code::out_of_resources);
  open_.push_back(std::move(open));
  open_octets_ += octets.size();
  return {};
}

base::Result<bool> Joining::add(const Giop& codec, FrameHeader& frame, base::ConstByteSpan& octets, Joined& joined) {
  const auto part = codec.decode_fragment(frame, octets);
  if (!part) return refuse_piece(part.error().code);
  // A fragment without id (GIOP 1.1) continues the only message that can be open.
  const auto open = part->has_request_id ? std::find_if(open_.begin(), open_.end(),
                                                        [&](const Open& o) { return o.request_id == part->request_id; })
                                         : open_.begin();
  if (open == open_.end() || open->frame.little_endian != frame.little_endian || open->frame.version != frame.version) {
    return refuse_piece(base::Code::malformed);
  }
  const base::ConstByteSpan data = octets.subspan(part->data_offset);
  if (auto appended = append(open->parts, data, !part->has_request_id); !appended) return appended.error();
  if (frame.more_fragments) return false;
  open_octets_ -= open->parts.octets.size();
  repay(joined.cost());
  joined = std::move(open->parts);
  frame = open->frame;
  frame.more_fragments = false;
  frame.message_size = static_cast<std::uint32_t>(joined.octets.size());
  octets = joined.octets;
  open_.erase(open);
  return true;
}

/// While it grows, what there was and what there will be are paid for, as both are there.
template <class T>
base::Status Joining::make_room(std::vector<T>& all, std::size_t size, std::size_t capacity) {
  const std::size_t before = all.capacity() * sizeof(T);
  if (size <= all.capacity()) return {};
  if (!pay(capacity * sizeof(T))) return refuse_piece(base::Code::out_of_resources);
  try {
    all.reserve(capacity);
  } catch (...) {
    repay(capacity * sizeof(T));
    throw;
  }
  repay(before);
  return {};
}

/// Fragments may be empty, or nearly so: where they begin takes memory, too.
base::Status Joining::append(Joined& parts, base::ConstByteSpan data, bool joint) {
  if (open_octets_ + data.size() > limits_.max_message_size) return refuse_piece(base::Code::too_large);
  // If several joints are at one place, only the last counts.
  const bool another = joint && (parts.joints.empty() || parts.joints.back() != parts.octets.size());
  if (another && parts.joints.size() * sizeof(std::size_t) >= limits_.max_message_size) {
    return refuse_piece(base::Code::too_large);
  }
  const std::size_t size = parts.octets.size() + data.size();
  const std::size_t doubled = std::min<std::size_t>(2 * parts.octets.capacity(), limits_.max_message_size);
  CORBEL_CHECK(make_room(parts.octets, size, std::max(size, doubled)));
  if (another) {
    CORBEL_CHECK(make_room(parts.joints, parts.joints.size() + 1, std::bit_ceil(parts.joints.size() + 1)));
    parts.joints.push_back(parts.octets.size());
  }
  parts.octets.insert(parts.octets.end(), data.begin(), data.end());
  open_octets_ += data.size();
  return {};
}

void Joining::forget(std::vector<Open>::iterator open) noexcept {
  open_octets_ -= open->parts.octets.size();
  repay(open->parts.cost());
  open_.erase(open);
}

void Joining::drop(std::uint32_t request_id) noexcept {
  const auto open = std::find_if(open_.begin(), open_.end(), [&](const Open& o) { return o.request_id == request_id; });
  if (open != open_.end()) forget(open);
}

bool Joining::has_reply(base::FunctionRef<bool(Token)> awaited) const {
  return std::any_of(open_.begin(), open_.end(),
                     [&](const Open& o) { return o.frame.type == MessageType::reply && awaited(o.request_id); });
}

void Joining::clear() noexcept {
  while (!open_.empty()) forget(std::prev(open_.end()));
}

}  // namespace corbel::messaging::giop
