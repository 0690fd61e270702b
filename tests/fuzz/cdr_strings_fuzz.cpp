// SPDX-License-Identifier: Apache-2.0
// Strings and wide strings in every GIOP version, byte order and code set. What was read must encode, and read the same
// again. The first octet of the input chooses the format.
#include <cstdlib>
#include <string>

#include "corbel/cdr/bulk.hpp"
#include "corbel/cdr/decoder.hpp"
#include "corbel/cdr/encoder.hpp"

namespace {

using namespace corbel;

cdr::Format choose(std::uint8_t octet) {
  return {.little_endian = (octet & 1) != 0,
          .giop_minor = static_cast<std::uint8_t>((octet >> 1) % 3),
          .char_set = (octet & 8) != 0 ? cdr::CodeSet::iso_8859_1 : cdr::CodeSet::utf_8};
}

struct Values {
  std::string text;
  std::wstring wide_text;
  wchar_t wide = 0;
  std::vector<std::uint16_t> shorts;
  std::vector<std::string> texts;
  friend bool operator==(const Values&, const Values&) = default;
};

Values read(cdr::Decoder& decoder) {
  Values values;
  decoder.get_string(values.text);
  if (decoder.format().giop_minor > 0) {
    decoder.get_wstring(values.wide_text);
    values.wide = decoder.get_wchar();
  }
  cdr::get_vector(decoder, values.shorts, decoder.take_count(2, 2));
  values.texts.resize(decoder.take_count(5, sizeof(std::string)));
  for (std::string& text : values.texts) decoder.get_string(text);
  return values;
}

void write(cdr::Encoder& encoder, const Values& values) {
  encoder.put_string(values.text);
  if (encoder.format().giop_minor > 0) {
    encoder.put_wstring(values.wide_text);
    encoder.put_wchar(values.wide);
  }
  encoder.put_count(values.shorts.size());
  encoder.put_array(values.shorts.data(), values.shorts.size());
  encoder.put_count(values.texts.size());
  for (const std::string& text : values.texts) encoder.put_string(text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const cdr::Format format = choose(data[0]);
  cdr::Decoder decoder({data + 1, size - 1}, format);
  const Values values = read(decoder);
  if (!decoder.ok()) return 0;
  cdr::Encoder encoder(format);
  write(encoder, values);
  if (!encoder.ok()) std::abort();
  const base::Bytes again = encoder.to_bytes();
  cdr::Decoder second(again, format);
  if (!(read(second) == values) || !second.ok()) std::abort();
  return 0;
}
