// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "cdr/code_sets.hpp"
#include "corbel/cdr/decoder.hpp"
#include "corbel/cdr/encoder.hpp"

namespace corbel::cdr {
namespace {

bool has_nul(std::string_view text) noexcept {
  return !text.empty() && std::memchr(text.data(), 0, text.size()) != nullptr;
}

}  // namespace

void Encoder::put_string(std::string_view text) {
  if (format_.char_set == CodeSet::iso_8859_1) return put_converted(text);
  if (text.size() < kReferenceThreshold) return put_plain_string(text);
  if (has_nul(text)) fail(base::Code::bad_string);
  put_count(text.size() + 1);
  put_reference(text.data(), text.size());
  put(std::uint8_t{0});
}

void Encoder::put_converted(std::string_view text) {
  std::string latin1;
  if (!utf8_to_latin1(text, latin1)) fail(base::Code::bad_character);
  put_plain_string(latin1);
}

void Encoder::put_plain_string(std::string_view text) {
  if (has_nul(text)) fail(base::Code::bad_string);
  ensure(4 + 4 + text.size() + 1);
  put_count(text.size() + 1);
  copy_octets(text.data(), text.size());
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
