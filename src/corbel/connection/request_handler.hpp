// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/messaging/message.hpp"

namespace corbel::connection {

class Connection;

/// What a connection does with the requests it reads; orb/dispatch implements it. Runs the request on the calling
/// thread and replies through Connection::reply. Thread-safe; must not throw.
class RequestHandler {
 public:
  virtual ~RequestHandler() = default;
  virtual void on_request(Connection& connection, const messaging::IncomingRequest& request,
                          cdr::Decoder& body) noexcept = 0;
  virtual void on_locate_request(Connection& connection, const messaging::IncomingLocateRequest& request) noexcept = 0;
  /// From now on requests may come that were sent to a group (transport::Traits::group_profile).
  virtual void on_group() noexcept {}
  /// The client does not want the answer to a request any more that it sent before. Most have been answered by then.
  virtual void on_cancel(Connection&, const messaging::Origin&) noexcept {}
  /// The conversation has ended while requests of it were deferred: their answers go nowhere.
  virtual void on_end(Connection&) noexcept {}
};

}  // namespace corbel::connection
