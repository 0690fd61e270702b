// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>

#include "corbel/base/error.hpp"
#include "corbel/base/export.hpp"

namespace corbel::ipc {

/// The one mapping from errno to Code. The stage matters where the system uses one number for two things: ETIMEDOUT and
/// EHOSTUNREACH while connecting are "timed out" and "unreachable", on an established connection they mean "lost".
CORBEL_API base::Code code_of(int os_error, base::Stage stage) noexcept;

/// The Error for `os_error` at `stage`.
inline base::Error failure(base::Stage stage, int os_error) noexcept {
  return base::error(stage, code_of(os_error, stage), os_error);
}
/// The Error for the current errno; call it on the line after the system call.
inline base::Error last_failure(base::Stage stage) noexcept {
  return failure(stage, errno);
}

/// What getaddrinfo says about its failure, a negative Error::os_error: "Name or service not known".
CORBEL_API const char* resolver_text(int failure) noexcept;

}  // namespace corbel::ipc
