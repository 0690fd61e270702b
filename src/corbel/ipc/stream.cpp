// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/stream.hpp"

#include "corbel/ipc/transfer.hpp"

namespace corbel::ipc::detail {
namespace {

/// A finite deadline must be able to end every wait, so the wait is a poll and the transfer does not block.
constexpr int flags_for(base::Deadline deadline) noexcept {
  return deadline.is_none() ? 0 : MSG_DONTWAIT;
}

/// After a failed transfer: nothing if it was not ready and became so within a finite deadline, else the error.
base::Status wait_after(const base::Error& error, int descriptor, Ready ready, base::Deadline deadline) noexcept {
  if (error.code != base::Code::would_block || deadline.is_none()) return error;
  return wait_ready(descriptor, ready, deadline, error.stage);
}

}  // namespace

base::Status send_n(int descriptor, base::ConstByteSpan data, base::Deadline deadline, std::size_t* sent) {
  return transfer_all<false>(
      data, sent, [&](base::ConstByteSpan left) { return send(descriptor, left, flags_for(deadline)); },
      [&](const base::Error& error) { return wait_after(error, descriptor, Ready::writable, deadline); });
}

base::Status recv_n(int descriptor, base::ByteSpan room, base::Deadline deadline, std::size_t* received) {
  return transfer_all<true>(
      room, received, [&](base::ByteSpan left) { return recv(descriptor, left, flags_for(deadline)); },
      [&](const base::Error& error) { return wait_after(error, descriptor, Ready::readable, deadline); });
}

base::Status sendv_n(int descriptor, std::span<ConstIoVector> list, base::Deadline deadline, std::size_t* sent) {
  return transfer_all<false>(
      list, sent, [&](std::span<ConstIoVector> left) { return sendv(descriptor, left, flags_for(deadline)); },
      [&](const base::Error& error) { return wait_after(error, descriptor, Ready::writable, deadline); });
}

base::Status recvv_n(int descriptor, std::span<IoVector> list, base::Deadline deadline, std::size_t* received) {
  return transfer_all<true>(
      list, received, [&](std::span<IoVector> left) { return recvv(descriptor, left, flags_for(deadline)); },
      [&](const base::Error& error) { return wait_after(error, descriptor, Ready::readable, deadline); });
}

base::Status make_pair(int type, Handle& first, Handle& second) noexcept {
  int descriptors[2];
  if (::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, descriptors) != 0) {
    return last_failure(base::Stage::configure);
  }
  first.reset(descriptors[0]);
  second.reset(descriptors[1]);
  return {};
}

}  // namespace corbel::ipc::detail
