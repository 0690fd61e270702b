// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/udp/carrier.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "corbel/ipc/subscriber.hpp"

namespace corbel::transport::udp {

using base::Code;
using base::Deadline;
using base::Stage;
using ipc::InetAddress;

namespace {

constexpr std::size_t kMostTogether = 64;      // that one system call sends; of one size, what the system cuts at most
constexpr std::uint32_t kMostOfPacket = 1400;  // octets of a datagram that no network has to cut once more
constexpr unsigned kAfterError = 2;
constexpr int kWhile = 10;            // part of the silence that ends a peer in any case
constexpr unsigned kMostUnread = 64;  // of one peer that are handed on

/// Makes the socket that is bound there readable, by an empty datagram, which is nobody's.
void wake(const InetAddress& there) noexcept {
  auto socket = ipc::UdpSocket::open(there.is_v6() ? InetAddress::any_v6() : InetAddress::any_v4());
  if (socket) (void)socket->send_to({}, there, ipc::SendFlags::dont_wait);
}

}  // namespace

/// Its peer is the socket itself then, from which nothing comes.
void UdpSocket::part() noexcept {
  if (const auto here = local_address()) (void)connect(*here);
}

base::Result<base::Bytes> UdpSocket::next_unread() {
  constexpr auto kNow = ipc::RecvFlags::dont_wait;
  if (!trains_.has_more()) CORBEL_CHECK(next_size(Deadline::now()));
  base::Bytes octets(kLargest);
  auto size = trains_.recv(*this, octets, kNow);
  if (!size && size.error().code != Code::truncated) return size.error();
  octets.resize(size ? *size : 0);
  return octets;
}

bool Peers::admits(const InetAddress& address) {
  const InetAddress host = ipc::subscriber(address);
  const std::size_t most_of_host = std::max<std::size_t>(most_ / 2, 1);
  const std::size_t spare = most_ / 8;  // for peers whose predecessor has not quite left
  const std::lock_guard lock(mutex_);
  if (peers_.contains(address)) return false;
  if (staying() >= most_ || count_of(host) >= most_of_host) end_silent();
  if (count_of(host) >= most_of_host) return false;
  if (staying() >= most_ && (leaving_ > spare || !end_one_for(host))) return false;
  return peers_.size() < most_ + spare;
}

std::size_t Peers::count_of(const InetAddress& host) const noexcept {
  const auto found = hosts_.find(host);
  return found != hosts_.end() ? found->second : 0;
}

/// The owners of silent carriers let go of them soon. A look at all of them is worth it now and then only.
void Peers::end_silent() noexcept {
  if (!next_look_.is_now() && !next_look_.expired()) return;
  next_look_ = Deadline::after(silence_);
  const std::int64_t now = Deadline::clock_now();
  for (auto& each : peers_) {
    Peer& peer = each.second;
    if (peer.carrier->heard()) {
      peer.heard = now;
    } else if (now - peer.heard >= silence_.count()) {
      end(each);
    }
  }
}

/// Anything received counts as heard, so silence does not tell which peer floods; how many places a host has does.
/// Where none has more than `host` will have, as when each datagram forges another host, whoever has been silent for a
/// while has to go: newcomers are heard, as long as a flood is not so dense that everybody talks. False if nobody can.
bool Peers::end_one_for(const InetAddress& host) noexcept {
  const auto largest =
      std::max_element(hosts_.begin(), hosts_.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (largest == hosts_.end()) return false;
  const bool of_largest = largest->second >= count_of(host) + 2;
  if (!of_largest && count_of(host) != 0) return false;
  const std::int64_t now = Deadline::clock_now();
  All::value_type* oldest = nullptr;
  for (auto& each : peers_) {
    Peer& peer = each.second;
    if (peer.leaving || (of_largest && !(ipc::subscriber(each.first) == largest->first))) continue;
    if (peer.carrier->heard()) peer.heard = now;
    if (oldest == nullptr || peer.heard < oldest->second.heard) oldest = &each;
  }
  if (oldest == nullptr || (!of_largest && now - oldest->second.heard < (silence_ / kWhile).count())) return false;
  end(*oldest);
  return true;
}

void Peers::end(All::value_type& peer) noexcept {
  if (peer.second.leaving) return;
  peer.second.leaving = true;
  ++leaving_;
  gone_from(ipc::subscriber(peer.first));
  peer.second.carrier->shutdown();
}

void Peers::gone_from(const InetAddress& host) noexcept {
  const auto found = hosts_.find(host);
  if (found != hosts_.end() && --found->second == 0) hosts_.erase(found);
}

void Peers::enter(const InetAddress& address, UdpCarrier& carrier) {
  const InetAddress host = ipc::subscriber(address);
  const std::lock_guard lock(mutex_);
  if (!peers_.try_emplace(address, Peer{&carrier, Deadline::clock_now()}).second) return;
  try {
    ++hosts_[host];
  } catch (...) {
    peers_.erase(address);
    throw;
  }
}

void Peers::leave(const InetAddress& address, UdpSocket& socket) noexcept {
  const auto here = socket.local_address();
  bool handed_on = false;
  {
    const std::lock_guard lock(mutex_);  // the acceptor knows the peer until all is handed on
    const auto found = peers_.find(address);
    if (found == peers_.end()) return;
    if (found->second.leaving) {
      --leaving_;
    } else {
      gone_from(ipc::subscriber(address));
      handed_on = here && !closed_ && hand_on(address, *here, socket);
    }
    peers_.erase(found);
  }
  socket.close();  // or it might take what is to wake the acceptor
  if (handed_on) wake(*here);
}

/// With the mutex. True if there was something.
bool Peers::hand_on(const InetAddress& address, const InetAddress& here, UdpSocket& socket) noexcept try {
  socket.part();
  bool some = false;
  for (unsigned count = 0; count < kMostUnread; ++count) {
    auto octets = socket.next_unread();
    if (!octets && octets.error().code == Code::would_block) break;
    if (!octets) continue;  // what the system had to say about what was sent to the peer
    const std::size_t size = octets->size();
    if (size != 0) unread_.add({address, here, *std::move(octets)}, size);
    some = true;
  }
  return some;
} catch (const std::bad_alloc&) {  // lost, as datagrams may be
  return true;
}

std::deque<Heard> Peers::take_unread() {
  const std::lock_guard lock(mutex_);
  return unread_.empty() ? std::deque<Heard>() : unread_.take();
}

void Peers::close() noexcept {
  const std::lock_guard lock(mutex_);
  closed_ = true;
}

base::Result<std::size_t> UdpCarrier::send_messages(base::ConstByteSpan octets, std::span<const std::uint32_t> sizes) {
  sizes = sizes.first(std::min(sizes.size(), kMostTogether));
  const bool alone = singles_ != 0 || sizes.size() == 1;
  if (singles_ != 0) --singles_;
  if (alone || !make_batch()) return Base::send_messages(octets, sizes);
  if (segments_) {
    auto sent = send_segments(octets, sizes);
    if (sent || sent.error().code != Code::unsupported) return sent;
  }
  batch_->clear();
  for (const std::uint32_t size : sizes) {
    (void)batch_->add(octets.first(size));
    octets = octets.subspan(size);
  }
  auto sent = socket().send_batch(*batch_, ipc::SendFlags::dont_wait);
  // That nobody is there becomes known by the first one and is told with the second, but not if both are of one call.
  if (sent && *sent < sizes.size()) singles_ = kAfterError;
  return sent;
}

bool UdpCarrier::make_batch() noexcept try {
  if (batch_ != nullptr) return true;
  batch_ = std::make_unique<ipc::OutputBatch<InetAddress>>(kMostTogether);
  segments_ = socket().cuts_segments();
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

/// Sends the first ones that have one size, and perhaps one that is smaller, as one datagram which the system or its
/// network card cuts. unsupported if there is but one of them.
base::Result<std::size_t> UdpCarrier::send_segments(base::ConstByteSpan octets, std::span<const std::uint32_t> sizes) {
  const std::uint32_t size = sizes.front();
  const base::Error unsupported = base::error(base::Stage::send, Code::unsupported);
  if (size > kMostOfPacket) return unsupported;
  std::size_t count = 1;
  std::size_t total = size;
  while (count < sizes.size() && sizes[count] <= size && total + sizes[count] <= traits().largest_message) {
    total += sizes[count];
    if (sizes[count++] < size) break;
  }
  if (count == 1) return unsupported;
  const auto sent =
      socket().send_segments(octets.first(total), static_cast<std::uint16_t>(size), ipc::SendFlags::dont_wait);
  if (sent) return count;
  if (sent.error().code == Code::unsupported) segments_ = false;
  return sent.error();
}

}  // namespace corbel::transport::udp
