// SPDX-License-Identifier: Apache-2.0
#include "corbel/connection/telling.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <new>
#include <utility>

#include "corbel/base/log.hpp"
#include "corbel/connection/connection.hpp"
#include "corbel/connection/socket_hooks.hpp"
#include "corbel/connection/watchers.hpp"

namespace corbel::connection {

using base::Code;
using base::Stage;

namespace {

using What = ConnectionEvent::What;

/// Null if the error says it all.
const char* why_ended(const Connection& connection, base::Error error) noexcept {
  const char* const why = connection.watched.why.load(std::memory_order_relaxed);
  if (why != nullptr) return why;
  if (error.code == Code::closed) return "closed by the peer";
  return error.code == Code::cancelled ? kClosedHere : nullptr;
}

/// `why`: null if the error says it all.
void tell(Watchers* watchers, What what, const Connection& connection, base::Error error, const char* why) noexcept {
  if (watchers == nullptr || !watchers->any()) return;
  try {
    ConnectionEvent event;
    event.what = what;
    event.accepted = connection.watched.accepted;
    if (what != What::refused) event.id = connection.watched.id;
    event.peer = connection.peer();
    event.protocol = connection.protocol().name();
    event.error = error;
    if (what != What::opened) event.why = why != nullptr ? why : base::to_string(error);
    watchers->tell(std::move(event));
  } catch (const std::bad_alloc&) {  // it cannot be told
  }
}

/// Of one connection of the process, whichever ORB's.
std::uint64_t next_id() noexcept {
  constinit static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

void show_socket(Connection& connection, bool accepted) noexcept {
  SocketHooks* const hooks = connection.socket_hooks();
  if (hooks == nullptr || !hooks->any()) return;
  const transport::Transport& transport = connection.transport();
  if (transport.handle() < 0) return;
  try {
    NewSocket socket;
    socket.handle = transport.handle();
    socket.accepted = accepted;
    socket.protocol = connection.protocol().name();
    socket.local = transport.local();
    socket.peer = connection.peer();
    socket.transport = socket.peer.substr(0, socket.peer.find("://"));
    hooks->call(socket);
  } catch (const std::bad_alloc&) {  // it cannot be shown
  }
}

void watch_closed(Watchers* watchers, const Connection& connection) noexcept {
  const Watched& watched = connection.watched;
  tell(watchers, What::closed, connection, watched.error, why_ended(connection, watched.error));
  if ((watched.told.load(std::memory_order_relaxed) & Watched::kAwaited) != 0) watchers->awaited();
}

void watch_opened(Connection& connection, bool accepted) noexcept {
  Watched& watched = connection.watched;
  if ((watched.told.fetch_or(Watched::kOpening) & Watched::kOpening) != 0) return;
  show_socket(connection, accepted);
  Watchers* const watchers = connection.watchers();
  watched.accepted = accepted;
  watched.id = next_id();
  if (watchers != nullptr && watchers->any()) {
    watchers->await();
    watched.told.fetch_or(Watched::kAwaited);
  }
  tell(watchers, What::opened, connection, {}, nullptr);
  if ((watched.told.fetch_or(Watched::kOpened) & Watched::kEnded) == 0) return;
  // Another thread ended it meanwhile, and left it to this one to tell that afterwards.
  watch_closed(watchers, connection);
}

void watch_ended(Connection& connection, base::Error error) noexcept {
  connection.watched.error = error;
  if ((connection.watched.told.fetch_or(Watched::kEnded) & Watched::kOpened) == 0) return;
  watch_closed(connection.watchers(), connection);
}

}  // namespace

void tell_turned_away(Connection& connection, base::Error error, const char* why) noexcept {
  if ((connection.watched.told.load() & Watched::kOpening) != 0) return;  // it is known already, from the other side
  connection.watched.accepted = true;
  tell(connection.watchers(), What::refused, connection, error, why);
}

void tell_unreachable(Watchers* watchers, const routing::Route& route, base::Error error) noexcept {
  if (watchers == nullptr || !watchers->any()) return;
  try {
    ConnectionEvent event;
    event.what = What::refused;
    event.peer = route.endpoint->text();
    event.protocol = route.protocol->name();
    event.error = error;
    event.why = base::to_string(error);
    watchers->tell(std::move(event));
  } catch (const std::bad_alloc&) {  // it cannot be told
  }
}

void tell_opened(Connection& connection, bool accepted) noexcept {
  if (accepted) {
    CORBEL_LOG(connection.log(), connection, debug, "connection accepted", {"peer", connection.peer()},
               {"protocol", connection.protocol().name()});
  } else {
    CORBEL_LOG(connection.log(), connection, debug, "connection opened", {"peer", connection.peer()},
               {"protocol", connection.protocol().name()});
  }
  watch_opened(connection, accepted);
}

void tell_ended(Connection& connection, base::Error error, bool server) noexcept {
  const std::string_view side = server ? "server" : "client";
  // A peer that ends between messages ends in order; so does this side.
  if (error.code == Code::closed || error.code == Code::cancelled) {
    CORBEL_LOG(connection.log(), connection, debug, "connection ended", {"peer", connection.peer()}, {"side", side},
               {"by", error.code == Code::closed ? "peer" : "this ORB"});
  } else {
    CORBEL_LOG(connection.log(), connection, info, "connection lost", {"peer", connection.peer()}, {"side", side},
               {"error", error});
  }
  watch_ended(connection, error);
}

void tell_cut_for_memory(Connection& connection, std::size_t octets) noexcept {
  CORBEL_LOG(connection.log(), connection, warning, "connection cut: incoming messages take too much memory",
             {"peer", connection.peer()}, {"octets", octets}, {"limit", "-ORBMaxInputMemory"});
  connection.watched.why = "incoming messages take too much memory";
}

std::string_view seems_to_speak(base::ConstByteSpan octets) noexcept {
  const std::string_view text = base::as_text(octets);
  for (const std::string_view method :
       {"GET ", "POST ", "HEAD ", "PUT ", "OPTIONS ", "DELETE ", "CONNECT ", "PRI * HTTP"}) {
    if (text.starts_with(method)) return "HTTP";
  }
  if (text.starts_with("SSH-")) return "SSH";
  if (text.starts_with("GIOP")) return "GIOP";
  if (text.starts_with("ZIOP")) return "ZIOP";
  if (text.size() >= 2 && text[0] == 0x16 && text[1] == 0x03) return "TLS";
  return "unknown";
}

void tell_refused(const Connection& connection, base::Error error, base::ConstByteSpan octets) noexcept {
  constexpr std::size_t kMostShown = 16;
  const base::ConstByteSpan shown = octets.first(std::min(octets.size(), kMostShown));
  if (error.code == Code::too_large) {
    CORBEL_LOG(connection.log(), connection, warning, "message refused", {"peer", connection.peer()}, {"error", error},
               {"limit", "-ORBMaxMessageSize"}, {"octets", shown});
  } else {
    CORBEL_LOG(connection.log(), connection, warning, "message refused", {"peer", connection.peer()}, {"error", error},
               {"expected", connection.protocol().name()}, {"seems", seems_to_speak(octets)}, {"octets", shown});
  }
}

base::Error explain_end(base::Error error) noexcept {
  if (error.code == Code::out_of_resources) return base::error(Stage::receive, error.code, error.os_error);
  const bool shut_out = error.code == Code::certificate_refused;
  return base::error(Stage::wait, shut_out ? error.code : Code::lost, error.os_error);
}

}  // namespace corbel::connection
