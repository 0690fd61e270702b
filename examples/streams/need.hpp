// SPDX-License-Identifier: Apache-2.0
// Ends the program with a message when something failed.
#pragma once

#include <corbel/base/result.hpp>

#include <cstdlib>
#include <iostream>
#include <utility>

namespace example {

[[noreturn]] inline void fail(const char* what, const corbel::base::Error& error) {
  std::cerr << what << ": " << corbel::base::to_string(error) << '\n';
  std::exit(1);
}
inline void need(const corbel::base::Status& status, const char* what) {
  if (!status) fail(what, status.error());
}
/// The value, or the end of the program.
template <class T>
T need(corbel::base::Result<T> result, const char* what) {
  if (!result) fail(what, result.error());
  return *std::move(result);
}

}  // namespace example
