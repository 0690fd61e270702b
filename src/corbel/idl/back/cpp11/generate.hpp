// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/idl/back/back_end.hpp"

/// The OMG IDL-to-C++11 mapping (docs/generated-code.md).
namespace corbel::idl::back::cpp11 {

/// The names of the six files for an IDL file: `demo.hpp`, `demo.cpp`, `demo_server.hpp`, `demo_server.cpp`,
/// `demo_any.hpp`, `demo_any.cpp`.
std::vector<std::string> file_names(const std::string& idl_path);

/// Writes the C++ of the main file's definitions.
std::vector<GeneratedFile> generate(const model::Model& model, const Options& options);

inline constexpr BackEnd kBackEnd{
    "cpp",
    "C++ files",
    false,
    [](const Options& options) {
      return passes::Wanted{true, options.ami ? passes::Handlers::all : passes::Handlers::annotated, options.pollers};
    },
    &file_names,
    &generate,
};

}  // namespace corbel::idl::back::cpp11
