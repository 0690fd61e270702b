// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <corbel/corbel.hpp>

namespace corbel::values_test {

template <class T>
CORBA::Any any_with(const T& value) {
  CORBA::Any any;
  any <<= value;
  return any;
}

}  // namespace corbel::values_test
