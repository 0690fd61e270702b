// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "corbel/idl/model/model.hpp"

/// Which declarations code is written for, and in what order.
namespace corbel::idl::back::cpp11 {

using Visit = std::function<void(const model::Declaration&)>;

/// Everything of the main file that is directly in a module or the file, in order.
void for_each(const model::Contents& contents, const Visit& visit);
/// Types inside a type, then itself.
void visit_nested(const model::Declaration& declaration, const Visit& visit);
/// Every definition of the main file but modules, those inside a type before it.
void for_each_own(const model::Model& model, const Visit& visit);
/// Calls `visit` with every type in the main file, elements and keys too.
void for_each_own_type(const model::Model& model, const std::function<void(const model::Type&)>& visit);

/// Declarations of one module that follow each other; null is the file level.
struct Run {
  const model::Declaration* module;
  std::vector<const model::Declaration*> declarations;
};
/// The main file's declarations that `wanted` accepts, cut into runs.
std::vector<Run> runs_of(const model::Model& model, bool (*wanted)(const model::Declaration&));

bool is_anything(const model::Declaration& declaration);
bool is_interface(const model::Declaration& declaration);
/// Interfaces with stubs.
bool is_remote(const model::Declaration& declaration);
/// Interfaces with skeletons.
bool is_served(const model::Declaration& declaration);
/// Values that may be servants: those that support an interface with a skeleton, be it by a base.
bool is_served_value(const model::ValueType& value);
bool is_value(const model::Declaration& declaration);
/// `interface I;` where the definition is not known; of abstract ones nothing could be said.
bool is_declared_only(const model::Declaration& declaration);
/// What C++ knows by references.
bool is_referred_to(const model::Declaration& declaration);

}  // namespace corbel::idl::back::cpp11
