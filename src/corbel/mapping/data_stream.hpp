// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "corbel/mapping/value.hpp"

/// Custom marshalling of valuetypes (CORBA 3.3 part 1, 9.3.7).
namespace CORBA {

class Any;
class TypeCode;

/// X(name, type) for the primitives of which the streams have arrays.
// clang-format off
#define CORBEL_DATA_ARRAYS(X)                                                                      \
  X(boolean, bool) X(char, char) X(wchar, wchar_t) X(octet, std::uint8_t) X(short, std::int16_t)   \
  X(ushort, std::uint16_t) X(long, std::int32_t) X(ulong, std::uint32_t) X(longlong, std::int64_t) \
  X(ulonglong, std::uint64_t) X(float, float) X(double, double)
// clang-format on

/// What CustomMarshal::marshal writes to. Lives as long as the call.
class CORBEL_API DataOutputStream {
 public:
  explicit DataOutputStream(corbel::cdr::Encoder& encoder) noexcept : encoder_(encoder) {}

  /// Any mapped type: `stream->write(point)`; beyond the mapping, which has the named forms below.
  template <class T>
  void write(const T& value) {
    corbel::mapping::Codec<T>::encode(encoder_, value);
  }
  void write_boolean(bool value) { encoder_.put(value); }
  void write_char(char value) { encoder_.put_char(value); }
  void write_wchar(wchar_t value) { encoder_.put_wchar(value); }
  void write_octet(std::uint8_t value) { encoder_.put(value); }
  void write_short(std::int16_t value) { encoder_.put(value); }
  void write_ushort(std::uint16_t value) { encoder_.put(value); }
  void write_long(std::int32_t value) { encoder_.put(value); }
  void write_ulong(std::uint32_t value) { encoder_.put(value); }
  void write_longlong(std::int64_t value) { encoder_.put(value); }
  void write_ulonglong(std::uint64_t value) { encoder_.put(value); }
  void write_float(float value) { encoder_.put(value); }
  void write_double(double value) { encoder_.put(value); }
  void write_longdouble(long double value) { encoder_.put_long_double(value); }
  void write_string(const std::string& value) { encoder_.put_string(value); }
  void write_wstring(const std::wstring& value) { encoder_.put_wstring(value); }
  void write_Object(const object_reference<Object>& value) { write(value); }
  void write_Abstract(const object_reference<AbstractBase>& value);
  void write_Value(const valuetype_reference<ValueBase>& value);
  void write_any(const Any& value);
  void write_TypeCode(const object_reference<TypeCode>& value);
  /// Throws BadFixedValue if the Any holds no fixed.
  void write_fixed(const Any& fixed_value);

  /// `length` elements from `offset` on, one after the other, without a count. Throws BAD_PARAM if there are fewer.
#define CORBEL_WRITE_ARRAY(NAME, TYPE) \
  void write_##NAME##_array(const std::vector<TYPE>& seq, std::uint32_t offset, std::uint32_t length);
  CORBEL_DATA_ARRAYS(CORBEL_WRITE_ARRAY)
#undef CORBEL_WRITE_ARRAY
  void write_any_array(const std::vector<Any>& seq, std::uint32_t offset, std::uint32_t length);
  /// Throws BadFixedValue with the index of the first that is no fixed.
  void write_fixed_array(const std::vector<Any>& seq, std::uint32_t offset, std::uint32_t length);

 private:
  static void check_range(std::size_t size, std::uint32_t offset, std::uint32_t length);

  corbel::cdr::Encoder& encoder_;
};

/// What CustomMarshal::unmarshal reads from. Reading more than was written fails: zeros come, and the message is
/// refused with MARSHAL in the end.
class CORBEL_API DataInputStream {
 public:
  explicit DataInputStream(corbel::cdr::Decoder& decoder) noexcept : decoder_(decoder) {}

  /// Any mapped type; beyond the mapping.
  template <class T>
  T read() {
    T value{};
    corbel::mapping::Codec<T>::decode(decoder_, value);
    return value;
  }
  bool read_boolean() { return decoder_.get<bool>(); }
  char read_char() { return decoder_.get_char(); }
  wchar_t read_wchar() { return decoder_.get_wchar(); }
  std::uint8_t read_octet() { return decoder_.get<std::uint8_t>(); }
  std::int16_t read_short() { return decoder_.get<std::int16_t>(); }
  std::uint16_t read_ushort() { return decoder_.get<std::uint16_t>(); }
  std::int32_t read_long() { return decoder_.get<std::int32_t>(); }
  std::uint32_t read_ulong() { return decoder_.get<std::uint32_t>(); }
  std::int64_t read_longlong() { return decoder_.get<std::int64_t>(); }
  std::uint64_t read_ulonglong() { return decoder_.get<std::uint64_t>(); }
  float read_float() { return decoder_.get<float>(); }
  double read_double() { return decoder_.get<double>(); }
  long double read_longdouble() { return decoder_.get_long_double(); }
  std::string read_string() { return read<std::string>(); }
  std::wstring read_wstring() { return read<std::wstring>(); }
  object_reference<Object> read_Object() { return read<object_reference<Object>>(); }
  object_reference<AbstractBase> read_Abstract();
  valuetype_reference<ValueBase> read_Value() { return read<valuetype_reference<ValueBase>>(); }
  Any read_any();
  object_reference<TypeCode> read_TypeCode();
  /// An Any with a fixed. Throws BAD_PARAM if there is no such type.
  Any read_fixed(std::uint16_t digits, std::int16_t scale);

  /// `length` elements into those of `seq` from `offset` on; it grows if it has fewer. Throws BAD_PARAM if `offset` is
  /// behind its end. Nothing is changed where not as much was written.
#define CORBEL_READ_ARRAY(NAME, TYPE) \
  void read_##NAME##_array(std::vector<TYPE>& seq, std::uint32_t offset, std::uint32_t length);
  CORBEL_DATA_ARRAYS(CORBEL_READ_ARRAY)
#undef CORBEL_READ_ARRAY
  void read_any_array(std::vector<Any>& seq, std::uint32_t offset, std::uint32_t length);
  void read_fixed_array(std::vector<Any>& seq, std::uint32_t offset, std::uint32_t length, std::uint16_t digits,
                        std::int16_t scale);

 private:
  bool expect(std::size_t size, std::uint32_t offset, std::uint32_t length, std::size_t least, std::size_t memory);

  corbel::cdr::Decoder& decoder_;
};

/// What the implementation of a custom valuetype also derives from.
class CORBEL_API CustomMarshal {
 public:
  virtual ~CustomMarshal();
  virtual void marshal(object_reference<DataOutputStream> stream) = 0;
  virtual void unmarshal(object_reference<DataInputStream> stream) = 0;
};

}  // namespace CORBA

namespace corbel::mapping {

/// The state of a custom value.
CORBEL_API void marshal_custom(cdr::Encoder& encoder, CORBA::CustomMarshal& value);
CORBEL_API void unmarshal_custom(cdr::Decoder& decoder, CORBA::CustomMarshal& value);

template <>
struct Codec<CORBA::object_reference<CORBA::AbstractBase>> {
  static constexpr std::size_t kMinSize = 5;
  static void encode(cdr::Encoder& encoder, const CORBA::object_reference<CORBA::AbstractBase>& value) {
    corba::encode_abstract(encoder, value._shared().get());
  }
  CORBEL_API static void decode(cdr::Decoder& decoder, CORBA::object_reference<CORBA::AbstractBase>& value);
};

}  // namespace corbel::mapping

namespace IDL {
template <>
struct traits<CORBA::DataOutputStream> {
  using ref_type = CORBA::object_reference<CORBA::DataOutputStream>;
};
template <>
struct traits<CORBA::DataInputStream> {
  using ref_type = CORBA::object_reference<CORBA::DataInputStream>;
};
}  // namespace IDL
