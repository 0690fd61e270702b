// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "conversation.hpp"
#include "corbel/base/fork.hpp"
#include "corbel/cdr/encoder.hpp"

namespace field_bus {

/// A terminal of a bus: what a process has plugged in. A thread of its own answers the controller's polls, whatever the
/// rest of the process does, with what its conversations have to say, one after the other, and hands out what they
/// hear. Thread-safe. When the controller goes, all conversations are lost; a terminal at which somebody listens then
/// comes back as soon as there is a controller again.
class Terminal {
 public:
  using Ref = std::shared_ptr<Conversation>;

  /// Plugs in at the bus of the controller that listens at `bus`; kAnyAddress: at whatever address is free. Errors
  /// (stage connect): refused or unreachable (no controller), address_in_use (or no address is free), timed_out,
  /// malformed.
  static corbel::base::Result<std::shared_ptr<Terminal>> attach(const corbel::ipc::UnixAddress& bus, unsigned address,
                                                                corbel::base::Deadline deadline);
  /// What was put before is said, then the terminal leaves the bus; a controller that does not listen gets a second
  /// for each.
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  const corbel::ipc::UnixAddress& bus() const { return bus_; }
  unsigned address() const { return address_; }
  /// It has lost the bus.
  bool is_lost() const;
  /// And does not come back.
  bool is_over() const;

  /// Opens a conversation with another terminal, or with this one. Errors (stage connect): refused, timed_out,
  /// out_of_resources.
  corbel::base::Result<Ref> call(unsigned peer, corbel::base::Deadline deadline);
  /// As Transport's send and receive. The message is copied.
  corbel::base::Result<std::size_t> send(const Ref& conversation, std::span<const corbel::cdr::Segment> message,
                                         corbel::base::Deadline deadline);
  corbel::base::Result<std::size_t> receive(const Ref& conversation, corbel::base::ByteSpan room,
                                            corbel::base::Deadline deadline);
  void hang_up(const Ref& conversation) noexcept;

  /// From now on others may call; so many may wait for answer(). Errors (stage listen): address_in_use (somebody
  /// listens already), out_of_resources.
  corbel::base::Status listen(std::size_t backlog);
  /// Takes a call that waits. Errors (stage accept): would_block, cancelled.
  corbel::base::Result<Ref> answer();
  /// Readable while a call waits.
  int calls_handle() const { return calls_waiting_.handle(); }
  void stop_listening() noexcept;

 private:
  struct Welcome {
    corbel::ipc::PacketStream socket{};
    unsigned address = kAnyAddress;
    std::size_t words = 0;
  };
  static corbel::base::Result<Welcome> ask(const corbel::ipc::UnixAddress& bus, unsigned address,
                                           corbel::base::Deadline deadline);
  Terminal(const corbel::ipc::UnixAddress& bus, Welcome welcome, corbel::ipc::Event calls);
  void run();
  bool come_back();
  void obey();
  Packet next_to_say();
  void hear(unsigned from, const Piece& piece);
  void hear_call(const Conversation::Key& key);
  void reply(const Conversation::Key& key, Purpose purpose);
  void lose(unsigned peer);
  void lose_all();
  void settle(const Ref& conversation);
  void after_fork() noexcept;
  std::optional<Conversation::Key> free_key(unsigned peer);

  const corbel::ipc::UnixAddress bus_;
  const unsigned address_;
  corbel::ipc::PacketStream socket_;  // the thread's; others shut it down, with the mutex
  std::size_t words_;                 // the thread's: of a message
  const corbel::ipc::Event calls_waiting_;
  mutable corbel::base::Mutex mutex_;  // guards what follows
  corbel::base::Condition changed_;
  std::map<Conversation::Key, Ref> conversations_;
  std::deque<Ref> speakers_;    // that have something to say, in turn
  std::deque<Packet> replies_;  // to calls that do not become conversations
  std::deque<Ref> calls_;
  std::size_t backlog_ = 0;
  bool listens_ = false;
  bool leaving_ = false;
  bool drained_ = false;  // a poll has found nothing to say, when leaving
  bool lost_ = false;
  bool over_ = false;  // the thread has ended
  std::uint16_t last_number_ = 0;
  bool forked_ = false;
  std::thread thread_;
  corbel::base::ForkHook fork_hook_{[](void* self) noexcept { static_cast<Terminal*>(self)->after_fork(); }, this};
};

}  // namespace field_bus
