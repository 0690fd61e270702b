// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <list>
#include <memory>
#include <unordered_map>
#include <vector>

#include "corbel/base/fork.hpp"
#include "corbel/ipc/datagram.hpp"
#include "corbel/transport/rudp/connection.hpp"
#include "corbel/transport/rudp/door.hpp"
#include "corbel/transport/rudp/service.hpp"

namespace corbel::transport::rudp {

/// What a listening socket lets in.
struct Limits {
  std::size_t waiting = 1'024;  ///< half open, or not accepted yet
  std::size_t open = 4'096;     ///< all, those that wait included
  /// Octets that they hold behind gaps, half of them of one host. When that is used up, what comes behind gaps has to
  /// be sent again, and those go whose gaps have stood open for longer than `gap_patience`: the oldest first.
  std::size_t gaps = 64U << 20;
  Time gap_patience = std::chrono::seconds(2);
  /// Of one host (ipc::subscriber), of each.
  std::size_t waiting_of_host() const noexcept { return waiting - waiting / 4; }
  std::size_t open_of_host() const noexcept { return open / 2; }
  std::size_t gaps_of_host() const noexcept { return gaps / 2; }
};

/// One UDP socket and the connections that it carries: one of a connecting side, any number of a listening one. It is
/// closed when the last of them is over and nobody listens. The service's thread receives; any thread sends.
class SharedSocket final : public Way, public Guest {
 public:
  /// For one connection to `peer`. Errors: as ConnectedDatagram::open.
  static base::Result<base::IntrusivePtr<SharedSocket>> connecting(Service& service, const ipc::InetAddress& peer,
                                                                   const ipc::TrafficOptions& traffic = {});
  /// For clients. `log` outlives its open door. Errors (stage listen): as DatagramSocket::open.
  static base::Result<base::IntrusivePtr<SharedSocket>> listening(Service& service, const ipc::InetAddress& local,
                                                                  const ipc::UdpSocket::Options& options,
                                                                  const Terms& terms, const Limits& limits,
                                                                  base::Duration spin, const base::Log& log);
  ~SharedSocket() override;

  const ipc::InetAddress& bound() const noexcept { return bound_; }
  /// The connecting side's connection, which begins its hand-shake.
  ConnectionPtr connect(const Terms& terms, base::Duration spin);
  /// The next client; null if none waits.
  ConnectionPtr accept();
  /// Readable while clients wait.
  int waiting_handle() const noexcept { return waiting_event_.handle(); }
  /// Lets nobody in any more, and lets go of those who wait.
  void close_door();

  // --- for its connections ---

  base::Status send(base::ConstByteSpan datagram, const ipc::InetAddress& to,
                    const ipc::InetAddress& from) noexcept override;
  reactor::Reactor& reactor() noexcept override { return service_.reactor(); }
  void opened(Connection& connection) noexcept override;
  void forget(Connection& connection) noexcept override;

  void on_event(reactor::Events events) noexcept override;
  void leave() noexcept override;
  Undelivered undelivered() override;

 private:
  struct Known {
    ConnectionPtr connection;
    ipc::InetAddress host;
    std::uint64_t name = 0;  // Door::name_of
    bool waits = false;
    std::list<ConnectionPtr> seat;  // in the queue: made with the connection, as opened() must not need memory
  };
  struct OfHost {
    std::size_t waiting = 0;
    std::size_t open = 0;
    std::shared_ptr<GapMemory> gaps;
  };
  using ByToken = std::unordered_map<std::uint64_t, Known>;

  SharedSocket(Service& service, ipc::UdpSocket socket, const ipc::InetAddress& bound, const ipc::InetAddress& peer);
  base::Status watch();
  bool receive_one();
  void hear_of_failures();
  void hear(const Datagram& datagram, const ipc::InetAddress& from, const ipc::InetAddress& to);
  void cut_old_gaps();
  void tell_cut(const ipc::InetAddress& peer, const GapMemory& used_up) noexcept;
  void greet(const Datagram& hello, const ipc::InetAddress& from, const ipc::InetAddress& to);
  void admit(const Datagram& open, const ipc::InetAddress& from, const ipc::InetAddress& to);
  ConnectionPtr make(const Datagram& open, const ipc::InetAddress& from, const ipc::InetAddress& to);
  ConnectionPtr find(std::uint64_t token);
  void goes_on(const ConnectionPtr& connection);
  bool has_room_for(const ipc::InetAddress& host) const noexcept;
  void settle_in(Known& known) noexcept;
  void close_if_idle() noexcept;
  /// Peers are the parent's to hear.
  void after_fork() noexcept {
    socket_.close();
    waiting_event_ = {};
  }
  template <class Write>
  void answer(const ipc::InetAddress& to, const ipc::InetAddress& from, Write write) noexcept;

  Service& service_;
  const ipc::InetAddress bound_;
  const ipc::InetAddress peer_;  // of the connecting side
  Door door_;
  Terms terms_;  // of those who are let in, as the next two
  Limits limits_;
  base::Duration spin_{};
  base::Bytes room_;                  // the service's thread's, as the next
  std::vector<ConnectionPtr> heard_;  // and have to go on
  Time look_for_gaps_{};              // not before
  std::shared_ptr<GapMemory> gaps_;

  base::Mutex log_mutex_;           // guards the next one
  const base::Log* log_ = nullptr;  // null when the door is closed: it may have gone

  base::Mutex handle_mutex_;  // against closing what another thread is using
  ipc::UdpSocket socket_;

  base::Mutex mutex_;  // guards what follows; no connection is called with it
  bool listens_ = false;
  bool closed_ = false;
  ByToken known_;
  std::unordered_map<std::uint64_t, std::uint64_t> tokens_;  // by name
  std::unordered_map<ipc::InetAddress, OfHost> hosts_;
  std::size_t waiting_ = 0;
  std::list<ConnectionPtr> queue_;
  ipc::Event waiting_event_;
  base::ForkHook fork_hook_{[](void* self) noexcept { static_cast<SharedSocket*>(self)->after_fork(); }, this};
};
using SharedSocketPtr = base::IntrusivePtr<SharedSocket>;

}  // namespace corbel::transport::rudp
