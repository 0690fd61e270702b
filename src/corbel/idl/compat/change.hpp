// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "corbel/idl/compat/rules.hpp"
#include "corbel/idl/model/model.hpp"

namespace corbel::idl::compat {

struct Change {
  Rule rule;
  std::string text;
  bool in_old = false;  ///< `where` is in the old file: what is gone has no place in the new one
  model::Location where;
};

}  // namespace corbel::idl::compat
