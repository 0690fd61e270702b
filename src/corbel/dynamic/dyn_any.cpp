// SPDX-License-Identifier: Apache-2.0
#include "corbel/dynamic/dyn_any.hpp"

#include <algorithm>

#include "corbel/dynamic/kept_value.hpp"
#include "corbel/dynamic/make_dyn_any.hpp"
#include "corbel/dynamic/type_arena.hpp"
#include "corbel/mapping/data_stream.hpp"

namespace DynamicAny {

using CORBA::TCKind;
using corbel::cdr::Decoder;
using corbel::cdr::Encoder;
using corbel::dynamic::AnyCodec;
using corbel::dynamic::TypeNode;
using corbel::mapping::Codec;

namespace {

bool is_value(const TypeNode& node) {
  return corbel::dynamic::is_stateful(node.kind) || node.kind == TCKind::tk_value_box;
}

}  // namespace

void DynAny::check() const {
  if (part_.root->destroyed) throw CORBA::OBJECT_NOT_EXIST();
}

CORBA::typecode_reference DynAny::type() const {
  check();
  return part_.type;
}

void DynAny::assign(const Ref& other) {
  from_any(other->to_any());
}

void DynAny::from_any(const CORBA::Any& value) {
  check();
  if (!value._type()._fits(*part_.type)) throw TypeMismatch();
  const bool empty = node().kind == TCKind::tk_null || node().kind == TCKind::tk_void;
  if (value._value() == nullptr && !empty) throw InvalidValue();
  set(value);
}

CORBA::Any DynAny::to_any() {
  check();
  if (expanded_) {
    part_.value = corbel::dynamic::keep_value(part_.type, part_.root->context, [this](Encoder& out) { _encode(out); });
  }
  return part_.value;
}

bool DynAny::equal(const Ref& other) {
  // One value may be written in several ways; taken apart, it is written in one.
  for (DynAny* either : {this, &*other}) {
    if (either->has_parts()) (void)either->parts();
  }
  CORBA::Any mine = to_any();
  const CORBA::Any theirs = other->to_any();
  if (!mine._type()._fits(theirs._type())) return false;
  mine.type(theirs.type());
  return mine == theirs;
}

void DynAny::destroy() {
  check();
  if (!part_.outermost) return;
  part_.root->destroyed = true;
  release();
}

/// Circles of values end here.
void DynAny::release() noexcept {
  const Parts parts = std::exchange(parts_, {});
  for (const auto& part : parts) part->release();
}

DynAny::Ref DynAny::copy() {
  return corbel::dynamic::make_dyn_any(to_any(), part_.root->orb, *part_.root->context);
}

bool DynAny::seek(std::int32_t index) {
  const bool there = index >= 0 && static_cast<std::uint32_t>(index) < component_count();
  position_ = there ? index : -1;
  return there;
}

std::uint32_t DynAny::component_count() {
  check();
  if (!has_parts()) return 0;
  // A stranger's value may have many components: they are made when one of them is wanted.
  if (!expanded_ && node().kind == TCKind::tk_array) return node().length;
  if (!expanded_ && node().kind == TCKind::tk_sequence) {
    std::uint32_t count = 0;
    part_.value._decode_value([&](Decoder& in) { count = in.get<std::uint32_t>(); });
    return count;
  }
  return static_cast<std::uint32_t>(parts().size());
}

DynAny::Ref DynAny::current_component() {
  check();
  if (!has_parts()) throw TypeMismatch();
  return position() < 0 ? nullptr : parts()[current()];
}

std::int32_t DynAny::position() {
  return position_ >= 0 && static_cast<std::uint32_t>(position_) < component_count() ? position_ : -1;
}

/// The current component's index; throws InvalidValue if there is none.
std::size_t DynAny::current() {
  const std::int32_t index = position();
  if (index < 0) throw InvalidValue();
  return static_cast<std::size_t>(index);
}

void DynAny::set(CORBA::Any value) {
  check();
  value.type(part_.type);
  part_.value = std::move(value);
  parts_.clear();
  expanded_ = false;
  position_ = 0;
}

void DynAny::write(corbel::base::FunctionRef<void(Encoder&)> write) {
  set(corbel::dynamic::keep_value(part_.type, part_.root->context, write));
}

void DynAny::read(corbel::base::FunctionRef<void(Decoder&)> read) {
  to_any()._decode_value([&](Decoder& in) {
    adopt(in, *part_.root);
    read(in);
  });
}

/// This or the current component, whichever fits.
template <class Fits>
DynAny& DynAny::target(const Fits& fits) {
  check();
  if (fits(node())) return *this;
  if (!has_parts()) throw TypeMismatch();
  DynAny& component = *parts()[current()];
  if (!fits(component.node())) throw TypeMismatch();
  return component;
}

DynAny& DynAny::value_target(TCKind kind) {
  return target([kind](const TypeNode& found) {
    return found.kind == kind || (kind == TCKind::tk_objref && CORBA::TypeCode(found)._is_reference());
  });
}

DynAny& DynAny::elements_target(TCKind kind) {
  return target([kind](const TypeNode& found) {
    return (found.kind == TCKind::tk_sequence || found.kind == TCKind::tk_array) &&
           found.content->_resolved().kind() == kind;
  });
}

template <class T>
void DynAny::insert(TCKind kind, const T& value) {
  DynAny& place = value_target(kind);
  if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, std::wstring>) {
    if (place.node().length != 0 && value.size() > place.node().length) throw InvalidValue();
  }
  if constexpr (std::is_same_v<T, CORBA::typecode_reference>) {
    if (value == nullptr) throw InvalidValue();
  }
  place.write([&](Encoder& out) { AnyCodec<T>::encode(out, value); });
}

template <class T>
T DynAny::get(TCKind kind) {
  T value{};
  value_target(kind).read([&](Decoder& in) { AnyCodec<T>::decode(in, value); });
  return value;
}

template <class T>
void DynAny::insert_elements(TCKind kind, const std::vector<T>& value) {
  DynAny& place = elements_target(kind);
  const TypeNode& wanted = place.node();
  const bool array = wanted.kind == TCKind::tk_array;
  if (array ? value.size() != wanted.length : wanted.length != 0 && value.size() > wanted.length) throw InvalidValue();
  place.write([&](Encoder& out) {
    if (!array) return Codec<std::vector<T>>::encode(out, value);
    for (const T element : value) Codec<T>::encode(out, element);
  });
}

template <class T>
std::vector<T> DynAny::get_elements(TCKind kind) {
  DynAny& place = elements_target(kind);
  std::vector<T> value;
  place.read([&](Decoder& in) {
    if (place.node().kind == TCKind::tk_sequence) return Codec<std::vector<T>>::decode(in, value);
    for (std::uint32_t i = 0; i < place.node().length && in.ok(); ++i) {
      T element{};
      Codec<T>::decode(in, element);
      value.push_back(element);
    }
  });
  return value;
}

#define CORBEL_DYN_ANY_ACCESS(NAME, TYPE, KIND)                     \
  void DynAny::insert_##NAME(corbel::dynamic::Passed<TYPE> value) { \
    insert<TYPE>(TCKind::KIND, value);                              \
  }                                                                 \
  TYPE DynAny::get_##NAME() {                                       \
    return get<TYPE>(TCKind::KIND);                                 \
  }
#define CORBEL_DYN_ANY_SEQUENCE(NAME, TYPE, KIND)                    \
  void DynAny::insert_##NAME##_seq(const std::vector<TYPE>& value) { \
    insert_elements(TCKind::KIND, value);                            \
  }                                                                  \
  std::vector<TYPE> DynAny::get_##NAME##_seq() {                     \
    return get_elements<TYPE>(TCKind::KIND);                         \
  }
CORBEL_DYN_ANY_BASIC(CORBEL_DYN_ANY_ACCESS)
CORBEL_DYN_ANY_OTHER(CORBEL_DYN_ANY_ACCESS)
CORBEL_DYN_ANY_BASIC(CORBEL_DYN_ANY_SEQUENCE)
#undef CORBEL_DYN_ANY_SEQUENCE
#undef CORBEL_DYN_ANY_ACCESS

void DynAny::insert_dyn_any(const Ref& value) {
  insert_any(value->to_any());
}

DynAny::Ref DynAny::get_dyn_any() {
  return corbel::dynamic::make_dyn_any(get_any(), part_.root->orb, *part_.root->context);
}

void DynAny::insert_val(const CORBA::valuetype_reference<CORBA::ValueBase>& value) {
  DynAny& place = target(is_value);
  const TypeNode& wanted = place.node();
  if (value != nullptr) {
    const auto ids = value->_value_type().ids;
    if (std::find(ids.begin(), ids.end(), wanted.id) == ids.end()) throw InvalidValue();
  }
  place.write([&](Encoder& out) { Codec<CORBA::valuetype_reference<CORBA::ValueBase>>::encode(out, value); });
}

CORBA::valuetype_reference<CORBA::ValueBase> DynAny::get_val() {
  DynAny& place = target(is_value);
  CORBA::valuetype_reference<CORBA::ValueBase> value;
  corbel::corba::ValueType formal;
  formal.id = place.node().id;
  place.read([&](Decoder& in) {
    value = CORBA::valuetype_reference<CORBA::ValueBase>(corbel::corba::decode_value(in, formal));
  });
  return value;
}

void DynAny::insert_abstract(const CORBA::object_reference<CORBA::AbstractBase>& value) {
  if (value != nullptr && value->_to_object() == nullptr) throw InvalidValue();
  insert(TCKind::tk_abstract_interface, value);
}

CORBA::object_reference<CORBA::AbstractBase> DynAny::get_abstract() {
  return get<CORBA::object_reference<CORBA::AbstractBase>>(TCKind::tk_abstract_interface);
}

}  // namespace DynamicAny
