// SPDX-License-Identifier: Apache-2.0
// Structs and exceptions: one class with private members, accessors and a full constructor.
#include <unordered_set>

#include "idl/cpp/emitter.hpp"

namespace corbel::idl::cpp {
namespace {

using model::as;

/// Members of a user exception's class that a storage name could hit.
std::string storage_name(const std::string& name, bool exception) {
  static const std::unordered_set<std::string_view> kTaken = {"id", "name", "rep_id", "raise", "encode", "info"};
  const bool taken = exception ? kTaken.contains(name) : name.starts_with("padding_");
  return "_" + name + (taken ? "_" : "");
}

std::string initializer(const Field& field) {
  const model::TypeKind kind = resolve(*field.type).kind;
  const bool reference = kind == model::TypeKind::object || kind == model::TypeKind::interface_;
  return (field.by_value && !reference) || kind == model::TypeKind::array ? "{}" : "";
}

void emit_constructors(Emitter& e, const model::Struct& structure, const std::vector<Field>& fields) {
  const std::string name = e.names.own(structure);
  emit_default_constructor(e, structure);
  if (fields.empty()) return;
  std::vector<std::string> parameters;
  std::vector<std::string> moves;
  for (const auto& field : fields) {
    const model::TypeKind kind = resolve(*field.type).kind;
    const bool plain = field.by_value && kind != model::TypeKind::object && kind != model::TypeKind::interface_;
    const std::string parameter = e.names.parameter(structure, field.accessor);
    parameters.push_back(field.spelled + " " + parameter);
    moves.push_back(field.storage + "(" + (plain ? parameter : "std::move(" + parameter + ")") + ")");
  }
  e.header.constructor("explicit " + name + "(", parameters, moves);
}

void emit_exception_members(Emitter& e, const model::Exception& exception) {
  e.header.blank();
  e.header.line("static constexpr const char* _id = " + quote(exception.repository_id) + ";");
  e.header.line("[[noreturn]] void _raise() const override;");
  e.header.line("const char* _rep_id() const noexcept override;");
  e.header.line("const char* _name() const noexcept override;");
  e.header.line("void _encode(corbel::cdr::Encoder& encoder) const override;");
  e.header.blank();
  e.header.label("protected:");
  e.header.line("void _info(std::string& text) const override;");
}

void emit_value_members(Emitter& e, const model::Struct& structure) {
  const std::string name = e.names.own(structure);
  e.header.blank();
  e.header.line("void swap(" + name + "& other) { std::swap(*this, other); }");
  e.header.line("friend void swap(" + name + "& a, " + name + "& b) { a.swap(b); }");
  if (!e.layouts.has_reference(structure)) {
    e.header.line("friend bool operator==(const " + name + "&, const " + name + "&) = default;");
  }
}

void emit_storage(Emitter& e, const model::Struct& structure, const std::vector<Field>& fields,
                  const BulkLayout* bulk) {
  const std::string full = e.names.full(structure);
  e.header.blank();
  e.header.label("private:");
  e.header.line("friend struct corbel::mapping::Codec<" + e.names.own(structure) + ">;");
  if (bulk != nullptr) e.header.line("friend struct corbel::cdr::BulkLayout<" + e.names.own(structure) + ">;");
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

std::vector<Field> fields_of(const Emitter& e, const model::Struct& structure) {
  const bool exception = as<model::Exception>(&structure) != nullptr;
  std::vector<Field> fields;
  for (const auto& member : structure.members) {
    fields.push_back({member.type, exception ? escape_exception_member(member.name) : escape(member.name),
                      storage_name(member.name, exception), spell(*member.type, e.names, {&structure}),
                      is_by_value(*member.type)});
  }
  return fields;
}

void emit_accessors(Writer& out, const Field& field) {
  const std::string& name = field.accessor;
  const std::string& stored = field.storage;
  if (field.by_value) {
    out.line("void " + name + "(" + field.spelled + " value) { " + stored + " = value; }");
    out.line(field.spelled + " " + name + "() const { return " + stored + "; }");
  } else {
    out.line("void " + name + "(const " + field.spelled + "& value) { " + stored + " = value; }");
    out.line("void " + name + "(" + field.spelled + "&& value) { " + stored + " = std::move(value); }");
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
  e.header.open("class " + name + (exception != nullptr ? " final : public CORBA::UserException {" : " {"));
  e.header.label("public:");
  if (!structure.contents.empty()) {
    define_contents(e, structure.contents);
    e.header.blank();
  }
  emit_constructors(e, structure, fields);
  e.header.blank();
  for (const auto& field : fields) emit_accessors(e.header, field);
  if (exception != nullptr) {
    emit_exception_members(e, *exception);
  } else {
    emit_value_members(e, structure);
  }
  emit_storage(e, structure, fields, bulk);
  e.header.close("};");
}

void implement_exception(Emitter& e, const model::Exception& exception) {
  const std::string name =
      e.names.in({exception.scope != nullptr && as<model::Module>(exception.scope) == nullptr ? exception.scope->scope
                                                                                              : exception.scope},
                 exception);
  e.source.blank();
  e.source.line("void " + name + "::_raise() const { throw *this; }");
  e.source.line("const char* " + name + "::_rep_id() const noexcept { return _id; }");
  e.source.line("const char* " + name + "::_name() const noexcept { return " + quote(exception.name) + "; }");
  e.source.open("void " + name + "::_encode(corbel::cdr::Encoder& encoder) const {");
  e.source.line("encoder.put_plain_string(_id);");
  e.source.line("corbel::mapping::Codec<" + e.names.own(exception) + ">::encode(encoder, *this);");
  e.source.close("}");
  e.source.line("void " + name + "::_info(std::string& text) const { text += corbel::mapping::to_text(*this); }");
}

}  // namespace corbel::idl::cpp
