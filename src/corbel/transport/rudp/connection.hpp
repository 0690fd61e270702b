// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <mutex>
#include <span>

#include "corbel/base/condition.hpp"
#include "corbel/base/intrusive_ptr.hpp"
#include "corbel/base/spin.hpp"
#include "corbel/cdr/encoder.hpp"
#include "corbel/ipc/event.hpp"
#include "corbel/ipc/inet_address.hpp"
#include "corbel/reactor/reactor.hpp"
#include "corbel/transport/rudp/conversation.hpp"

namespace corbel::transport::rudp {

class Connection;

/// Where a connection's datagrams go. Any thread.
class Way : public reactor::EventHandler {
 public:
  /// `from`: the address of this host that the peer speaks to. Errors: as the system says.
  virtual base::Status send(base::ConstByteSpan datagram, const ipc::InetAddress& to,
                            const ipc::InetAddress& from) noexcept = 0;
  virtual reactor::Reactor& reactor() noexcept = 0;
  /// What was half open is open.
  virtual void opened(Connection& connection) noexcept = 0;
  /// It is over.
  virtual void forget(Connection& connection) noexcept = 0;
};
using WayPtr = base::IntrusivePtr<Way>;

/// A conversation with what it needs to go on by itself: a lock, timers, and the threads that wait for it. Any thread.
class Connection final : public base::RefCounted {
 public:
  /// The connecting side, or with `offer` the accepting one. `here`: the address of this host that the peer speaks to.
  Connection(WayPtr way, const ipc::InetAddress& peer, const ipc::InetAddress& here, std::uint64_t token,
             const Terms& terms, const Offer* offer, base::Duration spin);
  ~Connection() = default;

  // --- the service's thread ---

  /// go_on() has to follow, soon; after as many as there are. False if there was no memory for what came behind a gap.
  bool hear(const Datagram& datagram);
  void hear_of_failure(const base::Error& error);
  /// As Conversation has it.
  Time gap_since() {
    const Lock lock(mutex_);
    return conversation_.gap_since();
  }
  /// go_on() has to follow.
  void cut() {
    const Lock lock(mutex_);
    conversation_.cut();
  }
  /// Does what has become due; says the first word.
  void go_on();

  // --- its user ---

  /// Waits until the hand-shake is over, or shutdown(). Errors (stage connect): as Conversation::reason(), timed_out.
  base::Status wait_until_open(base::Deadline deadline);
  /// As Transport has them.
  base::Result<std::size_t> send(std::span<const cdr::Segment> data, base::Deadline deadline, bool some);
  base::Result<std::size_t> receive(base::ByteSpan buffer, base::Deadline deadline);
  void shutdown();
  int handle();
  /// Its user has gone.
  void release();
  /// Octets that were sent and have not been acknowledged.
  std::size_t unacknowledged() {
    const Lock lock(mutex_);
    return conversation_.sending().kept();
  }
  /// In a child of a fork: closes the handle.
  void abandon() noexcept { event_ = {}; }

  const ipc::InetAddress& peer() const noexcept { return peer_; }
  const ipc::InetAddress& here() const noexcept { return here_; }
  std::uint64_t token() const noexcept { return conversation_.token(); }

 private:
  using Lock = std::unique_lock<base::Mutex>;

  static Time now() noexcept { return std::chrono::steady_clock::now().time_since_epoch(); }
  /// Sends, wakes and comes back in time, as the conversation has become. Lets go of the lock.
  void settle(Lock& lock);
  void speak();
  void come_back();
  void wake();
  bool would_receive() const noexcept {
    return conversation_.is_readable() || shut_ || conversation_.has_ended() || conversation_.is_over();
  }
  bool can_send() const noexcept { return !shut_ && conversation_.is_open() && !conversation_.has_ended(); }
  /// The hand-shake is over, or nobody wants it any more.
  bool is_settled() const noexcept { return shut_ || conversation_.is_open() || conversation_.is_over(); }
  base::Result<std::size_t> received(base::ByteSpan buffer, Lock& lock);

  const WayPtr way_;
  const ipc::InetAddress peer_;
  const ipc::InetAddress here_;
  const bool accepting_;
  const std::size_t send_buffer_;
  base::Spin spin_;  // the reader's
  std::atomic<bool> receivable_{false};

  base::Mutex mutex_;  // guards what follows
  base::Condition changed_;
  Conversation conversation_;
  base::Bytes datagram_;
  bool told_open_ = false;
  bool forgotten_ = false;
  bool shut_ = false;
  bool reader_waits_ = false;
  bool opener_waits_ = false;
  std::size_t room_wanted_ = 0;  // by a sender that waits
  ipc::Event event_;
  bool event_is_set_ = false;
  reactor::TimerId timer_;
  Time armed_ = kNever;
};
using ConnectionPtr = base::IntrusivePtr<Connection>;

}  // namespace corbel::transport::rudp
