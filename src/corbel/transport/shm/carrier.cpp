// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/shm/carrier.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <new>
#include <utility>

#include "corbel/ipc/passing.hpp"
#include "corbel/ipc/socket_options.hpp"

namespace corbel::transport::shm {

using base::Code;
using base::Deadline;
using base::Stage;

namespace {

constexpr unsigned kRingsAtTheEnd = 2;
// More octets than the socket of an honest peer has room for: the number due does not grow with a connection's age.
constexpr std::uint64_t kMostRings = 1U << 16;
/// Octets from which on a piece that is lent costs less than a copy.
constexpr std::size_t kLeastPiece = 4096;

}  // namespace

Carrier::Carrier(ipc::UnixStream socket, base::IntrusivePtr<Channel> channel, std::shared_ptr<Watch> watch,
                 Lending lending, std::string local, std::string peer)
    : socket_(std::move(socket)),
      channel_(std::move(channel)),
      watch_(std::move(watch)),
      local_(std::move(local)),
      peer_(std::move(peer)),
      takes_lent_(lending.takes),
      gives_lent_(std::min<std::size_t>(lending.gives, channel_->out.peer_note()) / kLeastLent * kLeastLent),
      armed_(channel_->in.is_armed()),
      rung_(armed_),
      rings_due_(kRingsAtTheEnd + 1 + (takes_lent_ != 0 ? 1 : 0)) {
  channel_->out.set_peer_bell(&Carrier::ring, this);
  channel_->in.set_peer_bell(&Carrier::ring, this);
}

base::Result<std::unique_ptr<Transport>> Carrier::make(ipc::UnixStream socket, base::IntrusivePtr<Channel> channel,
                                                       std::shared_ptr<Watch> watch, const base::Spin& spin,
                                                       Lending lending, std::string local, std::string peer) {
  channel->in.set_spin(spin);
  channel->out.set_spin(spin);
  std::unique_ptr<Carrier> carrier(
      new Carrier(std::move(socket), std::move(channel), std::move(watch), lending, std::move(local), std::move(peer)));
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
  Slots* const slots = slots_.load(std::memory_order_acquire);
  auto status = slots == nullptr ? send(data, deadline, sent) : send_lent(*slots, data, deadline, sent);
  if (status) [[likely]]
    return sent;
  const Code code = status.error().code;
  return base::error(Stage::send, code == Code::timed_out ? Code::timed_out : Code::lost);
}

/// All of it, or the connection is of no use any more: nobody has to take back what was said of a piece.
[[gnu::noinline]] base::Status Carrier::send_lent(Slots& slots, std::span<const cdr::Segment> data, Deadline deadline,
                                                  std::size_t& sent) noexcept {
  static constexpr base::Octet kStandIn[1] = {0};
  std::array<ipc::ConstIoVector, 32> list;
  if (data.size() > list.size()) return send(data, deadline, sent);
  std::size_t ahead = 0;  // octets in the ring
  std::size_t whole = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const base::ConstByteSpan piece(static_cast<const base::Octet*>(data[i].data), data[i].size);
    const std::uint32_t position = channel_->out.moved() + static_cast<std::uint32_t>(ahead);
    const bool lent = piece.size() >= kLeastPiece && slots.send(piece.data(), piece.size(), position);
    list[i] = ipc::ConstIoVector(lent ? base::ConstByteSpan(kStandIn) : piece);
    ahead += list[i].size();
    whole += piece.size();
  }
  CORBEL_CHECK(channel_->out.sendv_n({list.data(), data.size()}, deadline));
  sent = whole;
  return {};
}

LentMemory Carrier::lend(std::size_t octets) noexcept {
  const std::lock_guard lock(mutex_);
  if (shut_.load(std::memory_order_relaxed) || (own_slots_ == nullptr && !begin_lending())) return {};
  return own_slots_->take(octets);
}

/// Passes memory to the peer, which takes so much of it.
bool Carrier::begin_lending() noexcept {
  static constexpr base::Octet kOctet[1] = {0};
  if (gives_lent_ == 0) return false;
  auto slots = Slots::create(gives_lent_);
  gives_lent_ = 0;  // once is enough, in vain or not
  if (!slots) return false;
  const int handles[] = {(*slots)->handle()};
  if (!ipc::send_with(socket_, kOctet, {.handles = handles}, Deadline::now())) return false;
  (*slots)->close_handle();
  channel_->out.set_note(1);
  own_slots_ = *std::move(slots);
  slots_.store(own_slots_.get(), std::memory_order_release);
  return true;
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

inline base::Result<std::size_t> Carrier::recv(base::ByteSpan buffer, Deadline deadline) {
  if (takes_lent_ == 0) [[likely]]
    return channel_->in.recv(buffer, deadline);
  return recv_beside_lent(buffer, deadline);
}

/// What is in the ring, up to where an octet stands for a lent piece, or from that piece.
base::Result<std::size_t> Carrier::recv_beside_lent(base::ByteSpan buffer, Deadline deadline) {
  ipc::RingConsumer& in = channel_->in;
  CORBEL_TRY(const std::size_t there, in.wait(deadline));
  if (there == 0 || buffer.empty()) return std::size_t{0};
  CORBEL_TRY(const auto ahead, lent_ahead());  // after wait(): what it has counted was told of before
  if (!ahead) return in.recv(buffer.first(std::min(buffer.size(), there)), Deadline::now());
  if (*ahead != 0) return in.recv(buffer.first(std::min({buffer.size(), there, std::size_t{*ahead}})), Deadline::now());
  const std::size_t left = peer_slots_->left();
  const std::size_t count = peer_slots_->copy(buffer);
  if (count == left) take_stand_in();
  return count;
}

std::size_t Carrier::next_lent() noexcept {
  if (takes_lent_ == 0) return 0;
  const auto there = channel_->in.wait(Deadline::now());
  if (!there || *there == 0) return 0;
  const auto ahead = lent_ahead();
  return ahead && *ahead && **ahead == 0 && peer_slots_->is_whole() ? peer_slots_->left() : 0;
}

LentMemory Carrier::take_lent() noexcept {
  if (next_lent() == 0) return {};
  take_stand_in();
  return peer_slots_->take();
}

/// It is there, unless the peer has taken it back: then the ring is malformed from now on.
void Carrier::take_stand_in() noexcept {
  std::array<base::Octet, 1> octet;
  (void)channel_->in.recv(octet, Deadline::now());
}

/// PeerSlots::ahead(), also before the memory has been taken from the socket, where it is once the peer says so.
base::Result<std::optional<std::uint32_t>> Carrier::lent_ahead() {
  if (peer_slots_ == nullptr) {
    if (channel_->in.peer_note() == 0) return std::optional<std::uint32_t>();
    while (peer_slots_ == nullptr && take_rings()) {
    }
    if (peer_slots_ == nullptr) return base::error(Stage::receive, Code::malformed);
    // A reactor that watches may have been meant by what has just been taken.
    channel_->in.stay_armed();
    expect_ring();
    armed_ = rung_ = true;
  }
  return peer_slots_->ahead(channel_->in.moved());
}

base::Result<std::size_t> Carrier::receive(base::ByteSpan buffer, Deadline deadline) {
  if (armed_) [[unlikely]]
    return receive_armed(buffer, deadline);
  auto count = recv(buffer, deadline);
  if (count && *count != 0) [[likely]]
    return count;
  return received_nothing(std::move(count), buffer);
}

base::Result<std::size_t> Carrier::receive_armed(base::ByteSpan buffer, Deadline deadline) {
  armed_ = channel_->in.is_armed();
  auto count = recv(buffer, deadline);
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
    nothing = recv(buffer, Deadline::now());
    if (nothing && *nothing != 0) return nothing;
    // There was something, and the peer has taken it back.
    if (later()) return base::error(Stage::receive, Code::malformed);
  }
  if (nothing || nothing.error().code == Code::cancelled) return base::error(Stage::receive, Code::closed);
  return nothing;
}

/// Asks the peer to ring; true if there is something to receive, so that it need not.
bool Carrier::arm() const noexcept {
  if (rung_) (void)take_rings();
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
/// keep a thread busy, is as good as dead. True if there were some.
bool Carrier::take_rings() const noexcept {
  std::array<base::Octet, 16> octets;
  rung_ = false;
  const auto taken = take_octets(octets);
  if (taken && *taken != 0 && *taken <= rings_due_) {
    rings_due_ -= *taken;
    return true;
  }
  if (taken || taken.error().code != Code::would_block) channel_->peer_died();
  return false;
}

/// Octets from the socket, and the memory that the peer lends if that is passed with them.
base::Result<std::size_t> Carrier::take_octets(base::ByteSpan octets) const noexcept try {
  if (takes_lent_ == 0) return socket_.recv(octets, ipc::RecvFlags::dont_wait);
  CORBEL_TRY(auto received, ipc::recv_with(socket_, octets, 1, Deadline::now()));
  if (!received.handles.empty()) {
    if (peer_slots_ != nullptr) return base::error(Stage::receive, Code::malformed);
    CORBEL_TRY(peer_slots_, PeerSlots::attach(std::move(received.handles[0]), takes_lent_));
  }
  return received.size;
} catch (const std::bad_alloc&) {
  return base::error(Stage::receive, Code::out_of_resources);
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
