// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "corbel/corba/value.hpp"
#include "corbel/mapping/codec.hpp"

/// What generated code needs for valuetypes, boxes and abstract interfaces.
namespace corbel::mapping {

using corba::ValueType;

/// Traits of a valuetype. Obv is the class that holds the state, Factory that of its factories; void for abstract
/// valuetypes.
template <class V, class Obv, class Factory>
struct ValueTraits : IDL::formatted_traits<CORBA::valuetype_reference<V>> {
  using value_type = CORBA::valuetype_reference<V>;
  using ref_type = CORBA::valuetype_reference<V>;
  using weak_ref_type = CORBA::weak_object_reference<V>;
  using in_type = ref_type;
  using out_type = ref_type&;
  using inout_type = ref_type&;
  using base_type = V;
  using obv_type = Obv;
  using factory_type = Factory;
  using factory_ref_type = CORBA::object_reference<Factory>;

  /// The value as a V; nil if it is nil or no V.
  static ref_type narrow(const CORBA::valuetype_reference<CORBA::ValueBase>& value) {
    return ref_type(base::dynamic_pointer_cast<V>(value._shared()));
  }
  /// A new value of the user's class, or of obv_type if there is nothing to implement.
  template <class Implementation = Obv, class... Arguments>
  static ref_type make_reference(Arguments&&... arguments) {
    return CORBA::make_reference<Implementation>(std::forward<Arguments>(arguments)...);
  }
};

/// The factory of what needs no code of the user's: an empty T.
template <class T>
class DefaultFactory : public CORBA::ValueFactoryBase {
 public:
  CORBA::valuetype_reference<CORBA::ValueBase> create_for_unmarshal() override {
    return CORBA::valuetype_reference<T>(base::make_shared<T>());
  }
};

/// Traits of a value box.
template <class Box>
struct ValueBoxTraits : ValueTraits<Box, Box, DefaultFactory<Box>> {
  /// Those of the content.
  struct boxed_traits : IDL::traits<typename Box::_boxed_type> {};
};

/// What all value boxes have.
template <class T>
class ValueBox : public virtual CORBA::ValueBase {
 public:
  using _boxed_type = T;

  void _value(const T& value) { value_ = value; }
  void _value(T&& value) { value_ = std::move(value); }
  const T& _value() const { return value_; }
  T& _value() { return value_; }

 protected:
  ValueBox() = default;
  explicit ValueBox(T value) : value_(std::move(value)) {}

 private:
  T value_{};
};

/// For ValueType::create.
template <class T>
base::SharedPtr<CORBA::ValueBase> create_value() {
  return base::make_shared<T>();
}

template <class V>
struct ValueCodec {
  static constexpr std::size_t kMinSize = 4;
  static void encode(cdr::Encoder& encoder, const CORBA::valuetype_reference<V>& value) {
    corba::encode_value(encoder, value._shared().get(), V::_static_type.id);
  }
  static void decode(cdr::Decoder& decoder, CORBA::valuetype_reference<V>& value) {
    const base::SharedPtr<CORBA::ValueBase> any = corba::decode_value(decoder, V::_static_type);
    value = CORBA::valuetype_reference<V>(base::dynamic_pointer_cast<V>(any));
    if (any != nullptr && value == nullptr) [[unlikely]]
      decoder.fail(base::Code::malformed);
  }
};

template <>
struct Codec<CORBA::valuetype_reference<CORBA::ValueBase>> {
  static constexpr std::size_t kMinSize = 4;
  static void encode(cdr::Encoder& encoder, const CORBA::valuetype_reference<CORBA::ValueBase>& value) {
    corba::encode_value(encoder, value._shared().get(), {});
  }
  static void decode(cdr::Decoder& decoder, CORBA::valuetype_reference<CORBA::ValueBase>& value) {
    value = CORBA::valuetype_reference<CORBA::ValueBase>(corba::decode_value(decoder, corba::kAnyValue));
  }
};

/// Traits of an abstract interface, whose references are to objects or to values.
template <class A>
struct AbstractTraits : IDL::formatted_traits<CORBA::object_reference<A>> {
  using value_type = CORBA::object_reference<A>;
  using ref_type = CORBA::object_reference<A>;
  using weak_ref_type = CORBA::weak_object_reference<A>;
  using in_type = ref_type;
  using out_type = ref_type&;
  using inout_type = ref_type&;
  using is_local = std::false_type;
  using is_abstract = std::true_type;

  /// As an A: nil if it is nil or no A. May ask an object, as for interfaces.
  static ref_type narrow(const CORBA::object_reference<CORBA::AbstractBase>& either) {
    if (either == nullptr) return nullptr;
    if (auto same = base::dynamic_pointer_cast<A>(either._shared())) return ref_type(std::move(same));
    const auto object = either->_to_object();
    return object != nullptr && object->_is_a(std::string(A::_interface_id)) ? A::_from_object(object) : nullptr;
  }
};

/// An object as an abstract interface: itself if its stub is one, else through the interface's own Stub.
template <class A, class Stub>
CORBA::object_reference<A> make_abstract(const CORBA::object_reference<CORBA::Object>& object) {
  if (object == nullptr) return nullptr;
  if (auto same = base::dynamic_pointer_cast<A>(object._shared())) return CORBA::object_reference<A>(std::move(same));
  if (object->_target() == nullptr) return nullptr;
  auto stub = base::make_shared<Stub>();
  stub->_bind(object->_target());
  return CORBA::object_reference<A>(std::move(stub));
}

/// A boolean that says whether an object or a value follows (CORBA 3.3 part 2, 9.3.7).
template <class A>
struct AbstractCodec {
  static constexpr std::size_t kMinSize = 5;
  static void encode(cdr::Encoder& encoder, const CORBA::object_reference<A>& value) {
    corba::encode_abstract(encoder, value._shared().get());
  }
  static void decode(cdr::Decoder& decoder, CORBA::object_reference<A>& value) {
    if (decoder.get<bool>()) {
      const auto object = decode_object(decoder);
      value = object == nullptr ? nullptr : A::_from_object(object);
      return;
    }
    const base::SharedPtr<CORBA::ValueBase> any = corba::decode_value(decoder, corba::kAnyValue);
    value = CORBA::object_reference<A>(base::dynamic_pointer_cast<A>(any));
    if (any != nullptr && value == nullptr) [[unlikely]]
      decoder.fail(base::Code::malformed);
  }
};

}  // namespace corbel::mapping
