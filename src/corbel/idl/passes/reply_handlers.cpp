// SPDX-License-Identifier: Apache-2.0
#include "corbel/idl/passes/reply_handlers.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "corbel/idl/passes/async_names.hpp"
#include "corbel/idl/passes/implied_names.hpp"

namespace corbel::idl::passes {
namespace {

using model::as;

class Implier {
 public:
  Implier(model::Model& model, bool all) : model_(model), all_(all), names_(model) {
    auto* messaging = model_.make<model::Module>();
    messaging->name = "Messaging";
    messaging->repository_id = "IDL:omg.org/Messaging:1.0";
    messaging->in_main_file = false;
    reply_handler_ = model_.make<model::Interface>();
    reply_handler_->name = "ReplyHandler";
    reply_handler_->scope = messaging;
    reply_handler_->in_main_file = false;
    auto* holder = model_.make<model::ValueType>();
    holder->name = "ExceptionHolder";
    holder->scope = messaging;
    holder->in_main_file = false;
    holder_ = model_.add({model::TypeKind::value, 0, nullptr, {}, holder});
    void_ = model_.add({model::TypeKind::void_, 0, nullptr, {}, nullptr});
  }

  void imply() { visit(model_.contents); }

 private:
  void visit(model::Contents& contents) {
    for (std::size_t i = 0; i < contents.size(); ++i) {
      // All declarations were made by the model, none of them const.
      auto* declaration = const_cast<model::Declaration*>(contents[i]);
      if (as<model::Module>(declaration) != nullptr) {
        visit(static_cast<model::Module*>(declaration)->contents);
      } else if (as<model::Interface>(declaration) != nullptr) {
        auto& interface = static_cast<model::Interface&>(*declaration);
        if (const auto* handler = imply(interface)) {
          contents.insert(contents.begin() + static_cast<std::ptrdiff_t>(++i), handler);
        }
      }
    }
  }

  /// Null if nothing of the interface is wanted.
  const model::Interface* imply(model::Interface& interface) {
    const bool whole = all_ || find(interface.annotations, "ami") != nullptr;
    if (interface.is_local || interface.is_abstract || !interface.defined) return nullptr;
    auto* handler = model_.make<model::Interface>();
    handler->scope = interface.scope;
    handler->in_main_file = interface.in_main_file;
    for (const auto* declaration : interface.contents) {
      if (const auto* operation = as<model::Operation>(declaration)) {
        if ((whole || operation->ami) && !operation->oneway) add_operation(*handler, interface, *operation);
      } else if (const auto* attribute = as<model::Attribute>(declaration)) {
        if (whole || find(attribute->annotations, "ami") != nullptr) add_attribute(*handler, interface, *attribute);
      }
    }
    if (!whole && handler->contents.empty()) return nullptr;
    handler->name = names_.add(interface, "Handler");
    handler->repository_id = implied_id(interface, handler->name);
    handler->where = interface.where;
    handler->defined = true;
    handler->is_implied = true;
    handler->answered = &interface;
    inherit(*handler, interface);
    interface.reply_handler = handler;
    return handler;
  }

  using Owners = std::map<std::string, const model::Interface*>;

  /// Whether the handler can be a base beside those whose methods are there already: their interfaces, which knew
  /// nothing of each other, may give different methods the same name.
  static bool add(Owners& owners, const model::Interface& handler) {
    Owners all = owners;
    const auto add_one = [&](const model::Interface* one) {
      const auto is_its_own = [&](const std::string& name) { return all.emplace(name, one).first->second == one; };
      if (one->answered == nullptr) return true;
      const auto& names = one->answered->async_names;
      return std::all_of(names.begin(), names.end(),
                         [&](const auto& n) { return is_its_own(n.second.reply) && is_its_own(n.second.fail); });
    };
    const auto& ancestors = handler.ancestors;
    if (!add_one(&handler) || !std::all_of(ancestors.begin(), ancestors.end(), add_one)) return false;
    owners = std::move(all);
    return true;
  }

  void inherit(model::Interface& handler, const model::Interface& interface) {
    Owners owners;
    for (const auto* base : interface.bases) {
      if (base->reply_handler != nullptr && add(owners, *base->reply_handler)) {
        handler.bases.push_back(base->reply_handler);
      }
    }
    if (handler.bases.empty()) handler.bases.push_back(reply_handler_);
    const auto add = [&](const model::Interface* ancestor) {
      auto& known = handler.ancestors;
      if (std::find(known.begin(), known.end(), ancestor) == known.end()) known.push_back(ancestor);
    };
    for (const auto* base : handler.bases) {
      add(base);
      for (const auto* ancestor : base->ancestors) add(ancestor);
    }
  }

  void add_operation(model::Interface& handler, model::Interface& interface, const model::Operation& operation) {
    std::vector<model::Parameter> results = result(operation.result, operation.parameters);
    for (model::Parameter parameter : operation.parameters) {
      if (parameter.direction == model::Direction::in) continue;
      parameter.direction = model::Direction::in;
      parameter.view = parameter.shared = false;
      results.push_back(std::move(parameter));
    }
    add(handler, interface.async_names.at(operation.name), std::move(results), operation.where, operation.raises);
  }
  void add_attribute(model::Interface& handler, model::Interface& interface, const model::Attribute& attribute) {
    add(handler, interface.async_names.at("_get_" + attribute.name), result(attribute.type, {}), attribute.where,
        attribute.get_raises);
    if (attribute.readonly) return;
    add(handler, interface.async_names.at("_set_" + attribute.name), {}, attribute.where, attribute.set_raises);
  }
  void add(model::Interface& handler, model::AsyncNames& names, std::vector<model::Parameter> results,
           model::Location where, const std::vector<const model::Exception*>& raises) {
    add(handler, names.reply, std::move(results), where);
    add(handler, names.fail, {{model::Direction::in, "excep_holder", holder_, where}}, where).tells = &raises;
    names.handled = true;
  }
  model::Operation& add(model::Interface& handler, const std::string& name, std::vector<model::Parameter> parameters,
                        model::Location where) {
    auto* operation = model_.make<model::Operation>();
    operation->name = name;
    operation->scope = &handler;
    operation->in_main_file = handler.in_main_file;
    operation->where = where;
    operation->result = void_;
    operation->parameters = std::move(parameters);
    handler.contents.push_back(operation);
    return *operation;
  }
  static std::vector<model::Parameter> result(const model::Type* type, const std::vector<model::Parameter>& others) {
    if (type->kind == model::TypeKind::void_) return {};
    return {{model::Direction::in, parameter_name("ami_return_val", others), type, {}}};
  }

  model::Model& model_;
  const bool all_;
  ImpliedNames names_;
  model::Interface* reply_handler_;
  const model::Type* holder_;
  const model::Type* void_;
};

}  // namespace

void imply_reply_handlers(model::Model& model, bool all) {
  name_async_forms(model);
  Implier(model, all).imply();
}

}  // namespace corbel::idl::passes
