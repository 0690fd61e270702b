// SPDX-License-Identifier: Apache-2.0
// A handle has one owner.
#include "corbel/ipc/acceptor.hpp"
#include "corbel/ipc/connector.hpp"

using namespace corbel::ipc;  // NOLINT

auto misuse(Handle& handle) {
#ifdef BAD
  return Handle(handle);
#else
  return Handle(std::move(handle));
#endif
}
