// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>

#include "corbel/base/bytes.hpp"
#include "corbel/base/condition.hpp"
#include "corbel/ipc/event.hpp"
#include "words.hpp"

namespace field_bus {

/// Octets of a message of a conversation, at most: what is larger would hold up a bus of 1 Mbit/s for too long.
inline constexpr std::size_t kLargestMessage = 8192;

/// What a piece of a conversation is for; it fills the data words of one message of the bus. Two words of them say
/// whose it is, what it is and how many octets it has.
enum class Purpose : std::uint8_t { reset, open, accept, refuse, busy, data, credit, end };

struct Piece {
  Purpose purpose = Purpose::reset;
  bool of_opener = false;  // said by the side that opened the conversation
  bool last = false;       // of a message of the conversation
  std::uint16_t number = 0;
  std::span<const corbel::base::Octet> octets{};
};

inline constexpr std::size_t kPieceWords = 2;  // before the octets

/// Reads the data words of a message; nullopt if they are none.
std::optional<Piece> read_piece(std::span<const std::uint16_t> data);
/// Adds a piece to a message; its octets have room.
void write_piece(const Piece& piece, Packet& packet);

/// One end of a conversation between two terminals: what it has to say, cut into pieces, and what it has heard, joined.
/// What is under way in one direction is bounded by a window that its receiver opens as it is read. A value without a
/// lock: the terminal that has it guards it with its own mutex. The handle is readable while there is something to
/// receive, or the end.
class Conversation {
 public:
  enum class State : std::uint8_t {
    calling,   // has asked, or is about to
    held_off,  // the other side has no place for it yet
    refused,
    open,
    ended,  // in order, by the other side
    lost,
  };
  struct Key {
    unsigned peer = 0;
    std::uint16_t number = 0;
    bool opener = false;  // this side has opened it
    friend auto operator<=>(const Key&, const Key&) = default;
  };

  /// Error: out_of_resources.
  static corbel::base::Result<std::shared_ptr<Conversation>> make(const Key& key);
  Conversation(const Key& key, corbel::ipc::Event event);

  const Key& key() const { return key_; }
  State state() const { return state_; }
  /// The call was taken, whatever came after that.
  bool was_opened() const { return state_ == State::open || state_ == State::ended || state_ == State::lost; }
  int handle() const { return heard_.handle(); }

  // What is to be said.
  bool has_room(std::size_t octets) const { return room_ >= octets; }
  void put(corbel::base::Bytes message);  ///< which there is room for
  void call_again();
  bool has_to_say() const;
  /// Says the next piece in a message of at most so many data words; there is one.
  void say(Packet& packet, std::size_t words);

  // What was heard.
  void hear(const Piece& piece);
  bool has_message() const { return !messages_.empty(); }
  corbel::base::Bytes take();  ///< there is one

  // The end.
  void hang_up();  ///< this side's; what was put is still said
  bool has_hung_up() const { return hung_up_; }
  void lose();  ///< the other side is not there any more
  bool is_over() const { return hung_up_ && !has_to_say(); }

  corbel::base::Condition changed;
  bool is_queued = false;  ///< to say something: its terminal's note

 private:
  void hear_data(const Piece& piece);
  void hear_credit(const Piece& piece);
  void violated();
  void change(State state);
  bool owes_credit() const;
  void say_data(Piece& piece, std::size_t words);

  const Key key_;
  const corbel::ipc::Event heard_;
  State state_;
  std::optional<Purpose> first_;  // to be said before anything else
  bool hung_up_ = false;
  bool end_said_ = false;
  std::deque<corbel::base::Bytes> out_;
  std::size_t said_ = 0;  // of the first of these
  std::size_t room_;      // octets that the peer takes
  std::deque<corbel::base::Bytes> messages_;
  corbel::base::Bytes partial_;
  std::size_t unread_ = 0;  // octets of these
  std::size_t owed_ = 0;    // octets that were read and the peer does not know of
  std::array<corbel::base::Octet, sizeof(std::uint16_t)> credit_{};
};

}  // namespace field_bus
