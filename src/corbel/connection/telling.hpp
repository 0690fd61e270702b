// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "corbel/base/bytes.hpp"
#include "corbel/base/error.hpp"
#include "corbel/routing/route.hpp"

/// What is logged about conversations, and told to watchers of them (watchers.hpp), in one place so that all sides
/// say it in the same words. With no lock of a connection or server held, but where it says otherwise.
namespace corbel::connection {

/// Why a connection has ended, where this side wanted it and there is no more to say.
inline constexpr const char* kClosedHere = "closed by this ORB";

class Connection;
class Watchers;

/// One more conversation: accepted, or opened by this side. Before anything is sent or received; hooks see its socket.
void tell_opened(Connection& connection, bool accepted) noexcept;
/// A conversation has ended; `server`: the side that this process is.
void tell_ended(Connection& connection, base::Error error, bool server) noexcept;
/// This side did not take a client's conversation, and why. For the watchers alone.
void tell_turned_away(Connection& connection, base::Error error, const char* why) noexcept;
/// This side could not connect. For the watchers alone.
void tell_unreachable(Watchers* watchers, const routing::Route& route, base::Error error) noexcept;
/// It is cut because incoming messages take so many `octets`, and its own is the oldest that is incomplete, or the one
/// that lacks memory.
void tell_cut_for_memory(Connection& connection, std::size_t octets) noexcept;
/// A server cannot read what a peer sends; `octets`: the next ones.
void tell_refused(const Connection& connection, base::Error error, base::ConstByteSpan octets) noexcept;

/// What a peer that begins so seems to speak: "HTTP", "TLS", "SSH", "GIOP", "unknown".
std::string_view seems_to_speak(base::ConstByteSpan octets) noexcept;

/// What those who wait for replies are told when the carrier has ended with `error`, without CloseConnection: stage
/// wait; it is not known what became of requests, unless the peer never let this side in. If it was memory that lacked:
/// stage receive.
base::Error explain_end(base::Error error) noexcept;

}  // namespace corbel::connection
