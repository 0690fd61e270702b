// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

/// Fences for two sides of which one runs all the time and the other hardly ever (membarrier(2); the terms are those of
/// P1202 of the C++ committee). As between two sequentially consistent fences, one of the two sides sees what the other
/// has written before its fence. Thread-safe.
namespace corbel::ipc {

/// False where the system has none, and under ThreadSanitizer, which would not understand: then neither may be used.
/// The first call asks the system.
bool has_asymmetric_fences() noexcept;

/// The frequent side: costs no instruction, but keeps the compiler from moving anything across it.
inline void asymmetric_fence_light() noexcept {
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

/// The rare side: a system call, which interrupts the processors that run threads of this process.
void asymmetric_fence_heavy() noexcept;

}  // namespace corbel::ipc
