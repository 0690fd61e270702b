// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "corbel/messaging/protocol.hpp"

namespace corbel::connection {

class Connection;

/// What a connection does with the requests it reads; orb/dispatch implements it. Runs the request on the calling
/// thread and replies through Connection::send_reply. Thread-safe; must not throw.
class RequestHandler {
 public:
  virtual ~RequestHandler() = default;
  virtual void on_request(Connection& connection, const messaging::IncomingRequest& request, std::uint8_t giop_minor,
                          cdr::Decoder& body) noexcept = 0;
  virtual void on_locate_request(Connection& connection, const messaging::IncomingLocateRequest& request,
                                 std::uint8_t giop_minor) noexcept = 0;
};

}  // namespace corbel::connection
