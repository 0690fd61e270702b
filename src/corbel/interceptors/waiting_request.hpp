// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/base/deadline.hpp"
#include "corbel/base/log.hpp"

namespace corbel::interceptors {

/// What a ServerRequestInfo is, too: for interceptors that have a request wait in receive_request(), and while they do.
class WaitingRequest {
 public:
  virtual ~WaitingRequest() = default;
  /// The request begins to wait: until when. That is as long as a POA manager may hold it (-ORBHoldTimeout; without
  /// limit if that is 0), and no longer than its client says. Without limit for one that came from this process. Throws
  /// NO_MEMORY. Its own thread, once.
  virtual base::Deadline begin_wait() = 0;
  /// True since when nobody waits for it any more: its client has cancelled it, or has gone, or its time is over. Any
  /// thread, after begin_wait().
  virtual bool is_given_up() const noexcept = 0;
  /// The ORB's, for what concerns the request.
  virtual const base::Log& log() const noexcept = 0;
};

}  // namespace corbel::interceptors
