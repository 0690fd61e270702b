// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "idl/model/model.hpp"

namespace corbel::idl::cpp {

struct GeneratedFile {
  std::string name;  ///< without folder
  std::string text;
};

/// The names of the six files for an IDL file: `demo.hpp`, `demo.cpp`, `demo_server.hpp`, `demo_server.cpp`,
/// `demo_any.hpp`, `demo_any.cpp`.
std::vector<std::string> file_names(const std::string& idl_path);

/// Writes the C++ of the main file's definitions (see docs/generated-code.md). `version` goes into the first line.
std::vector<GeneratedFile> generate(const model::Model& model, const std::string& version);

}  // namespace corbel::idl::cpp
