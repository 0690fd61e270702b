// SPDX-License-Identifier: Apache-2.0
#include "corbel/cdr/decoder.hpp"

#include <utility>

#include "corbel/cdr/swap.hpp"

namespace corbel::cdr {

bool Decoder::check_booleans(base::ConstByteSpan octets) noexcept {
  std::uint8_t seen = 0;
  for (const std::uint8_t octet : octets) seen |= octet;
  if (seen <= 1) return true;
  fail(base::Code::bad_boolean);
  return false;
}

void Decoder::swap_into(void* values, const std::uint8_t* raw, std::size_t count, std::size_t width) noexcept {
  swap_copy(static_cast<std::uint8_t*>(values), raw, count, width);
}

namespace {
constexpr std::size_t kFragmentHeaderSize = 12;
}

void Decoder::enter_joints(std::span<const std::size_t> joints) noexcept {
  start_ = origin_;
  joints_ = joints;
  end_ = start_ + joints_.front();
  if (cursor_ > end_) pass_joints();
}

void Decoder::pass_joints() noexcept {
  while (cursor_ > end_) pass_joint();
}

void Decoder::pass_joint() noexcept {
  origin_ = end_ - kFragmentHeaderSize;
  joints_ = joints_.subspan(1);
  ++joints_passed_;
  end_ = joints_.empty() ? limit_ : start_ + joints_.front();
}

bool Decoder::next_segment() noexcept {
  if (chunks_ != Chunks::none) return next_chunk();
  if (joints_.empty()) {
    fail(base::Code::truncated);
    return false;
  }
  cursor_ = end_;
  pass_joint();
  return true;
}

Decoder Decoder::get_encapsulation() noexcept {
  const base::ConstByteSpan octets = take_octets(get<std::uint32_t>());  // in place: costs nothing
  Limits limits;
  limits.max_depth = max_depth_;
  limits.max_expansion = max_expansion_;
  Decoder inner = from_encapsulation(octets, format_, limits);
  if (!inner.ok()) {
    fail(inner.code_);
    return {};
  }
  inner.depth_ = depth_;
  inner.budget_ = std::exchange(budget_, 0);
  return inner;
}

Decoder Decoder::from_encapsulation(base::ConstByteSpan octets, Format format, const Limits& limits) noexcept {
  if (octets.empty() || octets[0] > 1) {
    Decoder none;
    none.fail(octets.empty() ? base::Code::truncated : base::Code::malformed);
    return none;
  }
  format.little_endian = octets[0] == 1;
  Decoder decoder(octets, format, limits);
  ++decoder.cursor_;
  return decoder;
}

}  // namespace corbel::cdr
