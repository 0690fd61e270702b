// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <new>

#include "corbel/base/probe.hpp"
#include "corbel/connection/connection.hpp"
#include "corbel/connection/receiving.hpp"

/// The one loop that reads a connection, for every thread that reads and every purpose. A reader is a small object on
/// the stack of the thread that has the reading role. It has:
///
/// - `kServes`, if requests are run by this thread, and `bool serve(Framer&, Message&)` for one: false if another one
///   reads on;
/// - `bool rests()`, if it lets others have their turn;
/// - `bool takes(Message&)`: deals with a reply; false if the reply is not the reader's own;
/// - `void on_finished(AsyncReply&)`: is given a reply which has been decoded and must be finished by another thread;
/// - `bool is_through()`, if it leaves when it has been given that and nothing else has come, so that the memory of a
///   large message stays for the next;
/// - `bool has_all()`: true if nothing more is wanted of the carrier;
/// - `bool leaves(const Framer&)`, if it leaves what may come next to the reactor;
/// - `Deadline until(const Framer&)`: how long to wait for octets.
namespace corbel::connection {

/// How reading ended.
struct Connection::ReadEnd {
  enum class Why : std::uint8_t {
    over,    ///< the reader has what it wanted, or another thread reads on
    rests,   ///< there may be more, but others have their turn
    dry,     ///< nothing more came in time
    broken,  ///< the carrier has ended or failed: `error`
    failed,  ///< what came makes no sense, or is the end: `error`
  };
  Why why = Why::over;
  base::Error error;
};

/// True if a part of a reply has come that is still waited for.
template <class Reader>
[[gnu::noinline, gnu::cold]] bool Connection::is_half_answered(const Reader& reader) {
  return session_->has_part_of_reply([&](messaging::Token token) {
    if constexpr (requires { reader.caller; }) {
      if (reader.caller.token == token) return true;  // one that is alone is not listed
    }
    return is_listed(token);
  });
}

/// The octets go to where the framer wants them.
[[gnu::always_inline]] inline base::Result<std::size_t> Connection::receive(Framer& framer, base::Deadline deadline) {
  try {
    if (framer.wants_more()) [[unlikely]] {
      if (const std::size_t lent = receive_lent(transport(), framer)) return lent;
    }
    const base::ByteSpan space = framer.space();
    if (framer.expects_many()) [[unlikely]]
      return receive_many(transport(), framer, space, deadline);
    auto received = transport().receive(space, deadline);
    if (received) framer.received(*received);
    return received;
  } catch (const std::bad_alloc&) {
    // The account refuses without an error of the system.
    return base::error(base::Stage::receive, base::Code::out_of_resources, framer.short_of_memory() ? 0 : ENOMEM);
  }
}

/// Takes whole messages out of the framer, and when there are none, octets from the carrier, until the reader has what
/// it wants, the carrier has nothing more for so long as the reader waits, or it is the end. A carrier may keep octets
/// inside: it is asked until it has none, or says that it has none.
template <class Reader>
[[gnu::always_inline]] inline Connection::ReadEnd Connection::read(Framer& framer, Reader& reader) {
  using Why = ReadEnd::Why;
  constexpr bool kServes = requires {
    Reader::kServes;
  };
  for (;;) {
    if constexpr (requires { reader.rests(); }) {
      if (reader.rests()) [[unlikely]]
        return {Why::rests, {}};
    }
    const auto whole = framer.next();
    if (!whole) [[unlikely]]
      return {Why::failed, whole.error()};
    if (!*whole) {
      if (reader.has_all()) return {};
      if constexpr (requires { reader.leaves(framer); }) {
        if (reader.leaves(framer)) return {Why::dry, {}};
      }
      CORBEL_PROBE("wait and receive");
      const auto received = receive(framer, reader.until(framer));
      CORBEL_PROBE("framing");
      if (received) [[likely]]
        continue;
      const base::Code code = received.error().code;
      const bool later = code == base::Code::timed_out || code == base::Code::would_block;
      return {later ? Why::dry : Why::broken, received.error()};
    }
    Message& message = framer.message();
    if constexpr (kServes) {
      if (message.kind == messaging::Kind::request) [[likely]] {
        reader.whole = true;
        if (reader.serve(framer, message)) continue;
        return {};
      }
    }
    if (message.kind == messaging::Kind::reply && reader.takes(message)) return {};
    switch (message.kind) {
      case messaging::Kind::reply: {
        AsyncReply* finished = nullptr;
        if (auto status = deliver(message, finished); !status) return {Why::failed, status.error()};
        if (finished != nullptr) reader.on_finished(*finished);
        if constexpr (requires { reader.is_through(); }) {
          if (reader.is_through() && !framer.has_unread()) return {};
        }
        continue;
      }
      case messaging::Kind::request:
      case messaging::Kind::locate_request:
      case messaging::Kind::answer:
        if constexpr (kServes) {
          reader.whole = true;
          if (reader.serve(framer, message)) continue;
          return {};
        }
        break;
      case messaging::Kind::nothing:
        continue;
      case messaging::Kind::cancel:
        if constexpr (kServes) {
          reader.cancelled(message.request.origin);
          continue;
        }
        break;
      case messaging::Kind::close:
        if (!heeds_end()) continue;
        // Everything without a reply was not executed (CORBA 3.3 part 2, 9.4.7) and may be tried again elsewhere. Where
        // a part of a reply has come, that is not true of its request, and not to be believed of others.
        return {Why::failed,
                base::error(base::Stage::wait, is_half_answered(reader) ? base::Code::lost : base::Code::closed)};
      case messaging::Kind::error:
        if (!heeds_end()) continue;
        return {Why::failed, base::error(base::Stage::wait, base::Code::protocol_error)};
    }
    if (link_.lossy()) continue;  // its sender need not be the peer
    return {Why::failed, base::error(base::Stage::receive, base::Code::malformed)};
  }
}

/// Ends a call's part in the connection: gives up the reading role, if it has it, and sees to it that another thread
/// reads for those who remain. Also a call that does not read may have been chosen for that, and be leaving instead.
[[gnu::always_inline]] inline void Connection::leave(Caller& caller) noexcept {
  if (caller.reading && reading_.end_alone()) [[likely]] {
    caller.reading = false;
    return;
  }
  leave_shared(caller);
}

}  // namespace corbel::connection
