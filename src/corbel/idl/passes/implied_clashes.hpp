// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "corbel/idl/passes/passes.hpp"

namespace corbel::idl::passes {

/// A declaration of the main file that has the name of a reply handler which the C++ of an included file declares.
struct ImpliedClash {
  const model::Declaration* declared;
  const model::Interface* answered;  ///< whose handler it is
};

/// Those of a model that has not been through the passes. Of two names in one file the handler's gives way, but what
/// was made of another file stays as it is. An included interface has a handler for sure if it is annotated, or if the
/// handler of an interface in the main file derives from it.
std::vector<ImpliedClash> find_implied_clashes(const model::Model& model, Handlers handlers);

}  // namespace corbel::idl::passes
