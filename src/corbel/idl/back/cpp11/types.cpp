// SPDX-License-Identifier: Apache-2.0
#include "corbel/idl/back/cpp11/types.hpp"

#include <array>
#include <charconv>
#include <cstdio>
#include <limits>
#include <type_traits>

#include "corbel/idl/back/cpp11/library.hpp"

namespace corbel::idl::back::cpp11 {
namespace {

using model::TypeKind;

std::string bounded(std::string_view plain, std::string_view bounded_name, const std::string& element,
                    std::uint64_t bound) {
  if (bound == 0) return std::string(plain) + (element.empty() ? "" : "<" + element + ">");
  return std::string(bounded_name) + "<" + element + (element.empty() ? "" : ", ") + std::to_string(bound) + ">";
}

std::string spell_array(const model::Type& type, const Names& names) {
  std::string result = spell(*type.element, names);
  for (auto dimension = type.dimensions.rbegin(); dimension != type.dimensions.rend(); ++dimension) {
    result = "std::array<" + result + ", " + std::to_string(*dimension) + ">";
  }
  return result;
}

/// The shortest of the exact spellings.
std::string real(double value, bool is_float) {
  std::array<char, 64> text;
  char* const end = text.data() + text.size();
  const auto written =
      is_float ? std::to_chars(text.data(), end, static_cast<float>(value)) : std::to_chars(text.data(), end, value);
  std::string result(text.data(), written.ptr);
  if (result.find_first_of(".e") == std::string::npos) result += ".0";
  return result + (is_float ? "F" : "");
}

/// One character of a literal. Octal escapes end after three digits, so what follows cannot change them.
std::string character(char32_t c, char quote_mark, bool wide) {
  if (c == U'\\' || c == static_cast<char32_t>(quote_mark)) return std::string("\\") + static_cast<char>(c);
  if (c == U'\n') return "\\n";
  if (c >= 0x20 && c < 0x7f) return std::string(1, static_cast<char>(c));
  std::array<char, 16> text;
  if (!wide || c < 0xa0) {
    std::snprintf(text.data(), text.size(), "\\%03o", static_cast<unsigned>(c));
  } else if (c >= 0xd800 && c < 0xe000) {
    // Half a surrogate pair has no universal name; a hexadecimal escape must not swallow what follows.
    std::snprintf(text.data(), text.size(), quote_mark == '"' ? "\\x%X\" L\"" : "\\x%X", static_cast<unsigned>(c));
  } else {
    std::snprintf(text.data(), text.size(), c < 0x10000 ? "\\u%04x" : "\\U%08x", static_cast<unsigned>(c));
  }
  return text.data();
}

template <class Text>
std::string quoted(const Text& text, bool wide) {
  std::string result = wide ? "L\"" : "\"";
  for (const auto c : text) {
    // "??/" and its like have other meanings, or did.
    if (c == '?' && result.ends_with('?')) result += '\\';
    result += character(static_cast<std::make_unsigned_t<typename Text::value_type>>(c), '"', wide);
  }
  return result + "\"";
}

std::string integer(std::int64_t value) {
  if (value == std::numeric_limits<std::int64_t>::min()) return "-9223372036854775807 - 1";
  return std::to_string(value);
}

std::string reference_to(const model::Declaration& declaration, const Names& names) {
  return "IDL::traits<" + names.global(declaration) + ">::ref_type";
}

}  // namespace

std::string spell(const model::Type& type, const Names& names) {
  switch (type.kind) {
    case TypeKind::void_:
      return "void";
    case TypeKind::boolean:
      return "bool";
    case TypeKind::char_:
      return "char";
    case TypeKind::wchar:
      return "wchar_t";
    case TypeKind::octet:
    case TypeKind::uint8:
      return "std::uint8_t";
    case TypeKind::int8:
      return "std::int8_t";
    case TypeKind::short_:
      return "std::int16_t";
    case TypeKind::ushort:
      return "std::uint16_t";
    case TypeKind::long_:
      return "std::int32_t";
    case TypeKind::ulong:
      return "std::uint32_t";
    case TypeKind::longlong:
      return "std::int64_t";
    case TypeKind::ulonglong:
      return "std::uint64_t";
    case TypeKind::float_:
      return "float";
    case TypeKind::double_:
      return "double";
    case TypeKind::long_double:
      return "long double";
    case TypeKind::any:
      return "CORBA::Any";
    case TypeKind::type_code:
      return "IDL::traits<CORBA::TypeCode>::ref_type";
    case TypeKind::value_base:
      return "IDL::traits<CORBA::ValueBase>::ref_type";
    case TypeKind::fixed:
      return "IDL::Fixed<" + std::to_string(type.digits) + ", " + std::to_string(type.scale) + ">";
    case TypeKind::map: {
      const std::string entries = spell(*type.key, names) + ", " + spell(*type.element, names);
      return bounded("std::map", "IDL::bounded_map", entries, type.bound);
    }
    case TypeKind::string:
      return bounded("std::string", "IDL::bounded_string", "", type.bound);
    case TypeKind::wstring:
      return bounded("std::wstring", "IDL::bounded_wstring", "", type.bound);
    case TypeKind::sequence:
      return bounded("std::vector", "IDL::bounded_vector", spell(*type.element, names), type.bound);
    case TypeKind::array:
      return spell_array(type, names);
    case TypeKind::object:
      return "IDL::traits<CORBA::Object>::ref_type";
    case TypeKind::interface_:
    case TypeKind::value:
    case TypeKind::value_box:
      return reference_to(*type.declaration, names);
    case TypeKind::native:
      if (is_reference(type)) return reference_to(*type.declaration, names);
      break;
    default:
      break;
  }
  return names.global(*type.declaration);
}

bool is_abstract_base(const model::Type& type) {
  return type.kind == TypeKind::native && scoped_name(*type.declaration) == "CORBA::AbstractBase";
}

bool is_by_value(const model::Type& type) {
  const TypeKind kind = resolve(type).kind;
  return kind <= TypeKind::long_double || kind == TypeKind::enum_ || kind == TypeKind::bitset ||
         kind == TypeKind::bitmask || is_reference(type);
}

bool is_reference(const model::Type& type) {
  switch (resolve(type).kind) {
    case TypeKind::type_code:
    case TypeKind::object:
    case TypeKind::value_base:
    case TypeKind::interface_:
    case TypeKind::value:
    case TypeKind::value_box:
      return true;
    case TypeKind::native:
      return is_library_reference(*resolve(type).declaration);
    default:
      return false;
  }
}

std::string in_parameter(const model::Type& type, const Names& names) {
  const std::string spelled = spell(type, names);
  return is_by_value(type) ? spelled : "const " + spelled + "&";
}

std::string view_type(const model::Parameter& p, const Names& names) {
  if (!p.view || p.direction != model::Direction::in) return {};
  const model::Type& type = resolve(*p.type);
  if (type.kind == TypeKind::string) return "std::string_view";
  if (type.kind != TypeKind::sequence || resolve(*type.element).kind == TypeKind::boolean) return {};
  return "std::span<const " + spell(*type.element, names) + ">";
}

std::string parameter(const model::Parameter& p, const Names& names) {
  if (std::string view = view_type(p, names); !view.empty()) return view;
  return p.direction == model::Direction::in ? in_parameter(*p.type, names) : spell(*p.type, names) + "&";
}

std::string quote(const std::string& text) {
  return quoted(text, false);
}

std::string literal(const model::Value& value, const model::Type& type, const Names& names) {
  const TypeKind kind = resolve(type).kind;
  if (const auto* b = std::get_if<bool>(&value)) return *b ? "true" : "false";
  if (const auto* i = std::get_if<std::int64_t>(&value)) return integer(*i);
  if (const auto* u = std::get_if<std::uint64_t>(&value))
    return std::to_string(*u) +
           (kind == TypeKind::octet || kind == TypeKind::uint8 || kind == TypeKind::ushort ? "" : "U");
  if (const auto* d = std::get_if<double>(&value)) return real(*d, kind == TypeKind::float_);
  if (const auto* c = std::get_if<char32_t>(&value)) {
    const bool wide = kind == TypeKind::wchar;
    return (wide ? "L'" : "'") + character(*c, '\'', wide) + "'";
  }
  if (const auto* s = std::get_if<std::string>(&value)) return quote(*s);
  if (const auto* w = std::get_if<std::u32string>(&value)) return quoted(*w, true);
  if (const auto* d = std::get_if<long double>(&value)) {
    std::array<char, 64> text;
    std::snprintf(text.data(), text.size(), "%.21Lg", *d);
    std::string result = text.data();
    if (result.find_first_of(".e") == std::string::npos) result += ".0";
    return result + "L";
  }
  if (const auto* f = std::get_if<model::Fixed>(&value)) {
    std::string digits = f->digits;
    if (f->scale != 0) digits.insert(digits.size() - f->scale, ".");
    return spell(resolve(type), names) + "(std::string(" + quote((f->negative ? "-" : "") + digits) + "))";
  }
  const auto* enumerator = std::get<const model::Enumerator*>(value);
  return names.global(*enumerator->owner) + "::" + escape(enumerator->name);
}

}  // namespace corbel::idl::back::cpp11
