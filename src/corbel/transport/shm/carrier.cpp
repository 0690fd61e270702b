// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/shm/carrier.hpp"

#include <array>
#include <utility>

#include "corbel/ipc/socket_options.hpp"

namespace corbel::transport::shm {

using base::Code;
using base::Deadline;
using base::Stage;

namespace {

constexpr unsigned kRingsAtTheEnd = 2;
// More octets than the socket of an honest peer has room for: the number due does not grow with a connection's age.
constexpr std::uint64_t kMostRings = 1U << 16;

}  // namespace

Carrier::Carrier(ipc::UnixStream socket, base::IntrusivePtr<Channel> channel, std::shared_ptr<Watch> watch,
                 std::string local, std::string peer)
    : socket_(std::move(socket)),
      channel_(std::move(channel)),
      watch_(std::move(watch)),
      local_(std::move(local)),
      peer_(std::move(peer)),
      armed_(channel_->in.is_armed()),
      rung_(armed_),
      rings_due_(kRingsAtTheEnd + 1) {
  channel_->out.set_peer_bell(&Carrier::ring, this);
  channel_->in.set_peer_bell(&Carrier::ring, this);
}

base::Result<std::unique_ptr<Transport>> Carrier::make(ipc::UnixStream socket, base::IntrusivePtr<Channel> channel,
                                                       std::shared_ptr<Watch> watch, const base::Spin& spin,
                                                       std::string local, std::string peer) {
  channel->in.set_spin(spin);
  channel->out.set_spin(spin);
  std::unique_ptr<Carrier> carrier(
      new Carrier(std::move(socket), std::move(channel), std::move(watch), std::move(local), std::move(peer)));
  CORBEL_CHECK(carrier->watch_->reactor().add(carrier->channel_, carrier->socket_.handle(),
                                              reactor::Events::peer_closed, reactor::Trigger::one_shot));
  return std::unique_ptr<Transport>(std::move(carrier));
}

Carrier::~Carrier() {
  Carrier::shutdown();
  watch_->reactor().remove(*channel_);
}

/// Makes the peer's reactor look. If there is no room for the octet, the peer has enough of them.
void Carrier::ring(const void* self) noexcept {
  static constexpr base::Octet kOctet[1] = {0};
  (void)static_cast<const Carrier*>(self)->socket_.send(kOctet, ipc::SendFlags::dont_wait);
}

base::Status Carrier::send(std::span<const cdr::Segment> data, Deadline deadline, std::size_t& sent) noexcept {
  static_assert(sizeof(cdr::Segment) == sizeof(ipc::ConstIoVector) && offsetof(cdr::Segment, data) == 0);
  return channel_->out.sendv_n({reinterpret_cast<const ipc::ConstIoVector*>(data.data()), data.size()}, deadline,
                               &sent);
}

base::Result<std::size_t> Carrier::send(std::span<const cdr::Segment> data, Deadline deadline) {
  if (deadline.is_now()) return send_some(data, deadline);
  std::size_t sent = 0;
  auto status = send(data, deadline, sent);
  if (status) [[likely]]
    return sent;
  const Code code = status.error().code;
  return base::error(Stage::send, code == Code::timed_out ? Code::timed_out : Code::lost);
}

base::Result<std::size_t> Carrier::send_some(std::span<const cdr::Segment> data, Deadline deadline) {
  std::size_t sent = 0;
  auto status = send(data, deadline, sent);
  if (status) return sent;
  const Code code = status.error().code;
  if (code != Code::timed_out && code != Code::would_block) return base::error(Stage::send, Code::lost);
  if (sent == 0) return base::error(Stage::send, Code::would_block);
  return sent;
}

base::Result<std::size_t> Carrier::receive(base::ByteSpan buffer, Deadline deadline) {
  if (armed_) [[unlikely]]
    return receive_armed(buffer, deadline);
  auto count = channel_->in.recv(buffer, deadline);
  if (count && *count != 0) [[likely]]
    return count;
  return received_nothing(std::move(count), buffer);
}

base::Result<std::size_t> Carrier::receive_armed(base::ByteSpan buffer, Deadline deadline) {
  armed_ = channel_->in.is_armed();
  auto count = channel_->in.recv(buffer, deadline);
  if (!count || *count == 0) return received_nothing(std::move(count), buffer);
  if (armed_) {  // sleeping has ended it, or an octet that came meanwhile
    channel_->in.stay_armed();
    expect_ring();
  }
  return count;
}

base::Result<std::size_t> Carrier::received_nothing(base::Result<std::size_t> nothing, base::ByteSpan buffer) {
  const auto later = [&] {
    return !nothing && (nothing.error().code == Code::would_block || nothing.error().code == Code::timed_out);
  };
  if (later()) {
    if (!arm()) return nothing;
    nothing = channel_->in.recv(buffer, Deadline::now());
    if (nothing && *nothing != 0) return nothing;
    // There was something, and the peer has taken it back.
    if (later()) return base::error(Stage::receive, Code::malformed);
  }
  if (nothing || nothing.error().code == Code::cancelled) return base::error(Stage::receive, Code::closed);
  return nothing;
}

/// Asks the peer to ring; true if there is something to receive, so that it need not.
bool Carrier::arm() const noexcept {
  if (rung_) take_rings();
  expect_ring();  // also if it turns out to be needless: the peer may have seen that it is asked before that
  const auto ready = channel_->in.arm();
  armed_ = ready && !*ready;
  if (!armed_) return true;
  rung_ = true;
  return false;
}

void Carrier::expect_ring() const noexcept {
  if (rings_due_ < kMostRings) ++rings_due_;
}

/// Octets that came too late for the threads that waited for them. A peer that sends more than it was asked for, to
/// keep a thread busy, is as good as dead.
void Carrier::take_rings() const noexcept {
  std::array<base::Octet, 16> octets;
  rung_ = false;
  const auto taken = socket_.recv(octets, ipc::RecvFlags::dont_wait);
  if (taken && *taken != 0 && *taken <= rings_due_) {
    rings_due_ -= *taken;
    return;
  }
  if (!taken && taken.error().code == Code::would_block) return;
  channel_->peer_died();
}

void Carrier::shutdown() noexcept {
  if (shut_.exchange(true)) return;
  channel_->out.close();
  channel_->in.close();
  (void)socket_.shutdown(ipc::Direction::both);
}

void Carrier::abandon() noexcept {
  socket_.close();
  channel_->unmap();
}

PeerIdentity Carrier::identity() const {
  PeerIdentity identity;
  if (const auto peer = socket_.get(ipc::option::peer_credentials)) {
    identity.process = {peer->user, peer->group, peer->process};
  }
  return identity;
}

}  // namespace corbel::transport::shm
