// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/connection/connection.hpp"

namespace corbel::orb {

class Core;

/// The server side of the ORB core: takes requests from connections to the object adapter and turns whatever comes
/// back, results or exceptions, into replies. The only place where a servant's exceptions are caught. Thread-safe.
class Dispatch final : public connection::RequestHandler {
 public:
  explicit Dispatch(Core& core) noexcept : core_(core) {}

  void on_request(connection::Connection& connection, const messaging::IncomingRequest& request,
                  cdr::Decoder& body) noexcept override;
  void on_locate_request(connection::Connection& connection,
                         const messaging::IncomingLocateRequest& request) noexcept override;
  void on_group() noexcept override;
  void on_cancel(connection::Connection& connection, const messaging::Origin& origin) noexcept override;

 private:
  void on_request_seen(connection::Connection& connection, const messaging::IncomingRequest& request,
                       cdr::Decoder& body) noexcept;

  Core& core_;
};

}  // namespace corbel::orb
