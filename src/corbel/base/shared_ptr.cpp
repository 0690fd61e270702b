// SPDX-License-Identifier: Apache-2.0
#include "corbel/base/shared_ptr.hpp"

namespace corbel::base::detail {
namespace {

/// Objects that are destroyed inside each other's destructors at most: much less than the smallest stack holds.
constexpr unsigned kMostNested = 64;

// In a shared library the usual model is a function call each time.
[[gnu::tls_model("initial-exec")]] constinit thread_local unsigned nested = 0;
[[gnu::tls_model("initial-exec")]] constinit thread_local ControlBlock* waiting = nullptr;

void destroy(ControlBlock* block) noexcept {
  ++nested;
  block->end(block, false);
  block->remove_weak();
  --nested;
}

}  // namespace

void destroy_object(ControlBlock* block) noexcept {
  if (nested == kMostNested) {
    block->next_to_destroy = waiting;
    waiting = block;
    return;
  }
  destroy(block);
  if (nested != 0) return;
  while (waiting != nullptr) {
    ControlBlock* next = waiting;
    waiting = next->next_to_destroy;
    destroy(next);
  }
}

}  // namespace corbel::base::detail
