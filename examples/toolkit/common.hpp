// SPDX-License-Identifier: Apache-2.0
// What the toolkit's examples share: ends the program with a message when something failed.
#pragma once

#include <corbel/base/deadline.hpp>
#include <corbel/base/result.hpp>

#include <cstdlib>
#include <iostream>
#include <string_view>
#include <utility>

namespace example {

namespace base = corbel::base;
namespace ipc = corbel::ipc;

inline void fail(std::string_view what, const base::Error& error) {
  std::cerr << what << ": " << base::to_string(error) << '\n';
  std::exit(1);
}

/// The value, or the end of the program.
template <class T>
T need(base::Result<T> result, std::string_view what) {
  if (!result) fail(what, result.error());
  return *std::move(result);
}
inline void need(const base::Status& status, std::string_view what) {
  if (!status) fail(what, status.error());
}

/// No example waits longer for anything.
inline base::Deadline soon() {
  return base::Deadline::after(std::chrono::seconds(30));
}

}  // namespace example
