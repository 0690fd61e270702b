// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace corbel::interceptors {

/// What a server's interceptor may be, too: it hears when threads have done with requests, which those that are
/// answered later leave before their end.
class SeesThreads {
 public:
  virtual ~SeesThreads() = default;
  /// On the thread that ran the request's upcall, whose other requests begun since it has left, too; if that is not the
  /// one that received it (MAIN_THREAD_MODEL), on both. Of a request that is answered later, or by the thread that
  /// received it, the end (send_reply and the like) is still to come, or has come on another thread.
  virtual void on_left(std::uint32_t request_id) noexcept = 0;
};

}  // namespace corbel::interceptors
