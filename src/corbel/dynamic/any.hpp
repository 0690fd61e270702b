// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <typeinfo>
#include <utility>

#include "corbel/dynamic/type_codec.hpp"
#include "corbel/dynamic/type_of.hpp"

namespace corbel::corba {
CORBEL_API void encode_value(cdr::Encoder& encoder, const CORBA::ValueBase* value, std::string_view formal_id);
}

namespace corbel::dynamic {

/// The value in an Any: immutable, shared by copies. Either a C++ object or octets that the TypeCode explains.
class CORBEL_API AnyValue {
 public:
  virtual ~AnyValue();
  /// Writes the value, which is one of `type`.
  virtual void encode(cdr::Encoder& encoder, const CORBA::TypeCode& type) const = 0;
  /// The C++ object if there is one of exactly this type, else null.
  virtual const void* object(const std::type_info& wanted) const noexcept = 0;
  /// The value if it is kept as a reference to a value, else nil.
  virtual CORBA::object_reference<CORBA::ValueBase> value() const noexcept;
  /// The value as octets in native byte order, aligned from 0, if it is kept as that, else null.
  virtual const base::Bytes* octets() const noexcept { return nullptr; }
  /// What references in the octets become objects of; null if unknown.
  virtual cdr::Context* context() const noexcept = 0;
  /// What held for the octets when they came; it holds for every reader of them as well.
  virtual cdr::Limits limits() const noexcept { return cdr::Limits::none(); }

 protected:
  AnyValue() noexcept = default;
};

/// How T is written inside an Any: as elsewhere, but exceptions with their repository id before them.
template <class T>
struct AnyCodec : mapping::Codec<T> {};
template <std::derived_from<CORBA::UserException> E>
struct AnyCodec<E> {
  static void encode(cdr::Encoder& encoder, const E& exception) { exception._encode(encoder); }
  static void decode(cdr::Decoder& decoder, E& exception) {
    decoder.get_plain_string();
    mapping::Codec<E>::decode(decoder, exception);
  }
};
/// Valuetypes always with their id: JacORB does not take it from the TypeCode.
template <class V>
requires requires {
  V::_static_type.id;
}
struct AnyCodec<CORBA::object_reference<V>> : mapping::Codec<CORBA::object_reference<V>> {
  static void encode(cdr::Encoder& encoder, const CORBA::object_reference<V>& value) {
    corba::encode_value(encoder, value._shared().get(), {});
  }
};
CORBEL_API void encode_system_exception(cdr::Encoder& encoder, const CORBA::SystemException& exception);
CORBEL_API void decode_system_exception(cdr::Decoder& decoder, CORBA::SystemException& exception);
template <std::derived_from<CORBA::SystemException> E>
struct AnyCodec<E> {
  static void encode(cdr::Encoder& encoder, const E& exception) { encode_system_exception(encoder, exception); }
  static void decode(cdr::Decoder& decoder, E& exception) { decode_system_exception(decoder, exception); }
};

template <class T>
class TypedValue final : public AnyValue {
 public:
  explicit TypedValue(const T& value) : value_(value) {}
  explicit TypedValue(T&& value) : value_(std::move(value)) {}
  void encode(cdr::Encoder& encoder, const CORBA::TypeCode&) const override { AnyCodec<T>::encode(encoder, value_); }
  const void* object(const std::type_info& wanted) const noexcept override {
    return wanted == typeid(T) ? &value_ : nullptr;
  }
  CORBA::object_reference<CORBA::ValueBase> value() const noexcept override {
    if constexpr (std::is_convertible_v<T, CORBA::object_reference<CORBA::ValueBase>>) return value_;
    return {};
  }
  cdr::Context* context() const noexcept override { return nullptr; }

 private:
  T value_;
};

}  // namespace corbel::dynamic

namespace CORBA {

/// A value of any IDL type with its TypeCode (OMG IDL-to-C++11 mapping 1.7, 6.21). Copies share the value. What arrived
/// from the network stays as octets until it is extracted; it can be sent on without knowing the type. Distinct Anys
/// may be used in distinct threads.
class CORBEL_API Any {
 public:
  Any() = default;

  /// tk_null if the Any is empty.
  typecode_reference type() const;
  /// Replaces the TypeCode by an equivalent one; throws BAD_TYPECODE if it is not.
  void type(const typecode_reference& type);
  void swap(Any& other) noexcept {
    type_.swap(other.type_);
    value_.swap(other.value_);
  }
  friend void swap(Any& a, Any& b) noexcept { a.swap(b); }
  /// Equal TypeCodes and the same octets on the wire.
  friend CORBEL_API bool operator==(const Any& a, const Any& b);

  /// For operator<<=, operator>>= and the room `dynamic`.
  Any(typecode_reference type, corbel::base::SharedPtr<const corbel::dynamic::AnyValue> value) noexcept
      : type_(std::move(type)), value_(std::move(value)) {}
  const TypeCode& _type() const noexcept { return type_ == nullptr ? detail::k_null : *type_._shared(); }
  const corbel::dynamic::AnyValue* _value() const noexcept { return value_.get(); }
  /// Writes the value alone.
  void _encode_value(corbel::cdr::Encoder& encoder) const;
  /// Calls `read` with a decoder of the value; throws MARSHAL if that fails.
  void _decode_value(corbel::base::FunctionRef<void(corbel::cdr::Decoder&)> read) const;

 private:
  typecode_reference type_;  // nil stands for tk_null
  corbel::base::SharedPtr<const corbel::dynamic::AnyValue> value_;
};

/// Inserts a copy of `value`, or moves it in.
template <class T>
requires corbel::dynamic::HasType<std::remove_cvref_t<T>>
void operator<<=(Any& any, T&& value) {
  using Value = std::remove_cvref_t<T>;
  any = Any(corbel::dynamic::TypeOf<Value>::code._reference(),
            corbel::base::make_shared<corbel::dynamic::TypedValue<Value>>(std::forward<T>(value)));
}
/// Inserts a value by a reference to a class that implements its valuetype, as what IDL calls it.
template <class T>
requires(!corbel::dynamic::HasType<object_reference<T>> && std::derived_from<T, ValueBase> &&
         corbel::dynamic::HasType<typename T::_ref_type>) void
operator<<=(Any& any, const object_reference<T>& value) {
  any <<= typename T::_ref_type(value);
}
/// Inserts a copy of the exception behind a reference to one of its bases. Throws BAD_TYPECODE for a user exception
/// with members whose TypeCode the program does not have: it is in the NAME_any.cpp that is generated of its IDL.
CORBEL_API void operator<<=(Any& any, const Exception& exception);
CORBEL_API void operator<<=(Any& any, const char* text);
CORBEL_API void operator<<=(Any& any, const wchar_t* text);

/// Extracts a copy; false, with `value` untouched, if the Any holds something else, be it under the same repository id.
/// References to every interface can be extracted as one to CORBA::Object, values of every type as CORBA::ValueBase.
/// Throws MARSHAL if the octets are no value of the type, or one beyond the limits that held when they came.
template <corbel::dynamic::HasType T>
bool operator>>=(const Any& any, T& value) {
  const bool fits = any._type()._fits(corbel::dynamic::TypeOf<T>::code) ||
                    (std::is_same_v<T, object_reference<Object>> && any._type()._is_reference()) ||
                    (std::is_same_v<T, object_reference<ValueBase>> && any._type()._is_value());
  if (!fits) return false;
  if (const void* object = any._value()->object(typeid(T))) {
    value = *static_cast<const T*>(object);
    return true;
  }
  if constexpr (std::is_same_v<T, object_reference<ValueBase>>) {
    if (auto found = any._value()->value()) {
      value = std::move(found);
      return true;
    }
  }
  T result{};
  any._decode_value([&](corbel::cdr::Decoder& decoder) { corbel::dynamic::AnyCodec<T>::decode(decoder, result); });
  value = std::move(result);
  return true;
}

/// `any{type}`.
CORBEL_API std::ostream& operator<<(std::ostream& stream, const Any& any);
/// The name, or the kind and what it is made of.
CORBEL_API std::ostream& operator<<(std::ostream& stream, const TypeCode& type);

}  // namespace CORBA

namespace corbel::dynamic {

/// Reads a value of `type`, to be kept as octets.
CORBEL_API CORBA::Any decode_value(cdr::Decoder& decoder, CORBA::typecode_reference type);
/// A discriminator value as an Any.
CORBA::Any make_label(const CORBA::TypeCode& discriminator, std::int64_t label);

}  // namespace corbel::dynamic

namespace corbel::mapping {

template <>
struct CORBEL_API Codec<CORBA::Any> {
  static constexpr std::size_t kMinSize = 4;
  static void encode(cdr::Encoder& encoder, const CORBA::Any& value);
  static void decode(cdr::Decoder& decoder, CORBA::Any& value);
};

}  // namespace corbel::mapping

namespace IDL {
template <>
struct traits<CORBA::Any> : common_traits<CORBA::Any> {};
}  // namespace IDL
