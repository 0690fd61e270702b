// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "corbel/idl/compat/rules.hpp"
#include "corbel/idl/model/model.hpp"

namespace corbel::idl::compat {

struct Change {
  Rule rule;
  std::string text;
  bool in_old = false;  ///< `where` is in the old file: what is gone has no place in the new one
  model::Location where;
};

/// Every change that breaks something, by position in the old file, then in the new one.
std::vector<Change> compare(const model::Model& before, const model::Model& after);

}  // namespace corbel::idl::compat
