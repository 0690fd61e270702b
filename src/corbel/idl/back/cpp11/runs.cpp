// SPDX-License-Identifier: Apache-2.0
#include "corbel/idl/back/cpp11/runs.hpp"

#include <algorithm>

#include "corbel/idl/back/cpp11/emitter.hpp"

namespace corbel::idl::back::cpp11 {
namespace {

using model::as;

bool is_ours(const model::Declaration& declaration);

bool has_ours(const model::Module& module) {
  return std::any_of(module.contents.begin(), module.contents.end(), [](const auto* d) { return is_ours(*d); });
}
/// A definition of the main file, or a module that holds one.
bool is_ours(const model::Declaration& declaration) {
  const auto* module = as<model::Module>(&declaration);
  return module != nullptr ? has_ours(*module) : declaration.in_main_file;
}

}  // namespace

void for_each(const model::Contents& contents, const Visit& visit) {
  for (const auto* declaration : contents) {
    if (!is_ours(*declaration)) continue;
    if (const auto* module = as<model::Module>(declaration)) {
      for_each(module->contents, visit);
    } else {
      visit(*declaration);
    }
  }
}

std::vector<Run> runs_of(const model::Model& model, bool (*wanted)(const model::Declaration&)) {
  std::vector<Run> runs;
  for_each(model.contents, [&](const auto& declaration) {
    if (!wanted(declaration)) return;
    if (runs.empty() || runs.back().module != declaration.scope) runs.push_back({declaration.scope, {}});
    runs.back().declarations.push_back(&declaration);
  });
  return runs;
}

bool is_anything(const model::Declaration&) {
  return true;
}
bool is_interface(const model::Declaration& declaration) {
  return as<model::Interface>(&declaration) != nullptr;
}
bool is_remote(const model::Declaration& declaration) {
  return is_interface(declaration) && !as<model::Interface>(&declaration)->is_local;
}
bool is_served(const model::Declaration& declaration) {
  return is_remote(declaration) && !as<model::Interface>(&declaration)->is_abstract;
}
bool is_served_value(const model::ValueType& value) {
  return value.polled == nullptr &&
         (std::any_of(value.supports.begin(), value.supports.end(), [](const auto* i) { return is_served(*i); }) ||
          std::any_of(value.bases.begin(), value.bases.end(), [](const auto* base) { return is_served_value(*base); }));
}
bool is_value(const model::Declaration& declaration) {
  return as<model::ValueType>(&declaration) != nullptr || as<model::ValueBox>(&declaration) != nullptr;
}
bool is_declared_only(const model::Declaration& declaration) {
  const auto* forward = as<model::Forward>(&declaration);
  const auto* interface = as<model::Interface>(forward != nullptr ? forward->target : &declaration);
  return interface != nullptr && !interface->defined && !interface->is_abstract;
}
bool is_referred_to(const model::Declaration& declaration) {
  return is_interface(declaration) || is_value(declaration);
}

void visit_nested(const model::Declaration& declaration, const Visit& visit) {
  if (const auto* contents = inner_contents(declaration)) {
    for (const auto* inner : *contents) visit_nested(*inner, visit);
  }
  visit(declaration);
}

void for_each_own(const model::Model& model, const Visit& visit) {
  for_each(model.contents, [&](const auto& declaration) { visit_nested(declaration, visit); });
}

void for_each_own_type(const model::Model& model, const std::function<void(const model::Type&)>& visit) {
  const std::function<void(const model::Type&)> with_parts = [&](const model::Type& type) {
    visit(type);
    if (type.element != nullptr) with_parts(*type.element);
    if (type.key != nullptr) with_parts(*type.key);
  };
  for_each_own(model, [&](const auto& declaration) { model::for_each_type(declaration, with_parts); });
}

}  // namespace corbel::idl::back::cpp11
