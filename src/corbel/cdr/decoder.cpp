// SPDX-License-Identifier: Apache-2.0
#include "corbel/cdr/decoder.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "corbel/cdr/swap.hpp"
#include "corbel/cdr/value_tables.hpp"

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

/// More is needed than the budget has. What is withheld is paid for in pieces, not value by value.
bool Decoder::ask_for(std::size_t octets) noexcept {
  const std::size_t least = octets - budget_;
  if (least > withheld_) {
    fail(base::Code::too_expanded);
    return false;
  }
  const std::size_t piece = std::min(withheld_, std::max(least, kUncharged));
  if (!pay(piece)) {
    fail(base::Code::no_value_memory);
    return false;
  }
  withheld_ -= piece;
  budget_ += piece;
  return true;
}

bool Decoder::pay(std::size_t octets) noexcept try {
  Memory* const memory = context_ != nullptr ? context_->value_memory() : nullptr;
  if (memory == nullptr) return true;
  if (attachment_ == nullptr) attach(base::make_shared<ValueTables>());
  return ValueTables::of(*this)->payment.pay(*memory, octets);
} catch (const std::bad_alloc&) {
  return false;
}

void Decoder::settle(const Decoder& other) noexcept {
  budget_ = other.budget_;
  withheld_ = other.withheld_;
  if (other.attachment_ != nullptr && other.attachment_ != attachment_) take_over_payment(other);
  if (!other.ok()) fail(other.code_);
}

/// Takes over what values were paid for in an encapsulation, which has tables of its own.
void Decoder::take_over_payment(const Decoder& other) noexcept try {
  if (attachment_ == nullptr) attach(base::make_shared<ValueTables>());
  ValueTables::of(*this)->payment.take_over(ValueTables::of(other)->payment);
} catch (const std::bad_alloc&) {
  fail(base::Code::no_value_memory);
}

namespace {
constexpr std::size_t kFragmentHeaderSize = 12;
}

void Decoder::enter_joints(std::span<const std::size_t> joints) noexcept {
  start_ = origin_;
  // Not one after the other: there may be millions, and indirections that come here for each.
  const auto ahead = std::lower_bound(joints.begin(), joints.end(), static_cast<std::size_t>(cursor_ - start_));
  const bool behind = ahead != joints.begin();
  joints_passed_ = static_cast<std::uint32_t>(ahead - joints.begin() - (behind ? 1 : 0));
  joints_ = joints.subspan(joints_passed_);
  end_ = start_ + joints_.front();
  if (behind) pass_joint();
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
  if (rest_ != nullptr) return join_rest();
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
  inner.withheld_ = std::exchange(withheld_, 0);
  inner.context_ = context_;
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
