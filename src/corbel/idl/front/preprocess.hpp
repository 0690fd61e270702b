// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "corbel/idl/front/diagnostics.hpp"
#include "corbel/idl/front/options.hpp"

namespace corbel::idl::front {

struct Preprocessed {
  std::string text;  ///< with line markers; not to be compiled if there are errors
  std::vector<Diagnostic> diagnostics;
};

/// Runs the C preprocessor (mcpp) over a file. mcpp keeps its state in globals and is old C, so it works in a child
/// process, where it may hang, crash or swell without harm: the child is killed after 30 seconds or
/// 16 MiB of output. `strip` is cut off the front of file names in messages.
Preprocessed preprocess(const std::string& path, const std::string& strip, const Options& options);

}  // namespace corbel::idl::front
