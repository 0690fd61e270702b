// SPDX-License-Identifier: Apache-2.0
#include "corbel/idl/passes/implied_names.hpp"

#include <algorithm>

namespace corbel::idl::passes {

void ImpliedNames::note(const model::Contents& contents, const std::string& scope) {
  auto& names = names_[scope];
  for (const auto* declaration : contents) {
    names.insert(declaration->name);
    if (const auto* module = model::as<model::Module>(declaration)) note(module->contents, scoped_name(*module));
  }
}

std::string ImpliedNames::add(const model::Interface& interface, const std::string& ending) {
  std::string name = "AMI_" + interface.name + ending;
  auto& siblings = names_[interface.scope == nullptr ? "" : scoped_name(*interface.scope)];
  while (!siblings.insert(name).second) name = "AMI_" + name;
  return name;
}

std::string implied_id(const model::Interface& interface, const std::string& name) {
  std::string id = interface.repository_id;
  const std::size_t colon = id.rfind(':');
  const std::size_t start = id.find_last_of("/:", colon == std::string::npos || colon == 0 ? colon : colon - 1);
  if (colon == std::string::npos || start == std::string::npos || start >= colon) return id + "/" + name;
  return id.replace(start + 1, colon - start - 1, name);
}

std::string parameter_name(std::string name, const std::vector<model::Parameter>& others) {
  while (std::any_of(others.begin(), others.end(), [&](const auto& p) { return p.name == name; })) name = "ami_" + name;
  return name;
}

}  // namespace corbel::idl::passes
