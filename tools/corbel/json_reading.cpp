// SPDX-License-Identifier: Apache-2.0
// JSON as values.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "dynamic_values.hpp"
#include "json_values.hpp"

namespace corbel::tool {

using CORBA::TCKind;
using DynamicAny::DynAny;

namespace {

[[noreturn]] void refuse(const std::string& where, const std::string& what) {
  throw std::runtime_error(where + ": " + what);
}

template <class Number>
Number whole(const Json& json, const std::string& where) {
  const std::string range = " (a whole number from " + std::to_string(std::numeric_limits<Number>::min()) + " to " +
                            std::to_string(std::numeric_limits<Number>::max()) + ")";
  if (json.is_number_unsigned()) {
    const auto value = json.get<std::uint64_t>();
    if (value > static_cast<std::uint64_t>(std::numeric_limits<Number>::max()))
      refuse(where, json.dump() + " is too large" + range);
    return static_cast<Number>(value);
  }
  if (json.is_number_integer()) {
    const auto value = json.get<std::int64_t>();
    if (!std::in_range<Number>(value)) refuse(where, json.dump() + " is out of range" + range);
    return static_cast<Number>(value);
  }
  refuse(where, json.dump().substr(0, 60) + " is no number" + range);
}

/// A value that rounds to the largest number is that number; beyond it there is none.
template <class Number>
Number in_range(const Json& json, const std::string& where) {
  const double value = json.get<double>();
  if constexpr (sizeof(Number) < sizeof(double)) {
    constexpr double kMost = std::numeric_limits<Number>::max();
    constexpr double kHalf = kMost * (std::numeric_limits<Number>::epsilon() / 4);
    if (std::abs(value) > kMost + kHalf) {
      refuse(where, json.dump().substr(0, 60) + " is out of range (a number from " + Json(-kMost).dump() + " to " +
                        Json(kMost).dump() + R"(, or "Infinity", "-Infinity"))");
    }
    return static_cast<Number>(std::clamp(value, -kMost, kMost));
  }
  return static_cast<Number>(value);
}

template <class Number>
Number real(const Json& json, const std::string& where) {
  if (json.is_number()) return in_range<Number>(json, where);
  if (json.is_string()) {
    const auto& text = json.get_ref<const std::string&>();
    if (text == "NaN") return std::numeric_limits<Number>::quiet_NaN();
    if (text == "Infinity") return std::numeric_limits<Number>::infinity();
    if (text == "-Infinity") return -std::numeric_limits<Number>::infinity();
  }
  refuse(where, json.dump().substr(0, 60) + R"( is no number (nor "NaN", "Infinity", "-Infinity"))");
}

const std::string& text_of(const Json& json, const std::string& where) {
  if (!json.is_string()) refuse(where, json.dump().substr(0, 60) + " is no text");
  return json.get_ref<const std::string&>();
}

/// CDR ends a text at its NUL.
const std::string& text_without_nul(const Json& json, const std::string& where) {
  const std::string& text = text_of(json, where);
  if (text.find('\0') != std::string::npos)
    refuse(where, json.dump().substr(0, 60) + " has a NUL in it, as no text of IDL has");
  return text;
}

std::vector<std::uint8_t> octets_of(const Json& json, JsonValues::Paths paths, const std::string& where) {
  if (json.is_string()) return from_base64(json.get_ref<const std::string&>());
  if (json.is_object() && json.size() == 1 && json.contains("file")) {
    if (paths == JsonValues::Paths::refused) refuse(where, "no files are read for what is in a file itself");
    const std::string& path = text_of(json["file"], where);
    std::error_code absent;
    if (!std::filesystem::is_regular_file(path, absent)) refuse(where, path + " is no file");  // to open it might wait
    std::ifstream file(path, std::ios::binary);
    if (!file) refuse(where, "cannot read " + path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  if (!json.is_array()) refuse(where, R"(octets are a text in base64, an array of numbers or {"file": PATH})");
  std::vector<std::uint8_t> octets;
  for (std::size_t i = 0; i < json.size(); ++i)
    octets.push_back(whole<std::uint8_t>(json[i], where + "[" + std::to_string(i) + "]"));
  return octets;
}

std::string names_of(const CORBA::TypeCode& type) {
  std::string names;
  for (std::uint32_t i = 0; i < type.member_count(); ++i) names += (i == 0 ? "" : ", ") + type.member_name(i);
  return names;
}

}  // namespace

Json parse_json(const std::string& text) try {
  constexpr int kDeepest = 256;
  std::vector<std::set<std::string>> members;  // so far, of the objects that are open
  const Json::parser_callback_t bound = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (depth > kDeepest)
      throw std::runtime_error("JSON is nested deeper than " + std::to_string(kDeepest) + " levels");
    if (event == Json::parse_event_t::object_start) members.emplace_back();
    if (event == Json::parse_event_t::object_end) members.pop_back();
    if (event == Json::parse_event_t::key && !members.back().insert(parsed.get<std::string>()).second)
      throw RepeatedMember("the member '" + parsed.get<std::string>() + "' is there twice");
    return true;
  };
  return Json::parse(text, bound);
} catch (const Json::exception& failure) {
  throw std::runtime_error(std::string("this is no JSON: ") + failure.what());
}

CORBA::Any JsonValues::from_json(const Json& json, const CORBA::typecode_reference& type, const std::string& where) {
  try {
    const Ref dynamic = factory_->create_dyn_any_from_type_code(type);
    set(dynamic, json, where);
    CORBA::Any value = dynamic->to_any();
    dynamic->destroy();
    return value;
  } catch (const DynamicAny::DynAnyFactory::InconsistentTypeCode&) {  // a custom or abstract valuetype, maybe inside
    refuse(where, "values of type " + types_.name_of(*type) + " cannot be written as JSON");
  }
}

void JsonValues::set(const Ref& dynamic, const Json& json, const std::string& where) try {
  CORBA::typecode_reference keep;
  const CORBA::TypeCode& type = resolved(dynamic, keep);
  if (const auto* const bits = types_.bits(*keep); bits != nullptr) return set_bits(dynamic, *bits, json, where);
  if (is_optional(type)) return set_optional(dynamic, json, where);
  if (set_basic(dynamic, type.kind(), json, where)) return;
  switch (type.kind()) {
    case TCKind::tk_any:
      return set_any(dynamic, json, where);
    case TCKind::tk_objref:
      return dynamic->insert_reference(json.is_null() ? nullptr : orb_->string_to_object(text_of(json, where)));
    case TCKind::tk_TypeCode: {
      const std::string name = text_of(json, where);
      const CORBA::typecode_reference code = name == "void" ? CORBA::_tc_void : types_.named(name);  // of no value
      if (code == nullptr) refuse(where, json.dump() + " names no type of the IDL files");
      return dynamic->insert_typecode(code);
    }
    case TCKind::tk_struct:
    case TCKind::tk_except:
    case TCKind::tk_value:
      return set_members(dynamic, json, where);
    case TCKind::tk_union:
      return set_union(dynamic, json, where);
    case TCKind::tk_sequence:
    case TCKind::tk_array:
      return set_elements(dynamic, json, where);
    case TCKind::tk_value_box: {
      const auto box = as<DynamicAny::DynValueBox>(dynamic);
      if (json.is_null()) return box->set_to_null();
      box->set_to_value();
      return set(box->get_boxed_value_as_dyn_any(), json, where);
    }
    default:
      refuse(where, "values of type " + types_.name_of(type) + " cannot be written as JSON");
  }
} catch (const DynAny::InvalidValue&) {
  refuse(where, json.dump().substr(0, 60) + " is no value of type " + types_.name_of(*dynamic->type()));
} catch (const DynAny::TypeMismatch&) {
  refuse(where, json.dump().substr(0, 60) + " is no value of type " + types_.name_of(*dynamic->type()));
} catch (const CORBA::BAD_PARAM& exception) {  // a text that names no object
  refuse(where, exception.what());
}

bool JsonValues::set_basic(const Ref& dynamic, TCKind kind, const Json& json, const std::string& where) {
  switch (kind) {
    case TCKind::tk_boolean:
      if (!json.is_boolean()) refuse(where, json.dump().substr(0, 60) + " is neither true nor false");
      dynamic->insert_boolean(json.get<bool>());
      return true;
    case TCKind::tk_octet:
      dynamic->insert_octet(whole<std::uint8_t>(json, where));
      return true;
    case TCKind::tk_short:
      dynamic->insert_short(whole<std::int16_t>(json, where));
      return true;
    case TCKind::tk_ushort:
      dynamic->insert_ushort(whole<std::uint16_t>(json, where));
      return true;
    case TCKind::tk_long:
      dynamic->insert_long(whole<std::int32_t>(json, where));
      return true;
    case TCKind::tk_ulong:
      dynamic->insert_ulong(whole<std::uint32_t>(json, where));
      return true;
    case TCKind::tk_longlong:
      dynamic->insert_longlong(whole<std::int64_t>(json, where));
      return true;
    case TCKind::tk_ulonglong:
      dynamic->insert_ulonglong(whole<std::uint64_t>(json, where));
      return true;
    case TCKind::tk_float:
      dynamic->insert_float(real<float>(json, where));
      return true;
    case TCKind::tk_double:
      dynamic->insert_double(real<double>(json, where));
      return true;
    case TCKind::tk_longdouble:
      dynamic->insert_longdouble(real<long double>(json, where));
      return true;
    case TCKind::tk_string:
      dynamic->insert_string(text_without_nul(json, where));
      return true;
    case TCKind::tk_wstring:
      dynamic->insert_wstring(wide_text(text_without_nul(json, where)));
      return true;
    case TCKind::tk_char:
    case TCKind::tk_wchar: {
      const std::wstring text = wide_text(text_of(json, where));
      if (text.size() != 1 || (kind == TCKind::tk_char && text[0] > 255))
        refuse(where, json.dump() + " is not one character");
      if (kind == TCKind::tk_char)
        dynamic->insert_char(static_cast<char>(text[0]));
      else
        dynamic->insert_wchar(text[0]);
      return true;
    }
    case TCKind::tk_fixed:
      if (!as<DynamicAny::DynFixed>(dynamic)->set_value(json.is_string() ? json.get<std::string>() : json.dump())) {
        refuse(where, json.dump() + " has more decimals than " + types_.name_of(*dynamic->type()));
      }
      return true;
    case TCKind::tk_enum: {
      CORBA::typecode_reference keep;
      const auto one = as<DynamicAny::DynEnum>(dynamic);
      try {
        one->set_as_string(text_of(json, where));
      } catch (const DynAny::InvalidValue&) {
        refuse(where, json.dump() + " is none of " + names_of(resolved(dynamic, keep)));
      }
      return true;
    }
    default:
      return false;
  }
}

void JsonValues::set_members(const Ref& dynamic, const Json& json, const std::string& where) {
  const auto value = as<DynamicAny::DynValue>(dynamic);
  if (value != nullptr && json.is_null()) return value->set_to_null();
  if (value != nullptr) value->set_to_value();
  if (!json.is_object()) refuse(where, json.dump().substr(0, 60) + " is no object with members");
  const auto members =
      value != nullptr ? value->get_members_as_dyn_any() : as<DynamicAny::DynStruct>(dynamic)->get_members_as_dyn_any();
  std::size_t used = 0;
  std::string names;
  for (const auto& member : members) {
    names += (names.empty() ? "" : ", ") + member.id();
    const auto found = json.find(member.id());
    if (found == json.end()) {
      CORBA::typecode_reference keep;
      if (!is_optional(resolved(member.value(), keep))) refuse(where, "member '" + member.id() + "' is missing");
      set_optional(member.value(), nullptr, where);
      continue;
    }
    set(member.value(), *found, where + "." + member.id());
    ++used;
  }
  if (used == json.size()) return;
  for (const auto& item : json.items()) {
    const std::string& name = item.key();
    const bool known = std::any_of(members.begin(), members.end(), [&](const auto& one) { return one.id() == name; });
    if (!known) refuse(where, "there is no member '" + name + "'; there are " + names);
  }
}

void JsonValues::set_union(const Ref& dynamic, const Json& json, const std::string& where) {
  CORBA::typecode_reference keep;
  const CORBA::TypeCode& type = resolved(dynamic, keep);
  const auto chosen = as<DynamicAny::DynUnion>(dynamic);
  if (!json.is_object() || json.empty() || json.size() > 2)
    refuse(where, "a union is an object with one member, and perhaps its discriminator");
  const Json* value = nullptr;
  std::string name;
  for (const auto& [key, one] : json.items()) {
    if (key == "discriminator" && (json.size() == 2 || !one.is_object())) continue;
    name = key;
    value = &one;
  }
  if (json.contains("discriminator") && name != "discriminator") {
    const Ref discriminator = factory_->create_dyn_any_from_type_code(type.discriminator_type());
    set(discriminator, json["discriminator"], where + ".discriminator");
    chosen->set_discriminator(discriminator);
    discriminator->destroy();
  } else {
    std::uint32_t index = 0;
    while (index < type.member_count() && type.member_name(index) != name) ++index;
    if (index == type.member_count()) refuse(where, "there is no member '" + name + "'; there are " + names_of(type));
    if (static_cast<std::int32_t>(index) == type.default_index()) {
      chosen->set_to_default_member();
    } else {
      const Ref label = factory_->create_dyn_any(type.member_label(index));
      chosen->set_discriminator(label);
      label->destroy();
    }
  }
  if (value == nullptr) return;
  if (chosen->has_no_active_member() || chosen->member_name() != name)
    refuse(where, "the discriminator does not select '" + name + "'");
  set(chosen->member(), *value, where + "." + name);
}

void JsonValues::set_elements(const Ref& dynamic, const Json& json, const std::string& where) {
  CORBA::typecode_reference keep;
  const CORBA::TypeCode& type = resolved(dynamic, keep);
  if (is_octets(type)) return dynamic->insert_octet_seq(octets_of(json, paths_, where));
  if (is_map(type) && json.is_object()) {
    Json entries = Json::array();
    for (const auto& [key, value] : json.items()) entries.push_back({{"key", key}, {"value", value}});
    return set_elements(dynamic, entries, where);
  }
  if (!json.is_array()) refuse(where, json.dump().substr(0, 60) + " is no array");
  if (type.kind() == TCKind::tk_sequence) {
    as<DynamicAny::DynSequence>(dynamic)->set_length(static_cast<std::uint32_t>(json.size()));
  } else if (json.size() != type.length()) {
    refuse(where, std::to_string(json.size()) + " elements, not " + std::to_string(type.length()));
  }
  const DynamicAny::DynAnySeq elements = type.kind() == TCKind::tk_sequence
                                             ? as<DynamicAny::DynSequence>(dynamic)->get_elements_as_dyn_any()
                                             : as<DynamicAny::DynArray>(dynamic)->get_elements_as_dyn_any();
  for (std::size_t i = 0; i < elements.size(); ++i) set(elements[i], json[i], where + "[" + std::to_string(i) + "]");
}

void JsonValues::set_any(const Ref& dynamic, const Json& json, const std::string& where) {
  if (json.is_null()) return dynamic->insert_any({});
  if (json.is_object() && json.contains("type") && json.contains("value") && json.size() == 2) {
    const std::string name = text_of(json["type"], where + ".type");
    if (name == "null" && json["value"].is_null()) return dynamic->insert_any({});
    const CORBA::typecode_reference type = types_.named(name);
    if (type == nullptr) refuse(where, json["type"].dump() + " names no type of IDL or of the IDL files");
    return dynamic->insert_any(from_json(json["value"], type, where + ".value"));
  }
  const CORBA::typecode_reference type = json.is_boolean()        ? CORBA::_tc_boolean
                                         : json.is_string()       ? CORBA::_tc_string
                                         : json.is_number_float() ? CORBA::_tc_double
                                         : !json.is_number()      ? nullptr
                                         : json.is_number_unsigned() && json.get<std::uint64_t>() > 0x7fffffff
                                             ? CORBA::_tc_longlong
                                             : CORBA::_tc_long;
  if (type == nullptr)
    refuse(where, R"(an any is {"type": NAME, "value": ...}, or null, or a plain text, number, true or false)");
  dynamic->insert_any(from_json(json, type, where));
}

}  // namespace corbel::tool
