// SPDX-License-Identifier: Apache-2.0
// Abstract interfaces: a class that objects' stubs and values derive from, and a stub for objects of unknown type.
#include "corbel/idl/back/cpp11/emitter.hpp"

namespace corbel::idl::back::cpp11 {

void define_abstract_interface(Emitter& e, const model::Interface& interface) {
  const std::string name = e.names.own(interface);
  std::vector<std::string> bases;
  for (const auto* base : interface.bases) bases.push_back("public virtual " + e.names.global(*base));
  if (bases.empty()) bases.push_back("public virtual CORBA::AbstractBase");
  e.header.blank();
  e.header.list("class " + name + " : ", bases, " {");
  e.header.indent();
  e.header.label("public:");
  define_contents(e, interface.contents);
  e.header.line("static constexpr std::string_view _interface_id = " + quote(interface.repository_id) + ";");
  declare_aliases(e.header, e, interface);
  e.header.blank();
  for (const auto& method : methods_of(interface)) {
    e.header.list("virtual " + spell(*method.result, e.names) + " " + method.name + "(",
                  parameter_list(e, method, true), ") = 0;");
  }
  e.header.blank();
  e.header.line("static bool _abstract_is_a(std::string_view _repository_id) noexcept;");
  e.header.line("/// The object as this interface, without asking it.");
  e.header.line("static IDL::traits<" + e.names.global(interface) + ">::ref_type _from_object(");
  e.header.line("    const IDL::traits<CORBA::Object>::ref_type& _object);");
  e.header.blank();
  e.header.label("protected:");
  e.header.line(name + "() = default;");
  e.header.close("};");
}

void implement_abstract_stub(Emitter& e, const model::Interface& interface) {
  const std::string name = e.names.own(interface);
  Writer& out = e.source;
  out.blank();
  out.line("namespace {");
  out.open("class _stub_" + name + " final : public virtual " + name + ", public virtual CORBA::Object {");
  out.label("public:");
  for (const auto& method : stub_methods_of(interface)) {
    out.function(
        {spell(*method.result, e.names) + " " + method.name + "(", parameter_list(e, method, true), ") override"},
        stub_call(e, method));
  }
  out.open("bool _static_is_a(std::string_view _repository_id) const noexcept override {");
  out.line("return _abstract_is_a(_repository_id) || CORBA::Object::_static_is_a(_repository_id);");
  out.close("}");
  out.close("};");
  out.line("}  // namespace");
}

void implement_abstract(Emitter& e, const model::Interface& interface) {
  const std::string name = e.names.own(interface);
  Writer& out = e.source;
  std::string chain = "_repository_id == _interface_id";
  for (const auto* base : interface.bases) {
    chain += " || " + e.names.global(*base) + "::_abstract_is_a(_repository_id)";
  }
  out.blank();
  out.open("bool " + name + "::_abstract_is_a(std::string_view _repository_id) noexcept {");
  out.line("return " + chain + ";");
  out.close("}");
  out.line("IDL::traits<" + e.names.global(interface) + ">::ref_type " + name + "::_from_object(");
  out.open("    const IDL::traits<CORBA::Object>::ref_type& _object) {");
  out.line("return corbel::mapping::make_abstract<" + e.names.global(interface) + ", _stub_" + name + ">(_object);");
  out.close("}");
}

}  // namespace corbel::idl::back::cpp11
