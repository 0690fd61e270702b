// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/stream.hpp"

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

void report(std::size_t* out, std::size_t count) noexcept {
  if (out != nullptr) *out = count;
}

base::Error end_of_stream(std::size_t received) noexcept {
  return base::error(base::Stage::receive, received == 0 ? base::Code::closed : base::Code::lost);
}

}  // namespace

base::Status send_n(int descriptor, base::ConstByteSpan data, base::Deadline deadline, std::size_t* sent) {
  std::size_t done = 0;
  base::Status status;
  while (status && done < data.size()) {
    auto count = send(descriptor, data.subspan(done), flags_for(deadline));
    if (count) {
      done += *count;
    } else {
      status = wait_after(count.error(), descriptor, Ready::writable, deadline);
    }
  }
  report(sent, done);
  return status;
}

base::Status recv_n(int descriptor, base::ByteSpan room, base::Deadline deadline, std::size_t* received) {
  std::size_t done = 0;
  base::Status status;
  while (status && done < room.size()) {
    auto count = recv(descriptor, room.subspan(done), flags_for(deadline));
    if (!count) {
      status = wait_after(count.error(), descriptor, Ready::readable, deadline);
    } else if (*count == 0) {
      status = end_of_stream(done);
    } else {
      done += *count;
    }
  }
  report(received, done);
  return status;
}

base::Status sendv_n(int descriptor, std::span<ConstIoVector> list, base::Deadline deadline, std::size_t* sent) {
  std::size_t done = 0;
  base::Status status;
  list = skip(list, 0);
  while (status && !list.empty()) {
    auto count = sendv(descriptor, list, flags_for(deadline));
    if (count) {
      done += *count;
      list = skip(list, *count);
    } else {
      status = wait_after(count.error(), descriptor, Ready::writable, deadline);
    }
  }
  report(sent, done);
  return status;
}

base::Status recvv_n(int descriptor, std::span<IoVector> list, base::Deadline deadline, std::size_t* received) {
  std::size_t done = 0;
  base::Status status;
  list = skip(list, 0);
  while (status && !list.empty()) {
    auto count = recvv(descriptor, list, flags_for(deadline));
    if (!count) {
      status = wait_after(count.error(), descriptor, Ready::readable, deadline);
    } else if (*count == 0) {
      status = end_of_stream(done);
    } else {
      done += *count;
      list = skip(list, *count);
    }
  }
  report(received, done);
  return status;
}

base::Status make_pair(int family, Handle& first, Handle& second) noexcept {
  int descriptors[2];
  if (::socketpair(family, SOCK_STREAM | SOCK_CLOEXEC, 0, descriptors) != 0) {
    return last_failure(base::Stage::configure);
  }
  first.reset(descriptors[0]);
  second.reset(descriptors[1]);
  return {};
}

}  // namespace corbel::ipc::detail
