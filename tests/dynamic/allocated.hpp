// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace corbel::dynamic {

/// How many octets this thread has asked of operator new: what grows with a square shows in them.
std::size_t allocated() noexcept;

}  // namespace corbel::dynamic
