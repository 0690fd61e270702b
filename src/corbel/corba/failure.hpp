// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "corbel/base/export.hpp"
#include "corbel/cdr/encoder.hpp"
#include "corbel/corba/exception_core.hpp"

namespace corbel::corba {

/// A system exception as data, which is what the ORB works with: it becomes a C++ exception when a C++ mapping is to
/// show it, and servants of whichever mapping may throw it as it is. A value.
struct SystemFailure {
  std::string id;  ///< repository id: "IDL:omg.org/CORBA/TRANSIENT:1.0"
  std::uint32_t minor = 0;
  Completed completed = Completed::maybe;
  std::string detail = {};  ///< for people: which endpoint, which phase, how long, and why

  /// True if it is the standard exception of that name: "TRANSIENT".
  CORBEL_API bool is(std::string_view name) const noexcept;
};

/// The standard system exception of that name ("TRANSIENT"), to be thrown or sent.
CORBEL_API SystemFailure system_failure(std::string_view name, std::uint32_t minor, Completed completed,
                                        std::string detail = {});

/// A user exception as data, for servants to throw if the ORB does not know its mapping. A value.
struct UserFailure {
  std::string id;                              ///< repository id
  std::function<void(cdr::Encoder&)> members;  ///< writes them; null if there are none
};

/// What has ended a call that this process made. If it is a system exception, it says so of itself wherever it is
/// thrown, and its completion status tells of that call and no other.
CORBEL_API std::exception_ptr end_of_own_call(std::exception_ptr exception) noexcept;

/// The system exception that was thrown, as data, whichever mapping's object it is; nothing if it is none, such as what
/// a stub has decoded and thrown. For stubs of other mappings than the ORB raises exceptions of: what a call ends in is
/// shown to their callers as they know it.
CORBEL_API std::optional<SystemFailure> failure_of(const std::exception_ptr& thrown);

/// The exception as data.
CORBEL_API SystemFailure failure_of(const SystemExceptionCore& exception);

/// Throws it as the C++ mapping has a user exception of a type that it does not know.
[[noreturn]] CORBEL_API void raise(UserFailure failure);
/// Throws it as the C++ mapping has it; UNKNOWN (minor OMG 2) if it is no standard one.
[[noreturn]] CORBEL_API void raise(SystemFailure failure);
/// The same, of a standard one.
[[noreturn]] CORBEL_API void raise(std::string_view name, std::uint32_t minor, Completed completed,
                                   std::string detail = {});

/// What that would throw.
CORBEL_API std::exception_ptr exception_of(std::string_view name, std::uint32_t minor, Completed completed,
                                           std::string detail = {}) noexcept;

}  // namespace corbel::corba
