// SPDX-License-Identifier: Apache-2.0
// One socket hears all new peers. A peer that has spoken gets a socket at the same port that is connected to its
// address: from then on the system does the sorting, and a peer costs what a connection over TCP does.
#include "corbel/transport/udp/listen.hpp"

#include "corbel/base/fork.hpp"
#include "corbel/ipc/destination.hpp"
#include "corbel/ipc/resolver.hpp"
#include "corbel/transport/udp/bounded.hpp"
#include "corbel/transport/udp/carrier.hpp"

namespace corbel::transport::udp {
namespace {

using base::Code;
using base::Stage;
using ipc::InetAddress;
using ListenSocket = ipc::UdpSocket;
using SocketOptions = ipc::DatagramOptions<InetAddress>;

constexpr base::Duration kLookup = std::chrono::seconds(10);
constexpr std::size_t kMostEarly = 64;   // of one peer
constexpr std::size_t kRoom = 1U << 16;  // no datagram is larger, and those of IPv6 may be larger than messages
constexpr unsigned kMostAtOnce = 4 * kMostAside;  // looked at in one go

/// Forged addresses may be none that can be answered. A socket that was connected to one would hear a whole host, or
/// all hosts: to the system they are wildcards.
bool usable(const InetAddress& peer) noexcept {
  return peer.port() != 0 && !peer.is_any();
}

class UdpAcceptor final : public Acceptor {
 public:
  UdpAcceptor(ListenSocket socket, const InetAddress& bound, const SocketOptions& for_peers,
              std::vector<EndpointPtr> endpoints, base::Duration spin)
      : socket_(std::move(socket)),
        bound_(bound),
        for_peers_(for_peers),
        endpoints_(std::move(endpoints)),
        spin_(spin),
        room_(kRoom) {}

  base::Result<std::unique_ptr<Transport>> accept() override try {
    for (unsigned looked = 0; looked < kMostAtOnce; ++looked) {
      CORBEL_TRY(Heard first, next());
      if (first.octets.empty() || !usable(first.from) || !peers_->admits(first.from)) continue;
      auto made = make(std::move(first));
      // The next peer is heard even if this one cannot be talked to.
      if (made || made.error().stage != Stage::connect || made.error().code == Code::out_of_resources) return made;
    }
    return base::error(Stage::accept, Code::would_block);
  } catch (const std::bad_alloc&) {
    return base::error(Stage::accept, Code::out_of_resources);
  }
  int handle() const noexcept override { return socket_.handle(); }
  std::vector<EndpointPtr> endpoints() const override { return endpoints_; }
  void close() noexcept override {
    peers_->close();
    socket_.close();
  }

 private:
  base::Result<Heard> next() {
    if (waiting_.empty() && !aside_.empty()) waiting_ = aside_.take();
    if (waiting_.empty()) waiting_ = peers_->take_unread();
    if (!waiting_.empty()) {
      Heard first = std::move(waiting_.front());
      waiting_.pop_front();
      return first;
    }
    return receive(socket_, bound_);
  }

  /// One datagram; one that is too large counts as empty. `bound`: what the socket is bound to.
  base::Result<Heard> receive(const ListenSocket& socket, const InetAddress& bound) {
    Heard heard;
    heard.to = bound;
    auto size = ipc::recv_with_destination(socket.handle(), room_, heard.from, heard.to);
    if (size ? *size > kLargest : size.error().code == Code::truncated) return heard;
    if (!size) return base::error(Stage::accept, size.error().code, size.error().os_error);
    heard.octets.assign(room_.begin(), room_.begin() + static_cast<std::ptrdiff_t>(*size));
    return heard;
  }

  /// The carrier for the peer that was heard.
  base::Result<std::unique_ptr<Transport>> make(Heard first) {
    // Sockets share a port only if all of them say so when another one binds. This one does just then, so that no
    // other server can have the same address.
    CORBEL_CHECK(socket_.set(ipc::option::reuse_port, true));
    // A peer that spoke to one address of this host hears answers from no other.
    const InetAddress here = bound_.is_any() ? first.to.with_port(bound_.port()) : bound_;
    auto opened = ipc::ConnectedUdp::open(first.from, here, for_peers_);
    if (!opened && !(here == bound_)) opened = ipc::ConnectedUdp::open(first.from, bound_, for_peers_);
    CORBEL_CHECK(socket_.set(ipc::option::reuse_port, false));
    if (!opened) {
      const Stage stage = opened.error().stage == Stage::connect ? Stage::connect : Stage::accept;
      return base::error(stage, opened.error().code, opened.error().os_error);
    }
    Bounded<base::Bytes> early(kMostEarly);
    const std::size_t size = first.octets.size();
    early.add(std::move(first.octets), size);
    for (Heard& unread : peers_->take_unread()) waiting_.push_back(std::move(unread));
    // What the peer sent before its socket was connected came here, or there; so did what other peers sent meanwhile.
    while (!waiting_.empty()) {
      sort(std::move(waiting_.front()), first.from, early);
      waiting_.pop_front();
    }
    sort_all(socket_, bound_, first.from, early);
    ListenSocket fresh(opened->release());
    sort_all(fresh, here, first.from, early);
    UdpSocket socket(ipc::ConnectedUdp(fresh.release()), early.take());
    return std::unique_ptr<Transport>(new UdpCarrier(std::move(socket), spin_, peers_, first.from));
  }

  void sort_all(const ListenSocket& socket, const InetAddress& bound, const InetAddress& peer,
                Bounded<base::Bytes>& early) {
    for (unsigned looked = 0; looked < kMostAtOnce; ++looked) {
      auto heard = receive(socket, bound);
      if (!heard && heard.error().code == Code::would_block) return;
      if (!heard) continue;  // of one datagram
      sort(*std::move(heard), peer, early);
    }
  }

  void sort(Heard heard, const InetAddress& peer, Bounded<base::Bytes>& early) {
    const std::size_t size = heard.octets.size();
    if (size == 0 || !usable(heard.from)) return;
    if (heard.from == peer) {
      early.add(std::move(heard.octets), size);
    } else {
      aside_.add(std::move(heard), size);
    }
  }

  /// Peers are the parent's to hear.
  void after_fork() noexcept { socket_.close(); }

  ListenSocket socket_;
  const InetAddress bound_;
  const SocketOptions for_peers_;
  const std::vector<EndpointPtr> endpoints_;
  const base::Duration spin_;
  const std::shared_ptr<Peers> peers_ = std::make_shared<Peers>();
  base::Bytes room_;
  std::deque<Heard> waiting_;         // to be looked at before the socket
  Bounded<Heard> aside_{kMostAside};  // after these
  base::ForkHook fork_hook_{[](void* self) noexcept { static_cast<UdpAcceptor*>(self)->after_fork(); }, this};
};

/// The socket, and in `with` what sockets for peers need to share its port.
base::Result<ListenSocket> open(const UdpEndpoint& endpoint, SocketOptions& with) {
  if (endpoint.host().empty()) {
    with.v6_only = false;
    auto both = ListenSocket::open(InetAddress::any_v6(endpoint.port()), with);
    if (both || both.error().code == Code::address_in_use) return both;
    with.v6_only.reset();
    return ListenSocket::open(InetAddress::any_v4(endpoint.port()), with);
  }
  CORBEL_TRY(const auto addresses,
             ipc::Resolver().resolve(endpoint.host(), endpoint.port(), base::Deadline::after(kLookup)));
  if (addresses.front().is_any() && addresses.front().is_v6()) with.v6_only = true;
  return ListenSocket::open(addresses.front(), with);
}

}  // namespace

base::Result<std::unique_ptr<Acceptor>> listen(const UdpEndpoint& endpoint, const Options& options) {
  SocketOptions with;
  if (options.send_buffer > 0) with.send_buffer = options.send_buffer;
  if (options.receive_buffer > 0) with.receive_buffer = options.receive_buffer;
  with.traffic = options.traffic;
  CORBEL_TRY(auto socket, open(endpoint, with));
  with.reuse_port = true;
  CORBEL_TRY(const InetAddress bound, socket.local_address());
  if (bound.is_any()) CORBEL_CHECK(ipc::tell_destinations(socket.handle(), bound.is_v6()));
  CORBEL_TRY(auto addresses, published_addresses(endpoint, bound, options));
  std::vector<EndpointPtr> endpoints;
  endpoints.reserve(addresses.size());
  for (auto& each : addresses) endpoints.push_back(std::make_shared<UdpEndpoint>(std::move(each)));
  return std::unique_ptr<Acceptor>(new UdpAcceptor(std::move(socket), bound, with, std::move(endpoints), options.spin));
}

}  // namespace corbel::transport::udp
