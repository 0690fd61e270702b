// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "corbel/idl/model/model.hpp"

namespace corbel::idl::json {

/// Changes whenever a reader of version N could misunderstand what is written; additions do not change it.
inline constexpr int kVersion = 1;

/// The model as JSON, indented by two blanks, the same text for the same model. docs/idl-json.md describes it.
std::string emit(const model::Model& model);

}  // namespace corbel::idl::json
