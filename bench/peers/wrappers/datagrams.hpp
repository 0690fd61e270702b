// SPDX-License-Identifier: Apache-2.0
// The conversation of plain_datagrams.h by the wrapper facades.
#pragma once

#include <corbel/ipc/datagram.hpp>

#include <chrono>
#include <cstring>
#include <vector>

#include "common/plain_datagrams.h"
#include "peers/peer.hpp"
#include "peers/wrappers/failures.hpp"

namespace wrapped {

namespace base = corbel::base;
namespace ipc = corbel::ipc;

template <class T>
base::ConstByteSpan octets_of(const T& value) {
  return {reinterpret_cast<const base::Octet*>(&value), sizeof value};
}
template <class T>
base::ByteSpan room_of(T& value) {
  return {reinterpret_cast<base::Octet*>(&value), sizeof value};
}

inline ipc::UdpSocket::Options datagram_options() {
  ipc::UdpSocket::Options options;
  if (const int size = peer::queue_size(); size > 0) options.send_buffer = options.receive_buffer = size;
  return options;
}

/// Used by one thread.
class DatagramClient {
 public:
  explicit DatagramClient(const ipc::InetAddress& server)
      : socket_(checked(ipc::ConnectedUdp::open(server, datagram_options()))) {}

  void ping() {
    const plain_note note = next(plain_note_trip);
    make_trip(note, octets_of(note));
  }
  std::function<void()> put(std::size_t payload) {
    return [this, data = base::Bytes(std::max(payload, sizeof(plain_note)), 'x')]() mutable {
      const plain_note note = next(plain_note_trip);
      std::memcpy(data.data(), &note, sizeof note);
      make_trip(note, data);
    };
  }

  peer::Flow flow(bool oneway, const std::string& type, std::size_t count) {
    base::Bytes data(count * peer::size_of(type), 'x');
    const std::uint64_t size = data.size();
    if (!oneway || size > plain_datagram_most) throw std::runtime_error("datagrams go one way, up to 65,507 octets");
    return {size, [this, data = std::move(data)](unsigned long calls) { flood(data, calls); },
            [this] { return tally_.octets; }};
  }

 private:
  static plain_note next(plain_note_kind kind) {
    static std::uint32_t last = 0;
    return {static_cast<std::uint32_t>(kind), ++last};
  }
  template <class Sent>
  static void check_sent(const Sent& sent) {
    if (!sent) fail(sent.error());
  }
  /// False if nothing came in time.
  bool received(base::ByteSpan room, std::chrono::milliseconds patience) {
    const auto got = socket_.recv(room, base::Deadline::after(patience));
    if (!got && got.error().code != base::Code::timed_out) fail(got.error());
    return static_cast<bool>(got);
  }
  /// Sends what begins with the note and waits until that is back.
  void make_trip(const plain_note& note, base::ConstByteSpan data) {
    for (int again = 0; again < 10; ++again) {
      check_sent(socket_.send(data));
      plain_note answer{};
      while (received(room_of(answer), std::chrono::seconds(1))) {
        if (answer.number == note.number) return;
      }
    }
    throw std::runtime_error("nothing comes back");
  }
  /// The server's queue may be full, so the first times come soon after each other.
  void ask(plain_note_kind kind) {
    const plain_note note = next(kind);
    for (std::chrono::milliseconds patience(2); patience < std::chrono::seconds(20); patience *= 2) {
      check_sent(socket_.send(octets_of(note)));
      while (received(room_of(tally_), patience)) {
        if (tally_.note.number == note.number) return;
      }
    }
    throw std::runtime_error("the server says nothing");
  }
  void flood(const base::Bytes& data, unsigned long calls) {
    ask(plain_note_wipe);
    for (unsigned long i = 0; i < calls; ++i) check_sent(socket_.send(data));
    ask(plain_note_tally);
  }

  ipc::ConnectedUdp socket_;
  plain_tally tally_{};
};

/// Counts data and answers notes until that fails.
[[noreturn]] inline void serve_datagrams(ipc::UdpSocket& socket) {
  std::vector<base::Octet> room(65536);
  plain_tally tally{};
  for (;;) {
    ipc::InetAddress from;
    const auto got = socket.recv_from(room, from);
    if (!got) {
      if (got.error().code == base::Code::lost) continue;  // a client of before has gone
      fail(got.error());
    }
    if (*got >= sizeof tally.note) {
      plain_note note{};
      std::memcpy(&note, room.data(), sizeof note);
      if (note.kind == plain_note_trip ||
          (*got == sizeof note && note.kind > plain_note_trip && note.kind <= plain_note_tally)) {
        tally.note = note;
        if (tally.note.kind == plain_note_wipe) tally.datagrams = tally.octets = 0;
        // An answer that cannot be sent is one that got lost.
        (void)socket.send_to(
            octets_of(tally).first(tally.note.kind == plain_note_trip ? sizeof tally.note : sizeof tally), from);
        continue;
      }
    }
    ++tally.datagrams;
    tally.octets += *got;
  }
}

}  // namespace wrapped
