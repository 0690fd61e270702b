// SPDX-License-Identifier: Apache-2.0
// Interfaces as clients see them: stub classes and their operation descriptors.
#include <algorithm>

#include "corbel/idl/back/cpp11/emitter.hpp"

namespace corbel::idl::back::cpp11 {
namespace {

using model::as;

void declare_methods(Emitter& e, const model::Interface& interface) {
  for (const auto& method : stub_methods_of(interface)) {
    const bool adopted = method.adopted != nullptr;
    e.header.list((adopted ? "" : "virtual ") + spell(*method.result, e.names) + " " + method.name + "(",
                  parameter_list(e, method, true), adopted ? ") override;" : ");");
  }
}

/// The one of the implied IDL, which has no repository id: no IDL file declares it.
bool is_exception_holder(const model::Type& type) {
  const auto* value = as<model::ValueType>(resolve(type).declaration);
  return value != nullptr && value->repository_id.empty() && scoped_name(*value) == "Messaging::ExceptionHolder";
}

}  // namespace

const std::string& operation_constant(Emitter& e, const Method& method) {
  return e.constant(*method.owner, method.wire_name);
}

std::string called_name(const Emitter& e, const Method& method) {
  if (e.dispatch != Dispatch::indexed || method.owner == nullptr || method.owner->is_abstract) return method.wire_name;
  std::size_t number = 0;  // those of the bases come first, so that derived skeletons find them under the same numbers
  for (const auto* base : method.owner->ancestors) {
    if (!base->is_abstract) number += stub_methods_of(*base).size();
  }
  return std::to_string(number + place_of(stub_methods_of, *method.owner, method));
}

const char* operations_type(const Emitter& e) {
  switch (e.dispatch) {
    case Dispatch::linear:
      return "corbel::mapping::LinearOperations";
    case Dispatch::indexed:
      return "corbel::mapping::IndexedOperations";
    case Dispatch::hashed:
      break;
  }
  return "corbel::mapping::OperationTable";
}

std::string view_kind(const Emitter& e, const model::Parameter& p) {
  const std::string view = view_type(p, e.names);
  if (view.empty()) return {};
  const std::uint64_t bound = resolve(*p.type).bound;
  return "corbel::mapping::View<" + view + (bound == 0 ? "" : ", " + std::to_string(bound)) + ">";
}

std::string parameter_name(const model::Parameter& p) {
  return escape(p.name);
}

std::vector<std::string> parameter_list(const Emitter& e, const Method& method, bool with_names) {
  std::vector<std::string> list;
  for (const auto& p : method.parameters) {
    list.push_back(parameter(p, e.names) + (with_names ? " " + parameter_name(p) : ""));
  }
  return list;
}

std::vector<Method> methods_of(const model::Interface& interface) {
  return methods_in(interface.contents, &interface);
}

std::vector<Method> methods_in(const model::Contents& contents, const model::Interface* interface) {
  static const model::Type kVoid{model::TypeKind::void_, 0, nullptr, {}, nullptr};
  std::vector<Method> methods;
  for (const auto* declaration : contents) {
    if (const auto* operation = as<model::Operation>(declaration)) {
      methods.push_back({operation->name, escape(operation->name), operation->result, operation->parameters,
                         &operation->raises, operation->oneway, false, interface, !operation->contexts.empty(),
                         operation->shared, operation->tells});
    } else if (const auto* attribute = as<model::Attribute>(declaration)) {
      const std::string name = escape(attribute->name);
      methods.push_back({"_get_" + attribute->name,
                         name,
                         attribute->type,
                         {},
                         &attribute->get_raises,
                         false,
                         !attribute->readonly,
                         interface});
      if (attribute->readonly) continue;
      methods.push_back({"_set_" + attribute->name,
                         name,
                         &kVoid,
                         {{model::Direction::in, "_value", attribute->type, {}}},
                         &attribute->set_raises,
                         false,
                         true,
                         interface});
    }
  }
  for (std::size_t i = 0; i < methods.size(); ++i) methods[i].place = i;
  return methods;
}

std::vector<Method> stub_methods_of(const model::Interface& interface) {
  std::vector<Method> methods = methods_of(interface);
  for (const auto* base : interface.ancestors) {
    if (!base->is_abstract) continue;
    for (auto& method : methods_of(*base)) {
      method.owner = &interface;
      method.adopted = base;
      methods.push_back(std::move(method));
    }
  }
  return methods;
}

std::size_t place_of(std::vector<Method> (*methods_of_one)(const model::Interface&), const model::Interface& one,
                     const Method& method) {
  if (method.adopted == nullptr) return method.place;  // what comes from abstract interfaces is behind the others
  const std::vector<Method> all = methods_of_one(one);
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& m) { return m.wire_name == method.wire_name; });
  return static_cast<std::size_t>(found - all.begin());
}

std::vector<Method> all_methods_of(const model::Interface& interface) {
  std::vector<Method> methods = stub_methods_of(interface);
  for (const auto* base : interface.ancestors) {
    if (base->is_abstract) continue;
    auto inherited = methods_of(*base);
    std::move(inherited.begin(), inherited.end(), std::back_inserter(methods));
  }
  return methods;
}

void declare_aliases(Writer& out, const Emitter& e, const model::Declaration& declaration) {
  out.line("using _traits_type = IDL::traits<" + e.names.global(declaration) + ">;");
  for (const char* name : {"ref_type", "weak_ref_type"}) {
    out.line("using _" + std::string(name) + " = IDL::traits<" + e.names.global(declaration) + ">::" + name + ";");
  }
}

void define_interface(Emitter& e, const model::Interface& interface) {
  const std::string name = e.names.own(interface);
  std::vector<std::string> bases;
  bool is_object = false;
  for (const auto* base : interface.bases) {
    bases.push_back("public virtual " + e.names.global(*base));
    is_object |= !base->is_abstract;
  }
  if (!is_object) bases.push_back("public virtual CORBA::Object");
  e.header.blank();
  e.header.list("class " + name + " : ", bases, " {");
  e.header.indent();
  e.header.label("public:");
  define_contents(e, interface.contents);
  e.header.line("static constexpr std::string_view _interface_id = " + quote(interface.repository_id) + ";");
  declare_aliases(e.header, e, interface);
  e.header.blank();
  declare_methods(e, interface);
  declare_async_methods(e, interface);
  e.header.blank();
  e.header.line("bool _static_is_a(std::string_view _repository_id) const noexcept override;");
  e.header.blank();
  e.header.label("protected:");
  e.header.line(name + "() = default;");
  e.header.close("};");
}

void declare_operations(Emitter& e, const model::Interface& interface) {
  for (const auto& method : stub_methods_of(interface)) {
    const std::string constant = operation_constant(e, method);
    std::vector<std::string> rows;
    for (const auto* exception : *method.raises) {
      const std::string type = e.names.global(*exception);
      rows.push_back("{" + type + "::_id, &corbel::mapping::decode_and_throw<" + type + ">}");
    }
    const std::string raises = rows.empty() ? "{}" : e.constant(*method.owner, "_raises_" + method.wire_name);
    if (!rows.empty()) e.source.list("constexpr corbel::corba::ExceptionType " + raises + "[] = {", rows, "};");
    bool copies = e.layouts.has_value(*method.result);
    // An ExceptionHolder is never changed, so both sides may have the same.
    for (const auto& p : method.parameters) copies |= e.layouts.has_value(*p.type) && !is_exception_holder(*p.type);
    e.source.list("constexpr corbel::corba::Operation " + constant + "{",
                  {quote(called_name(e, method)), method.oneway ? "true" : "false", raises, copies ? "true" : "false",
                   e.signatures.of(method)},
                  "};");
  }
}

Writer::Piece stub_call(Emitter& e, const Method& method) {
  std::vector<std::string> arguments = {"*this", operation_constant(e, method)};
  for (const auto& p : method.parameters) {
    const char* const direction = p.direction == model::Direction::in    ? "in"
                                  : p.direction == model::Direction::out ? "out"
                                                                         : "inout";
    const std::string view = view_kind(e, p);
    arguments.push_back(view.empty() ? std::string("corbel::mapping::") + direction + "(" + parameter_name(p) + ")"
                                     : view + "{" + parameter_name(p) + "}");
  }
  if (method.context) arguments.push_back("corbel::mapping::EmptyContext{}");
  const bool is_void = method.result->kind == model::TypeKind::void_;
  return {
      (is_void ? "corbel::mapping::call<" : "return corbel::mapping::call<") + spell(*method.result, e.names) + ">(",
      arguments, ");"};
}

void implement_stub(Emitter& e, const model::Interface& interface) {
  const std::string name = e.names.own(interface);
  e.source.blank();
  for (const auto& method : stub_methods_of(interface)) {
    const std::string result = spell(*method.result, e.names);
    e.source.function({result + " " + name + "::" + method.name + "(", parameter_list(e, method, true), ")"},
                      stub_call(e, method));
  }
  implement_async_methods(e, interface);
  implement_is_a(e, interface);
}

void implement_is_a(Emitter& e, const model::Interface& interface) {
  const std::string name = e.names.own(interface);
  std::string chain = "_repository_id == _interface_id";
  bool is_object = false;
  for (const auto* base : interface.bases) {
    chain +=
        " || " + e.names.global(*base) + (base->is_abstract ? "::_abstract" : "::_static") + "_is_a(_repository_id)";
    is_object |= !base->is_abstract;
  }
  if (!is_object) chain += " || CORBA::Object::_static_is_a(_repository_id)";
  e.source.line("bool " + name + "::_static_is_a(std::string_view _repository_id) const noexcept {");
  e.source.line("  return " + chain + ";");
  e.source.line("}");
}

}  // namespace corbel::idl::back::cpp11
