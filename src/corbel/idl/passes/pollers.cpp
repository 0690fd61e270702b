// SPDX-License-Identifier: Apache-2.0
#include "corbel/idl/passes/pollers.hpp"

#include <algorithm>
#include <utility>

#include "corbel/idl/passes/implied_names.hpp"

namespace corbel::idl::passes {
namespace {

using model::as;

class PollerImplier {
 public:
  explicit PollerImplier(model::Model& model) : model_(model), names_(model) {
    void_ = model_.add({model::TypeKind::void_, 0, nullptr, {}, nullptr});
    ulong_ = model_.add({model::TypeKind::ulong, 0, nullptr, {}, nullptr});
  }

  void visit(model::Contents& contents) {
    for (std::size_t i = 0; i < contents.size(); ++i) {
      // All declarations were made by the model, none of them const.
      auto* declaration = const_cast<model::Declaration*>(contents[i]);
      if (as<model::Module>(declaration) != nullptr) {
        visit(static_cast<model::Module*>(declaration)->contents);
      } else if (as<model::Interface>(declaration) != nullptr) {
        auto& interface = static_cast<model::Interface&>(*declaration);
        if (interface.reply_handler == nullptr) continue;
        ++i;  // the handler
        contents.insert(contents.begin() + static_cast<std::ptrdiff_t>(++i), imply(interface));
      }
    }
  }

 private:
  const model::ValueType* imply(model::Interface& interface) {
    auto* poller = model_.make<model::ValueType>();
    poller->scope = interface.scope;
    poller->in_main_file = interface.in_main_file;
    poller->name = names_.add(interface, "Poller");
    poller->repository_id = implied_id(interface, poller->name);
    poller->where = interface.where;
    poller->defined = true;
    poller->polled = &interface;
    inherit(*poller, interface);
    for (const auto* declaration : interface.contents) add_of(*poller, interface, *declaration);
    interface.poller = poller;
    return poller;
  }

  static void inherit(model::ValueType& poller, const model::Interface& interface) {
    const auto add = [&](const model::ValueType* ancestor) {
      auto& known = poller.ancestors;
      if (std::find(known.begin(), known.end(), ancestor) == known.end()) known.push_back(ancestor);
    };
    for (const auto* base : interface.bases) {
      if (base->poller == nullptr) continue;
      poller.bases.push_back(base->poller);
      add(base->poller);
      for (const auto* ancestor : base->poller->ancestors) add(ancestor);
    }
  }

  void add_of(model::ValueType& poller, const model::Interface& interface, const model::Declaration& declaration) {
    if (const auto* operation = as<model::Operation>(&declaration)) {
      std::vector<model::Parameter> outs;
      for (model::Parameter parameter : operation->parameters) {
        if (parameter.direction == model::Direction::in) continue;
        parameter.direction = model::Direction::out;
        parameter.view = parameter.shared = false;
        outs.push_back(std::move(parameter));
      }
      add(poller, interface, operation->name, operation->result, std::move(outs), declaration.where);
    } else if (const auto* attribute = as<model::Attribute>(&declaration)) {
      add(poller, interface, "_get_" + attribute->name, attribute->type, {}, declaration.where);
      if (!attribute->readonly) add(poller, interface, "_set_" + attribute->name, void_, {}, declaration.where);
    }
  }

  void add(model::ValueType& poller, const model::Interface& interface, const std::string& wire_name,
           const model::Type* result, std::vector<model::Parameter> outs, model::Location where) {
    const auto& names = interface.async_names.at(wire_name);
    const auto& told = interface.reply_handler->contents;
    if (std::none_of(told.begin(), told.end(), [&](const auto* each) { return each->name == names.reply; })) return;
    if (result->kind != model::TypeKind::void_) {
      outs.insert(outs.begin(), {model::Direction::out, parameter_name("ami_return_val", outs), result, {}});
    }
    outs.insert(outs.begin(), {model::Direction::in, parameter_name("ul_timeout", outs), ulong_, {}});
    auto* operation = model_.make<model::Operation>();
    operation->name = names.poll;
    operation->scope = &poller;
    operation->in_main_file = poller.in_main_file;
    operation->where = where;
    operation->result = void_;
    operation->parameters = std::move(outs);
    poller.contents.push_back(operation);
  }

  model::Model& model_;
  ImpliedNames names_;
  const model::Type* void_;
  const model::Type* ulong_;
};

}  // namespace

void imply_pollers(model::Model& model) {
  PollerImplier(model).visit(model.contents);
}

}  // namespace corbel::idl::passes
