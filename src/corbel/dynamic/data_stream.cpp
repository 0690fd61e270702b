// SPDX-License-Identifier: Apache-2.0
// What the streams of custom valuetypes do with Anys and TypeCodes.
#include "corbel/mapping/data_stream.hpp"

#include "corbel/dynamic/any.hpp"
#include "corbel/dynamic/type_factory.hpp"
#include "corbel/mapping/corba_types.hpp"

namespace CORBA {

void DataOutputStream::write_any(const Any& value) {
  write(value);
}

void DataOutputStream::write_TypeCode(const object_reference<TypeCode>& value) {
  write(value);
}

void DataOutputStream::write_fixed(const Any& fixed_value) {
  if (fixed_value._type()._resolved()._node().kind != TCKind::tk_fixed) throw BadFixedValue(0);
  fixed_value._encode_value(encoder_);
}

void DataOutputStream::write_any_array(const std::vector<Any>& seq, std::uint32_t offset, std::uint32_t length) {
  check_range(seq.size(), offset, length);
  for (std::uint32_t i = 0; i < length; ++i) write_any(seq[offset + i]);
}

void DataOutputStream::write_fixed_array(const std::vector<Any>& seq, std::uint32_t offset, std::uint32_t length) {
  check_range(seq.size(), offset, length);
  for (std::uint32_t i = 0; i < length; ++i) {
    if (seq[offset + i]._type()._resolved()._node().kind != TCKind::tk_fixed) throw BadFixedValue(offset + i);
  }
  for (std::uint32_t i = 0; i < length; ++i) write_fixed(seq[offset + i]);
}

Any DataInputStream::read_any() {
  return read<Any>();
}

object_reference<TypeCode> DataInputStream::read_TypeCode() {
  return read<object_reference<TypeCode>>();
}

Any DataInputStream::read_fixed(std::uint16_t digits, std::int16_t scale) {
  return corbel::dynamic::decode_value(decoder_, TypeCodeFactory().create_fixed_tc(digits, scale));
}

void DataInputStream::read_any_array(std::vector<Any>& seq, std::uint32_t offset, std::uint32_t length) {
  if (!expect(seq.size(), offset, length, corbel::mapping::Codec<Any>::kMinSize, sizeof(Any))) return;
  if (seq.size() - offset < length) seq.resize(std::size_t{offset} + length);
  for (std::uint32_t i = 0; i < length && decoder_.ok(); ++i) seq[offset + i] = read_any();
}

void DataInputStream::read_fixed_array(std::vector<Any>& seq, std::uint32_t offset, std::uint32_t length,
                                       std::uint16_t digits, std::int16_t scale) {
  const auto type = TypeCodeFactory().create_fixed_tc(digits, scale);
  if (!expect(seq.size(), offset, length, 1, sizeof(Any))) return;
  if (seq.size() - offset < length) seq.resize(std::size_t{offset} + length);
  for (std::uint32_t i = 0; i < length && decoder_.ok(); ++i) {
    seq[offset + i] = corbel::dynamic::decode_value(decoder_, type);
  }
}

}  // namespace CORBA
