// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/udp/trains.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

namespace corbel::transport::udp {

using base::Code;
using base::Stage;

[[gnu::cold]] void Trains::begin(ipc::ConnectedUdp& socket) noexcept {
  on_ = socket.join_segments(true);
  until_try_ = kMost;  // if the system cannot
  vain_ = 0;
}

/// Nothing waits: what the system had joined would be taken for one datagram. What comes just in between is, and is
/// lost as datagrams may be.
[[gnu::cold]] void Trains::end(ipc::ConnectedUdp& socket) noexcept {
  on_ = !socket.join_segments(false);
  pause_ = std::min(pause_ * 2, kMost);
  until_try_ = pause_;
}

base::Result<std::size_t> Trains::recv_of_train(ipc::ConnectedUdp& socket, base::ByteSpan room,
                                                ipc::RecvFlags flags) noexcept {
  if (!has_more()) {
    if (on_ && vain_ >= kVain) {
      auto filled = fill(socket, ipc::RecvFlags::dont_wait);
      if (!filled && filled.error().code == Code::would_block) {
        end(socket);
      } else if (!filled) {
        return filled.error();
      }
    }
    if (!on_) return socket.recv(room, flags);
    if (!has_more()) CORBEL_CHECK(fill(socket, flags));
  }
  const std::size_t size = std::min(size_, end_ - at_);
  const base::Octet* const from = octets_.get() + at_;
  at_ += size;
  if (size > room.size()) return base::error(Stage::receive, Code::truncated);
  std::memcpy(room.data(), from, size);
  return size;
}

base::Status Trains::fill(ipc::ConnectedUdp& socket, ipc::RecvFlags flags) noexcept {
  if (octets_ == nullptr) octets_.reset(new (std::nothrow) base::Octet[kRoom]);
  if (octets_ == nullptr) return base::error(Stage::receive, Code::out_of_resources, ENOMEM);
  const auto come = socket.recv_segments({octets_.get(), kRoom}, flags);
  if (!come) {
    if (come.error().code == Code::would_block) octets_.reset();
    return come.error();
  }
  at_ = 0;
  end_ = come->octets;
  size_ = come->size;
  ++vain_;
  if (size_ != end_) {
    vain_ = 0;
    pause_ = kLeast;
  }
  return {};
}

}  // namespace corbel::transport::udp
