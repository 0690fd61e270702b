// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace corbel::test {

/// How often the calling thread has allocated memory with operator new.
std::size_t allocations() noexcept;
/// How often all threads have.
std::size_t allocations_of_all() noexcept;
/// Of all allocations by operator new from now on, in all threads, those from the `first` on, from 0, are refused,
/// `count` of them. 0: none any more.
void refuse_allocations(std::size_t first, std::size_t count) noexcept;
/// How many there have been since, refused or not.
std::size_t allocations_since() noexcept;
/// How many octets the calling thread has asked for: what grows with a square shows in them.
std::size_t allocated_octets() noexcept;

}  // namespace corbel::test
