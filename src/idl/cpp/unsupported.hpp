// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "idl/model/model.hpp"

namespace corbel::idl::cpp {

/// Something in the main file that has no C++ yet.
struct Unsupported {
  model::Location where;
  std::string construct;  ///< "valuetypes", "'any'"
};

/// The one place that says what the emitter cannot do: generate() may only be called if this is empty. Each construct
/// is named once, where it first occurs. Supporting one means deleting its line here.
std::vector<Unsupported> unsupported(const model::Model& model);

}  // namespace corbel::idl::cpp
