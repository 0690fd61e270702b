// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "corbel/base/error.hpp"
#include "corbel/corba/failure.hpp"

namespace corbel::orb {

constexpr auto kNo = corba::Completed::no;
constexpr auto kMaybe = corba::Completed::maybe;

/// The failure as one line for people, with the resolver's own words if it was that.
std::string describe(base::Error error);

/// The system exception for a failure: one table of (stage, code) decides exception, minor code and completion
/// (docs/errors.md is generated from it). `detail` says which endpoint, which phase, how long.
corba::SystemFailure failure_of(base::Error error, std::string detail);

/// Throws it.
[[noreturn]] void raise(base::Error error, std::string detail);

}  // namespace corbel::orb
