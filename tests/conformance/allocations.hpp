// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace corbel::test {

/// How often this program has allocated memory with operator new. One thread.
std::size_t allocations() noexcept;

}  // namespace corbel::test
