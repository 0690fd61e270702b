// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "corbel/base/export.hpp"
#include "corbel/connection/new_socket.hpp"

namespace CORBA {
class ORB;
}

namespace corbel::connection {
class SocketHook;
class SocketHooks;
}  // namespace corbel::connection

namespace corbel::orb {

using connection::NewSocket;

/// While it lives, a call-back sees each new socket of an ORB's connections, and can set it up:
///
///   using namespace corbel::orb;
///   SocketHook hook(*orb, [](const NewSocket& socket) {
///     const int mark = 7;
///     if (socket.transport == "tcp") setsockopt(socket.handle, SOL_SOCKET, SO_MARK, &mark, sizeof mark);
///   });
///
/// Both roles: a socket that this ORB has connected (after TLS has shaken hands), before the first message leaves; one
/// that it has accepted (before TLS shakes hands), before anything is read. Not those that only listen. It runs on the
/// thread that makes the connection: in the caller's call, or on the one that accepts, which takes no other client
/// meanwhile. So it has to be short, calls no objects, and neither reads, nor closes, nor makes the descriptor block or
/// not block. What it throws is logged, and nothing else. To hear of ends, and at leisure, there is ConnectionWatch.
///
/// Movable. One thread at a time may use it; any number may be there, called in the order in which they were made. It
/// may outlive the ORB. Without any, a new connection costs nothing more.
class SocketHook {
 public:
  using CallBack = std::function<void(const NewSocket&)>;

  /// Sees nothing.
  SocketHook() noexcept = default;
  /// Throws BAD_PARAM for an empty call-back, BAD_INV_ORDER or OBJECT_NOT_EXIST when the ORB has ended.
  CORBEL_API SocketHook(CORBA::ORB& orb, CallBack call_back);
  CORBEL_API ~SocketHook();
  CORBEL_API SocketHook(SocketHook&& other) noexcept;
  CORBEL_API SocketHook& operator=(SocketHook&& other) noexcept;

  /// Ends it, as the destructor does. Returns when the call-back has returned: hold no lock that it takes. Inside of
  /// the call-back it does not wait for that call.
  CORBEL_API void end() noexcept;

 private:
  std::shared_ptr<connection::SocketHooks> hooks_;
  std::shared_ptr<connection::SocketHook> hook_;
};

}  // namespace corbel::orb
