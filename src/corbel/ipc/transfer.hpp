// SPDX-License-Identifier: Apache-2.0
// The loops that make "all of it" out of "some of it", for whatever carries octets.
#pragma once

#include <span>

#include "corbel/base/bytes.hpp"
#include "corbel/base/result.hpp"
#include "corbel/ipc/io_vector.hpp"

namespace corbel::ipc::detail {

/// Calls `some(left)` until nothing is left; `after(error)` decides whether a failure ends it (by returning it) or was
/// waited out. `left` is a span of octets or a list. With `ends`, zero octets mean the end of the stream.
template <bool kEnds, class Left, class Some, class After>
base::Status transfer_all(Left left, std::size_t* done, Some some, After after) {
  std::size_t count_of_all = 0;
  base::Status status;
  const auto rest = [](Left from, std::size_t count) {
    if constexpr (requires {
                    from.size_bytes();
                    from.front().iov_base;
                  }) {
      return skip(from, count);
    } else {
      return from.subspan(count);
    }
  };
  left = rest(left, 0);
  while (status && !left.empty()) {
    auto count = some(left);
    if (!count) {
      status = after(count.error());
    } else if (kEnds && *count == 0) {
      status = base::error(base::Stage::receive, count_of_all == 0 ? base::Code::closed : base::Code::lost);
    } else {
      count_of_all += *count;
      left = rest(left, *count);
    }
  }
  if (done != nullptr) *done = count_of_all;
  return status;
}

}  // namespace corbel::ipc::detail
