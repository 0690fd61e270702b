// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "corbel/cdr/code_sets.hpp"
#include "corbel/cdr/decoder.hpp"
#include "corbel/cdr/encoder.hpp"

namespace corbel::cdr {
namespace {

bool has_nul(std::string_view text) noexcept {
  return !text.empty() && std::memchr(text.data(), 0, text.size()) != nullptr;
}

/// Up to so many octets text is copied and looked through in one pass here; beyond, two of the C library are faster.
constexpr std::size_t kOnePass = 256;

/// Copies the octets of a word and sets a bit of `nuls` if one of them is zero.
template <class Word>
void copy_word(std::uint8_t* to, const char* from, std::uint64_t& nuls) noexcept {
  constexpr auto kOnes = static_cast<Word>(0x0101010101010101U);
  constexpr auto kHighBits = static_cast<Word>(0x8080808080808080U);
  Word word;
  std::memcpy(&word, from, sizeof word);
  std::memcpy(to, &word, sizeof word);
  nuls |= (word - kOnes) & ~word & kHighBits;
}

/// As copy_text(), of 16 octets or more, which compilers move and compare 16 at a time.
bool copy_blocks(std::uint8_t* to, const char* from, std::size_t size) noexcept {
  using Block [[gnu::vector_size(16)]] = std::uint8_t;
  Block nuls{};
  const auto copy = [&](std::size_t at) {
    Block block;
    std::memcpy(&block, from + at, sizeof block);
    std::memcpy(to + at, &block, sizeof block);
    nuls |= static_cast<Block>(block == 0);
  };
  const std::size_t last = size - sizeof(Block);
  for (std::size_t at = 0; at < last; at += sizeof(Block)) copy(at);
  copy(last);
  std::uint64_t halves[2];
  std::memcpy(halves, &nuls, sizeof halves);
  return (halves[0] | halves[1]) == 0;
}

/// Copies `size` octets; false if one of them is NUL. What is left of whole words is covered by a word that overlaps
/// the one before it.
bool copy_text(std::uint8_t* to, const char* from, std::size_t size) noexcept {
  if (size >= 16) return copy_blocks(to, from, size);
  std::uint64_t nuls = 0;
  if (size >= 8) {
    copy_word<std::uint64_t>(to, from, nuls);
    copy_word<std::uint64_t>(to + size - 8, from + size - 8, nuls);
  } else if (size >= 4) {
    copy_word<std::uint32_t>(to, from, nuls);
    copy_word<std::uint32_t>(to + size - 4, from + size - 4, nuls);
  } else {
    for (std::size_t i = 0; i < size; ++i) copy_word<std::uint8_t>(to + i, from + i, nuls);
  }
  return nuls == 0;
}

}  // namespace

void Encoder::put_string(std::string_view text) {
  if (format_.char_set == CodeSet::iso_8859_1) [[unlikely]]
    return put_converted(text);
  if (text.size() >= reference_threshold_) [[unlikely]]
    return put_text(text, false);
  put_plain_string(text);
}

void Encoder::put_converted(std::string_view text) {
  std::string latin1;
  if (!utf8_to_latin1(text, latin1)) fail(base::Code::bad_character);
  put_plain_string(latin1);
}

void Encoder::put_plain_string(std::string_view text) {
  // One test of the room for the gap, the length, the text and its terminator.
  const std::size_t most = 4 + 4 + text.size() + 1;
  if (text.size() > kOnePass || static_cast<std::size_t>(limit_ - cursor_) < most) [[unlikely]]
    return put_text(text, true);
  const std::size_t gap = gap_to(4);
  std::uint8_t* at = cursor_;
  std::memset(at, 0, 4);
  at += gap;
  auto length = static_cast<std::uint32_t>(text.size() + 1);
  if (swap_) length = byte_swap(length);
  std::memcpy(at, &length, sizeof length);
  at += sizeof length;
  const bool whole = copy_text(at, text.data(), text.size());
  at[text.size()] = 0;
  cursor_ = at + text.size() + 1;
  if (!whole) [[unlikely]]
    fail(base::Code::bad_string);
}

void Encoder::put_text(std::string_view text, bool copied) {
  if (has_nul(text)) fail(base::Code::bad_string);
  put_count(text.size() + 1);
  if (copied) {
    copy_octets(text.data(), text.size());
  } else {
    refer(text.data(), text.size());
  }
  put(std::uint8_t{0});
}

std::string_view Decoder::get_plain_string() noexcept {
  const base::ConstByteSpan octets = take_octets(get<std::uint32_t>());
  if (!ok()) return {};
  if (octets.empty() || octets.back() != 0) {
    fail(base::Code::bad_string);
    return {};
  }
  const std::string_view text = base::as_text(octets.first(octets.size() - 1));
  if (has_nul(text)) {
    fail(base::Code::bad_string);
    return {};
  }
  return text;
}

void Decoder::get_string(std::string& out) {
  const std::string_view text = get_plain_string();
  if (format_.char_set != CodeSet::iso_8859_1) {
    if (charge(text.size())) {
      out.assign(text);
    } else {
      out.clear();
    }
  } else if (charge(2 * text.size())) {
    latin1_to_utf8(base::as_bytes(text), out);
  } else {
    out.clear();
  }
}

}  // namespace corbel::cdr
