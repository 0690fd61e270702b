// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "corbel/base/export.hpp"
#include "corbel/connection/connection_event.hpp"

namespace CORBA {
class ORB;
}

namespace corbel::connection {
class Watcher;
class Watchers;
}  // namespace corbel::connection

namespace corbel::orb {

using connection::ConnectionEvent;

/// While it lives, a call-back hears of each connection of an ORB that is opened, closed or refused:
///
///   using namespace corbel::orb;
///   ConnectionWatch watch(*orb, [](const ConnectionEvent& event) {
///     if (event.what == ConnectionEvent::What::closed) std::clog << event.peer << ": " << event.why << std::endl;
///   });
///
/// The call-back runs on a thread of the watch, one event at a time, with no lock of the ORB held: it may block, throw
/// (which is logged, and nothing else), call objects, and end the watch or the ORB. No call, request or other watch
/// waits for it. While it is 1,000 events behind, others are left out, and the next one says how many
/// (ConnectionEvent::missed). It hears of a connection's opening before its end and of each once; of connections that
/// were open before the watch, only the end. That a peer could not be reached is heard for each address that was tried.
/// Connections are accepted before hands are shaken (tls): a peer that fails in that is opened and closed.
///
/// Movable. One thread at a time may use it; any number may watch an ORB, at any time, while calls are under way. It
/// may outlive the ORB, whose destroy() waits for the call-back to hear all that was, but not longer than a second.
class ConnectionWatch {
 public:
  using CallBack = std::function<void(const ConnectionEvent&)>;

  /// Watches nothing.
  ConnectionWatch() noexcept = default;
  /// Throws NO_RESOURCES if the system has no thread for it, BAD_PARAM for an empty call-back, BAD_INV_ORDER or
  /// OBJECT_NOT_EXIST when the ORB has ended.
  CORBEL_API ConnectionWatch(CORBA::ORB& orb, CallBack call_back);
  CORBEL_API ~ConnectionWatch();
  CORBEL_API ConnectionWatch(ConnectionWatch&& other) noexcept;
  CORBEL_API ConnectionWatch& operator=(ConnectionWatch&& other) noexcept;

  /// Ends it, what waits included, as the destructor does. Returns when the call-back has returned and has been
  /// destroyed: hold no lock that it takes. Inside of the call-back it returns at once.
  CORBEL_API void end() noexcept;

 private:
  std::shared_ptr<connection::Watchers> watchers_;
  std::shared_ptr<connection::Watcher> watcher_;
};

}  // namespace corbel::orb
