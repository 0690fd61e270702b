// SPDX-License-Identifier: Apache-2.0
// A mapping has one owner.
#include "corbel/ipc/shared_memory.hpp"

using namespace corbel::ipc;  // NOLINT

SharedMemory misuse(SharedMemory& segment) {
#ifdef BAD
  return segment;
#else
  return std::move(segment);
#endif
}
