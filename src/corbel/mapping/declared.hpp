// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/mapping/codec.hpp"

/// Interfaces that an IDL file only declares (`interface I;`) and whose definition, if there is any, is in an IDL file
/// that it does not include. Their references travel all the same.
namespace corbel::mapping {

/// How references to one interface travel, for code to which the interface is not known.
struct KnownCodec {
  void (*encode)(cdr::Encoder& encoder, const void* reference);
  void (*decode)(cdr::Decoder& decoder, void* reference);
};

/// That of an interface whose definition is known.
template <class I>
inline constexpr KnownCodec kKnownCodec{
    [](cdr::Encoder& encoder, const void* reference) {
      InterfaceCodec<I>::encode(encoder, *static_cast<const CORBA::object_reference<I>*>(reference));
    },
    [](cdr::Decoder& decoder, void* reference) {
      InterfaceCodec<I>::decode(decoder, *static_cast<CORBA::object_reference<I>*>(reference));
    }};

/// Defined by every source that knows both an IDL file that declares the interface and the one that defines it; no
/// function at all in a program without such a source.
template <class I>
[[gnu::weak, gnu::visibility("default")]] const KnownCodec* known_codec() noexcept;

/// Codec of references to an interface that is only declared here. A program in which nothing defines it passes them
/// on as what they are, objects: there, an `I*` is the address of a CORBA::Object, at which nothing else ever looks.
template <class I>
struct DeclaredCodec {
  static constexpr std::size_t kMinSize = 12;
  static void encode(cdr::Encoder& encoder, const CORBA::object_reference<I>& value) {
    if (&known_codec<I> != nullptr) return known_codec<I>()->encode(encoder, &value);
    const void* const address = value._shared().get();
    encode_object(encoder, static_cast<const CORBA::Object*>(address));
  }
  static void decode(cdr::Decoder& decoder, CORBA::object_reference<I>& value) {
    if (&known_codec<I> != nullptr) return known_codec<I>()->decode(decoder, &value);
    const auto object = decode_object(decoder)._shared();
    void* const address = object.get();
    value = CORBA::object_reference<I>(base::SharedPtr<I>(object, static_cast<I*>(address)));
  }
};

}  // namespace corbel::mapping
