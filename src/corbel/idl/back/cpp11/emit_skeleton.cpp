// SPDX-License-Identifier: Apache-2.0
// Interfaces as servants see them: skeleton classes, ties, operation tables.
#include <algorithm>

#include "corbel/idl/back/cpp11/emitter.hpp"
#include "corbel/idl/back/cpp11/runs.hpp"

namespace corbel::idl::back::cpp11 {
namespace {

std::string shared_pointer(const Emitter& e, const model::Type& type) {
  return "std::shared_ptr<const " + spell(type, e.names) + ">";
}

/// What the servant's method returns.
std::string result_type(const Emitter& e, const Method& method) {
  return method.shared ? shared_pointer(e, *method.result) : spell(*method.result, e.names);
}

/// As parameter_list(), of the servant's method.
std::vector<std::string> servant_parameters(const Emitter& e, const Method& method, bool with_names) {
  std::vector<std::string> list = parameter_list(e, method, with_names);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const model::Parameter& p = method.parameters[i];
    if (!p.shared) continue;
    list[i] = shared_pointer(e, *p.type) + (p.direction == model::Direction::out ? "&" : "") +
              (with_names ? " " + parameter_name(p) : "");
  }
  return list;
}

std::string parameter_kind(const Emitter& e, const model::Parameter& p) {
  if (p.shared) {
    const char* const kind = p.direction == model::Direction::in ? "Shared<" : "SharedOut<";
    return std::string("corbel::mapping::") + kind + spell(*p.type, e.names) + ">";
  }
  if (std::string view = view_kind(e, p); !view.empty()) return view;
  const char* const kind = p.direction == model::Direction::in    ? "In"
                           : p.direction == model::Direction::out ? "Out"
                                                                  : "Inout";
  return std::string("corbel::mapping::") + kind + "<" + spell(*p.type, e.names) + ">";
}

/// `&Echo::echo`, or the overload that is meant.
std::string method_pointer(const Emitter& e, const Method& method, const std::string& skeleton) {
  std::string pointer = "&" + skeleton + "::" + method.name;
  if (!method.overloaded) return pointer;
  std::string parameters;
  for (const auto& p : servant_parameters(e, method, false)) parameters += (parameters.empty() ? "" : ", ") + p;
  return "static_cast<" + result_type(e, method) + " (" + skeleton + "::*)(" + parameters + ")>(" + pointer + ")";
}

/// `serve<Echo, &Echo::echo, std::string, In<std::string>>`, cut at its commas.
std::vector<std::string> serve(const Emitter& e, const model::Interface& interface, const Method& method) {
  const std::string skeleton = e.names.skeleton(interface.scope, *method.owner);
  std::vector<std::string> pieces = {"corbel::mapping::serve<" + skeleton, method_pointer(e, method, skeleton),
                                     result_type(e, method)};
  for (const auto& p : method.parameters) pieces.push_back(parameter_kind(e, p));
  pieces.back() += ">";
  return pieces;
}

/// `serve_failure<AMI_EchoHandler, &AMI_EchoHandler::echo_excep, _kEcho_told_echo>`, cut at its commas; writes the
/// list.
std::vector<std::string> serve_failure(Emitter& e, const model::Interface& interface, const Method& method,
                                       const std::vector<const model::Exception*>& raises) {
  const std::string skeleton = e.names.skeleton(interface.scope, *method.owner);
  std::vector<std::string> pieces = {"corbel::mapping::serve_failure<" + skeleton, method_pointer(e, method, skeleton)};
  if (!raises.empty()) {
    std::vector<std::string> rows;
    for (const auto* exception : raises) {
      const std::string type = e.names.global(*exception);
      rows.push_back("{" + type + "::_id, &corbel::mapping::decode_and_throw<" + type + ">}");
    }
    pieces.push_back(e.constant(interface, "_told_" + method.wire_name));
    e.server_source.list("constexpr corbel::corba::ExceptionType " + pieces.back() + "[] = {", rows, "};");
  }
  pieces.back() += ">";
  return pieces;
}

/// A row of the operation table, cut at its commas.
std::vector<std::string> table_row(Emitter& e, const model::Interface& interface, const Method& method) {
  std::vector<std::string> row =
      method.tells == nullptr ? serve(e, interface, method) : serve_failure(e, interface, method, *method.tells);
  row.front() = "&" + row.front();
  if (method.owner != &interface) {
    row.insert(row.begin(), {"&corbel::mapping::inherited<" + e.names.own(interface),
                             e.names.skeleton(interface.scope, *method.owner)});
    row.back() += ">";
  }
  row.insert(row.begin(), quote(called_name(e, method)));
  return row;
}

/// `constexpr std::string_view _kEcho_lists_echo[] = {...};` if the method raises anything; its name, or nothing.
std::string emit_raises(Emitter& e, const model::Interface& interface, const Method& method) {
  if (method.raises->empty()) return {};
  const std::string& constant = e.constant(interface, "_lists_" + method.wire_name);
  std::vector<std::string> ids;
  for (const auto* exception : *method.raises) ids.push_back(e.names.global(*exception) + "::_id");
  e.server_source.list("constexpr std::string_view " + constant + "[] = {", ids, "};");
  return constant;
}

/// Not "Echo_tie", which may be an interface, too.
std::string tie_name(const Emitter& e, const model::Interface& interface) {
  return "_tie_" + e.names.own(interface);
}

void define_tie(Emitter& e, const model::Interface& interface) {
  const std::string name = e.names.own(interface);
  Writer& out = e.server_header;
  out.blank();
  out.line("/// Delegates to an object that need not derive from anything (see CORBA::servant_traits<" +
           e.names.full(interface) + ">::tie_type).");
  out.line("template <class _tied_type>");
  out.open("class " + tie_name(e, interface) + " : public " + name + " {");
  out.label("public:");
  out.line("template <class _owner_type>");
  out.line("explicit " + tie_name(e, interface) + "(_owner_type _object,");
  out.line("    CORBA::object_reference<PortableServer::POA> _poa = nullptr)");
  out.line("    : _tied(std::move(_object), std::move(_poa)) {}");
  out.line("std::shared_ptr<_tied_type> _tied_object() const { return _tied.object(); }");
  out.line("void _tied_object(std::shared_ptr<_tied_type> _object) { _tied.object(std::move(_object)); }");
  out.line("CORBA::object_reference<PortableServer::POA> _default_POA() override { return _tied.adapter(*this); }");
  for (const auto& method : all_methods_of(interface)) {
    std::vector<std::string> names;
    for (const auto& p : method.parameters)
      names.push_back(p.shared && p.direction == model::Direction::in ? "std::move(" + parameter_name(p) + ")"
                                                                      : parameter_name(p));
    const bool is_void = method.result->kind == model::TypeKind::void_;
    out.function({result_type(e, method) + " " + method.name + "(", servant_parameters(e, method, true), ") override"},
                 {std::string(is_void ? "" : "return ") + "_tied->" + method.name + "(", names, ");"});
  }
  out.blank();
  out.label("private:");
  out.line("corbel::mapping::Tied<_tied_type> _tied;");
  out.close("};");
}

/// Whether a base's skeleton declares the method of an abstract interface as well.
bool is_inherited(const model::Interface& interface, const Method& method) {
  return method.adopted != nullptr &&
         std::any_of(interface.ancestors.begin(), interface.ancestors.end(), [&](const auto* base) {
           return !base->is_abstract &&
                  std::find(base->ancestors.begin(), base->ancestors.end(), method.adopted) != base->ancestors.end();
         });
}

}  // namespace

namespace {

/// Oneways have no replies. Code for implementations that expect handlers for them overrides what is never called.
void declare_needless_handlers(Emitter& e, const model::Interface& handler) {
  if (handler.answered == nullptr) return;
  for (const auto& method : methods_of(*handler.answered)) {
    if (!method.oneway) continue;
    const auto& names = handler.answered->async_names.at(method.wire_name);
    e.server_header.line("virtual void " + escape(names.reply) + "() {}");
    e.server_header.line("virtual void " + escape(names.fail) +
                         "(IDL::traits<::Messaging::ExceptionHolder>::ref_type) {}");
  }
}

}  // namespace

void define_skeleton(Emitter& e, const model::Interface& interface) {
  const std::string name = e.names.own(interface);
  const std::string reference = "IDL::traits<" + e.names.global(interface) + ">::ref_type";
  Writer& out = e.server_header;
  std::vector<std::string> bases;
  for (const auto* base : interface.bases) {
    if (!base->is_abstract) bases.push_back("public virtual " + e.names.skeleton(interface.scope, *base));
  }
  if (bases.empty()) bases.push_back("public virtual PortableServer::Servant");
  out.blank();
  out.list("class " + name + " : ", bases, " {");
  out.indent();
  out.label("public:");
  for (const auto& method : stub_methods_of(interface)) {
    const bool again = is_inherited(interface, method);
    out.list((again ? "" : "virtual ") + result_type(e, method) + " " + method.name + "(",
             servant_parameters(e, method, true), again ? ") override = 0;" : ") = 0;");
  }
  declare_needless_handlers(e, interface);
  out.blank();
  out.line("using _ref_type = CORBA::servant_reference<" + name + ">;");
  out.line(reference + " _this();");
  out.line("bool _dispatch(corbel::corba::ServerCall& _call) override;");
  out.line("std::span<const std::string_view> _interface_ids() const noexcept override;");
  out.blank();
  out.label("protected:");
  out.line(name + "() = default;");
  out.close("};");
  define_tie(e, interface);
}

void emit_servant_traits(Emitter& e, const model::Interface& interface) {
  const std::string skeleton = e.names.skeleton(interface);
  Writer& out = e.server_header;
  out.line("template <>");
  out.open("struct CORBA::servant_traits<" + e.names.global(interface) + "> : corbel::mapping::ServantTraits<" +
           skeleton + "> {");
  out.line("template <class _tied_type>");
  out.line("using tie_type = ::" + e.names.skeleton_namespace(interface.scope) + "::" + tie_name(e, interface) +
           "<_tied_type>;");
  out.close("};");
}

void emit_value_skeleton(Emitter& e, const model::ValueType& value) {
  const std::string space = e.names.skeleton_namespace(value.scope);
  const std::string name = e.names.own(value);
  std::vector<std::string> bases = {"public virtual " + e.names.global(value)};
  for (const auto* base : value.bases) {
    if (is_served_value(*base)) bases.push_back("public virtual " + e.names.skeleton(value.scope, *base));
  }
  for (const auto* interface : value.supports) {
    if (is_served(*interface)) bases.push_back("public virtual " + e.names.skeleton(value.scope, *interface));
  }
  Writer& out = e.server_header;
  out.blank();
  out.line("namespace " + space + " {");
  out.blank();
  out.line("/// A value that is a servant of the interface that it supports, too.");
  out.list("class " + name + " : ", bases, " {");
  out.indent();
  out.label("public:");
  out.line("using _ref_type = CORBA::servant_reference<" + name + ">;");
  out.blank();
  out.label("protected:");
  out.line(name + "() = default;");
  out.close("};");
  out.blank();
  out.line("}  // namespace " + space);
  out.line("template <>");
  out.line("struct CORBA::servant_traits<" + e.names.global(value) + "> : corbel::mapping::ServantTraits<" +
           e.names.skeleton(value) + "> {};");
}

void emit_operation_table(Emitter& e, const model::Interface& interface) {
  const std::string name = e.names.own(interface);
  Writer& out = e.server_source;
  out.blank();
  std::vector<std::vector<std::string>> rows;
  for (const auto& method : all_methods_of(interface)) {
    rows.push_back(table_row(e, interface, method));
    const std::string raises = emit_raises(e, interface, method);
    rows.back().push_back(raises.empty() ? "{}" : raises);
    rows.back().push_back(e.signatures.of(method));
  }
  if (!rows.empty()) {
    const std::string& operations = e.constant(interface, "_operations");
    out.line("constexpr corbel::mapping::OperationEntry<" + name + "> " + operations + "[] = {");
    for (const auto& row : rows) out.list("    {", row, "},");
    out.line("};");
    out.line("constexpr " + (operations_type(e) + (" " + e.constant(interface, "_table"))) + "(" + operations + ");");
  }
  std::vector<std::string> ids = {e.names.global(interface) + "::_interface_id"};
  for (const auto* base : interface.ancestors) ids.push_back(e.names.global(*base) + "::_interface_id");
  ids.push_back("\"IDL:omg.org/CORBA/Object:1.0\"");
  out.list("constexpr std::string_view " + e.constant(interface, "_ids") + "[] = {", ids, "};");
}

void implement_skeleton(Emitter& e, const model::Interface& interface) {
  const std::string name = e.names.own(interface);
  const std::string traits = "IDL::traits<" + e.names.global(interface) + ">";
  Writer& out = e.server_source;
  out.blank();
  out.function({traits + "::ref_type " + name + "::_this()", {}, ""},
               {"return " + traits + "::unchecked_narrow(_this_object());", {}, ""});
  if (all_methods_of(interface).empty()) {
    out.line("bool " + name + "::_dispatch(corbel::corba::ServerCall&) { return false; }");
  } else {
    out.function({"bool " + name + "::_dispatch(corbel::corba::ServerCall& _call)", {}, ""},
                 {"return corbel::mapping::dispatch(" + e.constant(interface, "_table") + ", *this, _call);", {}, ""});
  }
  out.line("std::span<const std::string_view> " + name + "::_interface_ids() const noexcept { return " +
           e.constant(interface, "_ids") + "; }");
}

}  // namespace corbel::idl::back::cpp11
