// SPDX-License-Identifier: Apache-2.0
#include "json_values.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <stdexcept>

namespace corbel::tool {
namespace {

using CORBA::TCKind;
using DynamicAny::DynAny;

[[noreturn]] void refuse(const std::string& where, const std::string& what) {
  throw std::runtime_error(where + ": " + what);
}

template <class Dyn>
typename IDL::traits<Dyn>::ref_type as(const DynAny::Ref& dynamic) {
  return IDL::traits<Dyn>::narrow(dynamic);
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

template <class Number>
Number real(const Json& json, const std::string& where) {
  if (json.is_number()) return static_cast<Number>(json.get<double>());
  if (json.is_string()) {
    const auto& text = json.get_ref<const std::string&>();
    if (text == "NaN") return std::numeric_limits<Number>::quiet_NaN();
    if (text == "Infinity") return std::numeric_limits<Number>::infinity();
    if (text == "-Infinity") return -std::numeric_limits<Number>::infinity();
  }
  refuse(where, json.dump().substr(0, 60) + R"( is no number (nor "NaN", "Infinity", "-Infinity"))");
}

Json real_json(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

const std::string& text_of(const Json& json, const std::string& where) {
  if (!json.is_string()) refuse(where, json.dump().substr(0, 60) + " is no text");
  return json.get_ref<const std::string&>();
}

const CORBA::TypeCode& resolved(const DynAny::Ref& dynamic, CORBA::typecode_reference& keep) {
  keep = dynamic->type();
  return keep->_resolved();
}

bool is_octets(const CORBA::TypeCode& type) {
  return type.content_type()->_resolved().kind() == TCKind::tk_octet;
}

std::vector<std::uint8_t> octets_of(const Json& json, JsonValues::Paths paths, const std::string& where) {
  if (json.is_string()) return from_base64(json.get_ref<const std::string&>());
  if (json.is_object() && json.size() == 1 && json.contains("file")) {
    if (paths == JsonValues::Paths::refused) refuse(where, "no files are read for what is in a file itself");
    const std::string& path = text_of(json["file"], where);
    std::ifstream file(path, std::ios::binary);
    if (!file || !std::filesystem::is_regular_file(path)) refuse(where, "cannot read " + path);
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

std::string to_base64(const std::vector<std::uint8_t>& octets) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < octets.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) group = group << 8 | (i + k < octets.size() ? octets[i + k] : 0U);
    for (std::size_t k = 0; k < 4; ++k) text += i + k <= octets.size() ? kDigits[group >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

std::vector<std::uint8_t> from_base64(const std::string& text) {
  std::vector<std::uint8_t> octets;
  std::uint32_t group = 0;
  unsigned digits = 0;
  std::size_t padding = 0;
  for (const char c : text) {
    if (c == '\n' || c == '\r') continue;
    std::uint32_t digit = 0;
    if (c >= 'A' && c <= 'Z')
      digit = static_cast<std::uint32_t>(c - 'A');
    else if (c >= 'a' && c <= 'z')
      digit = static_cast<std::uint32_t>(c - 'a') + 26;
    else if (c >= '0' && c <= '9')
      digit = static_cast<std::uint32_t>(c - '0') + 52;
    else if (c == '+' || c == '-')
      digit = 62;
    else if (c == '/' || c == '_')
      digit = 63;
    else if (c == '=' && padding < 2)
      ++padding;
    else
      throw std::runtime_error(std::string("'") + c + "' is no digit of base64");
    if (c != '=' && padding > 0) throw std::runtime_error("base64 goes on after its end");
    group = group << 6 | digit;
    if (++digits % 4 == 0) {
      for (int shift = 16; shift >= 0; shift -= 8) octets.push_back(static_cast<std::uint8_t>(group >> shift));
    }
  }
  if (digits % 4 != 0) throw std::runtime_error("base64 has a multiple of four digits, '=' at the end included");
  octets.resize(octets.size() - padding);
  return octets;
}

std::string narrow_text(const std::wstring& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto c = static_cast<std::uint32_t>(text[i]);
    if (c >= 0xd800 && c < 0xdc00 && i + 1 < text.size())
      c = 0x10000 + ((c - 0xd800) << 10) + (static_cast<std::uint32_t>(text[++i]) - 0xdc00);
    if (c < 0x80) {
      out += static_cast<char>(c);
      continue;
    }
    const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    constexpr std::uint32_t kLead[] = {0, 0xc0, 0xe0, 0xf0};
    out += static_cast<char>(kLead[more] | c >> (6 * more));
    for (int k = more - 1; k >= 0; --k) out += static_cast<char>(0x80 | (c >> (6 * k) & 0x3f));
  }
  return out;
}

std::wstring wide_text(const std::string& text) {
  std::wstring out;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t size = lead < 0x80 ? 1 : lead >> 5 == 6 ? 2 : lead >> 4 == 14 ? 3 : lead >> 3 == 30 ? 4 : 0;
    if (size == 0 || i + size > text.size()) throw std::runtime_error("text is not UTF-8");
    std::uint32_t c = size == 1 ? lead : lead & (0x7fU >> size);
    for (std::size_t k = 1; k < size; ++k) c = c << 6 | (static_cast<unsigned char>(text[i + k]) & 0x3fU);
    out += static_cast<wchar_t>(c);
    i += size;
  }
  return out;
}

std::string type_name(const CORBA::TypeCode& type) {
  static constexpr const char* kBasic[] = {"null",          "void",  "short",          "long",    "unsigned short",
                                           "unsigned long", "float", "double",         "boolean", "char",
                                           "octet",         "any",   "CORBA::TypeCode"};
  const auto kind = static_cast<std::size_t>(type.kind());
  if (kind < std::size(kBasic)) return kBasic[kind];
  switch (type.kind()) {
    case TCKind::tk_string:
      return "string";
    case TCKind::tk_wstring:
      return "wstring";
    case TCKind::tk_longlong:
      return "long long";
    case TCKind::tk_ulonglong:
      return "unsigned long long";
    case TCKind::tk_longdouble:
      return "long double";
    case TCKind::tk_wchar:
      return "wchar";
    case TCKind::tk_fixed:
      return "fixed<" + std::to_string(type.fixed_digits()) + "," + std::to_string(type.fixed_scale()) + ">";
    case TCKind::tk_sequence:
      return "sequence<" + type_name(*type.content_type()) + ">";
    case TCKind::tk_array:
      return type_name(*type.content_type()) + "[" + std::to_string(type.length()) + "]";
    default:
      break;
  }
  // "IDL:M/S:1.0" tells the scopes, which the name alone does not.
  std::string id = type.id();
  if (id.starts_with("IDL:") && id.rfind(':') > 3) {
    id = id.substr(4, id.rfind(':') - 4);
    for (std::size_t at = 0; (at = id.find('/', at)) != std::string::npos;) id.replace(at, 1, "::");
    return id;
  }
  return type.name();
}

Json parse_json(const std::string& text) try {
  constexpr int kDeepest = 256;
  const Json::parser_callback_t bound = [](int depth, Json::parse_event_t, Json&) {
    if (depth > kDeepest)
      throw std::runtime_error("JSON is nested deeper than " + std::to_string(kDeepest) + " levels");
    return true;
  };
  return Json::parse(text, bound);
} catch (const Json::exception& failure) {
  throw std::runtime_error(std::string("this is no JSON: ") + failure.what());
}

Json JsonValues::to_json(const CORBA::Any& value) {
  const CORBA::typecode_reference type = value.type();
  if (type == nullptr || type->kind() == TCKind::tk_null || type->kind() == TCKind::tk_void) return nullptr;
  const Ref dynamic = factory_->create_dyn_any(value);
  Json json = value_of(dynamic);
  dynamic->destroy();
  return json;
}

Json JsonValues::value_of(const Ref& dynamic) {
  CORBA::typecode_reference keep;
  const CORBA::TypeCode& type = resolved(dynamic, keep);
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
      return type_name(*dynamic->get_typecode());
    case TCKind::tk_objref: {
      const auto object = dynamic->get_reference();
      return object == nullptr ? Json(nullptr) : Json(orb_->object_to_string(object));
    }
    case TCKind::tk_any: {
      const CORBA::Any inner = dynamic->get_any();
      Json json;
      json["type"] = type_name(inner._type());
      json["value"] = to_json(inner);
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
      return members_of(dynamic);
    case TCKind::tk_sequence:
    case TCKind::tk_array:
      return elements_of(dynamic);
    case TCKind::tk_value_box: {
      const auto box = as<DynamicAny::DynValueBox>(dynamic);
      return box->is_null() ? Json(nullptr) : value_of(box->get_boxed_value_as_dyn_any());
    }
    default:
      return "<" + type_name(type) + ">";
  }
}

Json JsonValues::members_of(const Ref& dynamic) {
  Json json = Json::object();
  const auto add = [&](const DynamicAny::NameDynAnyPairSeq& members) {
    for (const auto& member : members) json[member.id()] = value_of(member.value());
  };
  if (const auto value = as<DynamicAny::DynValue>(dynamic); value != nullptr) {
    if (value->is_null()) return nullptr;
    add(value->get_members_as_dyn_any());
  } else if (const auto all = as<DynamicAny::DynStruct>(dynamic); all != nullptr) {
    add(all->get_members_as_dyn_any());
  } else {
    const auto chosen = as<DynamicAny::DynUnion>(dynamic);
    json["discriminator"] = value_of(chosen->get_discriminator());
    if (!chosen->has_no_active_member()) json[chosen->member_name()] = value_of(chosen->member());
  }
  return json;
}

Json JsonValues::elements_of(const Ref& dynamic) {
  CORBA::typecode_reference keep;
  const CORBA::TypeCode& type = resolved(dynamic, keep);
  if (is_octets(type) && type.kind() == TCKind::tk_sequence) return to_base64(dynamic->get_octet_seq());
  Json json = Json::array();
  const DynamicAny::DynAnySeq elements = type.kind() == TCKind::tk_sequence
                                             ? as<DynamicAny::DynSequence>(dynamic)->get_elements_as_dyn_any()
                                             : as<DynamicAny::DynArray>(dynamic)->get_elements_as_dyn_any();
  for (const Ref& element : elements) json.push_back(value_of(element));
  return json;
}

CORBA::Any JsonValues::from_json(const Json& json, const CORBA::typecode_reference& type, const std::string& where) {
  const Ref dynamic = factory_->create_dyn_any_from_type_code(type);
  set(dynamic, json, where);
  CORBA::Any value = dynamic->to_any();
  dynamic->destroy();
  return value;
}

void JsonValues::set(const Ref& dynamic, const Json& json, const std::string& where) try {
  CORBA::typecode_reference keep;
  const CORBA::TypeCode& type = resolved(dynamic, keep);
  if (set_basic(dynamic, type.kind(), json, where)) return;
  switch (type.kind()) {
    case TCKind::tk_any:
      return set_any(dynamic, json, where);
    case TCKind::tk_objref:
      return dynamic->insert_reference(json.is_null() ? nullptr : orb_->string_to_object(text_of(json, where)));
    case TCKind::tk_TypeCode: {
      const CORBA::typecode_reference code = types_.named(text_of(json, where));
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
      refuse(where, "values of type " + type_name(type) + " cannot be written as JSON");
  }
} catch (const DynAny::InvalidValue&) {
  refuse(where, json.dump().substr(0, 60) + " is no value of type " + type_name(*dynamic->type()));
} catch (const DynAny::TypeMismatch&) {
  refuse(where, json.dump().substr(0, 60) + " is no value of type " + type_name(*dynamic->type()));
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
      dynamic->insert_string(text_of(json, where));
      return true;
    case TCKind::tk_wstring:
      dynamic->insert_wstring(wide_text(text_of(json, where)));
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
        refuse(where, json.dump() + " has more decimals than " + type_name(*dynamic->type()));
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
    if (found == json.end()) refuse(where, "member '" + member.id() + "' is missing");
    set(member.value(), *found, where + "." + member.id());
    ++used;
  }
  if (used == json.size()) return;
  for (const auto& [name, ignored] : json.items()) {
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
    const CORBA::typecode_reference type = types_.named(text_of(json["type"], where + ".type"));
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
    refuse(where, R"(an any is {"type": NAME, "value": ...}, or a plain text, number, true or false)");
  dynamic->insert_any(from_json(json, type, where));
}

}  // namespace corbel::tool
