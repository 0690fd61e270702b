// SPDX-License-Identifier: Apache-2.0
// What DynAnys of each kind can do besides.
#include "corbel/dynamic/dyn_any_types.hpp"

#include <algorithm>
#include <ostream>

#include "corbel/dynamic/default_value.hpp"
#include "corbel/dynamic/kept_value.hpp"
#include "corbel/dynamic/labels.hpp"
#include "corbel/dynamic/make_dyn_any.hpp"
#include "corbel/mapping/fixed.hpp"
#include "corbel/mapping/print.hpp"

namespace DynamicAny {

using CORBA::TCKind;
using corbel::cdr::Decoder;
using corbel::cdr::Encoder;
using corbel::dynamic::TypeMember;
using corbel::mapping::Decimal;

std::string DynFixed::get_value() {
  std::string text;
  read(
      [&](Decoder& in) { text = Decimal::decode(in, node().digits, static_cast<unsigned>(node().scale)).to_string(); });
  return text;
}

bool DynFixed::set_value(const std::string& value) {
  constexpr const char* kWhiteSpace = " \t\n\v\f\r";
  const std::size_t first = std::min(value.find_first_not_of(kWhiteSpace), value.size());
  Decimal wanted;
  try {
    wanted = Decimal(std::string_view(value).substr(first, value.find_last_not_of(kWhiteSpace) + 1 - first));
  } catch (const CORBA::DATA_CONVERSION&) {
    throw TypeMismatch();
  }
  const Decimal kept = wanted.rescaled(static_cast<unsigned>(node().scale), false);
  if (kept.digits() > node().digits) throw InvalidValue();
  write([&](Encoder& out) { kept.encode(out, node().digits); });
  return compare(kept, wanted) == 0;
}

std::string DynEnum::get_as_string() {
  return std::string(node().members[get_as_ulong()].name);
}

void DynEnum::set_as_string(const std::string& value) {
  std::uint32_t index = 0;
  while (index < node().members.size() && node().members[index].name != value) ++index;
  set_as_ulong(index);
}

std::uint32_t DynEnum::get_as_ulong() {
  std::uint32_t value = 0;
  read([&](Decoder& in) { value = in.get<std::uint32_t>(); });
  return value;
}

void DynEnum::set_as_ulong(std::uint32_t value) {
  if (value >= node().members.size()) throw InvalidValue();
  write([&](Encoder& out) { out.put(value); });
}

DynAny::Ref DynUnion::get_discriminator() {
  return parts()[0];
}

void DynUnion::set_discriminator(const DynAny::Ref& discriminator) {
  parts()[0]->assign(discriminator);
  seek(active() < 0 ? 0 : 1);
}

void DynUnion::set_to_default_member() {
  const auto label = unused_label(node());
  if (node().default_index < 0 || !label) throw TypeMismatch();
  if (!is_set_to_default_member()) parts()[0]->from_any(corbel::dynamic::make_label(*node().content, *label));
  rewind();
}

void DynUnion::set_to_no_active_member() {
  const auto label = unused_label(node());
  if (node().default_index >= 0 || !label) throw TypeMismatch();
  if (active() >= 0) parts()[0]->from_any(corbel::dynamic::make_label(*node().content, *label));
  rewind();
}

bool DynUnion::is_set_to_default_member() {
  return active() >= 0 && active() == node().default_index;
}

const TypeMember& DynUnion::active_member() {
  if (active() < 0) throw InvalidValue();
  return node().members[static_cast<std::size_t>(active())];
}

DynAny::Ref DynUnion::member() {
  (void)active_member();
  return parts()[1];
}

FieldName DynUnion::member_name() {
  return FieldName(active_member().name);
}

CORBA::TCKind DynUnion::member_kind() {
  return active_member().type->kind();
}

AnySeq DynElements::get_elements() {
  AnySeq elements;
  for (const auto& element : parts()) elements.push_back(element->to_any());
  return elements;
}

void DynElements::set_elements(const AnySeq& value) {
  const bool array = node().kind == TCKind::tk_array;
  const std::uint32_t length = node().length;
  if (array ? value.size() != length : length != 0 && value.size() > length) throw InvalidValue();
  for (const auto& element : value) {
    if (!element._type()._fits(*node().content)) throw TypeMismatch();
  }
  write_whole(value.size(), [&](Encoder& out) {
    for (const auto& element : value) element._encode_value(out);
  });
}

void DynElements::set_elements_as_dyn_any(const DynAnySeq& value) {
  AnySeq elements;
  for (const auto& element : value) elements.push_back(element->to_any());
  set_elements(elements);
}

void DynSequence::set_length(std::uint32_t length) {
  if (node().length != 0 && length > node().length) throw InvalidValue();
  auto& elements = parts();
  const auto before = static_cast<std::uint32_t>(elements.size());
  const bool none_current = position() < 0;
  if (length <= before) {
    elements.resize(length);
    if (position() < 0) seek(-1);
    return;
  }
  check_room(length - before);
  const CORBA::Any value = default_value(*node().content);
  while (elements.size() < length) elements.push_back(make_part(*node().content, value));
  if (none_current) seek(static_cast<std::int32_t>(before));
}

DynAny::Ref DynAnyFactory::create_dyn_any(const CORBA::Any& value) {
  return corbel::dynamic::make_dyn_any(value, orb_, context_);
}

DynAny::Ref DynAnyFactory::create_dyn_any_without_truncation(const CORBA::Any& value) {
  DynAny::Ref made = create_dyn_any(value);
  if (made->_truncates()) throw MustTruncate();
  return made;
}

DynAny::Ref DynAnyFactory::create_dyn_any_from_type_code(const CORBA::typecode_reference& type) {
  if (type == nullptr) throw CORBA::BAD_TYPECODE();
  Encoder probe;
  corbel::dynamic::put_default(probe, *type);
  if (!probe.ok() && probe.error().code == corbel::base::Code::too_large) throw CORBA::IMP_LIMIT();
  if (!probe.ok()) throw InconsistentTypeCode();
  const auto octets = probe.to_bytes();
  return create_dyn_any(corbel::dynamic::keep_value(
      type, &context_, [&](Encoder& out) { out.copy_octets(octets.data(), octets.size()); }));
}

DynAnySeq DynAnyFactory::create_multiple_dyn_anys(const AnySeq& values, bool allow_truncate) {
  DynAnySeq made;
  for (const auto& value : values) {
    made.push_back(allow_truncate ? create_dyn_any(value) : create_dyn_any_without_truncation(value));
  }
  return made;
}

AnySeq DynAnyFactory::create_multiple_anys(const DynAnySeq& values) {
  AnySeq made;
  for (const auto& value : values) made.push_back(value->to_any());
  return made;
}

std::ostream& operator<<(std::ostream& stream, const NameValuePair& pair) {
  return corbel::mapping::print_members(stream, "DynamicAny::NameValuePair", "id", pair.id(), "value", pair.value());
}
std::ostream& operator<<(std::ostream& stream, const NameDynAnyPair& pair) {
  return corbel::mapping::print_members(stream, "DynamicAny::NameDynAnyPair", "id", pair.id(), "value", pair.value());
}

}  // namespace DynamicAny

namespace corbel::dynamic {

DynamicAny::DynAny::Ref make_dyn_any(DynPart part) {
  using CORBA::TCKind;
  const TypeNode& node = part.type->_resolved()._node();
  switch (node.kind) {
    case TCKind::tk_struct:
    case TCKind::tk_except:
      return CORBA::make_reference<DynamicAny::DynStruct>(std::move(part));
    case TCKind::tk_union:
      return CORBA::make_reference<DynamicAny::DynUnion>(std::move(part));
    case TCKind::tk_sequence:
      return CORBA::make_reference<DynamicAny::DynSequence>(std::move(part));
    case TCKind::tk_array:
      return CORBA::make_reference<DynamicAny::DynArray>(std::move(part));
    case TCKind::tk_enum:
      return CORBA::make_reference<DynamicAny::DynEnum>(std::move(part));
    case TCKind::tk_fixed:
      // From the wire, where nothing checks that.
      if (node.scale < 0 || node.scale > static_cast<int>(mapping::Decimal::kMaxDigits)) {
        throw DynamicAny::DynAnyFactory::InconsistentTypeCode();
      }
      return CORBA::make_reference<DynamicAny::DynFixed>(std::move(part));
    case TCKind::tk_value_box:
      return CORBA::make_reference<DynamicAny::DynValueBox>(std::move(part));
    case TCKind::tk_value:
    case TCKind::tk_event:
      if (node.modifier == CORBA::VM_NONE || node.modifier == CORBA::VM_TRUNCATABLE) {
        return CORBA::make_reference<DynamicAny::DynValue>(std::move(part));
      }
      throw DynamicAny::DynAnyFactory::InconsistentTypeCode();
    case TCKind::tk_Principal:
    case TCKind::tk_native:
    case TCKind::tk_local_interface:
      throw DynamicAny::DynAnyFactory::InconsistentTypeCode();
    default:
      return CORBA::make_reference<DynamicAny::DynAny>(std::move(part));
  }
}

DynamicAny::DynAny::Ref make_dyn_any(const CORBA::Any& value, CORBA::object_reference<CORBA::ORB> orb,
                                     corba::OrbContext& context) {
  auto root = base::make_shared<DynRoot>();
  root->orb = std::move(orb);
  root->context = &context;
  return make_dyn_any({value.type(), value, std::move(root), true});
}

CORBA::object_reference<CORBA::Object> make_dyn_any_factory(corba::OrbContext& orb) {
  return CORBA::make_reference<DynamicAny::DynAnyFactory>(orb);
}

}  // namespace corbel::dynamic
