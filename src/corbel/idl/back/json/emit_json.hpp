// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/idl/back/back_end.hpp"

namespace corbel::idl::back::json {

/// Changes whenever a reader of version N could misunderstand what is written; additions do not change it.
inline constexpr int kVersion = 1;

/// The model as JSON, indented by two blanks, the same text for the same model. docs/idl-json.md describes it.
std::string emit(const model::Model& model);

/// NAME.json.
std::vector<std::string> file_names(const std::string& idl_path);
std::vector<GeneratedFile> generate(const model::Model& model, const Options& options);

inline constexpr BackEnd kBackEnd{
    "json",    "the model, see docs/idl-json.md", true, [](const Options&) { return passes::Wanted{}; }, &file_names,
    &generate,
};

}  // namespace corbel::idl::back::json
