// SPDX-License-Identifier: Apache-2.0
// What can be called of an interface.
#include "types.hpp"

namespace corbel::tool {

namespace model = idl::model;

std::vector<const model::Interface*> with_ancestors(const model::Interface& interface) {
  std::vector<const model::Interface*> all{&interface};
  all.insert(all.end(), interface.ancestors.begin(), interface.ancestors.end());
  return all;
}

Callable find_callable(const model::Interface& interface, std::string_view name) {
  for (const model::Interface* one : with_ancestors(interface)) {
    for (const model::Declaration* declaration : one->contents) {
      if (declaration->name != name) continue;
      if (const auto* operation = model::as<model::Operation>(declaration)) return {operation, nullptr};
      if (const auto* attribute = model::as<model::Attribute>(declaration)) return {nullptr, attribute};
    }
  }
  return {};
}

}  // namespace corbel::tool
