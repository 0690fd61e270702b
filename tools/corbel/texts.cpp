// SPDX-License-Identifier: Apache-2.0
#include "texts.hpp"

#include <iterator>
#include <stdexcept>
#include <string_view>

namespace corbel::tool {

using CORBA::TCKind;

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

std::string name_in_id(const std::string& id) {
  if (!id.starts_with("IDL:") || id.rfind(':') <= 3) return "";
  std::string name = id.substr(4, id.rfind(':') - 4);
  for (std::size_t at = 0; (at = name.find('/', at)) != std::string::npos;) name.replace(at, 1, "::");
  return name;
}

std::string type_name(const CORBA::TypeCode& type, const TypeNames* names, int depth) {
  if (depth <= 0) return "...";  // a stranger's sequence may be one of itself
  static constexpr const char* kBasic[] = {"null",          "void",  "short",          "long",    "unsigned short",
                                           "unsigned long", "float", "double",         "boolean", "char",
                                           "octet",         "any",   "CORBA::TypeCode"};
  const auto kind = static_cast<std::size_t>(type.kind());
  if (kind < std::size(kBasic)) return kBasic[kind];
  switch (type.kind()) {
    case TCKind::tk_string:
      return type.length() == 0 ? "string" : "string<" + std::to_string(type.length()) + ">";
    case TCKind::tk_wstring:
      return type.length() == 0 ? "wstring" : "wstring<" + std::to_string(type.length()) + ">";
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
      return "sequence<" + type_name(*type.content_type(), names, depth - 1) +
             (type.length() == 0 ? "" : ", " + std::to_string(type.length())) + ">";
    case TCKind::tk_array: {
      std::string lengths = "[" + std::to_string(type.length()) + "]";
      CORBA::typecode_reference element = type.content_type();
      for (; element->kind() == TCKind::tk_array && depth > 0; element = element->content_type(), --depth)
        lengths += "[" + std::to_string(element->length()) + "]";
      return type_name(*element, names, depth - 1) + lengths;
    }
    default:
      break;
  }
  const std::string id = type.id();
  if (id == "IDL:omg.org/CORBA/Object:1.0") return "Object";
  if (id == "IDL:omg.org/CORBA/ValueBase:1.0") return "ValueBase";
  if (names != nullptr) {
    if (const auto known = names->find(id); known != names->end()) return known->second;
  }
  // It tells the scopes, which the name alone does not.
  std::string name = name_in_id(id);
  return name.empty() ? type.name() : name;
}

}  // namespace corbel::tool
