// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "corbel/idl/compat/change.hpp"
#include "corbel/idl/model/model.hpp"

namespace corbel::idl::compat {

/// Every change that breaks something, by position in the old file, then in the new one.
std::vector<Change> compare(const model::Model& before, const model::Model& after);

}  // namespace corbel::idl::compat
