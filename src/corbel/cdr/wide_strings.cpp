// SPDX-License-Identifier: Apache-2.0
#include "corbel/cdr/code_sets.hpp"
#include "corbel/cdr/decoder.hpp"
#include "corbel/cdr/encoder.hpp"

// Wide characters (CORBA 3.3 part 2, 9.3.1.6 and 9.3.2.7): none in GIOP 1.0; UTF-16 units in stream byte order in 1.1;
// counted octets from 1.2 on, big-endian unless a byte order mark says otherwise.
namespace corbel::cdr {
namespace {

constexpr bool has_wide(const Format& format) noexcept {
  return format.giop_minor > 0 && format.wchar_set == CodeSet::utf_16;
}

std::uint8_t* store_big_endian(std::uint8_t* to, char32_t unit) noexcept {
  to[0] = static_cast<std::uint8_t>(unit >> 8);
  to[1] = static_cast<std::uint8_t>(unit);
  return to + 2;
}

std::uint8_t* store_utf16(std::uint8_t* to, char32_t character) noexcept {
  if (character <= 0xffff) return store_big_endian(to, character);
  return store_big_endian(store_big_endian(to, high_surrogate(character)), low_surrogate(character));
}

/// UTF-16 units that `text` takes; 0 with `code` set if it has a NUL or something that is no character.
std::size_t count_units(std::wstring_view text, base::Code& code) noexcept {
  std::size_t units = 0;
  for (const wchar_t wide : text) {
    const auto character = static_cast<char32_t>(wide);
    if (character == 0 || !is_scalar(character)) {
      code = character == 0 ? base::Code::bad_string : base::Code::bad_character;
      return 0;
    }
    units += character > 0xffff ? 2 : 1;
  }
  return units;
}

/// True of text whose first character a reader would take for a byte order mark.
bool needs_mark(std::wstring_view text) noexcept {
  return !text.empty() && (text.front() == 0xfeff || text.front() == 0xfffe);
}

/// Strips a byte order mark; true if what remains is little-endian.
bool strip_mark(base::ConstByteSpan& octets) noexcept {
  if (octets.size() < 2) return false;
  const bool little = octets[0] == 0xff && octets[1] == 0xfe;
  const bool big = octets[0] == 0xfe && octets[1] == 0xff;
  if (little || big) octets = octets.subspan(2);
  return little;
}

}  // namespace

void Encoder::put_wchar(wchar_t character) {
  const auto value = static_cast<char32_t>(character);
  if (!has_wide(format_)) return fail(base::Code::wide_data);
  if (!is_scalar(value) || (value > 0xffff && format_.giop_minor == 1)) return fail(base::Code::bad_character);
  if (format_.giop_minor == 1) return put(static_cast<std::uint16_t>(value));
  const std::size_t size = value > 0xffff ? 4 : 2;
  put(static_cast<std::uint8_t>(size));
  store_utf16(reserve(size), value);
  commit(size);
}

void Encoder::put_wstring(std::wstring_view text) {
  if (!has_wide(format_)) return fail(base::Code::wide_data);
  base::Code code = base::Code::none;
  const std::size_t units = count_units(text, code);
  if (code != base::Code::none) return fail(code);
  if (format_.giop_minor == 1) {
    put_count(units + 1);
    for (const wchar_t wide : text) {
      const auto character = static_cast<char32_t>(wide);
      if (character > 0xffff) put(static_cast<std::uint16_t>(high_surrogate(character)));
      put(static_cast<std::uint16_t>(character > 0xffff ? low_surrogate(character) : character));
    }
    put(std::uint16_t{0});
    return;
  }
  const std::size_t size = 2 * (units + (needs_mark(text) ? 1 : 0));
  put_count(size);
  std::uint8_t* to = reserve(size);
  if (needs_mark(text)) to = store_big_endian(to, 0xfeff);
  for (const wchar_t wide : text) to = store_utf16(to, static_cast<char32_t>(wide));
  commit(size);
}

wchar_t Decoder::get_wchar() noexcept {
  if (!has_wide(format_)) {
    fail(base::Code::wide_data);
    return 0;
  }
  char32_t character = 0;
  if (format_.giop_minor == 1) {
    character = get<std::uint16_t>();
  } else {
    base::ConstByteSpan octets = take_octets(get<std::uint8_t>());
    if (!ok()) return 0;
    const bool little = octets.size() > 2 && strip_mark(octets);
    const auto unit = [&](std::size_t i) {
      return static_cast<char32_t>(octets[i] << (little ? 0 : 8) | octets[i + 1] << (little ? 8 : 0));
    };
    if (octets.size() == 2) {
      character = unit(0);
    } else if (octets.size() == 4 && is_high_surrogate(unit(0)) && is_low_surrogate(unit(2))) {
      character = join_surrogates(unit(0), unit(2));
    } else {
      character = 0xd800;  // refused below
    }
  }
  if (is_scalar(character)) return static_cast<wchar_t>(character);
  fail(base::Code::bad_character);
  return 0;
}

void Decoder::get_wstring(std::wstring& out) {
  out.clear();
  if (!has_wide(format_)) return fail(base::Code::wide_data);
  base::ConstByteSpan octets;
  bool little = format_.little_endian;
  if (format_.giop_minor == 1) {
    octets = take_octets(2 * std::size_t{get<std::uint32_t>()});
    if (!ok()) return;
    if (octets.empty() || octets[octets.size() - 2] != 0 || octets.back() != 0) return fail(base::Code::bad_string);
    octets = octets.first(octets.size() - 2);
  } else {
    octets = take_octets(get<std::uint32_t>());
    if (octets.size() % 2 != 0) return fail(base::Code::bad_string);
    little = strip_mark(octets);
  }
  if (!charge(2 * octets.size())) return;
  if (!utf16_to_wide(octets, little, out)) {
    out.clear();
    fail(base::Code::bad_character);
  }
}

}  // namespace corbel::cdr
