// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "corbel/cdr/bulk.hpp"
#include "corbel/cdr/decoder.hpp"
#include "corbel/cdr/encoder.hpp"
#include "corbel/mapping/types.hpp"

/// How each mapped C++ type goes to and from CDR. Generated code specialises Codec for the types it defines.
namespace corbel::mapping {

/// `kMinSize` is the least number of octets a value takes on the wire. Failures stick to the coder.
template <class T>
struct Codec;

template <cdr::Primitive T>
struct Codec<T> {
  static constexpr std::size_t kMinSize = sizeof(T);
  static void encode(cdr::Encoder& encoder, T value) { encoder.put(value); }
  static void decode(cdr::Decoder& decoder, T& value) { value = decoder.get<T>(); }
};

template <>
struct Codec<wchar_t> {
  static constexpr std::size_t kMinSize = 2;
  static void encode(cdr::Encoder& encoder, wchar_t value) { encoder.put_wchar(value); }
  static void decode(cdr::Decoder& decoder, wchar_t& value) { value = decoder.get_wchar(); }
};

template <>
struct Codec<long double> {
  static constexpr std::size_t kMinSize = 16;
  static void encode(cdr::Encoder& encoder, long double value) { encoder.put_long_double(value); }
  static void decode(cdr::Decoder& decoder, long double& value) { value = decoder.get_long_double(); }
};

template <>
struct Codec<std::string> {
  static constexpr std::size_t kMinSize = 5;
  static void encode(cdr::Encoder& encoder, const std::string& value) { encoder.put_string(value); }
  static void decode(cdr::Decoder& decoder, std::string& value) { decoder.get_string(value); }
};

template <>
struct Codec<std::wstring> {
  static constexpr std::size_t kMinSize = 4;
  static void encode(cdr::Encoder& encoder, const std::wstring& value) { encoder.put_wstring(value); }
  static void decode(cdr::Decoder& decoder, std::wstring& value) { decoder.get_wstring(value); }
};

/// Enums with `Count` enumerators numbered from 0 (CORBA 3.3 part 2, 9.3.3.4). Generated specialisations derive from
/// it.
template <class E, std::uint32_t Count>
struct EnumCodec {
  static constexpr std::size_t kMinSize = 4;
  static void encode(cdr::Encoder& encoder, E value) {
    if (static_cast<std::uint32_t>(value) >= Count) [[unlikely]]
      encoder.fail(base::Code::bad_enum);
    encoder.put(static_cast<std::uint32_t>(value));
  }
  static void decode(cdr::Decoder& decoder, E& value) {
    const auto number = decoder.get<std::uint32_t>();
    if (number >= Count) [[unlikely]] {
      decoder.fail(base::Code::bad_enum);
      value = E{};
    } else {
      value = static_cast<E>(number);
    }
  }
};

/// Elements whose arrays are copied as octets when the byte order agrees.
template <class T>
concept Bulk = cdr::BulkLayout<T>::value;
/// Elements that are CDR primitives in contiguous storage, as vector<bool> is not and booleans (to be checked) are not.
template <class T>
concept BulkPrimitive = cdr::Primitive<T> && !std::is_same_v<T, bool>;

namespace detail {

/// `count` elements after each other: one by one until the position allows a bulk copy.
template <class T>
void encode_elements(cdr::Encoder& encoder, const T* elements, std::size_t count) {
  if constexpr (BulkPrimitive<T>) {
    encoder.put_array(elements, count);
  } else {
    std::size_t done = 0;
    if constexpr (Bulk<T>) {
      if (!encoder.format().swapped()) {
        using Layout = cdr::BulkLayout<T>;
        if (Layout::first_alignment == Layout::alignment && count != 0) encoder.align(Layout::alignment);
        while (done < count && encoder.position() % cdr::BulkLayout<T>::alignment != 0) {
          Codec<T>::encode(encoder, elements[done++]);
        }
        cdr::put_bulk(encoder, elements + done, count - done);
        return;
      }
    }
    for (; done < count; ++done) Codec<T>::encode(encoder, elements[done]);
  }
}

template <class T>
void decode_elements(cdr::Decoder& decoder, T* elements, std::size_t count) {
  if constexpr (BulkPrimitive<T>) {
    decoder.get_array(elements, count);
  } else {
    for (std::size_t i = 0; i < count && decoder.ok(); ++i) Codec<T>::decode(decoder, elements[i]);
  }
}

}  // namespace detail

template <class T>
struct Codec<std::vector<T>> {
  static constexpr std::size_t kMinSize = 4;

  static void encode(cdr::Encoder& encoder, const std::vector<T>& value) {
    encoder.put_count(value.size());
    if constexpr (std::is_same_v<T, bool>) {
      for (const bool element : value) encoder.put(element);
    } else {
      detail::encode_elements(encoder, value.data(), value.size());
    }
  }

  static void decode(cdr::Decoder& decoder, std::vector<T>& value) {
    if constexpr (std::is_same_v<T, std::uint8_t>) {
      if (decoder.has_rest() && decoder.take_rest(value)) [[unlikely]]
        return;
    } else if constexpr (Bulk<T> || BulkPrimitive<T>) {
      if (decoder.has_rest() && cdr::take_rest(decoder, value, Codec<T>::decode)) [[unlikely]]
        return;
    }
    std::size_t count = decoder.take_count(Codec<T>::kMinSize, sizeof(T));
    if constexpr (std::is_same_v<T, bool>) {
      value.assign(count, false);
      for (std::size_t i = 0; i < count && decoder.ok(); ++i) value[i] = decoder.get<bool>();
    } else if constexpr (BulkPrimitive<T>) {
      cdr::get_vector(decoder, value, count);
    } else {
      if constexpr (Bulk<T>) {
        if (!decoder.format().swapped() && !decoder.has_joints()) {
          decode_bulk(decoder, value, count);
          return;
        }
      }
      value.clear();
      value.resize(count);
      detail::decode_elements(decoder, value.data(), count);
    }
  }

 private:
  /// The first element when the position isn't yet a multiple of the struct's alignment, then the rest in bulk.
  static void decode_bulk(cdr::Decoder& decoder, std::vector<T>& value, std::size_t count) {
    if (count == 0 || decoder.position() % cdr::BulkLayout<T>::alignment == 0) {
      return cdr::get_bulk(decoder, value, count);
    }
    if (value.empty()) {
      value.reserve(count);
      value.emplace_back();
    }
    Codec<T>::decode(decoder, value.front());
    cdr::get_bulk_after(decoder, value, 1, count - 1);
  }
};

template <class T, std::size_t N>
struct Codec<std::array<T, N>> {
  static constexpr std::size_t kMinSize = N * Codec<T>::kMinSize;
  static void encode(cdr::Encoder& encoder, const std::array<T, N>& value) {
    detail::encode_elements(encoder, value.data(), N);
  }
  static void decode(cdr::Decoder& decoder, std::array<T, N>& value) {
    if constexpr (BulkPrimitive<T>) {
      decoder.get_array(value.data(), N);
    } else {
      // All of them, whatever happens: what is read from a decoder that has failed is empty.
      for (T& element : value) Codec<T>::decode(decoder, element);
    }
  }
};

template <class T, std::uint32_t N>
struct Codec<IDL::bounded_vector<T, N>> {
  static constexpr std::size_t kMinSize = 4;
  static void encode(cdr::Encoder& encoder, const IDL::bounded_vector<T, N>& value) {
    if (value.size() > N) [[unlikely]]
      encoder.fail(base::Code::bad_bound);
    Codec<std::vector<T>>::encode(encoder, value);
  }
  static void decode(cdr::Decoder& decoder, IDL::bounded_vector<T, N>& value) {
    Codec<std::vector<T>>::decode(decoder, value);
    if (value.size() > N) [[unlikely]]
      decoder.fail(base::Code::bad_bound);
  }
};

namespace detail {
template <class Bounded, class Base>
struct BoundedStringCodec {
  static constexpr std::size_t kMinSize = Codec<Base>::kMinSize;
  static void encode(cdr::Encoder& encoder, const Bounded& value) {
    if (value.size() > Bounded::bound::value) [[unlikely]]
      encoder.fail(base::Code::bad_bound);
    Codec<Base>::encode(encoder, value);
  }
  static void decode(cdr::Decoder& decoder, Bounded& value) {
    Codec<Base>::decode(decoder, value);
    if (value.size() > Bounded::bound::value) [[unlikely]]
      decoder.fail(base::Code::bad_bound);
  }
};
}  // namespace detail

template <std::uint32_t N>
struct Codec<IDL::bounded_string<N>> : detail::BoundedStringCodec<IDL::bounded_string<N>, std::string> {};
template <std::uint32_t N>
struct Codec<IDL::bounded_wstring<N>> : detail::BoundedStringCodec<IDL::bounded_wstring<N>, std::wstring> {};

/// Marshals a reference (CORBA 3.3 part 2, 9.3.6); local objects fail.
CORBEL_API void encode_object(cdr::Encoder& encoder, const CORBA::Object* object);
/// Unmarshals a reference as a generic object through the decoder's context.
CORBEL_API CORBA::object_reference<CORBA::Object> decode_object(cdr::Decoder& decoder);

template <>
struct Codec<CORBA::object_reference<CORBA::Object>> {
  static constexpr std::size_t kMinSize = 12;
  static void encode(cdr::Encoder& encoder, const CORBA::object_reference<CORBA::Object>& value) {
    encode_object(encoder, value._shared().get());
  }
  static void decode(cdr::Decoder& decoder, CORBA::object_reference<CORBA::Object>& value) {
    value = decode_object(decoder);
  }
};
/// A reference of static type I arrives as an I without asking the object: the signature vouches for it.
template <class I>
struct InterfaceCodec {
  static constexpr std::size_t kMinSize = 12;
  static void encode(cdr::Encoder& encoder, const CORBA::object_reference<I>& value) {
    encode_object(encoder, value._shared().get());
  }
  static void decode(cdr::Decoder& decoder, CORBA::object_reference<I>& value) {
    value = InterfaceTraits<I>::unchecked_narrow(decode_object(decoder));
  }
};
template <class I>
struct Codec<CORBA::object_reference<I>> : InterfaceCodec<I> {};

}  // namespace corbel::mapping
