// SPDX-License-Identifier: Apache-2.0
#include "corbel/idl/passes/implied_clashes.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace corbel::idl::passes {
namespace {

using model::as;

bool is_annotated(const model::Interface& interface) {
  return find(interface.annotations, "ami") != nullptr ||
         std::any_of(interface.contents.begin(), interface.contents.end(), [](const auto* declaration) {
           const auto* operation = as<model::Operation>(declaration);
           return operation != nullptr ? operation->ami : find(declaration->annotations, "ami") != nullptr;
         });
}

bool has_handler(const model::Interface& interface, bool all) {
  return !interface.is_local && !interface.is_abstract && interface.defined && (all || is_annotated(interface));
}

class Finder {
 public:
  explicit Finder(bool all) : all_(all) {}

  void note(const model::Contents& contents, const std::string& scope) {
    for (const auto* declaration : contents) {
      if (const auto* module = as<model::Module>(declaration)) note(module->contents, scoped_name(*module));
      const auto* interface = as<model::Interface>(declaration);
      if (declaration->in_main_file) {
        main_[scope].emplace(declaration->name, declaration);
        if (interface == nullptr || !has_handler(*interface, all_)) continue;
        sure_.insert(interface->ancestors.begin(), interface->ancestors.end());
      } else {
        included_[scope].insert(declaration->name);
        if (interface != nullptr && has_handler(*interface, all_)) interfaces_.emplace_back(scope, interface);
      }
    }
  }

  std::vector<ImpliedClash> clashes() {
    std::vector<ImpliedClash> found;
    for (const auto& [scope, interface] : interfaces_) {
      std::string name = "AMI_" + interface->name + "Handler";
      while (!included_[scope].insert(name).second) name = "AMI_" + name;
      const auto declared = main_[scope].find(name);
      if (declared == main_[scope].end() || (!is_annotated(*interface) && !sure_.contains(interface))) continue;
      found.push_back({declared->second, interface});
    }
    return found;
  }

 private:
  const bool all_;
  std::map<std::string, std::map<std::string, const model::Declaration*>> main_;  // by scope, then name
  std::map<std::string, std::set<std::string>> included_;
  std::vector<std::pair<std::string, const model::Interface*>> interfaces_;
  std::set<const model::Interface*> sure_;
};

}  // namespace

std::vector<ImpliedClash> find_implied_clashes(const model::Model& model, Handlers handlers) {
  if (handlers == Handlers::none) return {};
  Finder finder(handlers == Handlers::all);
  finder.note(model.contents, "");
  return finder.clashes();
}

}  // namespace corbel::idl::passes
