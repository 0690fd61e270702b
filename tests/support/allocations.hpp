// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace corbel::test {

/// How often the calling thread has allocated memory with operator new.
std::size_t allocations() noexcept;
/// How often all threads have.
std::size_t allocations_of_all() noexcept;
/// How many octets the calling thread has asked for: what grows with a square shows in them.
std::size_t allocated_octets() noexcept;

}  // namespace corbel::test
