// SPDX-License-Identifier: Apache-2.0
// Unions: a discriminator and a variant with one alternative per member, and one more for "no member".
#include <algorithm>

#include "corbel/idl/back/cpp11/emitter.hpp"

namespace corbel::idl::back::cpp11 {
namespace {

/// What the pieces of one union's code share.
struct Shape {
  std::string name;
  std::string discriminator;
  std::vector<Field> fields;
  std::size_t initial = 0;   ///< alternative that the default constructor selects
  bool has_default = false;  ///< a `default:` member
  bool has_nothing = false;  ///< labels remain that select no member: the last alternative is std::monostate
};

Shape shape_of(const Emitter& e, const model::Union& u) {
  Shape shape;
  shape.name = e.names.own(u);
  shape.discriminator = spell(*u.discriminator, e.names);
  for (std::size_t i = 0; i < u.cases.size(); ++i) {
    const auto& member = u.cases[i].member;
    Field field{member.type, escape(member.name), "", "", is_by_value(*member.type) && !member.external};
    field.external = member.external;
    field.spelled = spell_member(spell(*member.type, e.names), field);
    shape.fields.push_back(std::move(field));
    if (!u.cases[i].is_default) continue;
    shape.has_default = true;
    shape.initial = i;
  }
  shape.has_nothing = !u.covers_all_labels && !shape.has_default;
  // The implicit default comes before the first label (mapping 6.14.2).
  if (shape.has_nothing) shape.initial = u.cases.size();
  return shape;
}

/// The label that selects a member when the caller names none.
const model::Value& first_label(const model::Union& u, const model::UnionCase& c) {
  return c.is_default ? u.default_label : c.labels.front();
}

std::string label(const Emitter& e, const model::Union& u, const model::Value& value) {
  return literal(value, *u.discriminator, e.names);
}

void emit_setter(Emitter& e, const model::Union& u, const Shape& shape, std::size_t i, const std::string& type,
                 const std::string& value) {
  const auto& c = u.cases[i];
  const std::string index = std::to_string(i);
  const std::string first = label(e, u, first_label(u, c));
  const bool choice = c.is_default || c.labels.size() > 1;
  const std::string& name = shape.fields[i].accessor;
  e.header.open("void " + name + "(" + type + " _value" +
                (choice ? ", " + shape.discriminator + " _label = " + first : "") + ") {");
  if (choice) e.header.line("if (_select(_label) != " + index + ") _fail();");
  if (shape.fields[i].by_value) {
    e.header.line("_members.emplace<" + index + ">(_value);");
  } else {
    // `_value` may be a part of the union itself.
    e.header.line("auto _kept = " + value + ";");
    e.header.line("_members.emplace<" + index + ">(std::move(_kept));");
  }
  e.header.line("_discriminator = " + (choice ? "_label" : first) + ";");
  e.header.close("}");
}

void emit_union_accessors(Emitter& e, const model::Union& u, const Shape& shape, std::size_t i) {
  const Field& field = shape.fields[i];
  const std::string index = std::to_string(i);
  if (field.by_value) {
    emit_setter(e, u, shape, i, field.spelled, "_value");
  } else {
    emit_setter(e, u, shape, i, "const " + field.spelled + "&", "_value");
    emit_setter(e, u, shape, i, field.spelled + "&&", "std::move(_value)");
  }
  const std::string read = field.by_value ? field.spelled : "const " + field.spelled + "&";
  const auto emit = [&](const std::string& head) {
    e.header.open(head + " {");
    e.header.line("_check(" + index + ");");
    e.header.line("return *std::get_if<" + index + ">(&_members);");
    e.header.close("}");
  };
  emit(read + " " + field.accessor + "() const");
  emit(field.spelled + "& " + field.accessor + "()");
}

void emit_union_storage(Emitter& e, const model::Union& u, const Shape& shape) {
  const auto& first = shape.has_nothing ? u.default_label : first_label(u, u.cases[shape.initial]);
  std::string value;
  if (!shape.has_nothing) {
    const model::Member& member = u.cases[shape.initial].member;
    value = std::holds_alternative<std::monostate>(member.default_value)
                ? default_value(e, *member.type)
                : literal(member.default_value, *member.type, e.names);
  }
  const bool given = !value.empty() && !shape.fields[shape.initial].external;
  std::vector<std::string> alternatives;
  for (const auto& field : shape.fields) alternatives.push_back(field.spelled);
  if (shape.has_nothing) alternatives.push_back("std::monostate");
  e.header.label("private:");
  e.header.line("friend struct corbel::mapping::Codec<" + e.names.global(u) + ">;");
  e.header.blank();
  e.header.line("/// Which member a label selects.");
  e.header.line("static std::size_t _select(" + shape.discriminator + " _label) noexcept;");
  e.header.line("[[noreturn]] static void _fail();");
  e.header.open("void _check(std::size_t _alternative) const {");
  e.header.line("if (_members.index() != _alternative) [[unlikely]] _fail();");
  e.header.close("}");
  e.header.blank();
  e.header.line(shape.discriminator + " _discriminator = " + label(e, u, first) + ";");
  e.header.list(
      "std::variant<", alternatives,
      "> _members{std::in_place_index<" + std::to_string(shape.initial) + ">" + (given ? ", " + value : "") + "};");
}

/// The body of _select.
void emit_selection(Emitter& e, const model::Union& u) {
  std::size_t otherwise = u.cases.size();
  for (std::size_t i = 0; i < u.cases.size(); ++i) {
    if (u.cases[i].is_default) otherwise = i;
  }
  if (resolve(*u.discriminator).kind == model::TypeKind::boolean) {
    std::size_t by_value[] = {otherwise, otherwise};
    for (std::size_t i = 0; i < u.cases.size(); ++i) {
      for (const auto& value : u.cases[i].labels) by_value[std::get<bool>(value) ? 1 : 0] = i;
    }
    e.source.line("return _label ? " + std::to_string(by_value[1]) + " : " + std::to_string(by_value[0]) + ";");
    return;
  }
  e.source.open("switch (_label) {");
  for (std::size_t i = 0; i < u.cases.size(); ++i) {
    if (i == otherwise) continue;
    for (const auto& value : u.cases[i].labels) e.source.line("case " + label(e, u, value) + ":");
    e.source.line("  return " + std::to_string(i) + ";");
  }
  e.source.line("default:");
  e.source.line("  return " + std::to_string(otherwise) + ";");
  e.source.close("}");
}

}  // namespace

void define_union(Emitter& e, const model::Union& u) {
  const Shape shape = shape_of(e, u);
  e.header.blank();
  e.header.open("class " + shape.name + " {");
  e.header.label("public:");
  if (!u.contents.empty()) {
    define_contents(e, u.contents);
    e.header.blank();
  }
  emit_default_constructor(e, u);
  e.header.blank();
  e.header.line("/// Only to another label of the same member; else BAD_PARAM.");
  e.header.line("void _d(" + shape.discriminator + " _label);");
  e.header.line(shape.discriminator + " _d() const { return _discriminator; }");
  e.header.line("/// Beyond the mapping: which member is selected, counted from 0.");
  e.header.line("std::size_t _index() const noexcept { return _members.index(); }");
  for (std::size_t i = 0; i < u.cases.size(); ++i) emit_union_accessors(e, u, shape, i);
  if (shape.has_nothing) {
    e.header.line("/// Selects no member.");
    e.header.open("void _default() {");
    e.header.line("_members.emplace<" + std::to_string(u.cases.size()) + ">();");
    e.header.line("_discriminator = " + label(e, u, u.default_label) + ";");
    e.header.close("}");
  }
  e.header.blank();
  e.header.line("void swap(" + shape.name + "& _other) { std::swap(*this, _other); }");
  e.header.line("friend void swap(" + shape.name + "& _a, " + shape.name + "& _b) { _a.swap(_b); }");
  if (!e.layouts.has_reference(u)) {
    e.header.line("friend bool operator==(const " + shape.name + "&, const " + shape.name + "&) = default;");
  }
  e.header.blank();
  emit_union_storage(e, u, shape);
  e.header.close("};");
  e.complete.insert(&u);
}

void implement_union(Emitter& e, const model::Union& u) {
  const Shape shape = shape_of(e, u);
  const std::string name = e.names.full(u);
  e.source.blank();
  e.source.open("void " + name + "::_d(" + shape.discriminator + " _label) {");
  e.source.line("if (_select(_label) != _members.index()) _fail();");
  e.source.line("_discriminator = _label;");
  e.source.close("}");
  e.source.open("std::size_t " + name + "::_select(" + shape.discriminator + " _label) noexcept {");
  emit_selection(e, u);
  e.source.close("}");
  e.source.open("void " + name + "::_fail() {");
  e.source.line("throw CORBA::BAD_PARAM(CORBA::OMGVMCID | 34, CORBA::CompletionStatus::COMPLETED_NO);");
  e.source.close("}");
}

}  // namespace corbel::idl::back::cpp11
