// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "corbel/idl/model/model.hpp"

namespace corbel::idl::cpp {

struct GeneratedFile {
  std::string name;  ///< without folder
  std::string text;
};

/// The names of the six files for an IDL file: `demo.hpp`, `demo.cpp`, `demo_server.hpp`, `demo_server.cpp`,
/// `demo_any.hpp`, `demo_any.cpp`.
std::vector<std::string> file_names(const std::string& idl_path);

/// What is generated only when asked for.
struct Options {
  bool ami = false;      ///< sendc_ operations and reply handlers for everything, not only for what has @ami
  bool futures = false;  ///< async_ operations
};

/// Writes the C++ of the main file's definitions (see docs/generated-code.md). `version` goes into the first line. Adds
/// the implied IDL of asynchronous calls to the model.
std::vector<GeneratedFile> generate(model::Model& model, const std::string& version, const Options& options = {});

}  // namespace corbel::idl::cpp
