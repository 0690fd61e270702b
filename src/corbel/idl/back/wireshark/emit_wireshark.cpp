// SPDX-License-Identifier: Apache-2.0
#include "corbel/idl/back/wireshark/emit_wireshark.hpp"

#include <array>
#include <cstdio>
#include <variant>

namespace corbel::idl::back::wireshark {
namespace {

using model::as;
using model::DeclarationKind;
using model::TypeKind;

/// A Lua string; whatever is no plain character is written as its number.
std::string lua_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c >= ' ' && c < 0x7f && c != '"' && c != '\\') {
      result += c;
      continue;
    }
    std::array<char, 5> number;
    std::snprintf(number.data(), number.size(), "\\%03u", static_cast<unsigned>(static_cast<unsigned char>(c)));
    result += number.data();
  }
  return result + "\"";
}

/// What follows in braces, with commas between.
class Table {
 public:
  void field(const char* name, const std::string& value) { item(std::string(name) + " = " + value); }
  void text(const char* name, std::string_view value) { field(name, lua_string(value)); }
  void flag(const char* name, bool value) {
    if (value) field(name, "true");
  }
  void item(const std::string& value) { items_ += (items_.empty() ? " " : ", ") + value; }
  std::string done() const { return items_.empty() ? "{}" : "{" + items_ + " }"; }

 private:
  std::string items_;
};

std::string spelled(const model::Type& type);

std::string spelled_constructed(const model::Type& type) {
  Table table;
  if (type.kind == TypeKind::fixed) {
    table.text("kind", "fixed");
    table.field("digits", std::to_string(type.digits));
    table.field("scale", std::to_string(type.scale));
    return table.done();
  }
  table.text("kind", type.kind == TypeKind::sequence ? "sequence" : type.kind == TypeKind::map ? "map" : "array");
  if (type.key != nullptr) table.field("key", spelled(*type.key));
  table.field("element", spelled(*type.element));
  if (type.kind == TypeKind::array) {
    Table dimensions;
    for (const auto dimension : type.dimensions) dimensions.item(std::to_string(dimension));
    table.field("dimensions", dimensions.done());
  }
  return table.done();
}

/// The type as the dissector knows it: a name, a repository id or a table.
std::string spelled(const model::Type& written) {
  const model::Type& type = resolve(written);
  switch (type.kind) {
    case TypeKind::string:
      return lua_string("string");
    case TypeKind::wstring:
      return lua_string("wstring");
    case TypeKind::type_code:
      return lua_string("TypeCode");
    case TypeKind::fixed:
    case TypeKind::sequence:
    case TypeKind::map:
    case TypeKind::array:
      return spelled_constructed(type);
    case TypeKind::native:
      return "{ kind = \"native\" }";
    default:
      return lua_string(type.declaration != nullptr ? type.declaration->repository_id : model::spelling(type));
  }
}

std::string utf8(char32_t c) {
  std::string text;
  if (c < 0x80) return {static_cast<char>(c)};
  if (c < 0x800) {
    text += static_cast<char>(0xc0 | (c >> 6));
  } else {
    text += static_cast<char>(0xe0 | (c >> 12));
    text += static_cast<char>(0x80 | ((c >> 6) & 0x3f));
  }
  return text + static_cast<char>(0x80 | (c & 0x3f));
}

/// A label as the dissector shows a discriminator of that value.
std::string label_text(const model::Value& label, TypeKind kind) {
  if (const auto* value = std::get_if<bool>(&label)) return *value ? "TRUE" : "FALSE";
  if (const auto* value = std::get_if<std::int64_t>(&label)) return std::to_string(*value);
  if (const auto* value = std::get_if<std::uint64_t>(&label)) return std::to_string(*value);
  if (const auto* value = std::get_if<const model::Enumerator*>(&label)) return (*value)->name;
  const char32_t character = std::get<char32_t>(label);
  if (kind == TypeKind::wchar) return "'" + utf8(character) + "'";
  if (character >= ' ' && character < 0x7f) return "'" + utf8(character) + "'";
  std::array<char, 8> number;
  std::snprintf(number.data(), number.size(), "'\\x%02x'", static_cast<unsigned>(character));
  return number.data();
}

std::string member(const model::Member& member) {
  Table table;
  table.item(lua_string(member.name));
  table.item(spelled(*member.type));
  table.flag("optional", member.optional);
  return table.done();
}

template <class List>
std::string members(const List& list) {
  Table table;
  for (const auto& one : list) table.item(member(one));
  return table.done();
}

void write_union(Table& table, const model::Union& u) {
  table.field("discriminator", spelled(*u.discriminator));
  const TypeKind kind = resolve(*u.discriminator).kind;
  Table cases;
  for (const auto& c : u.cases) {
    for (const auto& label : c.labels) {
      cases.item("[" + lua_string(label_text(label, kind)) + "] = " + member(c.member));
    }
    if (c.is_default) table.field("default", member(c.member));
  }
  table.field("cases", cases.done());
}

/// Octets of the integer that holds so many bits.
std::string holder_size(unsigned bits) {
  return bits <= 8 ? "1" : bits <= 16 ? "2" : bits <= 32 ? "4" : "8";
}

void add_fields(Table& fields, const model::Bitset& bitset) {
  if (bitset.base != nullptr) add_fields(fields, *bitset.base);
  for (const auto& field : bitset.fields) {
    if (field.name.empty()) continue;
    fields.item("{ " + lua_string(field.name) + ", " + std::to_string(field.position) + ", " +
                std::to_string(field.width) + (is_signed(field) ? ", true" : "") + " }");
  }
}

void write_bits(Table& table, const model::Declaration& declaration) {
  Table fields;
  if (const auto* bitset = as<model::Bitset>(&declaration)) {
    table.field("size", holder_size(bitset->width));
    add_fields(fields, *bitset);
  } else {
    const auto& mask = *as<model::Bitmask>(&declaration);
    table.field("size", holder_size(mask.bit_bound));
    table.flag("flags", true);
    for (const auto& flag : mask.flags) {
      fields.item("{ " + lua_string(flag.name) + ", " + std::to_string(flag.position) + ", 1 }");
    }
  }
  table.field("fields", fields.done());
}

void write_enum(Table& table, const model::Enum& e) {
  Table labels;
  for (const auto* enumerator : e.enumerators) labels.item(lua_string(enumerator->name));
  table.field("labels", labels.done());
}

void write_value(Table& table, const model::ValueType& value) {
  table.flag("custom", value.is_custom);
  if (value.concrete_base != nullptr) table.text("base", value.concrete_base->repository_id);
  table.field("members", members(value.state));
}

std::string_view kind_of(const model::Declaration& declaration) {
  switch (declaration.kind) {
    case DeclarationKind::struct_:
      return "struct";
    case DeclarationKind::exception:
      return "exception";
    case DeclarationKind::union_:
      return "union";
    case DeclarationKind::enum_:
      return "enum";
    case DeclarationKind::value:
      return "value";
    case DeclarationKind::value_box:
      return "box";
    case DeclarationKind::bitset:
    case DeclarationKind::bitmask:
      return "bits";
    case DeclarationKind::interface_: {
      const auto& interface = *as<model::Interface>(&declaration);
      return interface.is_local ? "local" : interface.is_abstract ? "abstract" : "object";
    }
    default:
      return {};
  }
}

/// A type that has a name, by its repository id.
void write_type(std::string& text, const model::Declaration& declaration) {
  const std::string_view kind = kind_of(declaration);
  if (kind.empty()) return;
  Table table;
  table.text("kind", kind);
  table.text("name", scoped_name(declaration));
  if (kind == "struct" || kind == "exception") {
    const auto& structure = static_cast<const model::Struct&>(declaration);
    if (structure.base != nullptr) table.text("base", structure.base->repository_id);
    table.field("members", members(structure.members));
  } else if (kind == "bits") {
    write_bits(table, declaration);
  } else if (const auto* u = as<model::Union>(&declaration)) {
    write_union(table, *u);
  } else if (const auto* e = as<model::Enum>(&declaration)) {
    write_enum(table, *e);
  } else if (const auto* value = as<model::ValueType>(&declaration)) {
    write_value(table, *value);
  } else if (const auto* box = as<model::ValueBox>(&declaration)) {
    table.field("type", spelled(*box->boxed));
  }
  text += "types[" + lua_string(declaration.repository_id) + "] = " + table.done() + "\n";
}

void write_operation(std::string& text, const model::Interface& interface, const std::string& name,
                     const std::string& result, const std::vector<model::Parameter>& parameters) {
  static constexpr std::array<const char*, 3> kDirections = {"in", "out", "inout"};
  Table list;
  for (const auto& p : parameters) {
    list.item("{ " + lua_string(kDirections[static_cast<std::size_t>(p.direction)]) + ", " + lua_string(p.name) + ", " +
              spelled(*p.type) + " }");
  }
  Table table;
  table.text("name", name);
  table.text("interface", scoped_name(interface));
  table.field("result", result);
  table.field("parameters", list.done());
  text += "operations[#operations + 1] = " + table.done() + "\n";
}

void write_operations(std::string& text, const model::Interface& interface) {
  if (interface.is_local) return;
  const std::string nothing = lua_string("void");
  for (const auto* declaration : interface.contents) {
    if (const auto* operation = as<model::Operation>(declaration)) {
      write_operation(text, interface, operation->name, spelled(*operation->result), operation->parameters);
    } else if (const auto* attribute = as<model::Attribute>(declaration)) {
      write_operation(text, interface, "_get_" + attribute->name, spelled(*attribute->type), {});
      if (attribute->readonly) continue;
      write_operation(text, interface, "_set_" + attribute->name, nothing,
                      {{model::Direction::in, attribute->name, attribute->type, {}}});
    }
  }
}

void write_contents(std::string& text, const model::Contents& contents) {
  for (const auto* declaration : contents) {
    write_type(text, *declaration);
    if (const auto* interface = as<model::Interface>(declaration)) write_operations(text, *interface);
    if (const auto* inner = contents_of(*declaration)) write_contents(text, *inner);
  }
}

}  // namespace

std::vector<std::string> file_names(const std::string& idl_path) {
  return {stem_of(idl_path) + ".lua"};
}

std::vector<GeneratedFile> generate(const model::Model& model, const Options& options) {
  const std::string& path = model.files.at(0).path;
  std::string text =
      "-- Generated by corbel-idl " + options.version + " from " + file_name_of(path) + ". Do not edit.\n";
  text += "-- wireshark -X lua_script:" + file_names(path)[0] + ", or a copy in the folder of personal Lua plug-ins.\n";
  text += "local types, operations = {}, {}\n";
  write_contents(text, model.contents);
  text += "\nif not _G.corbel_idl then\n";
  text += runtime();
  text += "end\n\n_G.corbel_idl.add(types, operations)\n";
  return {{file_names(path)[0], std::move(text)}};
}

}  // namespace corbel::idl::back::wireshark
