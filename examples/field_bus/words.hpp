// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "corbel/base/option_rows.hpp"
#include "corbel/ipc/packet.hpp"

/// What goes over the simulated bus. The medium is a sequenced-packet socket between the controller and each terminal:
/// one packet is what the bus would carry as one command, status or message, in words of 16 bits in the host's order.
namespace field_bus {

/// What a packet is: its first word. The second is an address where it needs one, then come the data words.
enum class Command : std::uint16_t {
  attach = 1,  ///< terminal: wants this address, or any
  attached,    ///< controller: has this one; one data word: how many data words a message has, at most
  refused,     ///< controller: it is taken, or the bus is full
  poll,        ///< controller: say one message
  nothing,     ///< terminal, when polled: there is none
  transmit,    ///< terminal, when polled: a message for this address
  receive,     ///< controller: a message from this address
  gone,        ///< controller: there is no terminal of this address, or none any more
};

inline constexpr unsigned kTerminals = 31;  // addresses from 0; 31 means all of them (MIL-STD-1553B, 4.3.3.5.1.2)
inline constexpr unsigned kAnyAddress = 31;
inline constexpr std::size_t kHeadWords = 2;
inline constexpr std::size_t kMostData = 32;  // words of a message (4.3.3.5.1.4)

/// How a bus works. Times that real ones have: 20 us for a word at 1 Mbit/s.
struct BusSettings {
  std::string control;  // the bus that this process controls; empty: none
  corbel::base::Duration minor_frame = std::chrono::microseconds(5000);
  std::uint32_t words = kMostData;   // of a message
  std::uint32_t word_time = 20'000;  // ns; 0: as fast as the host
  corbel::base::Duration response = std::chrono::microseconds(1000);
  corbel::base::Duration silence = std::chrono::milliseconds(1000);
};
inline constexpr corbel::base::OptionRow<BusSettings> kBusOptions[] = {
    {"FieldBusControl", corbel::base::TextMember<BusSettings>{corbel::base::member_v<&BusSettings::control>}, 0, 0, "",
     "field_bus: the path of a bus that this process is the controller of"},
    {"FieldBusMinorFrame", corbel::base::DurationMember<BusSettings>{corbel::base::member_v<&BusSettings::minor_frame>},
     100, 1'000'000, "us", "field_bus, controller: period of the schedule; every terminal is polled in each"},
    {"FieldBusWords", corbel::base::NumberMember<BusSettings>{corbel::base::member_v<&BusSettings::words>}, 4,
     kMostData, "words", "field_bus, controller: data words of 16 bits in a message, at most"},
    {"FieldBusWordTime", corbel::base::NumberMember<BusSettings>{corbel::base::member_v<&BusSettings::word_time>}, 0,
     1'000'000, "ns", "field_bus, controller: how long a word takes; 0: as fast as the host"},
    {"FieldBusResponse", corbel::base::DurationMember<BusSettings>{corbel::base::member_v<&BusSettings::response>}, 1,
     1'000'000, "us", "field_bus, controller: how long it waits for the answer to a poll"},
    {"FieldBusSilence", corbel::base::DurationMember<BusSettings>{corbel::base::member_v<&BusSettings::silence>}, 1,
     3'600'000, "", "field_bus, controller: milliseconds without an answer, after which a terminal is gone"},
};

/// A packet as a value.
struct Packet {
  std::array<std::uint16_t, kHeadWords + kMostData> words{};
  std::size_t count = 0;

  Packet() = default;
  explicit Packet(Command command) : count(1) { words[0] = static_cast<std::uint16_t>(command); }
  Packet(Command command, unsigned address) : Packet(command) { add(static_cast<std::uint16_t>(address)); }
  void add(std::uint16_t word) { words[count++] = word; }  // which there is room for

  bool is(Command command) const { return count > 0 && words[0] == static_cast<std::uint16_t>(command); }
  unsigned address() const { return count > 1 ? words[1] : kAnyAddress; }
  std::span<const std::uint16_t> data() const { return std::span(words).first(count).subspan(count < 2 ? count : 2); }
  corbel::base::ConstByteSpan octets() const {
    return {reinterpret_cast<const corbel::base::Octet*>(words.data()), count * sizeof words[0]};
  }
};

/// The next packet. Errors: malformed if it has half words or more than there can be; else as PacketStream::recv.
inline corbel::base::Result<Packet> receive_packet(corbel::ipc::PacketStream& socket, corbel::base::Deadline deadline) {
  Packet packet;
  const corbel::base::ByteSpan room{reinterpret_cast<corbel::base::Octet*>(packet.words.data()), sizeof packet.words};
  const auto size = socket.recv(room, deadline);
  const auto malformed = corbel::base::error(corbel::base::Stage::receive, corbel::base::Code::malformed);
  if (!size) return size.error().code == corbel::base::Code::truncated ? malformed : size.error();
  if (*size % sizeof packet.words[0] != 0) return malformed;
  packet.count = *size / sizeof packet.words[0];
  return packet;
}

}  // namespace field_bus
