// SPDX-License-Identifier: Apache-2.0
#include "corbel/connection/large_message.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "corbel/base/kept_memory.hpp"

namespace corbel::connection {
namespace {

using Kept = base::KeptValue<base::Bytes>;

/// Where a rest begins, what its elements measure, and whether one of them begins before it; or nowhere: 0.
struct Guess {
  std::size_t at = 0;
  std::size_t element = 1;
  bool lead = false;
};

/// The elements that go on to the end of the message from `at` on, behind a gap, if there are so many of them. CDR
/// aligns the members of structs, not structs: in front of the first one, gaps may be missing that all others have.
Guess find_elements(std::size_t count, std::size_t at, std::size_t size) noexcept {
  constexpr std::size_t kLeastCount = 16;
  constexpr std::size_t kLargest = 1024;
  constexpr std::size_t kGap = 7;
  if (size < at + LargeMessage::kLeast || count < kLeastCount) return {};
  const std::size_t element = (size - at - kGap + count - 1) / count;
  if (element < 2 || element > kLargest) return {};
  const std::size_t all = count * element;
  if (all <= size - at) return {size - all, element, false};
  return all <= size - at + kGap && all - (size - at) < element ? Guess{size - all + element, element, true} : Guess{};
}

/// The elements that go on to the end of the message, with their number before them: octets anywhere, others first.
Guess find_rest(const cdr::Decoder& body, base::ConstByteSpan begun, std::size_t size) noexcept {
  const std::size_t end = std::min(begun.size(), LargeMessage::kLongestHead);
  const std::size_t first = (body.position() + 3) & ~std::size_t{3};
  const auto count_at = [&](std::size_t at) { return cdr::Decoder(begun, body.format(), {}, at).get<std::uint32_t>(); };
  for (std::size_t at = first; at + 4 <= end; at += 4) {
    const std::uint32_t count = count_at(at);
    if (count >= LargeMessage::kLeast && count == size - at - 4) return {at + 4};
  }
  if (first + 4 > end || body.format().swapped()) return {};
  const Guess guess = find_elements(count_at(first), first + 4, size);
  return guess.at <= end ? guess : Guess{};
}

}  // namespace

/// True if `begun` has the header of a request or reply.
bool LargeMessage::is_begun(messaging::Session& session, base::ConstByteSpan begun, messaging::Incoming& scratch) {
  if (!session.take_begun(begun, scratch)) return false;  // perhaps not enough has come
  return scratch.kind == messaging::Kind::request || scratch.kind == messaging::Kind::reply;
}

bool LargeMessage::begin(messaging::Session& session, base::ConstByteSpan begun, std::size_t size,
                         messaging::Incoming& scratch) try {
  if (!is_begun(session, begun, scratch)) return false;
  const Guess guess = find_rest(scratch.body, begun, size);
  if (guess.at == 0) return false;
  head_.assign(begun.begin(), begun.begin() + static_cast<std::ptrdiff_t>(guess.at));
  element_ = guess.element;
  lead = filled_ = guess.lead ? element_ : 0;
  size_ = lead + size - guess.at;
  octets = Kept::here().take();
  // Who is given this may keep it.
  if (octets.capacity() < size_ || octets.capacity() / 2 > size_ || octets.capacity() % element_ != 0) {
    Kept::here().give(std::exchange(octets, {}));
  } else if (octets.size() > size_) {
    octets.resize(size_);
  }
  base::ConstByteSpan came = begun.subspan(guess.at);
  while (!came.empty()) {
    const base::ByteSpan place = space();
    const std::size_t piece = std::min(place.size(), came.size());
    base::copy_octets(place.data(), came.data(), piece);
    filled_ += piece;
    came = came.subspan(piece);
  }
  return true;
} catch (const std::bad_alloc&) {
  end();
  return false;
}

bool LargeMessage::begin_lent(messaging::Session& session, base::ConstByteSpan begun, std::size_t size,
                              messaging::Incoming& scratch) try {
  if (begun.size() > kLongestHead || !is_begun(session, begun, scratch)) return false;
  head_.assign(begun.begin(), begun.end());
  element_ = 1;
  size_ = size - begun.size();
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

void LargeMessage::set_lent(transport::LentMemory memory) noexcept {
  Kept::here().give(std::exchange(octets, {}));
  repay();
  memory_ = std::move(memory);
  lent = memory_.octets();
  filled_ = size_;
}

void LargeMessage::end_lent() noexcept {
  lent = {};
  memory_ = {};
}

base::ByteSpan LargeMessage::space() {
  if (paid_ < octets.capacity() || octets.capacity() <= filled_) reserve(std::max(octets.capacity(), enough()));
  // What is written over next is still in the cache.
  if (octets.size() <= filled_) octets.resize(std::min({octets.capacity(), size_, filled_ + kStep}));
  return base::ByteSpan(octets).subspan(filled_);
}

/// Memory grows with what has come, or as far as it did before for the same peer.
std::size_t LargeMessage::enough() const noexcept {
  const std::size_t wanted = std::max({2 * filled_, kStep, account_.plenty() ? trusted_ : 0});
  return std::min(size_, wanted - wanted % element_);
}

void LargeMessage::reserve(std::size_t capacity) {
  if (capacity > paid_) {
    if (!account_.take(capacity - paid_)) throw std::bad_alloc();
    paid_ = capacity;
  }
  octets.reserve(capacity);
}

base::Status LargeMessage::take(messaging::Session& session, messaging::Incoming& message) {
  CORBEL_CHECK(session.take_begun(head_, message));
  if (lent.empty()) trusted_ = std::max(trusted_, size_);
  message.body.set_rest(*this);
  return {};
}

bool LargeMessage::pay_for_whole(std::size_t size) {
  if (!account_.take(size)) return false;
  paid_for_whole_ += size;
  return true;
}

void LargeMessage::given_away() noexcept {
  end_lent();
  Kept::here().give(std::exchange(octets, {}));
  repay();
}

void LargeMessage::end() noexcept {
  if (!std::exchange(whole, {}).empty() && !memory_) left_out_ = kAfterWrongGuess;
  account_.give(std::exchange(paid_for_whole_, 0));
  given_away();
  size_ = filled_ = lead = 0;
}

void LargeMessage::repay() noexcept {
  account_.give(std::exchange(paid_, 0));
}

}  // namespace corbel::connection
