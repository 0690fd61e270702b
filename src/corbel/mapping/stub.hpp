// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/base/probe.hpp"
#include "corbel/mapping/codec.hpp"

/// What generated stubs call.
namespace corbel::mapping {

/// A parameter by direction: how it goes out, how it comes back, and where it is for a collocated call.
template <class T>
struct In {
  const T& value;
  void encode_out(cdr::Encoder& encoder) const { Codec<T>::encode(encoder, value); }
  void decode_back(cdr::Decoder&) const {}
  void* address() const { return const_cast<void*>(static_cast<const void*>(&value)); }
};
template <class T>
struct Out {
  T& value;
  void encode_out(cdr::Encoder&) const {}
  void decode_back(cdr::Decoder& decoder) const { Codec<T>::decode(decoder, value); }
  void* address() const { return &value; }
};
template <class T>
struct Inout {
  T& value;
  void encode_out(cdr::Encoder& encoder) const { Codec<T>::encode(encoder, value); }
  void decode_back(cdr::Decoder& decoder) const { Codec<T>::decode(decoder, value); }
  void* address() const { return &value; }
};
template <class T>
In<T> in(const T& value) {
  return {value};
}
template <class T>
Out<T> out(T& value) {
  return {value};
}
template <class T>
Inout<T> inout(T& value) {
  return {value};
}

/// Invokes `operation` on the object that `self` refers to.
template <class R, class... Parameters>
R call(CORBA::Object& self, const corba::Operation& operation, Parameters... parameters) {
  CORBEL_PROBE("stub");
  const auto encode = [&]([[maybe_unused]] cdr::Encoder& encoder) {
    CORBEL_PROBE("marshal");
    (parameters.encode_out(encoder), ...);
  };
  if constexpr (std::is_void_v<R>) {
    void* const local[] = {nullptr, parameters.address()...};
    const auto decode = [&]([[maybe_unused]] cdr::Decoder& decoder) { (parameters.decode_back(decoder), ...); };
    self._target()->invoke({operation, encode, decode, local});
  } else {
    R result{};
    void* const local[] = {&result, parameters.address()...};
    const auto decode = [&](cdr::Decoder& decoder) {
      Codec<R>::decode(decoder, result);
      (parameters.decode_back(decoder), ...);
    };
    self._target()->invoke({operation, encode, decode, local});
    return result;
  }
}

/// ExceptionType row for a generated user exception.
template <class E>
void decode_and_throw(cdr::Decoder& decoder, const corba::ExceptionType&) {
  E exception;
  Codec<E>::decode(decoder, exception);
  if (decoder.ok()) throw exception;
}

}  // namespace corbel::mapping
