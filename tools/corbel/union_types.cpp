// SPDX-License-Identifier: Apache-2.0
// TypeCodes of unions, and their labels.
#include <stdexcept>

#include "types.hpp"

namespace corbel::tool {

namespace model = idl::model;
using model::TypeKind;

CORBA::Any Types::label(const model::Type& type, const CORBA::typecode_reference& code, const model::Value& value) {
  const auto dynamic = values_->create_dyn_any_from_type_code(code);
  const auto number =
      std::holds_alternative<std::uint64_t>(value)
          ? std::get<std::uint64_t>(value)
          : static_cast<std::uint64_t>(std::holds_alternative<std::int64_t>(value) ? std::get<std::int64_t>(value) : 0);
  switch (model::resolve(type).kind) {
    case TypeKind::boolean:
      dynamic->insert_boolean(std::get<bool>(value));
      break;
    case TypeKind::char_:
      dynamic->insert_char(static_cast<char>(std::get<char32_t>(value)));
      break;
    case TypeKind::wchar:
      dynamic->insert_wchar(static_cast<wchar_t>(std::get<char32_t>(value)));
      break;
    case TypeKind::short_:
      dynamic->insert_short(static_cast<std::int16_t>(number));
      break;
    case TypeKind::ushort:
      dynamic->insert_ushort(static_cast<std::uint16_t>(number));
      break;
    case TypeKind::long_:
      dynamic->insert_long(static_cast<std::int32_t>(number));
      break;
    case TypeKind::ulong:
      dynamic->insert_ulong(static_cast<std::uint32_t>(number));
      break;
    case TypeKind::longlong:
      dynamic->insert_longlong(static_cast<std::int64_t>(number));
      break;
    case TypeKind::ulonglong:
      dynamic->insert_ulonglong(number);
      break;
    case TypeKind::octet:
    case TypeKind::int8:
    case TypeKind::uint8:
      dynamic->insert_octet(static_cast<std::uint8_t>(number));
      break;
    case TypeKind::enum_:
      IDL::traits<DynamicAny::DynEnum>::narrow(dynamic)->set_as_ulong(
          std::get<const model::Enumerator*>(value)->ordinal);
      break;
    default:
      throw std::runtime_error("no TypeCode can be made of unions over " + model::spelling(type));
  }
  const CORBA::Any any = dynamic->to_any();
  dynamic->destroy();
  return any;
}

Types::Made Types::make_union(const model::Union& declared) {
  const CORBA::typecode_reference discriminator = make(*declared.discriminator).code;
  Inside inside;
  CORBA::TypeCodeFactory::UnionMemberSeq all;
  for (const model::UnionCase& one : declared.cases) {
    const Made made = make_member(one.member);
    inside.add(made);
    const auto add = [&](CORBA::Any label) { all.push_back({one.member.name, std::move(label), made.code}); };
    for (const model::Value& value : one.labels) add(label(*declared.discriminator, discriminator, value));
    if (one.is_default) {
      CORBA::Any label;
      label <<= std::uint8_t{0};
      add(std::move(label));
    }
  }
  return {factory_.create_union_tc(declared.repository_id, declared.name, discriminator, all), inside};
}

}  // namespace corbel::tool
