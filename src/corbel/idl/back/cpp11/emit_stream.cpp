// SPDX-License-Identifier: Apache-2.0
// operator<< of enums, structs, unions and exceptions.
#include "corbel/idl/back/cpp11/emitter.hpp"

namespace corbel::idl::back::cpp11 {
namespace {

using model::as;

bool is_streamed(const model::Declaration& declaration) {
  switch (declaration.kind) {
    case model::DeclarationKind::enum_:
    case model::DeclarationKind::struct_:
    case model::DeclarationKind::exception:
    case model::DeclarationKind::union_:
    case model::DeclarationKind::bitset:
    case model::DeclarationKind::bitmask:
      return true;
    default:
      return false;
  }
}

std::string head(const Emitter& e, const model::Declaration& declaration, bool unused = false) {
  const std::string name = e.names.global(declaration);
  const bool enumeration = as<model::Enum>(&declaration) != nullptr || as<model::Bitset>(&declaration) != nullptr ||
                           as<model::Bitmask>(&declaration) != nullptr;
  return "std::ostream& operator<<(std::ostream& _stream, " + (enumeration ? name : "const " + name + "&") +
         (unused ? ")" : " _value)");
}

/// Enumerators whose values say nothing about their places.
void stream_valued_enum(Emitter& e, const model::Enum& enumeration) {
  const std::string name = e.names.global(enumeration);
  e.source.open("switch (_value) {");
  for (const auto* enumerator : enumeration.enumerators) {
    e.source.line("case " + name + "::" + escape(enumerator->name) + ":");
    e.source.line("  return _stream << " + quote(scoped_name(enumeration) + "::" + enumerator->name) + ";");
  }
  e.source.close("}");
  e.source.line("return _stream << static_cast<std::int64_t>(_value);");
}

void stream_enum(Emitter& e, const model::Enum& enumeration) {
  if (enumeration.has_values) return stream_valued_enum(e, enumeration);
  std::vector<std::string> names;
  const std::string scope = scoped_name(enumeration);
  for (const auto* enumerator : enumeration.enumerators) names.push_back(quote(scope + "::" + enumerator->name));
  e.source.list("static constexpr const char* _kNames[] = {", names, "};");
  e.source.line("return corbel::mapping::print_enumerator(_stream, _kNames, static_cast<std::uint32_t>(_value));");
}

void stream_struct(Emitter& e, const model::Struct& structure) {
  std::vector<std::string> arguments = {"_stream", quote(scoped_name(structure))};
  const bool exception = as<model::Exception>(&structure) != nullptr;
  for (const auto* member : model::all_members(structure)) {
    arguments.push_back(quote(member->name));
    arguments.push_back("_value." + (exception ? escape_exception_member(member->name) : escape(member->name)) + "()");
  }
  e.source.list("return corbel::mapping::print_members(", arguments, ");");
}

void stream_union(Emitter& e, const model::Union& u) {
  const std::string name = quote(scoped_name(u));
  e.source.open("switch (_value._index()) {");
  for (std::size_t i = 0; i < u.cases.size(); ++i) {
    const auto& member = u.cases[i].member;
    e.source.line("case " + std::to_string(i) + ":");
    e.source.line("  return corbel::mapping::print_members(_stream, " + name + ", " + quote(member.name) + ", _value." +
                  escape(member.name) + "());");
  }
  e.source.line("default:");
  e.source.line("  return corbel::mapping::print_members(_stream, " + name + ");");
  e.source.close("}");
}

}  // namespace

void declare_streaming(Emitter& e, const model::Declaration& declaration) {
  if (const auto* contents = inner_contents(declaration)) {
    for (const auto* inner : *contents) declare_streaming(e, *inner);
  }
  if (is_streamed(declaration)) e.header.line(head(e, declaration) + ";");
}

void implement_streaming(Emitter& e, const model::Declaration& declaration) {
  if (const auto* contents = inner_contents(declaration)) {
    for (const auto* inner : *contents) implement_streaming(e, *inner);
  }
  if (!is_streamed(declaration)) return;
  const bool structure =
      declaration.kind == model::DeclarationKind::struct_ || declaration.kind == model::DeclarationKind::exception;
  const bool empty = structure && model::all_members(static_cast<const model::Struct&>(declaration)).empty();
  e.source.open(head(e, declaration, empty) + " {");
  if (const auto* enumeration = as<model::Enum>(&declaration)) {
    stream_enum(e, *enumeration);
  } else if (const auto* u = as<model::Union>(&declaration)) {
    stream_union(e, *u);
  } else if (const auto* mask = as<model::Bitmask>(&declaration)) {
    stream_bitmask(e, *mask);
  } else if (const auto* bits = as<model::Bitset>(&declaration)) {
    stream_bitset(e, *bits);
  } else {
    stream_struct(e, static_cast<const model::Struct&>(declaration));
  }
  e.source.close("}");
}

}  // namespace corbel::idl::back::cpp11
