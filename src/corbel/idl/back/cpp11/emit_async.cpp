// SPDX-License-Identifier: Apache-2.0
// Asynchronous forms of an interface's operations: sendc_ with a reply handler, sendp_ with a poller, async_ with a
// future.
#include "corbel/idl/back/cpp11/emitter.hpp"
#include "corbel/idl/back/cpp11/runs.hpp"

namespace corbel::idl::back::cpp11 {
namespace {

std::string kind(const model::Parameter& p) {
  return p.direction == model::Direction::in ? "In" : p.direction == model::Direction::out ? "Out" : "Inout";
}

/// The method with only the parameters that go out, all of them as in.
Method request_of(Method method) {
  std::erase_if(method.parameters, [](const auto& p) { return p.direction == model::Direction::out; });
  for (auto& p : method.parameters) p.direction = model::Direction::in;
  return method;
}

/// `std::int32_t, corbel::mapping::In<std::string>`, for the templates of corbel::mapping.
std::vector<std::string> signature(const Emitter& e, const Method& method) {
  std::vector<std::string> types = {spell(*method.result, e.names)};
  for (const auto& p : method.parameters) {
    const std::string view = view_kind(e, p);
    types.push_back(view.empty() ? "corbel::mapping::" + kind(p) + "<" + spell(*p.type, e.names) + ">" : view);
  }
  return types;
}

/// What comes back.
std::vector<std::string> result_types(const Emitter& e, const Method& method) {
  std::vector<std::string> types;
  if (method.result->kind != model::TypeKind::void_) types.push_back(spell(*method.result, e.names));
  for (const auto& p : method.parameters) {
    if (p.direction != model::Direction::in) types.push_back(spell(*p.type, e.names));
  }
  return types;
}

/// What the future gives.
std::string future_type(const Emitter& e, const Method& method) {
  const auto types = result_types(e, method);
  if (types.empty()) return "corbel::Future<void>";
  if (types.size() == 1) return "corbel::Future<" + types.front() + ">";
  std::string all;
  for (const auto& type : types) all += (all.empty() ? "" : ", ") + type;
  return "corbel::Future<std::tuple<" + all + ">>";
}

/// Null if the method has no form with a handler.
const model::Interface* handler_for(const model::Interface& interface, const Method& method) {
  const model::Interface* handler = interface.reply_handler;
  if (handler == nullptr || method.oneway) return nullptr;
  return interface.async_names.at(method.wire_name).handled ? handler : nullptr;
}

std::vector<std::string> send_parameters(const Emitter& e, const Method& method, const model::Interface& handler) {
  auto parameters = parameter_list(e, request_of(method), true);
  parameters.insert(parameters.begin(), "IDL::traits<" + e.names.global(handler) + ">::ref_type _ami_handler");
  return parameters;
}

bool has_poller(const model::Interface& interface, const Method& method) {
  return interface.poller != nullptr && handler_for(interface, method) != nullptr;
}

std::string poller_type(const Emitter& e, const model::Interface& interface) {
  return "IDL::traits<" + e.names.global(*interface.poller) + ">::ref_type";
}

bool has_future(const Emitter& e, const Method& method) {
  return e.futures && !method.oneway && !method.owner->is_implied;
}

std::string future_name(const model::Interface& interface, const Method& method) {
  return interface.async_names.at(method.wire_name).future;
}

/// The statement `head<signature>(*this, _kEcho_echo, arguments);`.
Writer::Piece statement(Emitter& e, const Method& method, std::string head, std::vector<std::string> pieces,
                        const char* handler) {
  for (auto& type : signature(e, method)) pieces.push_back(std::move(type));
  pieces.back() += ">(*this";
  pieces.push_back(operation_constant(e, method));
  if (handler != nullptr) pieces.emplace_back(handler);
  for (const auto& p : request_of(method).parameters) pieces.push_back(parameter_name(p));
  return {std::move(head), std::move(pieces), ");"};
}

void implement_polled(Emitter& e, const model::Interface& interface, const Method& method) {
  const model::AsyncNames& names = interface.async_names.at(method.wire_name);
  const std::string handler = e.names.global(*interface.reply_handler);
  e.source.function({poller_type(e, interface) + " " + e.names.own(interface) + "::" + names.polled + "(",
                     parameter_list(e, request_of(method), true), ")"},
                    statement(e, method, "return corbel::mapping::send_polled<",
                              {e.names.global(*interface.poller), "&" + handler + "::" + escape(names.reply),
                               "&" + handler + "::" + escape(names.fail), handler},
                              nullptr));
}

}  // namespace

bool has_several_results(const Emitter& e) {
  bool found = false;
  for_each_own(e.model, [&](const auto& d) {
    const auto* interface = model::as<model::Interface>(&d);
    if (interface == nullptr) return;
    for (const auto& method : methods_of(*interface)) {
      found |= has_future(e, method) && result_types(e, method).size() > 1;
    }
  });
  return found;
}

void declare_async_methods(Emitter& e, const model::Interface& interface) {
  for (const auto& method : methods_of(interface)) {
    if (const auto* handler = handler_for(interface, method)) {
      e.header.list("void " + interface.async_names.at(method.wire_name).send + "(",
                    send_parameters(e, method, *handler), ");");
    }
    if (has_poller(interface, method)) {
      e.header.list(poller_type(e, interface) + " " + interface.async_names.at(method.wire_name).polled + "(",
                    parameter_list(e, request_of(method), true), ");");
    }
    if (has_future(e, method)) {
      e.header.list(future_type(e, method) + " " + future_name(interface, method) + "(",
                    parameter_list(e, request_of(method), true), ");");
    }
  }
}

void implement_async_methods(Emitter& e, const model::Interface& interface) {
  const std::string name = e.names.own(interface);
  for (const auto& method : methods_of(interface)) {
    if (const auto* handler = handler_for(interface, method)) {
      const model::AsyncNames& names = interface.async_names.at(method.wire_name);
      const std::string type = e.names.global(*handler);
      e.source.function(
          {"void " + name + "::" + names.send + "(", send_parameters(e, method, *handler), ")"},
          statement(e, method, "corbel::mapping::send_call<",
                    {"&" + type + "::" + escape(names.reply), "&" + type + "::" + escape(names.fail)}, "_ami_handler"));
    }
    if (has_poller(interface, method)) implement_polled(e, interface, method);
    if (has_future(e, method)) {
      e.source.function({future_type(e, method) + " " + name + "::" + future_name(interface, method) + "(",
                         parameter_list(e, request_of(method), true), ")"},
                        statement(e, method, "return corbel::mapping::call_async<", {}, nullptr));
    }
  }
}

void emit_amic_traits(Emitter& e, const model::Interface& interface) {
  const model::Interface* handler = interface.reply_handler;
  if (handler == nullptr) return;
  e.header.line("template <>");
  e.header.list("struct CORBA::amic_traits<" + e.names.global(interface) + "> : corbel::mapping::AmicTraits<",
                {e.names.global(interface), e.names.global(*handler), e.names.skeleton(*handler)}, "> {};");
}

}  // namespace corbel::idl::back::cpp11
