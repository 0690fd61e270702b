// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "corbel/base/export.hpp"

/// Memory for requests under way, which are often given back by another thread than the one that took them; allocators
/// are slow at that. The process has 64 places of 1 KiB, and one atomic instruction takes or gives one; what finds
/// none, or is larger, is allocated. After a fork the places of the parent's requests stay taken in the child.
/// Thread-safe.
namespace corbel::base {

/// Aligned as by operator new. Throws std::bad_alloc.
CORBEL_API void* take_call_memory(std::size_t size);
CORBEL_API void give_call_memory(void* memory) noexcept;

}  // namespace corbel::base
