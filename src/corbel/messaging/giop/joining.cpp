// SPDX-License-Identifier: Apache-2.0
#include "corbel/messaging/giop/joining.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace corbel::messaging::giop {
namespace {

base::Error refuse_piece(base::Code code) noexcept {
  return base::error(base::Stage::receive, code);
}

}  // namespace

base::Status Joining::begin(const Giop& codec, const FrameHeader& frame, base::ConstByteSpan octets) {
  const auto id = codec.peek_request_id(frame, octets);
  if (!id) return refuse_piece(id.error().code);
  for (const Open& open : open_) {
    if (open.request_id == *id) return refuse_piece(base::Code::malformed);
  }
  if (open_.size() >= kMaxOpen || open_octets_ + octets.size() > limits_.max_message_size) {
    return refuse_piece(base::Code::too_large);
  }
  Open open{frame, ++begun_, *id, base::Bytes(octets.begin(), octets.end()), {}};
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
  if (open_octets_ + data.size() > limits_.max_message_size) return refuse_piece(base::Code::too_large);
  // What may throw comes before what is paid.
  const std::size_t size = open->octets.size() + data.size();
  if (size > open->octets.capacity()) open->octets.reserve(std::max(size, 2 * open->octets.capacity()));
  if (!part->has_request_id) open->joints.reserve(std::bit_ceil(open->joints.size() + 1));
  if (!pay(data.size())) return refuse_piece(base::Code::out_of_resources);
  if (!part->has_request_id) open->joints.push_back(open->octets.size());
  open->octets.insert(open->octets.end(), data.begin(), data.end());
  open_octets_ += data.size();
  if (frame.more_fragments) return false;
  open_octets_ -= open->octets.size();
  repay(joined.octets.size());
  joined.octets = std::move(open->octets);
  joined.joints = std::move(open->joints);
  frame = open->frame;
  frame.more_fragments = false;
  frame.message_size = static_cast<std::uint32_t>(joined.octets.size());
  octets = joined.octets;
  open_.erase(open);
  return true;
}

void Joining::forget(std::vector<Open>::iterator open) noexcept {
  open_octets_ -= open->octets.size();
  repay(open->octets.size());
  open_.erase(open);
}

void Joining::drop(std::uint32_t request_id) noexcept {
  const auto open = std::find_if(open_.begin(), open_.end(), [&](const Open& o) { return o.request_id == request_id; });
  if (open != open_.end()) forget(open);
}

void Joining::clear() noexcept {
  repay(std::exchange(open_octets_, 0));
  open_.clear();
}

}  // namespace corbel::messaging::giop
