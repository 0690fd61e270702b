// SPDX-License-Identifier: Apache-2.0
// What IDL 4 adds, as JSON: bitmasks, bitsets, optional members.
#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "dynamic_values.hpp"
#include "json_values.hpp"

namespace corbel::tool {

using CORBA::TCKind;

namespace model = idl::model;

namespace {

using Dynamic = DynamicAny::DynAny::Ref;

[[noreturn]] void refuse_part(const std::string& where, const std::string& what) {
  throw std::runtime_error(where + ": " + what);
}

std::uint64_t held(const Dynamic& dynamic) {
  CORBA::typecode_reference keep;
  switch (resolved(dynamic, keep).kind()) {
    case TCKind::tk_octet:
      return dynamic->get_octet();
    case TCKind::tk_ushort:
      return dynamic->get_ushort();
    case TCKind::tk_ulong:
      return dynamic->get_ulong();
    default:
      return dynamic->get_ulonglong();
  }
}

void hold(const Dynamic& dynamic, std::uint64_t bits) {
  CORBA::typecode_reference keep;
  switch (resolved(dynamic, keep).kind()) {
    case TCKind::tk_octet:
      return dynamic->insert_octet(static_cast<std::uint8_t>(bits));
    case TCKind::tk_ushort:
      return dynamic->insert_ushort(static_cast<std::uint16_t>(bits));
    case TCKind::tk_ulong:
      return dynamic->insert_ulong(static_cast<std::uint32_t>(bits));
    default:
      return dynamic->insert_ulonglong(bits);
  }
}

/// Those with a name, those of the base first.
std::vector<const model::Bitfield*> fields_of(const model::Bitset& bits) {
  std::vector<const model::Bitfield*> fields;
  if (bits.base != nullptr) fields = fields_of(*bits.base);
  for (const auto& field : bits.fields) {
    if (!field.name.empty()) fields.push_back(&field);
  }
  return fields;
}

std::uint64_t ones(const model::Bitfield& field) {
  return field.width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << field.width) - 1;
}

bool is_boolean(const model::Bitfield& field) {
  return model::resolve(*field.type).kind == model::TypeKind::boolean;
}

std::uint64_t flags_of(const model::Bitmask& mask, const Json& json, const std::string& where) {
  if (!json.is_array()) refuse_part(where, "a bitmask is an array of the names of its flags");
  std::uint64_t bits = 0;
  for (const Json& given : json) {
    const auto found =
        std::find_if(mask.flags.begin(), mask.flags.end(), [&](const auto& one) { return given == one.name; });
    if (found == mask.flags.end()) {
      std::string names;
      for (const auto& one : mask.flags) names += (names.empty() ? "" : ", ") + one.name;
      refuse_part(where, given.dump().substr(0, 60) + " is none of " + names);
    }
    bits |= std::uint64_t{1} << found->position;
  }
  return bits;
}

std::uint64_t field_of(const model::Bitfield& field, const Json& json, const std::string& where) {
  if (is_boolean(field)) {
    if (!json.is_boolean()) refuse_part(where, json.dump().substr(0, 60) + " is neither true nor false");
    return json.get<bool>() ? 1 : 0;
  }
  const bool has_sign = model::is_signed(field);
  const std::uint64_t largest = ones(field) >> (has_sign ? 1 : 0);
  const std::int64_t least = has_sign ? -static_cast<std::int64_t>(largest) - 1 : 0;
  const bool fits = json.is_number_unsigned() ? json.get<std::uint64_t>() <= largest
                                              : json.is_number_integer() && json.get<std::int64_t>() >= least;
  if (!fits) {
    refuse_part(where, json.dump().substr(0, 60) + " is no whole number from " + std::to_string(least) + " to " +
                           std::to_string(largest));
  }
  return json.get<std::uint64_t>() & ones(field);
}

std::uint64_t fields_of(const model::Bitset& set, const Json& json, const std::string& where) {
  if (!json.is_object()) refuse_part(where, json.dump().substr(0, 60) + " is no object with fields");
  std::uint64_t bits = 0;
  std::string names;
  const auto fields = fields_of(set);
  for (const auto* field : fields) {
    const auto found = json.find(field->name);
    if (found == json.end()) refuse_part(where, "field '" + field->name + "' is missing");
    bits |= field_of(*field, *found, where + "." + field->name) << field->position;
    names += (names.empty() ? "" : ", ") + field->name;
  }
  if (json.size() != fields.size()) refuse_part(where, "there are no other fields than " + names);
  return bits;
}

}  // namespace

Json JsonValues::bits_of(const Ref& dynamic, const model::Declaration& declared) {
  std::uint64_t bits = held(dynamic);
  if (const auto* const mask = model::as<model::Bitmask>(&declared)) {
    Json json = Json::array();
    for (const auto& flag : mask->flags) {
      const std::uint64_t bit = std::uint64_t{1} << flag.position;
      if ((bits & bit) != 0) json.push_back(flag.name);
      bits &= ~bit;
    }
    if (bits != 0) json.push_back(bits);  // of a peer with other IDL
    return json;
  }
  Json json = Json::object();
  for (const auto* field : fields_of(*model::as<model::Bitset>(&declared))) {
    const std::uint64_t value = bits >> field->position & ones(*field);
    if (is_boolean(*field)) {
      json[field->name] = value != 0;
    } else if (model::is_signed(*field)) {  // up to the top, and down again with the sign
      json[field->name] = static_cast<std::int64_t>(value << (64 - field->width)) >> (64 - field->width);
    } else {
      json[field->name] = value;
    }
  }
  return json;
}

void JsonValues::set_bits(const Ref& dynamic, const model::Declaration& declared, const Json& json,
                          const std::string& where) {
  const auto* const mask = model::as<model::Bitmask>(&declared);
  hold(dynamic,
       mask != nullptr ? flags_of(*mask, json, where) : fields_of(*model::as<model::Bitset>(&declared), json, where));
}

void JsonValues::set_optional(const Ref& dynamic, const Json& json, const std::string& where) {
  const auto chosen = as<DynamicAny::DynUnion>(dynamic);
  if (json.is_null()) return chosen->set_to_no_active_member();
  const Ref is_there = factory_->create_dyn_any_from_type_code(CORBA::_tc_boolean);
  is_there->insert_boolean(true);
  chosen->set_discriminator(is_there);
  is_there->destroy();
  set(chosen->member(), json, where);
}

}  // namespace corbel::tool
