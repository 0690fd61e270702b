// SPDX-License-Identifier: Apache-2.0
// The same headers in the other order: what declares the interface first.
#include "waiting.hpp"
// Not to be sorted.
#include "unaware.hpp"

namespace declared_test {

std::int32_t number_of_late(const IDL::traits<Declared::Waiter>::ref_type& waiter) {
  return waiter->late_()->number();
}

}  // namespace declared_test
