// SPDX-License-Identifier: Apache-2.0
// Valuetypes as users see them: the abstract class, the class `obv` that holds the state, the factory.
#include <algorithm>

#include "corbel/idl/back/cpp11/emitter.hpp"

namespace corbel::idl::back::cpp11 {
namespace {

using model::as;

/// Every abstract interface that the value's references convert to.
std::vector<const model::Interface*> abstract_supports(const model::ValueType& value) {
  std::vector<const model::Interface*> found;
  const auto add = [&](const model::Interface* interface) {
    if (interface->is_abstract && std::find(found.begin(), found.end(), interface) == found.end()) {
      found.push_back(interface);
    }
  };
  for (const auto* interface : value.supports) {
    add(interface);
    if (interface->is_abstract) continue;
    for (const auto* base : interface->ancestors) add(base);
  }
  return found;
}

/// Operations of the interfaces that are not inherited with an abstract one, then its own.
std::vector<Method> own_methods_of(const model::ValueType& value) {
  std::vector<Method> methods;
  std::vector<const model::Interface*> seen;
  const auto add = [&](const model::Interface* interface) {
    if (interface->is_abstract || std::find(seen.begin(), seen.end(), interface) != seen.end()) return;
    seen.push_back(interface);
    for (auto& method : methods_of(*interface)) methods.push_back(std::move(method));
  };
  for (const auto* interface : value.supports) {
    add(interface);
    for (const auto* base : interface->ancestors) add(base);
  }
  for (auto& method : methods_in(value.contents, nullptr)) methods.push_back(std::move(method));
  return methods;
}

bool has_methods(const model::ValueType& value) {
  if (!own_methods_of(value).empty()) return true;
  return std::any_of(value.supports.begin(), value.supports.end(),
                     [](const auto* interface) { return !all_methods_of(*interface).empty(); });
}

/// One accessor or modifier: what precedes its body, and the body.
struct Accessor {
  std::string head;
  std::string body;
};
std::vector<Accessor> accessors(const Field& field) {
  const std::string& name = field.accessor;
  const std::string& stored = field.storage;
  std::vector<Accessor> list;
  if (field.by_value) {
    list.push_back({"void " + name + "(" + field.spelled + " _value)", stored + " = _value;"});
    list.push_back({field.spelled + " " + name + "() const", "return " + stored + ";"});
  } else {
    list.push_back({"void " + name + "(const " + field.spelled + "& _value)", stored + " = _value;"});
    list.push_back({"void " + name + "(" + field.spelled + "&& _value)", stored + " = std::move(_value);"});
    list.push_back({"const " + field.spelled + "& " + name + "() const", "return " + stored + ";"});
  }
  list.push_back({field.spelled + "& " + name + "()", "return " + stored + ";"});
  return list;
}

template <class Emit>
void for_members(const Emitter& e, const model::ValueType& value, bool is_public, const Emit& emit) {
  const auto fields = state_fields(e, value);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (value.state[i].is_public == is_public) emit(fields[i]);
  }
}

std::vector<std::string> bases_of(const Emitter& e, const model::ValueType& value) {
  std::vector<std::string> bases;
  for (const auto* base : value.bases) bases.push_back("public virtual " + e.names.global(*base));
  if (bases.empty()) bases.push_back("public virtual CORBA::ValueBase");
  for (const auto* interface : abstract_supports(value)) {
    bases.push_back("public virtual " + e.names.global(*interface));
  }
  if (value.is_custom) bases.push_back("public virtual CORBA::CustomMarshal");
  return bases;
}

/// The user does not define a function that the base class has, nor one called like the class.
std::string factory_method(const model::Factory& factory, const std::string& owner) {
  const bool taken = factory.name == "create_for_unmarshal" || factory.name == owner;
  return taken ? "_cxx_" + factory.name : escape(factory.name);
}

void define_factory(Emitter& e, const model::ValueType& value) {
  const std::string name = e.names.own(value);
  const std::string reference = "IDL::traits<" + e.names.global(value) + ">::ref_type";
  e.header.blank();
  e.header.line("/// Makes values of type " + e.names.full(value) + "; for CORBA::ORB::register_value_factory.");
  e.header.open("class " + e.names.factory(value) + " : public virtual CORBA::ValueFactoryBase {");
  e.header.label("public:");
  for (const auto* declaration : value.contents) {
    const auto* factory = as<model::Factory>(declaration);
    if (factory == nullptr) continue;
    std::vector<std::string> parameters;
    for (const auto& p : factory->parameters) {
      parameters.push_back(parameter(p, e.names) + " " + escape(p.name));
    }
    e.header.list("virtual " + reference + " " + factory_method(*factory, e.names.factory(value)) + "(", parameters,
                  ") = 0;");
  }
  if (is_default_creatable(value)) {
    e.header.line("CORBA::valuetype_reference<CORBA::ValueBase> create_for_unmarshal() override;");
  }
  e.header.line("using _ref_type = CORBA::valuetype_reference<" + e.names.factory(value) + ">;");
  e.header.line("std::string _obv_repository_id() const override { return " + e.names.global(value) +
                "::_repository_id(); }");
  e.header.close("};");
}

/// Constructors of the class with the state. The one with all members sets those of the base itself: arguments for a
/// virtual base count here only if no class derives from this one.
void define_constructors(Emitter& e, const model::ValueType& value) {
  const std::string name = e.names.own(value);
  e.header.line(name + "() = default;");
  std::vector<std::string> parameters, initializers, statements;
  for (const auto* base = value.concrete_base; base != nullptr; base = base->concrete_base) {
    std::vector<std::string> theirs, sets;
    for (const auto& field : state_fields(e, *base)) {
      theirs.push_back(field.spelled + " " + field.accessor + "_");
      sets.push_back("this->" + field.accessor + "(std::move(" + field.accessor + "_));");
    }
    parameters.insert(parameters.begin(), theirs.begin(), theirs.end());
    statements.insert(statements.begin(), sets.begin(), sets.end());
  }
  for (const auto& field : state_fields(e, value)) {
    parameters.push_back(field.spelled + " " + field.accessor + "_");
    initializers.push_back(field.storage + "(std::move(" + field.accessor + "_))");
  }
  if (parameters.empty()) return;
  if (statements.empty()) return e.header.constructor("explicit " + name + "(", parameters, initializers);
  e.header.list("explicit " + name + "(", parameters, initializers.empty() ? ") {" : ")");
  if (!initializers.empty()) e.header.list("    : ", initializers, " {");
  e.header.indent();
  for (const auto& statement : statements) e.header.line(statement);
  e.header.close("}");
}

void define_obv(Emitter& e, const model::ValueType& value) {
  const std::string name = e.names.own(value);
  std::vector<std::string> bases = {"public virtual ::" + e.names.full(value)};
  if (value.concrete_base != nullptr) bases.push_back("public virtual " + e.names.obv(*value.concrete_base));
  Writer& out = e.header;
  out.blank();
  out.line("namespace obv {");
  out.line("/// The state of " + e.names.full(value) + ", to derive implementations from.");
  out.list("class " + name + " : ", bases, " {");
  out.indent();
  out.label("public:");
  if (is_default_creatable(value)) define_constructors(e, value);
  const auto define_accessors = [&](const Field& field) {
    for (const auto& a : accessors(field)) out.line(a.head + " override { " + a.body + " }");
  };
  for_members(e, value, true, define_accessors);
  out.line("const corbel::mapping::ValueType& _value_type() const noexcept override;");
  out.line("void _encode_state(corbel::cdr::Encoder& _encoder) const override;");
  out.line("void _decode_state(corbel::cdr::Decoder& _decoder) override;");
  out.line("void _print(std::ostream& _stream) const override;");
  const bool has_private =
      std::any_of(value.state.begin(), value.state.end(), [](const auto& member) { return !member.is_public; });
  if (has_private || !is_default_creatable(value)) {
    out.blank();
    out.label("protected:");
    if (!is_default_creatable(value)) define_constructors(e, value);
    for_members(e, value, false, define_accessors);
  }
  if (!value.state.empty()) {
    out.blank();
    out.label("private:");
  }
  for (const auto& field : state_fields(e, value)) {
    out.line(field.spelled + " " + field.storage + field.initial + ";");
  }
  out.close("};");
  out.line("}  // namespace obv");
}

void emit_reference_codec(Emitter& e, const std::string& name) {
  e.header.line("template <>");
  e.header.line("struct corbel::mapping::Codec<IDL::traits<" + name + ">::ref_type>");
  e.header.line("    : corbel::mapping::ValueCodec<" + name + "> {};");
}

}  // namespace

bool is_default_creatable(const model::ValueType& value) {
  if (value.is_abstract || value.is_custom || has_methods(value)) return false;
  return std::none_of(value.ancestors.begin(), value.ancestors.end(),
                      [](const auto* base) { return base->is_custom || has_methods(*base); });
}

std::vector<Field> state_fields(const Emitter& e, const model::ValueType& value) {
  std::vector<Field> fields;
  for (const auto& member : value.state) {
    Field field{member.type, escape(member.name), "_state_" + member.name, {}, false};
    field.optional = member.optional;
    field.external = member.external;
    field.by_value = is_by_value(*member.type) && !member.optional && !member.external;
    field.spelled = spell_member(spell(*member.type, e.names), field);
    const std::string first = member.optional || member.external ? "" : default_value(e, *member.type);
    if (!std::holds_alternative<std::monostate>(member.default_value)) {
      field.initial = " = " + literal(member.default_value, *member.type, e.names);
    } else {
      field.initial = first.empty() ? "{}" : " = " + first;
    }
    fields.push_back(std::move(field));
  }
  return fields;
}

void emit_value_traits(Emitter& e, const model::ValueType& value) {
  if (value.polled != nullptr) return emit_poller_traits(e, value);
  const std::string name = e.names.global(value);
  const std::string scope = value.scope == nullptr ? "" : e.names.global(*value.scope);
  const std::string value_factory = scope + "::" + e.names.factory(value);
  std::vector<std::string> types = {name, "void", "void"};
  if (!value.is_abstract) types = {name, e.names.obv(value), value_factory};
  e.header.line("template <>");
  e.header.list("struct IDL::traits<" + name + "> : corbel::mapping::ValueTraits<", types, "> {");
  e.header.indent();
  e.header.line(std::string("using is_abstract = std::") + (value.is_abstract ? "true" : "false") + "_type;");
  e.header.line(std::string("using is_truncatable = std::") + (value.is_truncatable ? "true" : "false") + "_type;");
  e.header.close("};");
  emit_reference_codec(e, name);
}

void emit_value_box_traits(Emitter& e, const model::ValueBox& box) {
  const std::string name = e.names.global(box);
  e.header.line("template <>");
  e.header.line("struct IDL::traits<" + name + "> : corbel::mapping::ValueBoxTraits<" + name + "> {};");
  emit_reference_codec(e, name);
}

namespace {

/// Which type it is, for the library, and by the name that code for other implementations of the mapping uses.
void declare_identity(Writer& out, const model::Declaration& value) {
  out.line("static constexpr std::string_view _value_id = " + quote(value.repository_id) + ";");
  out.line("static const corbel::mapping::ValueType _static_type;");
  out.line("static std::string _repository_id() { return std::string(_value_id); }");
}

}  // namespace

void define_value(Emitter& e, const model::ValueType& value) {
  if (value.polled != nullptr) return define_poller(e, value);
  const std::string name = e.names.own(value);
  Writer& out = e.header;
  out.blank();
  out.list("class " + name + " : ", bases_of(e, value), " {");
  out.indent();
  out.label("public:");
  define_contents(e, value.contents);
  declare_identity(out, value);
  declare_aliases(out, e, value);
  if (!value.is_abstract) {
    const std::string traits = "IDL::traits<" + e.names.global(value) + ">::";
    out.line("using _obv_type = " + traits + "obv_type;");
    out.line("using _factory_type = " + traits + "factory_type;");
  }
  out.blank();
  const auto declare = [&](const Field& field) {
    for (const auto& a : accessors(field)) out.line("virtual " + a.head + " = 0;");
  };
  for_members(e, value, true, declare);
  for (const auto& method : own_methods_of(value)) {
    out.list("virtual " + spell(*method.result, e.names) + " " + method.name + "(", parameter_list(e, method, true),
             ") = 0;");
  }
  out.blank();
  out.label("protected:");
  out.line(name + "() = default;");
  for_members(e, value, false, declare);
  out.close("};");
  if (value.is_abstract) return;
  define_factory(e, value);
  define_obv(e, value);
}

void define_value_box(Emitter& e, const model::ValueBox& box) {
  const std::string name = e.names.own(box);
  const std::string content = spell(*box.boxed, e.names);
  e.header.blank();
  e.header.open("class " + name + " final : public corbel::mapping::ValueBox<" + content + "> {");
  e.header.label("public:");
  declare_identity(e.header, box);
  declare_aliases(e.header, e, box);
  e.header.blank();
  e.header.line(name + "() = default;");
  e.header.line("explicit " + name + "(" + content + " _content)");
  e.header.line("    : corbel::mapping::ValueBox<" + content + ">(std::move(_content)) {}");
  e.header.line("const corbel::mapping::ValueType& _value_type() const noexcept override;");
  e.header.line("void _encode_state(corbel::cdr::Encoder& _encoder) const override;");
  e.header.line("void _decode_state(corbel::cdr::Decoder& _decoder) override;");
  e.header.line("void _print(std::ostream& _stream) const override;");
  e.header.close("};");
  e.header.blank();
}

}  // namespace corbel::idl::back::cpp11
