// SPDX-License-Identifier: Apache-2.0
// Values as JSON.
#include <cmath>
#include <stdexcept>
#include <utility>

#include "dynamic_values.hpp"
#include "json_values.hpp"

namespace corbel::tool {

using CORBA::TCKind;

namespace {

constexpr int kDeepest = 256;  // levels: what walks over them has a stack

Json real_json(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

/// Entries of a map, as an object if the keys are texts and none is there twice.
Json map_json(const CORBA::TypeCode& type, Json entries) {
  const auto keys = type.content_type()->member_type(0)->_resolved().kind();
  if (keys != TCKind::tk_string && keys != TCKind::tk_wstring && keys != TCKind::tk_enum) return entries;
  Json object = Json::object();
  for (const Json& entry : entries) object[entry["key"].get<std::string>()] = entry["value"];
  return object.size() == entries.size() ? object : entries;
}

}  // namespace

Json JsonValues::to_json(const CORBA::Any& value) {
  Walk walk;
  return to_json(value, walk);
}

Json JsonValues::to_json(const CORBA::Any& value, Walk& walk) {
  const CORBA::typecode_reference type = value.type();
  if (type == nullptr || type->kind() == TCKind::tk_null || type->kind() == TCKind::tk_void) return nullptr;
  try {
    const Ref dynamic = factory_->create_dyn_any(value);
    // What was met inside belongs to this DynAny: afterwards others may lie where it lay.
    auto outside = std::exchange(walk.met, {});
    Json json = value_of(dynamic, walk);
    walk.met = std::move(outside);
    dynamic->destroy();
    return json;
  } catch (const DynamicAny::DynAnyFactory::InconsistentTypeCode&) {  // a custom or abstract valuetype, maybe inside
    throw std::runtime_error("values of type " + types_.name_of(*type) + " cannot be written as JSON");
  }
}

Json JsonValues::part_of(const Ref& dynamic, const std::string& name, Walk& walk) {
  if (walk.depth == kDeepest)
    throw std::runtime_error("the value is nested deeper than " + std::to_string(kDeepest) + " levels");
  const std::size_t before = walk.path.size();
  walk.path.append(1, '/').append(name);
  ++walk.depth;
  Json json = value_of(dynamic, walk);
  --walk.depth;
  walk.path.resize(before);
  return json;
}

Json JsonValues::value_of(const Ref& dynamic, Walk& walk) {
  if (walk.left-- == 0) throw std::runtime_error("the value has more than a million parts");
  CORBA::typecode_reference keep;
  const CORBA::TypeCode& type = resolved(dynamic, keep);
  if (const auto* const bits = types_.bits(*keep); bits != nullptr) return bits_of(dynamic, *bits);
  switch (type.kind()) {
    case TCKind::tk_boolean:
      return dynamic->get_boolean();
    case TCKind::tk_octet:
      return dynamic->get_octet();
    case TCKind::tk_char:
      return narrow_text(std::wstring(1, static_cast<unsigned char>(dynamic->get_char())));
    case TCKind::tk_wchar:
      return narrow_text(std::wstring(1, dynamic->get_wchar()));
    case TCKind::tk_short:
      return dynamic->get_short();
    case TCKind::tk_ushort:
      return dynamic->get_ushort();
    case TCKind::tk_long:
      return dynamic->get_long();
    case TCKind::tk_ulong:
      return dynamic->get_ulong();
    case TCKind::tk_longlong:
      return dynamic->get_longlong();
    case TCKind::tk_ulonglong:
      return dynamic->get_ulonglong();
    case TCKind::tk_float:
      return real_json(dynamic->get_float());
    case TCKind::tk_double:
      return real_json(dynamic->get_double());
    case TCKind::tk_longdouble:
      return real_json(static_cast<double>(dynamic->get_longdouble()));
    case TCKind::tk_string:
      return dynamic->get_string();
    case TCKind::tk_wstring:
      return narrow_text(dynamic->get_wstring());
    case TCKind::tk_TypeCode:
      return types_.name_of(*dynamic->get_typecode());
    case TCKind::tk_objref: {
      const auto object = dynamic->get_reference();
      return object == nullptr ? Json(nullptr) : Json(orb_->object_to_string(object));
    }
    case TCKind::tk_any: {
      const CORBA::Any inner = dynamic->get_any();
      Json json;
      json["type"] = types_.name_of(inner._type());
      if (++walk.depth > kDeepest) throw std::runtime_error("Anys are nested too deeply");
      json["value"] = to_json(inner, walk);
      --walk.depth;
      return json;
    }
    case TCKind::tk_fixed:
      return as<DynamicAny::DynFixed>(dynamic)->get_value();
    case TCKind::tk_enum:
      return as<DynamicAny::DynEnum>(dynamic)->get_as_string();
    case TCKind::tk_struct:
    case TCKind::tk_except:
    case TCKind::tk_value:
    case TCKind::tk_union:
      return members_of(dynamic, walk);
    case TCKind::tk_sequence:
    case TCKind::tk_array:
      return elements_of(dynamic, walk);
    case TCKind::tk_value_box: {
      const auto box = as<DynamicAny::DynValueBox>(dynamic);
      return box->is_null() ? Json(nullptr) : part_of(box->get_boxed_value_as_dyn_any(), "boxed", walk);
    }
    default:
      return "<" + types_.name_of(type) + ">";
  }
}

Json JsonValues::members_of(const Ref& dynamic, Walk& walk) {
  Json json = Json::object();
  const auto add = [&](const DynamicAny::NameDynAnyPairSeq& members) {
    for (const auto& member : members) json[member.id()] = part_of(member.value(), member.id(), walk);
  };
  if (const auto value = as<DynamicAny::DynValue>(dynamic); value != nullptr) {
    if (value->is_null()) return nullptr;
    const auto [met, is_new] = walk.met.emplace(&*dynamic, walk.path.empty() ? "/" : walk.path);
    if (!is_new) return {{"same_as", met->second}};
    add(value->get_members_as_dyn_any());
  } else if (const auto all = as<DynamicAny::DynStruct>(dynamic); all != nullptr) {
    add(all->get_members_as_dyn_any());
  } else {
    const auto chosen = as<DynamicAny::DynUnion>(dynamic);
    CORBA::typecode_reference keep;
    if (is_optional(resolved(dynamic, keep))) {
      return chosen->has_no_active_member() ? Json(nullptr) : part_of(chosen->member(), chosen->member_name(), walk);
    }
    json["discriminator"] = part_of(chosen->get_discriminator(), "discriminator", walk);
    if (!chosen->has_no_active_member())
      json[chosen->member_name()] = part_of(chosen->member(), chosen->member_name(), walk);
  }
  return json;
}

Json JsonValues::elements_of(const Ref& dynamic, Walk& walk) {
  CORBA::typecode_reference keep;
  const CORBA::TypeCode& type = resolved(dynamic, keep);
  if (is_octets(type) && type.kind() == TCKind::tk_sequence) return to_base64(dynamic->get_octet_seq());
  Json json = Json::array();
  const DynamicAny::DynAnySeq elements = type.kind() == TCKind::tk_sequence
                                             ? as<DynamicAny::DynSequence>(dynamic)->get_elements_as_dyn_any()
                                             : as<DynamicAny::DynArray>(dynamic)->get_elements_as_dyn_any();
  for (const Ref& element : elements) json.push_back(part_of(element, std::to_string(json.size()), walk));
  return is_map(type) ? map_json(type, std::move(json)) : json;
}

}  // namespace corbel::tool
