// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/corba/local_interface.hpp"
#include "corbel/corba/local_traits.hpp"
#include "corbel/mapping/codec.hpp"

/// What generated code needs for local interfaces, native types, context clauses and enumerators with values of their
/// own.
namespace corbel::mapping {

using corba::LocalTraits;

namespace detail {
/// What cannot leave the process: MARSHAL minor OMG 4 when it is tried.
template <class T>
struct ImmobileCodec {
  static constexpr std::size_t kMinSize = 1;
  static void encode(cdr::Encoder& encoder, const T&) { encoder.fail(base::Code::bad_argument); }
  static void decode(cdr::Decoder& decoder, T&) { decoder.fail(base::Code::unsupported); }
};
}  // namespace detail

template <class I>
struct LocalCodec : detail::ImmobileCodec<CORBA::object_reference<I>> {};
template <class T>
struct NativeCodec : detail::ImmobileCodec<T> {};

/// The last argument of an operation with a context clause: a sequence of names and values (CORBA 3.3 part 2, 9.4.2).
/// The mapping has no contexts, so none are sent, and what arrives is ignored.
struct EmptyContext {
  void encode_out(cdr::Encoder& encoder) const { encoder.put_count(0); }
  void decode_back(cdr::Decoder&) const {}
  void* address() const { return nullptr; }
};

/// Enums with @value. The wire has the enumerator's place in the list, as if there were no annotation, so that peers
/// whose IDL lacks it understand each other (CORBA 3.3 part 2, 9.3.3.4).
template <class E, E... Enumerators>
struct ValuedEnumCodec {
  static constexpr std::size_t kMinSize = 4;
  static void encode(cdr::Encoder& encoder, E value) {
    for (std::uint32_t i = 0; i < sizeof...(Enumerators); ++i) {
      if (kEnumerators[i] == value) return encoder.put(i);
    }
    encoder.fail(base::Code::bad_enum);
  }
  static void decode(cdr::Decoder& decoder, E& value) {
    const auto place = decoder.get<std::uint32_t>();
    if (place >= sizeof...(Enumerators)) [[unlikely]]
      decoder.fail(base::Code::bad_enum);
    value = kEnumerators[place < sizeof...(Enumerators) ? place : 0];
  }

 private:
  static constexpr E kEnumerators[] = {Enumerators...};
};

}  // namespace corbel::mapping
