// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace corbel::test {

/// How often the calling thread has allocated memory with operator new.
std::size_t allocations() noexcept;

}  // namespace corbel::test
