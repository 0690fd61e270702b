// SPDX-License-Identifier: Apache-2.0
#include "terminal.hpp"

#include <algorithm>
#include <new>
#include <system_error>
#include <utility>

namespace field_bus {

using namespace std::chrono_literals;
using corbel::base::Bytes;
using corbel::base::Code;
using corbel::base::Deadline;
using corbel::base::error;
using corbel::base::Result;
using corbel::base::Stage;
using corbel::base::Status;
using State = Conversation::State;

namespace {

constexpr std::size_t kMostConversations = 1024;
constexpr std::size_t kMostReplies = 64;
constexpr auto kTries = 100ms;    // between attempts to come back
constexpr auto kLeaving = 1s;     // for what a controller has to do
constexpr auto kCallAgain = 5ms;  // after the other side had no place

}  // namespace

Result<Terminal::Welcome> Terminal::ask(const corbel::ipc::UnixAddress& bus, unsigned address, Deadline deadline) {
  Welcome welcome;
  CORBEL_TRY(welcome.socket, corbel::ipc::PacketConnector().connect(bus, deadline));
  const Packet wish(Command::attach, address);
  const auto answer = [&]() -> Result<Packet> {
    CORBEL_CHECK(welcome.socket.send(wish.octets(), deadline));
    return receive_packet(welcome.socket, deadline);
  }();
  if (!answer) {
    const bool late = answer.error().code == Code::timed_out || answer.error().code == Code::would_block;
    return error(Stage::connect, late ? Code::timed_out : Code::refused);
  }
  if (answer->is(Command::refused)) return error(Stage::connect, Code::address_in_use);
  const auto data = answer->data();
  if (!answer->is(Command::attached) || answer->address() >= kTerminals || data.size() != 1 || data[0] <= kPieceWords ||
      data[0] > kMostData) {
    return error(Stage::connect, Code::malformed);
  }
  welcome.address = answer->address();
  welcome.words = data[0];
  return welcome;
}

Result<std::shared_ptr<Terminal>> Terminal::attach(const corbel::ipc::UnixAddress& bus, unsigned address,
                                                   Deadline deadline) {
  CORBEL_TRY(auto welcome, ask(bus, address, deadline));
  CORBEL_TRY(auto calls, corbel::ipc::Event::open());
  try {
    return std::shared_ptr<Terminal>(new Terminal(bus, std::move(welcome), std::move(calls)));
  } catch (const std::system_error&) {
    return error(Stage::connect, Code::out_of_resources);
  }
}

Terminal::Terminal(const corbel::ipc::UnixAddress& bus, Welcome welcome, corbel::ipc::Event calls)
    : bus_(bus),
      address_(welcome.address),
      socket_(std::move(welcome.socket)),
      words_(welcome.words),
      calls_waiting_(std::move(calls)),
      thread_([this] { run(); }) {}

Terminal::~Terminal() {
  if (forked_) {
    thread_.detach();
    return;
  }
  {
    std::unique_lock lock(mutex_);
    leaving_ = true;
    changed_.notify_all();
    changed_.wait(lock, Deadline::after(kLeaving), [&] { return drained_ || lost_ || over_; });
    // When the controller has seen it and closed its end, the address is free.
    (void)socket_.shutdown(corbel::ipc::Direction::send);
    changed_.wait(lock, Deadline::after(kLeaving), [&] { return over_; });
    (void)socket_.shutdown(corbel::ipc::Direction::both);
  }
  thread_.join();
}

/// In a child of fork(): the terminal is the parent's, here is no thread, and nobody lets go of the mutex.
void Terminal::after_fork() noexcept {
  socket_.close();
  forked_ = true;
}

bool Terminal::is_lost() const {
  if (forked_) return true;
  const std::lock_guard lock(mutex_);
  return lost_;
}

bool Terminal::is_over() const {
  if (forked_) return true;
  const std::lock_guard lock(mutex_);
  return lost_ && !listens_;
}

// --- the thread ---

void Terminal::run() {
  do {
    obey();
    lose_all();
  } while (come_back());
}

void Terminal::obey() {
  for (;;) {
    const auto packet = receive_packet(socket_, Deadline::none());
    if (!packet) return;
    if (packet->is(Command::poll)) {
      (void)socket_.send(next_to_say().octets());  // that the controller has gone is told by receiving
    } else if (packet->is(Command::receive) && packet->address() < kTerminals) {
      const auto piece = read_piece(packet->data());
      if (piece) {
        hear(packet->address(), *piece);
      } else {
        lose(packet->address());
      }
    } else if (packet->is(Command::gone)) {
      lose(packet->address());
    } else {
      return;  // no controller says such things
    }
  }
}

/// Who listens waits for a controller, as long as it takes. False: the thread ends.
bool Terminal::come_back() {
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      const auto is_needless = [&] { return leaving_ || !listens_; };
      if (changed_.wait(lock, Deadline::after(kTries), is_needless)) {
        over_ = true;
        changed_.notify_all();
        return false;
      }
    }
    auto welcome = ask(bus_, address_, Deadline::after(kLeaving));
    if (!welcome) continue;
    const std::lock_guard lock(mutex_);
    if (leaving_) continue;  // what its destructor has shut down was another socket
    socket_ = std::move(welcome->socket);
    words_ = welcome->words;
    lost_ = false;
    return true;
  }
}

Packet Terminal::next_to_say() {
  const std::lock_guard lock(mutex_);
  if (!replies_.empty()) {
    const Packet reply = replies_.front();
    replies_.pop_front();
    return reply;
  }
  while (!speakers_.empty()) {
    const Ref speaker = std::move(speakers_.front());
    speakers_.pop_front();
    speaker->is_queued = false;
    const bool says = speaker->has_to_say();
    Packet packet(Command::transmit, speaker->key().peer);
    if (says) speaker->say(packet, words_);
    settle(speaker);
    if (says) return packet;
  }
  if (leaving_ && !drained_) {
    drained_ = true;
    changed_.notify_all();
  }
  return Packet(Command::nothing);
}

void Terminal::hear(unsigned from, const Piece& piece) {
  const std::lock_guard lock(mutex_);
  const Conversation::Key key{.peer = from, .number = piece.number, .opener = !piece.of_opener};
  if (piece.purpose == Purpose::open && piece.of_opener) return hear_call(key);
  const auto found = conversations_.find(key);
  if (found == conversations_.end()) return;  // it was over here before the other side knew
  const Ref conversation = found->second;
  conversation->hear(piece);
  settle(conversation);
}

void Terminal::hear_call(const Conversation::Key& key) {
  if (!listens_) return reply(key, Purpose::refuse);
  if (const auto old = conversations_.find(key); old != conversations_.end()) {
    old->second->lose();
    conversations_.erase(old);
  }
  if (calls_.size() >= backlog_ || conversations_.size() >= kMostConversations) return reply(key, Purpose::busy);
  auto conversation = Conversation::make(key);
  if (!conversation) return reply(key, Purpose::busy);
  conversations_.emplace(key, *conversation);
  settle(*conversation);
  calls_.push_back(*std::move(conversation));
  calls_waiting_.set();
}

void Terminal::reply(const Conversation::Key& key, Purpose purpose) {
  if (replies_.size() >= kMostReplies) return;
  replies_.emplace_back(Command::transmit, key.peer);
  write_piece(Piece{.purpose = purpose, .of_opener = key.opener, .last = true, .number = key.number}, replies_.back());
}

void Terminal::lose(unsigned peer) {
  const std::lock_guard lock(mutex_);
  for (const auto& [key, conversation] : conversations_) {
    if (key.peer == peer) conversation->lose();
  }
  std::erase_if(conversations_, [](const auto& each) { return each.second->is_over(); });
}

void Terminal::lose_all() {
  const std::lock_guard lock(mutex_);
  lost_ = true;
  for (const auto& [key, conversation] : conversations_) {
    conversation->lose();
    conversation->is_queued = false;
  }
  conversations_.clear();
  speakers_.clear();
  replies_.clear();
  calls_.clear();
  calls_waiting_.clear();
  changed_.notify_all();
}

/// After anything that changes what a conversation has to say.
void Terminal::settle(const Ref& conversation) {
  if (conversation->has_to_say()) {
    if (!std::exchange(conversation->is_queued, true)) speakers_.push_back(conversation);
  } else if (conversation->is_over()) {
    const auto found = conversations_.find(conversation->key());
    if (found != conversations_.end() && found->second == conversation) conversations_.erase(found);
  }
}

// --- conversations ---

Result<Terminal::Ref> Terminal::call(unsigned peer, Deadline deadline) {
  std::unique_lock lock(mutex_);
  if (lost_) return error(Stage::connect, Code::refused);
  const auto key = free_key(peer);
  if (!key) return error(Stage::connect, Code::out_of_resources);
  CORBEL_TRY(const Ref conversation, Conversation::make(*key));
  conversations_.emplace(*key, conversation);
  settle(conversation);
  for (;;) {
    const auto is_answered = [&] { return conversation->state() != State::calling; };
    const bool answered = conversation->changed.wait(lock, deadline, is_answered);
    if (conversation->was_opened()) return conversation;
    if (!answered || conversation->state() != State::held_off) break;
    const auto pause = std::min<corbel::base::Duration>(kCallAgain, deadline.remaining());
    conversation->changed.wait(lock, Deadline::after(pause));
    if (deadline.expired() || conversation->state() != State::held_off) break;
    conversation->call_again();
    settle(conversation);
  }
  const bool late = conversation->state() == State::calling || conversation->state() == State::held_off;
  conversation->hang_up();
  settle(conversation);
  return error(Stage::connect, late ? Code::timed_out : Code::refused);
}

std::optional<Conversation::Key> Terminal::free_key(unsigned peer) {
  if (conversations_.size() >= kMostConversations) return std::nullopt;
  Conversation::Key key{.peer = peer, .number = 0, .opener = true};
  do {
    key.number = ++last_number_;
  } while (conversations_.contains(key));
  return key;
}

Result<std::size_t> Terminal::send(const Ref& conversation, std::span<const corbel::cdr::Segment> message,
                                   Deadline deadline) {
  std::size_t size = 0;
  for (const auto& segment : message) {
    if (segment.size > kLargestMessage - size) return error(Stage::send, Code::too_large);
    size += segment.size;
  }
  if (size == 0) return size;
  Bytes whole;
  whole.reserve(size);
  for (const auto& segment : message) {
    const auto* octets = static_cast<const corbel::base::Octet*>(segment.data);
    whole.insert(whole.end(), octets, octets + segment.size);
  }
  std::unique_lock lock(mutex_);
  const auto has_ended = [&] { return conversation->has_hung_up() || conversation->state() != State::open; };
  const bool room =
      conversation->changed.wait(lock, deadline, [&] { return has_ended() || conversation->has_room(size); });
  if (has_ended()) return error(Stage::send, Code::lost);
  if (!room) return error(Stage::send, deadline.is_now() ? Code::would_block : Code::timed_out);
  conversation->put(std::move(whole));
  settle(conversation);
  return size;
}

Result<std::size_t> Terminal::receive(const Ref& conversation, corbel::base::ByteSpan room, Deadline deadline) {
  Bytes message;
  {
    std::unique_lock lock(mutex_);
    const auto is_something = [&] {
      return conversation->has_message() || conversation->has_hung_up() || conversation->state() != State::open;
    };
    if (!conversation->changed.wait(lock, deadline, is_something)) {
      return error(Stage::receive, deadline.is_now() ? Code::would_block : Code::timed_out);
    }
    if (!conversation->has_message()) {  // what had come before either side's end can still be received
      const bool in_order = conversation->has_hung_up() || conversation->state() == State::ended;
      return error(Stage::receive, in_order ? Code::closed : Code::lost);
    }
    message = conversation->take();
    settle(conversation);
  }
  if (message.size() > room.size()) return error(Stage::receive, Code::truncated);
  corbel::base::copy_octets(room.data(), message.data(), message.size());
  return message.size();
}

void Terminal::hang_up(const Ref& conversation) noexcept {
  if (forked_) return;
  const std::lock_guard lock(mutex_);
  conversation->hang_up();
  settle(conversation);
}

// --- listening ---

Status Terminal::listen(std::size_t backlog) {
  const std::lock_guard lock(mutex_);
  if (lost_ && !listens_) return error(Stage::listen, Code::lost);
  if (std::exchange(listens_, true)) return error(Stage::listen, Code::address_in_use);
  backlog_ = std::max<std::size_t>(backlog, 1);
  return {};
}

Result<Terminal::Ref> Terminal::answer() {
  const std::lock_guard lock(mutex_);
  if (calls_.empty()) return error(Stage::accept, listens_ ? Code::would_block : Code::cancelled);
  Ref conversation = std::move(calls_.front());
  calls_.pop_front();
  if (calls_.empty()) calls_waiting_.clear();
  return conversation;
}

void Terminal::stop_listening() noexcept {
  if (forked_) return;
  const std::lock_guard lock(mutex_);
  listens_ = false;
  for (const Ref& call : calls_) {
    call->hang_up();
    settle(call);
  }
  calls_.clear();
  calls_waiting_.clear();
  changed_.notify_all();
}

}  // namespace field_bus
