// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "corbel/idl/back/back_end.hpp"

namespace corbel::idl::back {

/// All that ship, the default first.
std::span<const BackEnd> back_ends();
/// The one of that name; null if there is none.
const BackEnd* find(std::string_view name);

}  // namespace corbel::idl::back
