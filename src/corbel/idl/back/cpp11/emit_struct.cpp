// SPDX-License-Identifier: Apache-2.0
// Structs and exceptions: one class with private members, accessors and a full constructor.
#include <algorithm>

#include "corbel/idl/back/cpp11/emitter.hpp"

namespace corbel::idl::back::cpp11 {
namespace {

using model::as;

std::string initializer(const Field& field) {
  if (!field.initial.empty()) return " = " + field.initial;
  const bool array = resolve(*field.type).kind == model::TypeKind::array;
  return !field.optional && !field.external && ((field.by_value && !is_reference(*field.type)) || array) ? "{}" : "";
}

/// Whether a member is a sequence of something that is still to be defined (mutual recursion). Compilers may then not
/// yet be shown any code that makes, copies or destroys the sequence.
bool is_early(const Emitter& e, const model::Struct& structure) {
  return std::any_of(structure.members.begin(), structure.members.end(), [&](const auto& member) {
    const model::Type* type = &resolve(*member.type);
    while (type->element != nullptr) type = &resolve(*type->element);
    const bool constructed = type->kind == model::TypeKind::struct_ || type->kind == model::TypeKind::union_;
    return constructed && type->declaration != &structure && type->declaration->in_main_file &&
           !e.complete.contains(type->declaration);
  });
}

/// Whether the member may be assigned a part of its own value, which it would destroy while it takes it.
bool may_be_given_its_own(Emitter& e, const Field& field) {
  if (field.by_value) return false;
  const model::Type* type = &resolve(*field.type);
  while (type->element != nullptr) type = &resolve(*type->element);
  return type->declaration != nullptr && e.layouts.is_recursive(*type->declaration);
}

/// The body of a setter that takes such a part.
std::string take_first(const Field& field, const std::string& value) {
  return " { auto _kept = " + value + "; " + field.storage + " = std::move(_kept); }";
}

void emit_struct_accessors(Emitter& e, const Field& field, bool late) {
  if (late || !may_be_given_its_own(e, field)) {
    emit_accessors(e.header, field, late);
    return;
  }
  const std::string head = "void " + field.accessor + "(";
  e.header.line(head + "const " + field.spelled + "& _value)" + take_first(field, "_value"));
  e.header.line(head + field.spelled + "&& _value)" + take_first(field, "std::move(_value)"));
  e.header.line("const " + field.spelled + "& " + field.accessor + "() const { return " + field.storage + "; }");
  e.header.line(field.spelled + "& " + field.accessor + "() { return " + field.storage + "; }");
}

struct ConstructorParts {
  std::vector<std::string> parameters;
  std::vector<std::string> initializers;
};
ConstructorParts constructor_parts(const Emitter& e, const model::Struct& structure, const std::vector<Field>& fields) {
  ConstructorParts parts;
  if (structure.base != nullptr) {
    const std::string base = e.names.global(*structure.base);
    parts.parameters.push_back(base + " _base");
    parts.initializers.push_back(base + "(std::move(_base))");
  }
  for (const auto& field : fields) {
    const bool plain = field.by_value && !is_reference(*field.type);
    const std::string& parameter = field.accessor;
    parts.parameters.push_back(field.spelled + " " + parameter);
    parts.initializers.push_back(field.storage + "(" + (plain ? parameter : "std::move(" + parameter + ")") + ")");
  }
  return parts;
}

void emit_constructors(Emitter& e, const model::Struct& structure, const std::vector<Field>& fields) {
  emit_default_constructor(e, structure);
  if (fields.empty() && structure.base == nullptr) return;
  const auto parts = constructor_parts(e, structure, fields);
  e.header.constructor("explicit " + e.names.own(structure) + "(", parts.parameters, parts.initializers);
}

/// Defines behind the class what emit_constructors, emit_accessors and emit_value_members would define in it.
void emit_late_members(Emitter& e, const model::Struct& structure, const std::vector<Field>& fields) {
  const std::string name = e.names.own(structure);
  const std::string full = e.names.full(structure);
  const std::string inside = full + "::";
  const auto parts = constructor_parts(e, structure, fields);
  const std::string specials[][2] = {{"", name + "()"},
                                     {"", name + "(const " + name + "&)"},
                                     {"", name + "(" + name + "&&) noexcept"},
                                     {full + "& ", "operator=(const " + name + "&)"},
                                     {full + "& ", "operator=(" + name + "&&) noexcept"},
                                     {"", "~" + name + "()"}};
  for (const auto& [result, signature] : specials) {
    e.header.line((result.empty() ? "" : name + "& ") + signature + ";");
    e.late.line("inline " + result + inside + signature + " = default;");
  }
  e.header.list("explicit " + name + "(", parts.parameters, ");");
  e.late.constructor("inline " + inside + name + "(", parts.parameters, parts.initializers);
  for (const auto& field : fields) {
    if (field.by_value) continue;
    const std::string head = "inline void " + inside + field.accessor + "(";
    e.late.line(head + "const " + field.spelled + "& _value)" + take_first(field, "_value"));
    e.late.line(head + field.spelled + "&& _value)" + take_first(field, "std::move(_value)"));
  }
  e.late.line("inline void " + inside + "swap(" + name + "& _other) { std::swap(*this, _other); }");
  if (e.layouts.has_reference(structure)) return;
  std::string equal;
  for (const auto& field : fields) {
    equal += (equal.empty() ? "" : " && ") + field.storage + " == _other." + field.storage;
  }
  e.late.line("inline bool " + inside + "operator==(const " + name + "& _other) const { return " + equal + "; }");
}

void emit_exception_members(Emitter& e, const model::Exception& exception) {
  e.header.blank();
  e.header.line("static constexpr const char* _id = " + quote(exception.repository_id) + ";");
  e.header.line("[[noreturn]] void _raise() const override;");
  e.header.line("const char* _rep_id() const noexcept override;");
  e.header.line("const char* _name() const noexcept override;");
  e.header.line("void _encode(corbel::cdr::Encoder& _encoder) const override;");
  e.header.blank();
  e.header.label("protected:");
  e.header.line("void _info(std::string& _text) const override;");
}

/// Whether there is an accessor that the swap of a derived class would hide.
bool has_swap(const model::Struct& structure) {
  const auto members = model::all_members(structure);
  return std::any_of(members.begin(), members.end(), [](const auto* member) { return member->name == "swap"; });
}

void emit_value_members(Emitter& e, const model::Struct& structure, bool early) {
  const std::string name = e.names.own(structure);
  e.header.blank();
  if (structure.base != nullptr && has_swap(*structure.base)) {
    e.header.line("using " + e.names.global(*structure.base) + "::swap;");
  }
  e.header.line("void swap(" + name + "& _other)" + (early ? ";" : " { std::swap(*this, _other); }"));
  e.header.line("friend void swap(" + name + "& _a, " + name + "& _b) { _a.swap(_b); }");
  if (e.layouts.has_reference(structure)) return;
  if (early) {
    e.header.line("bool operator==(const " + name + "& _other) const;");
  } else {
    e.header.line("friend bool operator==(const " + name + "&, const " + name + "&) = default;");
  }
}

void emit_storage(Emitter& e, const model::Struct& structure, const std::vector<Field>& fields,
                  const BulkLayout* bulk) {
  const std::string full = e.names.full(structure);
  e.header.blank();
  e.header.label("private:");
  e.header.line("friend struct corbel::mapping::Codec<" + e.names.global(structure) + ">;");
  if (bulk != nullptr) e.header.line("friend struct corbel::cdr::BulkLayout<" + e.names.global(structure) + ">;");
  e.header.blank();
  std::size_t paddings = 0;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (bulk != nullptr && bulk->padding_before[i] != 0) {
      e.header.line("std::uint8_t _padding_" + std::to_string(paddings++) + "[" +
                    std::to_string(bulk->padding_before[i]) + "]{};");
    }
    e.header.line(fields[i].spelled + " " + fields[i].storage + initializer(fields[i]) + ";");
  }
}

}  // namespace

std::string spell_member(const std::string& type, const Field& field) {
  const std::string held = field.external ? "std::shared_ptr<" + type + ">" : type;
  return field.optional ? "IDL::optional<" + held + ">" : held;
}

std::vector<Field> fields_of(const Emitter& e, const model::Struct& structure) {
  const bool exception = as<model::Exception>(&structure) != nullptr;
  std::vector<Field> fields;
  for (const auto& member : structure.members) {
    const std::string type = spell(*member.type, e.names);
    Field field{member.type,
                exception ? escape_exception_member(member.name) : escape(member.name),
                storage(member.name),
                "",
                is_by_value(*member.type) && !member.optional && !member.external,
                member.optional,
                member.external};
    field.spelled = spell_member(type, field);
    if (!std::holds_alternative<std::monostate>(member.default_value)) {
      field.initial = literal(member.default_value, *member.type, e.names);
    } else if (!member.optional && !member.external) {
      field.initial = default_value(e, *member.type);
    }
    fields.push_back(std::move(field));
  }
  return fields;
}

std::string default_value(const Emitter& e, const model::Type& type) {
  const model::Type& real = resolve(type);
  if (real.kind == model::TypeKind::array) {
    const std::string element = default_value(e, *real.element);
    return element.empty() ? "" : "corbel::mapping::filled<" + spell(type, e.names) + ">(" + element + ")";
  }
  const auto* enumeration = as<model::Enum>(real.declaration);
  if (enumeration == nullptr || (enumeration->default_literal == nullptr && !enumeration->has_values)) return {};
  const auto* chosen =
      enumeration->default_literal != nullptr ? enumeration->default_literal : enumeration->enumerators.front();
  return e.names.global(*enumeration) + "::" + escape(chosen->name);
}

void emit_accessors(Writer& out, const Field& field, bool late) {
  const std::string& name = field.accessor;
  const std::string& stored = field.storage;
  if (field.by_value) {
    out.line("void " + name + "(" + field.spelled + " _value) { " + stored + " = _value; }");
    out.line(field.spelled + " " + name + "() const { return " + stored + "; }");
  } else {
    out.line("void " + name + "(const " + field.spelled + "& _value)" + (late ? ";" : " { " + stored + " = _value; }"));
    out.line("void " + name + "(" + field.spelled + "&& _value)" +
             (late ? ";" : " { " + stored + " = std::move(_value); }"));
    out.line("const " + field.spelled + "& " + name + "() const { return " + stored + "; }");
  }
  out.line(field.spelled + "& " + name + "() { return " + stored + "; }");
}

void emit_default_constructor(Emitter& e, const model::Declaration& declaration) {
  // A class inside another must be constructible before the outer one is complete, which a defaulted one is not.
  const bool nested = declaration.scope != nullptr && as<model::Module>(declaration.scope) == nullptr;
  e.header.line(e.names.own(declaration) + (nested ? "() {}" : "() = default;"));
}

void define_struct(Emitter& e, const model::Struct& structure) {
  const auto* exception = as<model::Exception>(&structure);
  const auto fields = fields_of(e, structure);
  const BulkLayout* bulk = exception == nullptr ? e.layouts.bulk(structure) : nullptr;
  const std::string name = e.names.own(structure);
  e.header.blank();
  const std::string base = structure.base == nullptr ? "" : " : public " + e.names.global(*structure.base);
  e.header.open("class " + name + (exception != nullptr ? " final : public CORBA::UserException" : base) + " {");
  e.header.label("public:");
  if (!structure.contents.empty()) {
    define_contents(e, structure.contents);
    e.header.blank();
  }
  const bool early = exception == nullptr && is_early(e, structure);
  if (early) {
    emit_late_members(e, structure, fields);
  } else {
    emit_constructors(e, structure, fields);
  }
  e.header.blank();
  for (const auto& field : fields) emit_struct_accessors(e, field, early);
  if (exception != nullptr) {
    emit_exception_members(e, *exception);
  } else {
    emit_value_members(e, structure, early);
  }
  emit_storage(e, structure, fields, bulk);
  e.header.close("};");
  e.complete.insert(&structure);
}

void implement_exception(Emitter& e, const model::Exception& exception) {
  const std::string name = e.names.within_module(exception);
  e.source.blank();
  e.source.line("void " + name + "::_raise() const { throw *this; }");
  e.source.line("const char* " + name + "::_rep_id() const noexcept { return _id; }");
  e.source.line("const char* " + name + "::_name() const noexcept { return " + quote(exception.name) + "; }");
  e.source.open("void " + name + "::_encode(corbel::cdr::Encoder& _encoder) const {");
  e.source.line("_encoder.put_plain_string(_id);");
  e.source.line("corbel::mapping::Codec<" + e.names.global(exception) + ">::encode(_encoder, *this);");
  e.source.close("}");
  e.source.line("void " + name + "::_info(std::string& _text) const { _text += corbel::mapping::to_text(*this); }");
}

}  // namespace corbel::idl::back::cpp11
