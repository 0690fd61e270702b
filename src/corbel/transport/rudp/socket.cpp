// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/rudp/socket.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

#include "corbel/ipc/destination.hpp"
#include "corbel/ipc/subscriber.hpp"
#include "corbel/ipc/undelivered.hpp"

namespace corbel::transport::rudp {

using base::Code;
using base::Stage;
using ipc::InetAddress;

namespace {

constexpr unsigned kMostAtOnce = 64;     // datagrams, before others have their turn
constexpr int kReceiveBuffer = 4 << 20;  // octets that the system keeps, if it is allowed to
constexpr std::size_t kRoom = 1U << 16;

Time now() noexcept {
  return std::chrono::steady_clock::now().time_since_epoch();
}

/// Forged addresses may be none that can be answered.
bool is_usable(const InetAddress& peer) noexcept {
  return peer.port() != 0 && !peer.is_any();
}

}  // namespace

SharedSocket::SharedSocket(Service& service, ipc::UdpSocket socket, const InetAddress& bound, const InetAddress& peer)
    : service_(service), bound_(bound), peer_(peer), room_(kRoom), socket_(std::move(socket)) {}

SharedSocket::~SharedSocket() = default;

base::Result<SharedSocketPtr> SharedSocket::connecting(Service& service, const InetAddress& peer,
                                                       const ipc::TrafficOptions& traffic) {
  ipc::ConnectedUdp::Options options;
  options.traffic = traffic;
  options.receive_buffer = kReceiveBuffer;
  CORBEL_TRY(auto socket, ipc::ConnectedUdp::open(peer, options));
  CORBEL_TRY(const InetAddress bound, socket.local_address());
  // The system may have picked, for our side, the very port that was to be reached and has no listener.
  if (bound == peer) return base::error(Stage::connect, Code::refused);
  SharedSocketPtr made(new SharedSocket(service, ipc::UdpSocket(socket.release()), bound, peer));
  CORBEL_CHECK(made->watch());
  return made;
}

base::Result<SharedSocketPtr> SharedSocket::listening(Service& service, const InetAddress& local,
                                                      const ipc::UdpSocket::Options& options, const Terms& terms,
                                                      const Limits& limits, base::Duration spin, const base::Log& log) {
  ipc::UdpSocket::Options with = options;
  with.receive_buffer = kReceiveBuffer;
  CORBEL_TRY(auto socket, ipc::UdpSocket::open(local, with));
  CORBEL_TRY(const InetAddress bound, socket.local_address());
  if (bound.is_any()) CORBEL_CHECK(ipc::tell_destinations(socket.handle(), bound.is_v6()));
  CORBEL_CHECK(ipc::tell_undelivered(socket.handle(), bound.is_v6()));
  SharedSocketPtr made(new SharedSocket(service, std::move(socket), bound, {}));
  made->terms_ = terms;
  made->limits_ = limits;
  made->gaps_ = std::make_shared<GapMemory>(limits.gaps);
  made->spin_ = spin;
  made->log_ = &log;
  made->listens_ = true;
  CORBEL_TRY(made->waiting_event_, ipc::Event::open());
  CORBEL_CHECK(made->watch());
  return made;
}

base::Status SharedSocket::watch() {
  service_.came(*this);
  auto added = service_.reactor().add(base::IntrusivePtr<reactor::EventHandler>(this), socket_.handle(),
                                      reactor::Events::readable, reactor::Trigger::level);
  if (!added) service_.went(*this);
  return added;
}

// --- the service's thread ---

void SharedSocket::on_event(reactor::Events events) noexcept {
  // Where memory, or random numbers, run out, a datagram is lost, as others are. Those before it are not.
  const auto bear = [](const auto& what) noexcept {
    try {
      what();
    } catch (const std::exception&) {
    }
  };
  bear([&] {
    for (unsigned i = 0; i < kMostAtOnce && receive_one(); ++i) {
    }
    if (!is_usable(peer_) && any(events, reactor::Events::error)) hear_of_failures();
  });
  // One answer, and one thread woken, for all that came together.
  for (const ConnectionPtr& each : heard_) bear([&] { each->go_on(); });
  heard_.clear();
}

/// False if there is none.
bool SharedSocket::receive_one() {
  InetAddress from;
  InetAddress to = bound_;
  base::Result<std::size_t> size = base::error(Stage::receive, Code::closed);
  {
    const std::lock_guard lock(handle_mutex_);
    if (!socket_.is_open()) return false;
    size = ipc::recv_with_destination(socket_.handle(), room_, from, to);
  }
  if (!size) {
    if (size.error().code == Code::would_block) return false;
    ConnectionPtr connection;
    {
      const std::lock_guard lock(mutex_);
      if (!is_usable(peer_) || known_.empty()) return true;
      connection = known_.begin()->second.connection;
    }
    goes_on(connection);
    connection->hear_of_failure(size.error());
    return true;
  }
  if (const auto datagram = read(base::ConstByteSpan(room_).first(*size))) hear(*datagram, from, to);
  return true;
}

/// Of those that listen: which peers do not get what is sent to them.
void SharedSocket::hear_of_failures() {
  for (unsigned i = 0; i < kMostAtOnce; ++i) {
    base::Result<ipc::Undelivered> told = base::error(Stage::receive, Code::closed);
    {
      const std::lock_guard lock(handle_mutex_);
      if (socket_.is_open()) told = ipc::next_undelivered(socket_.handle());
    }
    if (!told) return;
    std::vector<ConnectionPtr> concerned;
    {
      const std::lock_guard lock(mutex_);
      for (const auto& [token, known] : known_) {
        if (known.connection->peer() == told->to) concerned.push_back(known.connection);
      }
    }
    for (const ConnectionPtr& each : concerned) {
      goes_on(each);
      each->hear_of_failure(told->why);
    }
  }
}

void SharedSocket::hear(const Datagram& datagram, const InetAddress& from, const InetAddress& to) {
  if (!is_usable(from)) return;
  if (datagram.kind == Kind::hello) return greet(datagram, from, to);
  if (datagram.kind == Kind::open) return admit(datagram, from, to);
  const ConnectionPtr connection = find(datagram.to);
  if (connection != nullptr) {
    if (!(connection->peer() == from)) return;
    goes_on(connection);
    const bool paid = connection->hear(datagram);
    if (!paid) cut_old_gaps();
    return;
  }
  const std::uint64_t source = datagram.segment.source;
  if (datagram.kind != Kind::segment || source == 0) return;
  answer(from, to, [&](base::ByteSpan room) { return write_reset(room, source); });
}

void SharedSocket::greet(const Datagram& hello, const InetAddress& from, const InetAddress& to) {
  if (is_usable(peer_)) return;  // this side connects
  bool listens = false;
  {
    const std::lock_guard lock(mutex_);
    listens = listens_;
  }
  answer(from, to, [&](base::ByteSpan room) {
    if (!listens || hello.unsupported) return write_refuse(room, hello.offer.token, hello.unsupported);
    return write_cookie(room, hello.offer.token, door_.cookie_for(from, hello.offer.token, now()));
  });
}

void SharedSocket::admit(const Datagram& open, const InetAddress& from, const InetAddress& to) {
  if (is_usable(peer_)) return;
  // One that is too old is exchanged.
  if (!door_.is_right(open.cookie, from, open.offer.token, now())) return greet(open, from, to);
  const ConnectionPtr connection = make(open, from, to);
  if (connection == nullptr) return;
  goes_on(connection);
  connection->hear(open);
}

/// Before it hears what it is to go on with: if there is no memory for that, it has not heard.
void SharedSocket::goes_on(const ConnectionPtr& connection) {
  if (heard_.empty() || heard_.back() != connection) heard_.push_back(connection);
}

/// The connection that the client has or gets; null if there is no room, so that it asks again.
ConnectionPtr SharedSocket::make(const Datagram& open, const InetAddress& from, const InetAddress& to) {
  const InetAddress host = ipc::subscriber(from);
  const std::uint64_t name = door_.name_of(from, open.offer.token);
  std::unique_lock lock(mutex_);
  if (const auto known = tokens_.find(name); known != tokens_.end()) return known_.at(known->second).connection;
  if (!listens_) {
    lock.unlock();
    greet(open, from, to);
    return {};
  }
  if (!has_room_for(host)) return {};
  const InetAddress here = bound_.is_any() ? to : bound_;
  const std::uint64_t token = random_token();
  Terms terms = terms_;
  if (terms.datagram == 0) terms.datagram = from.is_loopback() ? kLoopbackDatagram : kSafeDatagram;
  // In this order: if memory runs out, nothing of it stays that counts.
  OfHost& of_host = hosts_[host];
  if (of_host.gaps == nullptr) of_host.gaps = std::make_shared<GapMemory>(limits_.gaps_of_host(), gaps_);
  terms.gaps = of_host.gaps;
  ConnectionPtr made(new Connection(WayPtr(this), from, here, token, terms, &open.offer, spin_));
  tokens_[name] = token;
  try {
    known_.try_emplace(token, Known{made, host, name, true, {made}});
  } catch (...) {
    tokens_.erase(name);
    throw;
  }
  ++of_host.waiting;
  ++of_host.open;
  ++waiting_;
  return made;
}

bool SharedSocket::has_room_for(const InetAddress& host) const noexcept {
  if (waiting_ >= limits_.waiting || known_.size() >= limits_.open) return false;
  const auto found = hosts_.find(host);
  return found == hosts_.end() || (found->second.waiting < std::max<std::size_t>(limits_.waiting_of_host(), 1) &&
                                   found->second.open < std::max<std::size_t>(limits_.open_of_host(), 1));
}

ConnectionPtr SharedSocket::find(std::uint64_t token) {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(token);
  return found == known_.end() ? ConnectionPtr() : found->second.connection;
}

template <class Write>
void SharedSocket::answer(const InetAddress& to, const InetAddress& from, Write write) noexcept {
  std::array<base::Octet, kSmallestDatagram> room;
  const std::lock_guard lock(handle_mutex_);
  if (socket_.is_open()) (void)send(base::ConstByteSpan(room).first(write(base::ByteSpan(room))), to, from);
}

// --- connections ---

/// Connections that are not over keep the socket open; and answer() sees to it.
base::Status SharedSocket::send(base::ConstByteSpan datagram, const InetAddress& to, const InetAddress& from) noexcept {
  const auto send_once = [&] {
    return bound_.is_any() && !from.is_any() ? ipc::send_from(socket_.handle(), datagram, to, from)
                                             : socket_.send_to(datagram, to, ipc::SendFlags::dont_wait);
  };
  auto sent = send_once();
  // What the system says of a datagram before, which went to another peer, it says once.
  if (!sent && !is_usable(peer_)) sent = send_once();
  return sent ? base::Status() : sent.error();
}

ConnectionPtr SharedSocket::connect(const Terms& terms, base::Duration spin) try {
  const std::uint64_t token = random_token();
  ConnectionPtr made(new Connection(WayPtr(this), peer_, bound_, token, terms, nullptr, spin));
  {
    const std::lock_guard lock(mutex_);
    known_.try_emplace(token, Known{made, ipc::subscriber(peer_), 0, false, {}});
  }
  made->go_on();
  return made;
} catch (...) {
  leave();  // there is no connection that would close it when it is over
  throw;
}

void SharedSocket::opened(Connection& connection) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(connection.token());
  if (found == known_.end() || !listens_) return;
  queue_.splice(queue_.end(), found->second.seat);
  waiting_event_.set();
}

ConnectionPtr SharedSocket::accept() {
  const std::lock_guard lock(mutex_);
  if (queue_.empty()) return {};
  ConnectionPtr first = std::move(queue_.front());
  queue_.pop_front();
  if (queue_.empty()) waiting_event_.clear();
  if (const auto found = known_.find(first->token()); found != known_.end()) settle_in(found->second);
  return first;
}

/// With the mutex: it waits no more.
void SharedSocket::settle_in(Known& known) noexcept {
  if (!std::exchange(known.waits, false)) return;
  --waiting_;
  if (const auto host = hosts_.find(known.host); host != hosts_.end()) --host->second.waiting;
}

void SharedSocket::forget(Connection& connection) noexcept {
  Known gone;  // destroyed without the lock
  {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(connection.token());
    if (found == known_.end()) return;
    settle_in(found->second);
    if (const auto host = hosts_.find(found->second.host); host != hosts_.end() && --host->second.open == 0) {
      hosts_.erase(host);
    }
    tokens_.erase(found->second.name);
    gone = std::move(found->second);
    known_.erase(found);
    std::erase(queue_, gone.connection);
    if (queue_.empty() && waiting_event_.is_open()) waiting_event_.clear();
  }
  close_if_idle();
}

void SharedSocket::close_door() {
  {
    const std::lock_guard lock(log_mutex_);
    log_ = nullptr;
  }
  std::vector<ConnectionPtr> waiting;
  {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(listens_, false)) return;
    queue_.clear();
    waiting_event_.clear();
    for (auto& [token, known] : known_) {
      if (known.waits) waiting.push_back(known.connection);
    }
  }
  for (const ConnectionPtr& each : waiting) each->release();
  close_if_idle();
}

void SharedSocket::close_if_idle() noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (listens_ || !known_.empty() || std::exchange(closed_, true)) return;
  }
  const SharedSocketPtr self(this);  // the reactor has the last reference, perhaps
  service_.reactor().remove(*this);
  {
    const std::lock_guard lock(handle_mutex_);
    socket_.close();
  }
  service_.went(*this);
}

Guest::Undelivered SharedSocket::undelivered() {
  std::vector<ConnectionPtr> all;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [token, known] : known_) all.push_back(known.connection);
  }
  Undelivered sum;
  for (const ConnectionPtr& each : all) {
    const std::size_t octets = each->unacknowledged();
    sum.octets += octets;
    sum.connections += octets != 0 ? 1 : 0;
  }
  return sum;
}

void SharedSocket::leave() noexcept {
  ByToken known;
  {
    const std::lock_guard lock(mutex_);
    listens_ = false;
    known.swap(known_);
    tokens_.clear();
    hosts_.clear();
    queue_.clear();
  }
  const SharedSocketPtr self(this);
  known.clear();
  close_if_idle();
}

}  // namespace corbel::transport::rudp
