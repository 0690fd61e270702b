// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <corbel/base/error.hpp>
#include <corbel/base/result.hpp>

#include <stdexcept>
#include <utility>

namespace wrapped {

[[noreturn, gnu::cold]] inline void fail(corbel::base::Error error) {
  throw std::runtime_error(corbel::base::to_string(error));
}
template <class T>
T checked(corbel::base::Result<T> result) {
  if (!result) fail(result.error());
  return std::move(*result);
}
inline void check(const corbel::base::Status& status) {
  if (!status) fail(status.error());
}

}  // namespace wrapped
