// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What the mapping guide's native type is.
namespace Guide {
struct Ticket {
  int number = 0;
};
}  // namespace Guide
