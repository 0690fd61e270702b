// SPDX-License-Identifier: Apache-2.0
// Implied pollers: what a sendp_ operation returns.
#include <map>

#include "corbel/idl/back/cpp11/emitter.hpp"

namespace corbel::idl::back::cpp11 {
namespace {

/// Its operations, as the pass has made them.
std::vector<Method> polls_of(const model::ValueType& poller) {
  return methods_in(poller.contents, nullptr);
}

/// The methods of the interface whose replies its operations have, by their names.
std::map<std::string, Method> polled_by(const model::ValueType& poller) {
  std::map<std::string, Method> methods;
  for (const auto& method : methods_of(*poller.polled))
    methods.emplace(poller.polled->async_names.at(method.wire_name).poll, method);
  return methods;
}

}  // namespace

void emit_poller_traits(Emitter& e, const model::ValueType& poller) {
  const std::string name = e.names.global(poller);
  e.header.line("template <>");
  e.header.line("struct IDL::traits<" + name + "> : corbel::mapping::PollerTraits<" + name + "> {};");
}

void define_poller(Emitter& e, const model::ValueType& poller) {
  const std::string name = e.names.own(poller);
  std::vector<std::string> bases;
  for (const auto* base : poller.bases) bases.push_back("public virtual " + e.names.global(*base));
  if (bases.empty()) bases.emplace_back("public virtual ::Messaging::Poller");
  Writer& out = e.header;
  out.blank();
  out.line("/// The reply to a sendp_ operation of " + e.names.full(*poller.polled) + ".");
  out.list("class " + name + " : ", bases, " {");
  out.indent();
  out.label("public:");
  out.line("static constexpr std::string_view _value_id = " + quote(poller.repository_id) + ";");
  declare_aliases(out, e, poller);
  out.blank();
  for (const auto& poll : polls_of(poller)) {
    out.list("void " + poll.name + "(", parameter_list(e, poll, true), ");");
  }
  out.blank();
  out.label("protected:");
  out.line(name + "() = default;");
  out.close("};");
}

void implement_poller(Emitter& e, const model::ValueType& poller) {
  const auto polled = polled_by(poller);
  for (const auto& poll : polls_of(poller)) {
    std::vector<std::string> arguments = {"*this", operation_constant(e, polled.at(poll.wire_name))};
    for (const auto& p : poll.parameters) arguments.push_back(parameter_name(p));
    e.source.function({"void " + e.names.own(poller) + "::" + poll.name + "(", parameter_list(e, poll, true), ")"},
                      {"corbel::mapping::poll_call(", arguments, ");"});
  }
}

}  // namespace corbel::idl::back::cpp11
