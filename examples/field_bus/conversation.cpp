// SPDX-License-Identifier: Apache-2.0
#include "conversation.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace field_bus {

using corbel::base::Bytes;
using corbel::base::Octet;

namespace {

// The first word is the number of the conversation, the second this: purpose, two flags, octets that follow.
constexpr unsigned kPurposeShift = 12;
constexpr unsigned kOfOpener = 1U << 11;
constexpr unsigned kLast = 1U << 10;
constexpr unsigned kOctets = kLast - 1;

// A sender never waits for credit that the receiver keeps: what is left of the window then holds the largest message.
constexpr std::size_t kWindow = 2 * kLargestMessage;
constexpr std::size_t kCreditStep = kLargestMessage / 2;

}  // namespace

std::optional<Piece> read_piece(std::span<const std::uint16_t> data) {
  if (data.size() < kPieceWords) return std::nullopt;
  const unsigned head = data[1];
  const std::size_t octets = head & kOctets;
  const unsigned purpose = head >> kPurposeShift;
  const auto rest = data.subspan(kPieceWords);
  if (purpose > static_cast<unsigned>(Purpose::end) || rest.size() != (octets + 1) / 2) return std::nullopt;
  return Piece{.purpose = static_cast<Purpose>(purpose),
               .of_opener = (head & kOfOpener) != 0,
               .last = (head & kLast) != 0,
               .number = data[0],
               .octets = {reinterpret_cast<const Octet*>(rest.data()), octets}};
}

void write_piece(const Piece& piece, Packet& packet) {
  packet.add(piece.number);
  packet.add(static_cast<std::uint16_t>(static_cast<unsigned>(piece.purpose) << kPurposeShift |
                                        (piece.of_opener ? kOfOpener : 0) | (piece.last ? kLast : 0) |
                                        static_cast<unsigned>(piece.octets.size())));
  corbel::base::copy_octets(&packet.words[packet.count], piece.octets.data(), piece.octets.size());
  packet.count += (piece.octets.size() + 1) / 2;
}

corbel::base::Result<std::shared_ptr<Conversation>> Conversation::make(const Key& key) {
  CORBEL_TRY(auto event, corbel::ipc::Event::open());
  return std::make_shared<Conversation>(key, std::move(event));
}

Conversation::Conversation(const Key& key, corbel::ipc::Event event)
    : key_(key),
      heard_(std::move(event)),
      state_(key.opener ? State::calling : State::open),
      first_(key.opener ? Purpose::open : Purpose::accept),
      room_(kWindow) {}

void Conversation::put(Bytes message) {
  room_ -= message.size();
  out_.push_back(std::move(message));
}

void Conversation::call_again() {
  state_ = State::calling;
  first_ = Purpose::open;
}

bool Conversation::has_to_say() const {
  if (first_) return true;
  if (state_ == State::calling) return hung_up_ && !end_said_;
  if (state_ != State::open) return false;
  return !out_.empty() || owes_credit() || (hung_up_ && !end_said_);
}

bool Conversation::owes_credit() const {
  return owed_ >= kCreditStep && !hung_up_;
}

void Conversation::say(Packet& packet, std::size_t words) {
  Piece piece{.of_opener = key_.opener, .last = true, .number = key_.number};
  if (first_) {
    piece.purpose = *std::exchange(first_, std::nullopt);
  } else if (owes_credit()) {
    const auto credit = static_cast<std::uint16_t>(std::exchange(owed_, 0));
    std::memcpy(credit_.data(), &credit, sizeof credit);
    piece.purpose = Purpose::credit;
    piece.octets = credit_;
  } else if (!out_.empty()) {
    say_data(piece, words);
    write_piece(piece, packet);
    if (piece.last) out_.pop_front();
    return;
  } else {
    end_said_ = true;
    piece.purpose = Purpose::end;
  }
  write_piece(piece, packet);
}

void Conversation::say_data(Piece& piece, std::size_t words) {
  const Bytes& message = out_.front();
  const std::size_t count = std::min((words - kPieceWords) * 2, message.size() - said_);
  piece.purpose = Purpose::data;
  piece.octets = std::span(message).subspan(said_, count);
  piece.last = said_ + count == message.size();
  said_ = piece.last ? 0 : said_ + count;
}

/// What makes no sense in a state ends the conversation, and no other.
void Conversation::hear(const Piece& piece) {
  switch (piece.purpose) {
    case Purpose::accept:
      if (state_ == State::calling) change(State::open);
      return;
    case Purpose::refuse:
      if (state_ == State::calling) change(State::refused);
      return;
    case Purpose::busy:
      if (state_ == State::calling) change(State::held_off);
      return;
    case Purpose::data:
      return hear_data(piece);
    case Purpose::credit:
      return hear_credit(piece);
    case Purpose::end:
      if (state_ == State::open) change(partial_.empty() ? State::ended : State::lost);
      return;
    case Purpose::open:
    case Purpose::reset:
      return lose();
  }
}

void Conversation::hear_data(const Piece& piece) {
  if (state_ != State::open || hung_up_) return;
  const std::size_t octets = piece.octets.size();
  if (octets == 0 || partial_.size() + octets > kLargestMessage || unread_ + owed_ + octets > kWindow) {
    return violated();
  }
  unread_ += octets;
  partial_.insert(partial_.end(), piece.octets.begin(), piece.octets.end());
  if (!piece.last) return;
  messages_.push_back(std::exchange(partial_, {}));
  heard_.set();
  changed.notify_all();
}

void Conversation::hear_credit(const Piece& piece) {
  std::uint16_t credit = 0;
  if (state_ != State::open) return;
  if (piece.octets.size() == sizeof credit) std::memcpy(&credit, piece.octets.data(), sizeof credit);
  if (credit == 0 || room_ + credit > kWindow) return violated();
  room_ += credit;
  changed.notify_all();
}

Bytes Conversation::take() {
  Bytes message = std::move(messages_.front());
  messages_.pop_front();
  unread_ -= message.size();
  owed_ += message.size();
  if (messages_.empty() && state_ == State::open && !hung_up_) heard_.clear();
  return message;
}

void Conversation::hang_up() {
  if (std::exchange(hung_up_, true)) return;
  if (first_ == Purpose::open) {  // nobody knows of it
    first_.reset();
    end_said_ = true;
  }
  heard_.set();
  changed.notify_all();
}

void Conversation::lose() {
  first_.reset();  // there is nobody to hear it
  if (state_ == State::ended || state_ == State::lost || state_ == State::refused) return;
  change(state_ == State::open ? State::lost : State::refused);
}

void Conversation::violated() {
  change(State::lost);
  first_ = Purpose::reset;
}

void Conversation::change(State state) {
  state_ = state;
  if (state != State::open) {
    first_.reset();
    out_.clear();
    partial_.clear();
    if (state != State::held_off) heard_.set();
  }
  changed.notify_all();
}

}  // namespace field_bus
