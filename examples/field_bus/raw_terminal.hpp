// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "controller.hpp"
#include "conversation.hpp"
#include "test_bus.hpp"

namespace field_bus {

inline corbel::ipc::UnixAddress address_of(const std::string& bus) {
  return *corbel::ipc::UnixAddress::abstract(bus.substr(1));
}

/// A terminal that says what a test wants it to say, sense or not.
class RawTerminal {
 public:
  RawTerminal(const std::string& bus, unsigned address) {
    auto socket = corbel::ipc::PacketConnector().connect(address_of(bus), deadline());
    if (!socket) return;
    socket_ = *std::move(socket);
    say(Packet(Command::attach, address));
    welcome_ = next();
  }

  bool is_welcome() const { return welcome_.is(Command::attached); }
  std::size_t words() const { return welcome_.data().empty() ? 0 : welcome_.data()[0]; }
  /// What the controller says next; empty when it has closed.
  Packet next() {
    const auto packet = receive_packet(socket_, deadline());
    if (packet) return *packet;
    EXPECT_NE(packet.error().code, corbel::base::Code::timed_out);
    return {};
  }
  void say(corbel::base::ConstByteSpan octets) { (void)socket_.send(octets); }
  void say(const Packet& packet) { say(packet.octets()); }

  /// Answers polls with nothing until something else comes.
  Packet next_message() {
    Packet packet = next();
    for (; packet.is(Command::poll); packet = next()) say(Packet(Command::nothing));
    return packet;
  }
  /// The next poll; what comes before it is dropped. False when the controller has closed.
  bool await_poll() {
    Packet packet = next();
    while (!packet.is(Command::poll) && packet.count > 0) packet = next();
    return packet.count > 0;
  }
  void say_when_polled(const Packet& packet) {
    await_poll();
    say(packet);
  }
  void say_piece(unsigned to, const Piece& piece) {
    Packet packet(Command::transmit, to);
    write_piece(piece, packet);
    say_when_polled(packet);
  }
  /// Accepts the next call; who calls, if anybody does.
  std::optional<Conversation::Key> accept_any() {
    const Packet call = next_message();
    const auto piece = read_piece(call.data());
    if (!piece || piece->purpose != Purpose::open) return std::nullopt;
    say_piece(call.address(), {.purpose = Purpose::accept, .last = true, .number = piece->number});
    return Conversation::Key{.peer = call.address(), .number = piece->number, .opener = false};
  }
  /// Accepts the next call, which has to come; who calls.
  Conversation::Key accept() {
    const auto caller = accept_any();
    EXPECT_TRUE(caller) << "no call";
    return caller.value_or(Conversation::Key{});
  }
  /// True when the controller has cut this terminal off, whatever it says before.
  bool is_cut_off() {
    for (Packet packet = next(); packet.count > 0; packet = next()) {
      if (packet.is(Command::poll)) say(Packet(Command::nothing));
    }
    return true;
  }

 private:
  static corbel::base::Deadline deadline() { return corbel::base::Deadline::after(kPatience); }

  corbel::ipc::PacketStream socket_;
  Packet welcome_;
};

}  // namespace field_bus
