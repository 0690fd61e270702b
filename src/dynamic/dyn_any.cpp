// SPDX-License-Identifier: Apache-2.0
#include "corbel/dynamic/dyn_any.hpp"

#include "dynamic/default_value.hpp"
#include "dynamic/kept_value.hpp"
#include "dynamic/labels.hpp"
#include "dynamic/make_dyn_any.hpp"
#include "dynamic/transcode.hpp"

namespace DynamicAny {

using CORBA::TCKind;
using corbel::cdr::Decoder;
using corbel::cdr::Encoder;
using corbel::dynamic::AnyCodec;
using corbel::dynamic::get_label;
using corbel::dynamic::selected_member;
using corbel::dynamic::TypeMember;
using corbel::dynamic::TypeNode;
using corbel::mapping::Codec;

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
  if (!value._type()._equivalent(*part_.type)) throw TypeMismatch();
  const bool empty = node().kind == TCKind::tk_null || node().kind == TCKind::tk_void;
  if (value._value() == nullptr && !empty) throw InvalidValue();
  set(value);
}

CORBA::Any DynAny::to_any() {
  check();
  if (expanded_) {
    auto& components = parts();
    part_.value = corbel::dynamic::keep_value(part_.type, part_.root->context, [&](Encoder& out) {
      if (node().kind == TCKind::tk_except) out.put_plain_string(node().id);
      if (node().kind == TCKind::tk_sequence) out.put_count(components.size());
      for (const auto& component : components) component->to_any()._encode_value(out);
    });
  }
  return part_.value;
}

bool DynAny::equal(const Ref& other) {
  CORBA::Any mine = to_any();
  const CORBA::Any theirs = other->to_any();
  if (!mine._type()._equivalent(theirs._type())) return false;
  mine.type(theirs.type());
  return mine == theirs;
}

void DynAny::destroy() {
  check();
  if (part_.outermost) part_.root->destroyed = true;
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
  return has_parts() ? static_cast<std::uint32_t>(parts().size()) : 0;
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

bool DynAny::has_parts() const noexcept {
  switch (node().kind) {
    case TCKind::tk_struct:
    case TCKind::tk_except:
    case TCKind::tk_union:
    case TCKind::tk_sequence:
    case TCKind::tk_array:
      return true;
    default:
      return false;
  }
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
  to_any()._decode_value(read);
}

DynAny::Ref DynAny::make_part(const CORBA::TypeCode& type, CORBA::Any value) const {
  return corbel::dynamic::make_dyn_any({type._reference(), std::move(value), part_.root});
}

CORBA::Any DynAny::default_value(const CORBA::TypeCode& type) const {
  return corbel::dynamic::keep_value(type._reference(), part_.root->context,
                                     [&](Encoder& out) { corbel::dynamic::put_default(out, type); });
}

DynAny::Parts& DynAny::parts() {
  check();
  if (!expanded_) expand();
  if (node().kind == TCKind::tk_union) follow_discriminator();
  return parts_;
}

/// Takes the value apart.
void DynAny::expand() {
  const auto read_parts = [this](Decoder& in) {
    const auto take = [&](const CORBA::TypeCode& type) {
      const auto copy = [&](Encoder& out) { transcode(type, in, out, corbel::dynamic::Origin::own); };
      parts_.push_back(make_part(type, corbel::dynamic::keep_value(type._reference(), part_.root->context, copy)));
    };
    if (node().kind == TCKind::tk_except) in.get_plain_string();
    if (node().kind == TCKind::tk_union) {
      Decoder ahead = in;
      active_ = selected_member(node(), get_label(ahead, *node().content));
      take(*node().content);
      if (active_ >= 0) take(*node().members[static_cast<std::size_t>(active_)].type);
      return;
    }
    for (const TypeMember& member : node().members) take(*member.type);
    if (node().content == nullptr) return;
    const std::uint32_t count = node().kind == TCKind::tk_sequence ? in.get<std::uint32_t>() : node().length;
    for (std::uint32_t i = 0; i < count && in.ok(); ++i) take(*node().content);
  };
  part_.value._decode_value(read_parts);
  expanded_ = true;
}

/// Somebody may have changed the discriminator, which is a component like any other.
void DynAny::follow_discriminator() {
  std::int32_t selected = -1;
  parts_[0]->read([&](Decoder& in) { selected = selected_member(node(), get_label(in, *node().content)); });
  if (selected == active_) return;
  active_ = selected;
  parts_.resize(1);
  if (selected < 0) return;
  const CORBA::TypeCode& type = *node().members[static_cast<std::size_t>(selected)].type;
  parts_.push_back(make_part(type, default_value(type)));
}

std::int32_t DynAny::active() {
  (void)parts();
  return active_;
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
  return target([kind](const TypeNode& found) { return found.kind == kind; });
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

}  // namespace DynamicAny
