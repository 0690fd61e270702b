// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "corbel/base/error.hpp"
#include "corbel/corba/exception.hpp"

namespace corbel::orb {

constexpr auto kNo = CORBA::CompletionStatus::COMPLETED_NO;
constexpr auto kMaybe = CORBA::CompletionStatus::COMPLETED_MAYBE;

/// The failure as one line for people, with the resolver's own words if it was that.
std::string describe(base::Error error);

/// Throws the CORBA system exception for a failure: one table of (stage, code) decides exception, minor code and
/// completion (docs/errors.md is generated from it). `detail` says which endpoint, which phase, how long.
[[noreturn]] void raise(base::Error error, std::string detail);

}  // namespace corbel::orb
