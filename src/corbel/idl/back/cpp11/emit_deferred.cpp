// SPDX-License-Identifier: Apache-2.0
// Interfaces as servants see them that answer later: response handlers, skeleton classes, operation tables.
#include <algorithm>

#include "corbel/idl/back/cpp11/emitter.hpp"

namespace corbel::idl::back::cpp11 {
namespace {

/// A class beside the skeleton: "A::POA::_amh_Echo" of "A::POA::Echo".
std::string beside(const std::string& skeleton, const char* prefix) {
  const std::size_t colons = skeleton.rfind("::");
  const std::size_t name = colons == std::string::npos ? 0 : colons + 2;
  return skeleton.substr(0, name) + prefix + skeleton.substr(name);
}

std::string deferring(const Emitter& e, const model::Declaration* scope, const model::Interface& interface) {
  return beside(e.names.skeleton(scope, interface), "_amh_");
}
std::string handler(const Emitter& e, const model::Declaration* scope, const model::Interface& interface) {
  return beside(e.names.skeleton(scope, interface), "_answer_");
}

/// The interface whose skeleton declares the method: that of an abstract interface is a base's, if it has adopted it.
const model::Interface& declarer_of(const model::Interface& interface, const Method& method) {
  if (method.adopted == nullptr) return *method.owner;
  for (const auto* base : interface.ancestors) {
    const auto& above = base->ancestors;
    if (!base->is_abstract && std::find(above.begin(), above.end(), method.adopted) != above.end())
      return declarer_of(*base, method);
  }
  return interface;
}

const model::AsyncNames& names_of(const Method& method) {
  const model::Interface& interface = method.adopted != nullptr ? *method.adopted : *method.owner;
  return interface.async_names.at(method.wire_name);
}

/// Those that the interface's skeleton declares.
std::vector<Method> declared_methods_of(const model::Interface& interface) {
  std::vector<Method> methods = stub_methods_of(interface);
  std::erase_if(methods, [&](const auto& method) { return &declarer_of(interface, method) != &interface; });
  return methods;
}

/// Which of its interface's it is, for the handler.
std::string number_of(const model::Interface& declarer, const Method& method) {
  return std::to_string(place_of(declared_methods_of, declarer, method));
}

std::vector<std::string> incoming_types(const Emitter& e, const Method& method) {
  std::vector<std::string> types;
  for (const auto& p : method.parameters) {
    if (p.direction != model::Direction::out) types.push_back(spell(*p.type, e.names));
  }
  return types;
}

/// What the servant's method takes: the handler, and arguments that become its own.
std::vector<std::string> servant_parameters(const Emitter& e, const Method& method, const std::string& handler_type,
                                            bool with_names) {
  std::vector<std::string> list = {"corbel::base::SharedPtr<" + handler_type + ">" +
                                   (with_names ? " _response_handler" : "")};
  for (const auto& p : method.parameters) {
    if (p.direction == model::Direction::out) continue;
    list.push_back(spell(*p.type, e.names) + (with_names ? " " + parameter_name(p) : ""));
  }
  return list;
}

/// What comes back, as parameters of the handler's function.
Method answer_of(Method method) {
  std::erase_if(method.parameters, [](const auto& p) { return p.direction == model::Direction::in; });
  if (method.result->kind != model::TypeKind::void_)
    method.parameters.insert(method.parameters.begin(), {model::Direction::in, "_result", method.result, {}});
  for (auto& p : method.parameters) {
    p.direction = model::Direction::in;
    p.view = p.shared = false;
  }
  return method;
}

void define_handler(Emitter& e, const model::Interface& interface) {
  const std::string name = handler(e, interface.scope, interface);
  Writer& out = e.server_header;
  out.blank();
  out.line("/// The answer to a request (see CORBA::amh_traits<" + e.names.full(interface) +
           ">::response_handler_type).");
  out.open("class " + name + " final : public corbel::mapping::ResponseHandler {");
  out.label("public:");
  out.line("/// For the skeleton.");
  out.line("explicit " + name + "(corbel::mapping::Deferred _request)");
  out.line("    : corbel::mapping::ResponseHandler(std::move(_request)) {}");
  const auto methods = declared_methods_of(interface);
  for (const auto& method : methods) {
    if (method.oneway) continue;
    const std::string number = number_of(interface, method);
    const Method answer = answer_of(method);
    std::string types;
    std::vector<std::string> values = {number};
    for (const auto& p : answer.parameters) {
      types += (types.empty() ? "" : ", ") + spell(*p.type, e.names);
      values.push_back(parameter_name(p));
    }
    out.function({"void " + escape(names_of(method).reply) + "(", parameter_list(e, answer, true), ")"},
                 {"_reply<" + types + ">(", values, ");"});
    out.line("template <class _exception_type>");
    out.function({"void " + escape(names_of(method).fail) + "(", {"const _exception_type& _exception"}, ")"},
                 {"_raise(", {number, "_exception"}, ");"});
  }
  out.close("};");
}

/// `&corbel::mapping::serve_deferred<Echo, Handler, &Echo::echo, 0, std::string>`, cut at its commas.
std::vector<std::string> serve(const Emitter& e, const model::Interface& interface, const Method& method,
                               const model::Interface& declarer) {
  const std::string skeleton = deferring(e, interface.scope, declarer);
  const std::string pointer = "&" + skeleton + "::" + method.name;
  std::string parameters;
  if (method.oneway) {
    for (const auto& p : parameter_list(e, method, false)) parameters += (parameters.empty() ? "" : ", ") + p;
  } else {
    for (const auto& p : servant_parameters(e, method, handler(e, interface.scope, declarer), false))
      parameters += (parameters.empty() ? "" : ", ") + p;
  }
  const std::string meant =
      method.overloaded ? "static_cast<void (" + skeleton + "::*)(" + parameters + ")>(" + pointer + ")" : pointer;
  std::vector<std::string> pieces;
  if (method.oneway) {
    pieces = {"&corbel::mapping::serve<" + skeleton, meant, spell(*method.result, e.names)};
    for (const auto& p : method.parameters) {
      const std::string view = view_kind(e, p);
      pieces.push_back(view.empty() ? "corbel::mapping::In<" + spell(*p.type, e.names) + ">" : view);
    }
  } else {
    pieces = {"&corbel::mapping::serve_deferred<" + skeleton, handler(e, interface.scope, declarer), meant,
              number_of(declarer, method)};
    for (auto& type : incoming_types(e, method)) pieces.push_back(std::move(type));
  }
  pieces.back() += ">";
  return pieces;
}

}  // namespace

void define_deferring_skeleton(Emitter& e, const model::Interface& interface) {
  define_handler(e, interface);
  const std::string name = deferring(e, interface.scope, interface);
  Writer& out = e.server_header;
  std::vector<std::string> bases;
  for (const auto* base : interface.bases) {
    if (!base->is_abstract) bases.push_back("public virtual " + deferring(e, interface.scope, *base));
  }
  if (bases.empty()) bases.push_back("public virtual PortableServer::Servant");
  out.blank();
  out.line("/// Base of servants that answer later (see CORBA::amh_traits<" + e.names.full(interface) +
           ">::base_type).");
  out.list("class " + name + " : ", bases, " {");
  out.indent();
  out.label("public:");
  for (const auto& method : declared_methods_of(interface)) {
    if (method.oneway) {
      out.list("virtual void " + method.name + "(", parameter_list(e, method, true), ") = 0;");
    } else {
      const std::string answer = handler(e, interface.scope, interface);
      out.list("virtual void " + method.name + "(", servant_parameters(e, method, answer, true), ") = 0;");
    }
  }
  out.blank();
  out.line("IDL::traits<" + e.names.global(interface) + ">::ref_type _this();");
  out.line("bool _dispatch(corbel::corba::ServerCall& _call) override;");
  out.line("std::span<const std::string_view> _interface_ids() const noexcept override;");
  out.blank();
  out.label("protected:");
  out.line(name + "() = default;");
  out.close("};");
}

void emit_amh_traits(Emitter& e, const model::Interface& interface) {
  const std::string skeleton = e.names.skeleton(interface);
  Writer& out = e.server_header;
  out.line("template <>");
  out.list("struct CORBA::amh_traits<" + e.names.global(interface) + "> : corbel::mapping::AmhTraits<",
           {beside(skeleton, "_amh_"), beside(skeleton, "_answer_")}, "> {};");
}

void emit_deferred_operation_table(Emitter& e, const model::Interface& interface) {
  const std::string name = deferring(e, interface.scope, interface);
  std::vector<std::vector<std::string>> rows;
  for (const auto& method : all_methods_of(interface)) {
    const model::Interface& declarer = method.owner == &interface ? declarer_of(interface, method) : *method.owner;
    std::vector<std::string> row = serve(e, interface, method, declarer);
    if (&declarer != &interface) {
      row.insert(row.begin(), {"&corbel::mapping::inherited<" + name, deferring(e, interface.scope, declarer)});
      row.back() += ">";
    }
    row.insert(row.begin(), quote(called_name(e, method)));
    row.push_back(method.raises->empty() ? "{}" : e.constant(interface, "_lists_" + method.wire_name));
    rows.push_back(std::move(row));
  }
  if (rows.empty()) return;
  Writer& out = e.server_source;
  const std::string& operations = e.constant(interface, "_amh_operations");
  out.line("constexpr corbel::mapping::OperationEntry<" + name + "> " + operations + "[] = {");
  for (const auto& row : rows) out.list("    {", row, "},");
  out.line("};");
  out.line("constexpr " + (operations_type(e) + (" " + e.constant(interface, "_amh_table"))) + "(" + operations + ");");
}

void implement_deferring_skeleton(Emitter& e, const model::Interface& interface) {
  const std::string name = deferring(e, interface.scope, interface);
  const std::string traits = "IDL::traits<" + e.names.global(interface) + ">";
  Writer& out = e.server_source;
  out.blank();
  out.function({traits + "::ref_type " + name + "::_this()", {}, ""},
               {"return " + traits + "::unchecked_narrow(_this_object());", {}, ""});
  if (all_methods_of(interface).empty()) {
    out.line("bool " + name + "::_dispatch(corbel::corba::ServerCall&) { return false; }");
  } else {
    out.function(
        {"bool " + name + "::_dispatch(corbel::corba::ServerCall& _call)", {}, ""},
        {"return corbel::mapping::dispatch(" + e.constant(interface, "_amh_table") + ", *this, _call);", {}, ""});
  }
  out.line("std::span<const std::string_view> " + name + "::_interface_ids() const noexcept { return " +
           e.constant(interface, "_ids") + "; }");
}

}  // namespace corbel::idl::back::cpp11
