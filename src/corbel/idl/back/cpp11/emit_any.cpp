// SPDX-License-Identifier: Apache-2.0
// TypeCodes: constants in a file of their own, which knows nothing of the C++ types, and what ties them to those.
#include <algorithm>

#include "corbel/idl/back/cpp11/emitter.hpp"
#include "corbel/idl/back/cpp11/library.hpp"
#include "corbel/idl/back/cpp11/runs.hpp"

namespace corbel::idl::back::cpp11 {
namespace {

using model::as;
using model::DeclarationKind;
using model::TypeKind;

constexpr const char* kReference = "IDL::traits<CORBA::TypeCode>::ref_type";

bool has_type_code(const model::Declaration& declaration) {
  const auto* value = as<model::ValueType>(&declaration);
  if (value != nullptr && value->polled != nullptr) return false;  // it stays in the process
  switch (declaration.kind) {
    case DeclarationKind::alias:
    case DeclarationKind::enum_:
    case DeclarationKind::struct_:
    case DeclarationKind::union_:
    case DeclarationKind::exception:
    case DeclarationKind::interface_:
    case DeclarationKind::value:
    case DeclarationKind::value_box:
    case DeclarationKind::native:
    case DeclarationKind::bitset:
    case DeclarationKind::bitmask:
      return true;
    default:
      return false;
  }
}

std::string node_name(const model::Declaration& declaration) {
  return "_tc_" + declaration.name;
}
std::string qualified(const Emitter& e, const model::Declaration& declaration) {
  return "::" + e.names.types_namespace(declaration) + "::" + node_name(declaration);
}

/// The name of the constant for a type without parameters; empty for others.
std::string basic_name(TypeKind kind) {
  switch (kind) {
    case TypeKind::void_:
      return "void";
    case TypeKind::boolean:
      return "boolean";
    case TypeKind::char_:
      return "char";
    case TypeKind::wchar:
      return "wchar";
    case TypeKind::octet:
    case TypeKind::int8:
    case TypeKind::uint8:
      return "octet";
    case TypeKind::short_:
      return "short";
    case TypeKind::ushort:
      return "ushort";
    case TypeKind::long_:
      return "long";
    case TypeKind::ulong:
      return "ulong";
    case TypeKind::longlong:
      return "longlong";
    case TypeKind::ulonglong:
      return "ulonglong";
    case TypeKind::float_:
      return "float";
    case TypeKind::double_:
      return "double";
    case TypeKind::long_double:
      return "longdouble";
    case TypeKind::any:
      return "any";
    case TypeKind::type_code:
      return "TypeCode";
    case TypeKind::object:
      return "Object";
    case TypeKind::value_base:
      return "ValueBase";
    default:
      return {};
  }
}

/// A label as the integer that is on the wire.
std::string label_text(const model::Value& value) {
  if (const auto* b = std::get_if<bool>(&value)) return *b ? "1" : "0";
  if (const auto* i = std::get_if<std::int64_t>(&value)) {
    return *i == INT64_MIN ? "-9223372036854775807 - 1" : std::to_string(*i);
  }
  if (const auto* u = std::get_if<std::uint64_t>(&value)) {
    return *u > INT64_MAX ? "static_cast<std::int64_t>(" + std::to_string(*u) + "U)" : std::to_string(*u);
  }
  if (const auto* c = std::get_if<char32_t>(&value)) return std::to_string(static_cast<std::uint32_t>(*c));
  if (const auto* n = std::get_if<const model::Enumerator*>(&value)) return std::to_string((*n)->ordinal);
  return "0";
}

/// Writes the constants of one file, and remembers what they mention.
class TypeWriter {
 public:
  explicit TypeWriter(Emitter& e) : e_(e) {}

  void define(const model::Declaration& declaration) {
    if (tag_.empty()) tag_ = "_" + scoped_name(declaration, "_");
    mention(declaration);
    const std::string value = value_of(declaration);
    body_.line("namespace " + e_.names.types_namespace(declaration) + " {");
    body_.line("constinit const ::CORBA::TypeCode " + node_name(declaration) + value);
    const DeclarationKind kind = declaration.kind;
    if (kind == DeclarationKind::exception || kind == DeclarationKind::value || kind == DeclarationKind::value_box) {
      body_.line("const ::corbel::dynamic::KnownType _known_" + node_name(declaration) + "(" + node_name(declaration) +
                 ");");
    }
    body_.line("}");
  }

  void write(Writer& out) {
    for (const auto* declaration : mentioned_) out.line(declare(e_, *declaration));
    out.blank();
    out.line("namespace {");
    for (const auto& line : parts_) out.line(line);
    out.line("}  // namespace");
    out.blank();
    out.line(body_.text());
  }

  static std::string declare(const Emitter& e, const model::Declaration& declaration) {
    return "namespace " + e.names.types_namespace(declaration) + " { extern const ::CORBA::TypeCode " +
           node_name(declaration) + "; }";
  }

 private:
  void mention(const model::Declaration& declaration) {
    if (std::find(mentioned_.begin(), mentioned_.end(), &declaration) == mentioned_.end()) {
      mentioned_.push_back(&declaration);
    }
  }

  /// "{::corbel::dynamic::TypeNode{...}};"
  std::string value_of(const model::Declaration& declaration) {
    return "{::corbel::dynamic::TypeNode{.kind = ::CORBA::TCKind::" + kind_of(declaration) +
           ", .id = " + quote(declaration.repository_id) + ", .name = " + quote(declaration.name) +
           parameters(declaration) + "}};";
  }

  /// The address of a declaration's TypeCode. The library has constants for its C++ types, not for what IDL calls them.
  /// Of what is only declared there can be no any, so each file has its own.
  std::string address_of(const model::Declaration& declaration) {
    if (library_header(declaration).empty() && !is_declared_only(declaration)) {
      mention(declaration);
      return "&" + qualified(e_, declaration);
    }
    const std::string name = "_kType_" + scoped_name(declaration, "_") + tag_;
    if (library_.insert(&declaration).second) {
      const std::string value = value_of(declaration);
      parts_.push_back("constexpr ::CORBA::TypeCode " + name + value);
    }
    return "&" + name;
  }

  static std::string kind_of(const model::Declaration& declaration) {
    switch (declaration.kind) {
      case DeclarationKind::enum_:
        return "tk_enum";
      case DeclarationKind::struct_:
        return "tk_struct";
      case DeclarationKind::union_:
        return "tk_union";
      case DeclarationKind::exception:
        return "tk_except";
      case DeclarationKind::value:
        return "tk_value";
      case DeclarationKind::value_box:
        return "tk_value_box";
      case DeclarationKind::native:
        return "tk_native";
      case DeclarationKind::interface_: {
        const auto& interface = *as<model::Interface>(&declaration);
        return interface.is_abstract ? "tk_abstract_interface"
               : interface.is_local  ? "tk_local_interface"
                                     : "tk_objref";
      }
      default:
        return "tk_alias";
    }
  }

  std::string parameters(const model::Declaration& declaration) {
    if (const auto* alias = as<model::Alias>(&declaration)) return content(reference(*alias->aliased));
    if (const auto* box = as<model::ValueBox>(&declaration)) return content(reference(*box->boxed));
    if (const auto* bits = as<model::Bitset>(&declaration)) return content(holder(bits->width));
    if (const auto* mask = as<model::Bitmask>(&declaration)) return content(holder(mask->bit_bound));
    if (const auto* enumeration = as<model::Enum>(&declaration)) {
      std::vector<std::string> rows;
      for (const auto* enumerator : enumeration->enumerators) rows.push_back("{" + quote(enumerator->name) + "}");
      return members(rows);
    }
    if (declaration.kind == DeclarationKind::struct_ || declaration.kind == DeclarationKind::exception) {
      std::vector<std::string> rows;
      for (const auto* member : model::all_members(static_cast<const model::Struct&>(declaration))) {
        rows.push_back("{" + quote(member->name) + ", " + member_type(*member) + "}");
      }
      return members(rows);
    }
    if (const auto* u = as<model::Union>(&declaration)) return union_parameters(*u);
    if (const auto* value = as<model::ValueType>(&declaration)) return value_parameters(*value);
    return {};
  }

  std::string union_parameters(const model::Union& u) {
    std::vector<std::string> rows;
    std::string default_index = "-1";
    for (const auto& c : u.cases) {
      const std::string start = "{" + quote(c.member.name) + ", " + member_type(c.member);
      for (const auto& label : c.labels) rows.push_back(start + ", " + label_text(label) + "}");
      if (!c.is_default) continue;
      default_index = std::to_string(rows.size());
      rows.push_back(start + "}");
    }
    return members(rows) + content(reference(*u.discriminator)) + ", .default_index = " + default_index;
  }

  std::string value_parameters(const model::ValueType& value) {
    std::vector<std::string> rows;
    for (const auto& member : value.state) {
      rows.push_back("{" + quote(member.name) + ", " + member_type(member) +
                     ", 0, ::CORBA::" + (member.is_public ? "PUBLIC_MEMBER" : "PRIVATE_MEMBER") + "}");
    }
    std::string result = members(rows);
    if (value.concrete_base != nullptr) {
      result += content(address_of(*value.concrete_base));
    }
    const char* const modifier = value.is_custom        ? "VM_CUSTOM"
                                 : value.is_abstract    ? "VM_ABSTRACT"
                                 : value.is_truncatable ? "VM_TRUNCATABLE"
                                                        : "VM_NONE";
    return result + ", .modifier = ::CORBA::" + modifier;
  }

  static std::string content(const std::string& reference) { return ", .content = " + reference; }

  static std::string holder(unsigned bits) {
    return std::string("&::CORBA::detail::k_") + (bits <= 8    ? "octet"
                                                  : bits <= 16 ? "ushort"
                                                  : bits <= 32 ? "ulong"
                                                               : "ulonglong");
  }

  std::string members(const std::vector<std::string>& rows) { return rows.empty() ? "" : ", .members = " + list(rows); }

  /// A constant array of members.
  std::string list(const std::vector<std::string>& rows) {
    std::string name = "_kMembers_" + std::to_string(++lists_) + tag_;
    std::string text = "constexpr ::corbel::dynamic::TypeMember " + name + "[] = {";
    for (std::size_t i = 0; i < rows.size(); ++i) text += (i == 0 ? "" : ", ") + rows[i];
    parts_.push_back(text + "};");
    return name;
  }

  /// A nameless TypeCode, made once for each text.
  std::string nameless(const std::string& kind, const std::string& fields) {
    const std::string text = "{::corbel::dynamic::TypeNode{.kind = ::CORBA::TCKind::" + kind + fields + "}};";
    auto& name = nameless_[text];
    if (name.empty()) {
      name = "_kType_" + std::to_string(nameless_.size()) + tag_;
      parts_.push_back("constexpr ::CORBA::TypeCode " + name + text);
    }
    return "&" + name;
  }

  /// An optional member is a union that has the member or nothing.
  std::string member_type(const model::Member& member) {
    std::string type = reference(*member.type);
    if (!member.optional) return type;
    return nameless("tk_union",
                    ", .members = " + list({"{\"value\", " + type + ", 1}"}) + content("&::CORBA::detail::k_boolean"));
  }

  std::string reference(const model::Type& type) {
    const std::string length = type.bound == 0 ? "" : ", .length = " + std::to_string(type.bound);
    switch (type.kind) {
      case TypeKind::string:
      case TypeKind::wstring: {
        const std::string kind = type.kind == TypeKind::string ? "string" : "wstring";
        return type.bound == 0 ? "&::CORBA::detail::k_" + kind : nameless("tk_" + kind, length);
      }
      case TypeKind::fixed:
        return nameless("tk_fixed",
                        ", .digits = " + std::to_string(type.digits) + ", .scale = " + std::to_string(type.scale));
      case TypeKind::sequence:
        return nameless("tk_sequence", content(reference(*type.element)) + length);
      case TypeKind::map: {
        const std::string key = reference(*type.key);
        const std::string pair = nameless(
            "tk_struct",
            ", .members = " + list({"{\"key\", " + key + "}", "{\"value\", " + reference(*type.element) + "}"}));
        return nameless("tk_sequence", content(pair) + length);
      }
      case TypeKind::array: {
        std::string result = reference(*type.element);
        for (auto dimension = type.dimensions.rbegin(); dimension != type.dimensions.rend(); ++dimension) {
          result = nameless("tk_array", content(result) + ", .length = " + std::to_string(*dimension));
        }
        return result;
      }
      default:
        break;
    }
    if (type.declaration == nullptr) return "&::CORBA::detail::k_" + basic_name(type.kind);
    return address_of(*type.declaration);
  }

  Emitter& e_;
  Writer body_;
  std::vector<const model::Declaration*> mentioned_;
  std::set<const model::Declaration*> library_;
  std::vector<std::string> parts_;
  std::map<std::string, std::string> nameless_;
  std::size_t lists_ = 0;
  std::string tag_;  ///< what the file defines first: sets its constants apart from those of others in a unity build
};

/// Whether the C++ type is its own: aliases share one, natives go into no Any. (The TypeCodes of bitsets and bitmasks
/// are aliases of integers.)
bool has_own_type(const model::Declaration& declaration) {
  return declaration.kind != DeclarationKind::alias && declaration.kind != DeclarationKind::native;
}

std::string cpp_type(const Emitter& e, const model::Declaration& declaration) {
  const std::string name = e.names.global(declaration);
  const bool reference = declaration.kind == DeclarationKind::interface_ ||
                         declaration.kind == DeclarationKind::value || declaration.kind == DeclarationKind::value_box;
  return reference ? "IDL::traits<" + name + ">::ref_type" : name;
}

/// `_tc_Point` in the module; what is inside a type has that type's name before its own.
void declare_constant(Emitter& e, const model::Declaration& declaration, std::set<std::string>& taken) {
  std::string name = declaration.name;
  const model::Declaration* module = declaration.scope;
  for (; module != nullptr && as<model::Module>(module) == nullptr; module = module->scope) {
    name = module->name + "_" + name;
  }
  const std::string space = module == nullptr ? "" : e.names.full(*module);
  if (!taken.insert(space + "::" + name).second) return;
  const std::string constant = "inline constexpr " + std::string(kReference) + " _tc_" + name +
                               " = CORBA::TypeCode::_constant(" + qualified(e, declaration) + ");";
  e.any_header.line(space.empty() ? constant : "namespace " + space + " { " + constant + " }");
}

}  // namespace

void write_any_files(Emitter& e, const std::string& stem) {
  TypeWriter types(e);
  Writer& header = e.any_header;
  header.line("#pragma once");
  header.blank();
  for (const auto& file : type_code_headers(e.model)) header.line("#include <" + file + ">");
  for (const auto& file : any_headers(e.library_headers)) header.line("#include <" + file + ">");
  header.blank();
  header.line("#include \"" + stem + ".hpp\"");
  for (const auto* file : included_files(e.model)) {
    header.line("#include \"" + header_for(file->spelling, "_any.hpp") + "\"");
  }
  std::vector<const model::Declaration*> declarations;
  for_each_own(e.model, [&](const auto& declaration) {
    if (has_type_code(declaration)) declarations.push_back(&declaration);
  });
  header.blank();
  for (const auto* declaration : declarations) {
    types.define(*declaration);
    header.line(TypeWriter::declare(e, *declaration));
  }
  header.blank();
  for (const auto* declaration : declarations) {
    if (!has_own_type(*declaration)) continue;
    header.line("template <>");
    header.open("struct corbel::dynamic::TypeOf<" + cpp_type(e, *declaration) + "> {");
    header.line("static constexpr const ::CORBA::TypeCode& code = " + qualified(e, *declaration) + ";");
    header.close("};");
  }
  header.blank();
  std::set<std::string> taken;
  for (const auto* declaration : declarations) declare_constant(e, *declaration, taken);
  e.any_source.line("#include <corbel/dynamic/known_type.hpp>");
  e.any_source.blank();
  types.write(e.any_source);
}

}  // namespace corbel::idl::back::cpp11
