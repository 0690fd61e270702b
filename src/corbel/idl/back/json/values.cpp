// SPDX-License-Identifier: Apache-2.0
// Types, values and annotations.
#include "corbel/idl/back/json/values.hpp"

#include <array>
#include <charconv>

namespace corbel::idl::back::json {
namespace {

using model::TypeKind;

std::string_view name_of(TypeKind kind) {
  switch (kind) {
    case TypeKind::array:
      return "array";
    case TypeKind::alias:
      return "typedef";
    case TypeKind::enum_:
      return "enum";
    case TypeKind::struct_:
      return "struct";
    case TypeKind::union_:
      return "union";
    case TypeKind::interface_:
      return "interface";
    case TypeKind::value:
      return "valuetype";
    case TypeKind::value_box:
      return "valuebox";
    case TypeKind::native:
      return "native";
    case TypeKind::bitset:
      return "bitset";
    case TypeKind::bitmask:
      return "bitmask";
    case TypeKind::sequence:
      return "sequence";
    case TypeKind::map:
      return "map";
    case TypeKind::type_code:
      return "TypeCode";
    default:
      return {};  // spelled as in IDL
  }
}

std::string basic_name(TypeKind kind) {
  model::Type plain{kind, 0, nullptr, {}, nullptr};
  return spelling(plain);
}

void append_utf8(std::string& out, char32_t c) {
  if (c >= 0xd800 && c < 0xe000) c = 0xfffd;
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += {static_cast<char>(0xc0 | (c >> 6)), static_cast<char>(0x80 | (c & 0x3f))};
  } else if (c < 0x10000) {
    out += {static_cast<char>(0xe0 | (c >> 12)), static_cast<char>(0x80 | ((c >> 6) & 0x3f)),
            static_cast<char>(0x80 | (c & 0x3f))};
  } else {
    out += {static_cast<char>(0xf0 | (c >> 18)), static_cast<char>(0x80 | ((c >> 12) & 0x3f)),
            static_cast<char>(0x80 | ((c >> 6) & 0x3f)), static_cast<char>(0x80 | (c & 0x3f))};
  }
}

/// Narrow text is ISO 8859-1, one character an octet.
std::string latin1(const std::string& text) {
  std::string out;
  for (const char c : text) append_utf8(out, static_cast<unsigned char>(c));
  return out;
}

std::string number(long double value) {
  std::array<char, 64> text;
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

std::string number(const model::Fixed& value) {
  const std::size_t whole = value.digits.size() - value.scale;
  return (value.negative ? "-" : "") + (whole == 0 ? "0" : value.digits.substr(0, whole)) +
         (value.scale == 0 ? "" : "." + value.digits.substr(whole));
}

struct ValueWriter {
  Json operator()(std::monostate) const { return nullptr; }
  Json operator()(long double value) const { return number(value); }
  Json operator()(const std::string& value) const { return latin1(value); }
  Json operator()(const model::Fixed& value) const { return number(value); }
  Json operator()(const model::Enumerator* value) const { return Json{{"enumerator", scoped_name(*value)}}; }
  Json operator()(char32_t value) const {
    std::string text;
    append_utf8(text, value);
    return text;
  }
  Json operator()(const std::u32string& value) const {
    std::string text;
    for (const char32_t c : value) append_utf8(text, c);
    return text;
  }
  template <class T>
  Json operator()(T value) const {
    return value;
  }
};

}  // namespace

Json to_json(const model::Type& type) {
  const std::string_view special = name_of(type.kind);
  Json json{{"kind", special.empty() ? basic_name(type.kind) : std::string(special)}};
  if (type.declaration != nullptr) json["name"] = scoped_name(*type.declaration);
  if (type.key != nullptr) json["key"] = to_json(*type.key);
  if (type.element != nullptr) json["element"] = to_json(*type.element);
  if (type.bound != 0) json["bound"] = type.bound;
  if (!type.dimensions.empty()) json["dimensions"] = type.dimensions;
  if (type.digits != 0) {
    json["digits"] = type.digits;
    json["scale"] = type.scale;
  }
  return json;
}

Json to_json(const model::Value& value) {
  return std::visit(ValueWriter{}, value);
}

Json to_json(const model::Annotations& annotations) {
  Json list = Json::array();
  for (const auto& annotation : annotations) {
    Json arguments = Json::object();
    for (const auto& argument : annotation.arguments) arguments[argument.name] = to_json(argument.value);
    Json json{{"name", annotation.name}};
    if (!arguments.empty()) json["arguments"] = std::move(arguments);
    list.push_back(std::move(json));
  }
  return list;
}

Json to_json(const model::Location& where) {
  return Json{{"file", where.file}, {"line", where.line}, {"column", where.column}};
}

}  // namespace corbel::idl::back::json
