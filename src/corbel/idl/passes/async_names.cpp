// SPDX-License-Identifier: Apache-2.0
#include "corbel/idl/passes/async_names.hpp"

#include <set>

namespace corbel::idl::passes {
namespace {

using model::as;

/// The names of one class: a stub, a reply handler, or a poller.
class Names {
 public:
  void declare(const model::Contents& contents) {
    for (const auto* declaration : contents) taken_.insert(declaration->name);
  }
  void inherit(const std::string& name) {
    inherited_.insert(name);
    taken_.insert(name);
  }
  bool is_inherited(const std::string& name) const { return inherited_.contains(name); }

  /// The prefix and the name, or longer.
  std::string add(const std::string& prefix, const std::string& name) {
    std::string longer = prefix;
    while (!taken_.insert(longer + name).second) longer += "ami_";
    return longer + name;
  }

 private:
  std::set<std::string> taken_;
  std::set<std::string> inherited_;
};

/// What all pollers have (CORBA 3.3 part 1, 7.4.1, 22.9).
constexpr const char* kOfPollers[] = {"is_ready",       "create_pollable_set", "operation_target",
                                      "operation_name", "associated_handler",  "is_from_poller"};

class Namer {
 public:
  explicit Namer(model::Interface& interface) : interface_(interface) {
    for (const char* name : kOfPollers) poller_.inherit(name);
    declare(interface);
    for (const auto* ancestor : interface.ancestors) {
      declare(*ancestor);
      for (const auto& [wire_name, names] : ancestor->async_names) {
        handler_.inherit(names.reply);
        handler_.inherit(names.fail);
        stub_.inherit(names.send);
        stub_.inherit(names.future);
        stub_.inherit(names.polled);
        poller_.inherit(names.poll);
      }
    }
  }

  void name_all() {
    for (const auto* declaration : interface_.contents) {
      if (as<model::Operation>(declaration) != nullptr) {
        // It has its own name, unless a base's handler has a method of that name for something else.
        const std::string& name = declaration->name;
        add(name, handler_.is_inherited(name) ? handler_.add("ami_", name) : name,
            poller_.is_inherited(name) ? poller_.add("ami_", name) : name);
      } else if (const auto* attribute = as<model::Attribute>(declaration)) {
        add_accessor("get_" + attribute->name);
        if (!attribute->readonly) add_accessor("set_" + attribute->name);
      }
    }
  }

 private:
  void declare(const model::Interface& interface) {
    handler_.declare(interface.contents);
    stub_.declare(interface.contents);
    poller_.declare(interface.contents);
  }
  void add_accessor(const std::string& name) { add("_" + name, handler_.add("", name), poller_.add("", name)); }
  void add(const std::string& wire_name, const std::string& reply, const std::string& poll) {
    interface_.async_names[wire_name] = {
        reply, handler_.add("", reply + "_excep"), stub_.add("sendc_", reply), stub_.add("async_", reply),
        poll,  stub_.add("sendp_", reply)};
  }

  model::Interface& interface_;
  Names handler_;
  Names stub_;
  Names poller_;
};

void visit(model::Contents& contents) {
  for (const auto* one : contents) {
    // All declarations were made by the model, none of them const. Bases come before what derives from them.
    auto* declaration = const_cast<model::Declaration*>(one);
    if (as<model::Module>(declaration) != nullptr) {
      visit(static_cast<model::Module*>(declaration)->contents);
    } else if (as<model::Interface>(declaration) != nullptr) {
      Namer(*static_cast<model::Interface*>(declaration)).name_all();
    }
  }
}

}  // namespace

void name_async_forms(model::Model& model) {
  visit(model.contents);
}

}  // namespace corbel::idl::passes
