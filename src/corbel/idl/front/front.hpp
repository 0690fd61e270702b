// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "corbel/idl/front/diagnostics.hpp"
#include "corbel/idl/front/options.hpp"
#include "corbel/idl/model/model.hpp"

namespace corbel::idl::front {

struct Result {
  std::unique_ptr<model::Model> model;    ///< null if there was any error
  std::vector<Diagnostic> diagnostics;    ///< in the order in which they were found
  std::vector<std::string> dependencies;  ///< files read, the main one first
  std::size_t octets = 0;                 ///< of text after preprocessing
};

/// Compiles text that is in memory and needs no preprocessing. Takes any octets at all: work and memory are bounded by
/// a small multiple of the text's size.
Result parse(std::string text, std::string file_name, const Options& options = {});

/// Preprocesses and compiles a file. Reads files and starts a child process for the preprocessor; never throws on
/// input.
Result parse_file(const std::string& path, const Options& options = {});

}  // namespace corbel::idl::front
