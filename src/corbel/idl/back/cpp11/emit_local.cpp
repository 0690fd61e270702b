// SPDX-License-Identifier: Apache-2.0
// What never leaves the process: local interfaces and native types.
#include <algorithm>

#include "corbel/idl/back/cpp11/emitter.hpp"

namespace corbel::idl::back::cpp11 {

using model::as;

std::string native_name(const Emitter& e, const model::Native& native) {
  const auto* interface = as<model::Interface>(native.scope);
  return (interface == nullptr ? "" : e.names.own(*interface) + "_") + e.names.own(native);
}

void emit_interface_traits(Emitter& e, const model::Interface& interface) {
  const std::string name = e.names.global(interface);
  const std::string kind = interface.is_local ? "Local" : interface.is_abstract ? "Abstract" : "Interface";
  e.header.line("template <>");
  e.header.line("struct IDL::traits<" + name + "> : corbel::mapping::" + kind + "Traits<" + name + "> {};");
  if (kind == "Interface") return;
  e.header.line("template <>");
  e.header.line("struct corbel::mapping::Codec<IDL::traits<" + name + ">::ref_type> : corbel::mapping::" + kind +
                "Codec<" + name + "> {};");
}

bool is_known_by_id(const model::Interface& interface) {
  return interface.is_local && std::all_of(interface.ancestors.begin(), interface.ancestors.end(),
                                           [](const auto* base) { return base->is_local; });
}

void define_local_interface(Emitter& e, const model::Interface& interface) {
  const std::string name = e.names.own(interface);
  std::vector<std::string> bases;
  bool local_base = false;
  for (const auto* base : interface.bases) {
    bases.push_back("public virtual " + e.names.global(*base));
    local_base |= base->is_local;
  }
  if (!local_base) bases.push_back("public virtual CORBA::LocalObject");
  e.header.blank();
  e.header.list("class " + name + " : ", bases, " {");
  e.header.indent();
  e.header.label("public:");
  define_contents(e, interface.contents);
  e.header.line("static constexpr std::string_view _interface_id = " + quote(interface.repository_id) + ";");
  declare_aliases(e.header, e, interface);
  e.header.blank();
  // Operations of bases that are not local would otherwise be those of their stubs.
  std::vector<Method> methods = methods_of(interface);
  for (const auto* base : interface.ancestors) {
    if (base->is_local) continue;
    for (auto& method : methods_of(*base)) methods.push_back(std::move(method));
  }
  const std::size_t own = methods_of(interface).size();
  for (std::size_t i = 0; i < methods.size(); ++i) {
    const Method& method = methods[i];
    e.header.list((i < own ? "virtual " : "") + spell(*method.result, e.names) + " " + method.name + "(",
                  parameter_list(e, method, true), i < own ? ") = 0;" : ") override = 0;");
  }
  e.header.blank();
  if (!is_known_by_id(interface)) {
    e.header.line("bool _static_is_a(std::string_view _repository_id) const noexcept override;");
    e.header.blank();
  }
  e.header.label("protected:");
  e.header.line(name + "() = default;");
  const std::string reference = "CORBA::object_reference<" + e.names.global(interface) + ">";
  e.header.line(reference + " _this() { return " + reference +
                "(::corbel::base::SharedFromThis::shared_from(this)); }");
  e.header.close("};");
}

}  // namespace corbel::idl::back::cpp11
