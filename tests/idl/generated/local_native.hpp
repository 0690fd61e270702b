// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace Inside {

struct Handle {
  int descriptor = -1;
};
using Observer_Cookie = void*;

}  // namespace Inside
