// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <string>

#include "corbel/dynamic/any.hpp"
#include "corbel/orb/hooks.hpp"

namespace corbel::interceptors {

enum class MayForward : bool { no, yes };

/// What an interceptor may raise at the ending point that a request has come to.
struct Ending {
  CORBA::CompletionStatus completed;
  MayForward may_forward;
};
Ending ending_of(const orb::HookedRequest& request) noexcept;

/// From a handler of what an interceptor threw: the request ends with that, as far as the rules allow. A system
/// exception gets the completion status that they say; ForwardRequest where there must be none changes nothing;
/// anything else becomes UNKNOWN.
void note_raised(orb::HookedRequest& request, CORBA::CompletionStatus completed, MayForward may_forward) noexcept;

/// The repository id of an exception that CORBA knows.
std::string id_of(const std::exception_ptr& exception);
/// The exception in an Any; UNKNOWN minor OMG 1 if it is a user exception whose type is not known.
CORBA::Any any_of(const std::exception_ptr& exception);
bool is_user_exception(const std::exception_ptr& exception) noexcept;

}  // namespace corbel::interceptors
