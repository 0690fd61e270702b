// SPDX-License-Identifier: Apache-2.0
// Decoding a message whose end was received apart from its beginning.
#include <algorithm>
#include <new>
#include <utility>

#include "corbel/cdr/decoder.hpp"

namespace corbel::cdr {

bool Decoder::lack(std::size_t octets) noexcept {
  if (join_rest() && octets <= remaining()) return false;
  fail(base::Code::truncated);
  return true;
}

/// True if the ulong that comes next is the last of what came before the rest, but for the gap before the first
/// element, and says how many there are in it.
bool Decoder::is_at_rest(std::size_t element, std::size_t alignment) const noexcept {
  if (rest_ == nullptr || rest_->lead != 0 || chunks_ != Chunks::none || remaining() < gap_to(4) + 4) return false;
  Decoder ahead = *this;
  const std::size_t count = ahead.get<std::uint32_t>();
  ahead.align_if_more(alignment);
  const std::size_t size = rest_->came().size();
  return ahead.cursor_ == limit_ && ahead.gap_to(alignment) == 0 && size % element == 0 && size / element == count;
}

bool Decoder::take_rest(base::Bytes& value) noexcept try {
  base::ConstByteSpan octets;
  Rest* const rest = rest_;
  if (!view_rest(octets)) return false;
  if (rest->lent.empty()) {
    value.swap(rest->octets);
  } else {
    value.assign(octets.begin(), octets.end());
  }
  rest->given_away();
  return true;
} catch (const std::bad_alloc&) {
  fail(base::Code::no_value_memory);
  return true;
}

base::Bytes* Decoder::open_rest(std::size_t lead, std::size_t size) noexcept {
  if (rest_ == nullptr || cursor_ != limit_ || chunks_ != Chunks::none) return nullptr;
  if (!rest_->lent.empty() || rest_->lead != lead || rest_->octets.size() != lead + size) return nullptr;
  release_for_rest();
  return charge(lead + size) ? &rest_->octets : nullptr;
}

void Decoder::end_rest() noexcept {
  std::exchange(rest_, nullptr)->given_away();
}

/// withhold() knows only of what remains before the rest.
void Decoder::release_for_rest() noexcept {
  const std::size_t octets = std::min(withheld_, rest_->came().size());
  withheld_ -= octets;
  budget_ += octets;
}

bool Decoder::view_rest(base::ConstByteSpan& octets, std::size_t element, std::size_t alignment) noexcept {
  if (!is_at_rest(element, alignment)) return false;
  release_for_rest();
  if (!charge(rest_->came().size())) return false;
  cursor_ = limit_;
  octets = std::exchange(rest_, nullptr)->came();
  return true;
}

bool Decoder::join_rest() noexcept try {
  if (rest_ == nullptr || !ok()) return false;
  release_for_rest();
  Rest& rest = *rest_;
  if (rest.whole.empty()) {
    const std::size_t size = static_cast<std::size_t>(limit_ - origin_) + rest.came().size();
    if (!rest.pay_for_whole(size)) throw std::bad_alloc();
    base::Bytes whole;
    whole.reserve(size);
    whole.assign(origin_, limit_);
    whole.insert(whole.end(), rest.came().begin(), rest.came().end());
    rest.whole = std::move(whole);
  }
  rest_ = nullptr;
  cursor_ = rest.whole.data() + position();
  origin_ = rest.whole.data();
  end_ = limit_ = origin_ + rest.whole.size();
  return true;
} catch (const std::bad_alloc&) {
  fail(base::Code::no_value_memory);
  return false;
}

}  // namespace corbel::cdr
