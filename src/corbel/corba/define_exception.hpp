// SPDX-License-Identifier: Apache-2.0
#pragma once

/// For sources: the member functions in which one user exception of the library differs from another by its name alone.
#define CORBEL_DEFINE_EXCEPTION_NAMES(NAME, SHORT) \
  void NAME::_raise() const {                      \
    throw *this;                                   \
  }                                                \
  const char* NAME::_rep_id() const noexcept {     \
    return _id;                                    \
  }                                                \
  const char* NAME::_name() const noexcept {       \
    return SHORT;                                  \
  }
