// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/passing.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace corbel::ipc::detail {
namespace {

using base::Code;
using base::Stage;

static_assert(sizeof(PeerCredentials) == sizeof(ucred));

/// Room for the most that one message can carry.
constexpr std::size_t kControlRoom =
    CMSG_SPACE(kMaxPassedHandles * sizeof(int)) + CMSG_SPACE(sizeof(ucred)) + CMSG_SPACE(sizeof(ucred));

struct Control {
  alignas(cmsghdr) std::array<char, kControlRoom> octets;
  std::size_t size = 0;

  void append(int type, const void* data, std::size_t data_size) noexcept {
    cmsghdr header{};
    header.cmsg_level = SOL_SOCKET;
    header.cmsg_type = type;
    header.cmsg_len = CMSG_LEN(data_size);
    std::memset(octets.data() + size, 0, CMSG_SPACE(data_size));
    std::memcpy(octets.data() + size, &header, sizeof header);
    std::memcpy(octets.data() + size + CMSG_LEN(0), data, data_size);
    size += CMSG_SPACE(data_size);
  }
};

/// Takes ownership of every handle in the message, whatever else is wrong with it.
void take(msghdr& message, Received& received) {
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET) continue;
    const std::size_t size = header->cmsg_len - CMSG_LEN(0);
    if (header->cmsg_type == SCM_CREDENTIALS && size >= sizeof(PeerCredentials)) {
      PeerCredentials credentials;
      std::memcpy(&credentials, CMSG_DATA(header), sizeof credentials);
      received.credentials = credentials;
    } else if (header->cmsg_type == SCM_RIGHTS) {
      std::array<int, kMaxPassedHandles> descriptors{};
      const std::size_t count = std::min(size / sizeof(int), descriptors.size());
      std::memcpy(descriptors.data(), CMSG_DATA(header), count * sizeof(int));
      for (std::size_t i = 0; i < count; ++i) received.handles.emplace_back(descriptors[i]);
    }
  }
}

}  // namespace

base::Result<std::size_t> send_enclosed(int descriptor, base::ConstByteSpan data, const Enclosed& enclosed,
                                        int flags) noexcept {
  if (data.empty()) return base::error(Stage::send, Code::bad_argument);
  if (enclosed.handles.size() > kMaxPassedHandles) return base::error(Stage::send, Code::too_large);
  Control control;
  if (!enclosed.handles.empty()) control.append(SCM_RIGHTS, enclosed.handles.data(), enclosed.handles.size_bytes());
  if (enclosed.credentials) {
    const ucred own{::getpid(), ::getuid(), ::getgid()};
    control.append(SCM_CREDENTIALS, &own, sizeof own);
  }
  const ConstIoVector piece(data);
  msghdr message{};
  message.msg_iov = const_cast<ConstIoVector*>(&piece);
  message.msg_iovlen = 1;
  if (control.size != 0) {
    message.msg_control = control.octets.data();
    message.msg_controllen = control.size;
  }
  return send_header(descriptor, message, flags);
}

base::Result<Received> recv_enclosed(int descriptor, base::ByteSpan room, std::size_t max_handles, int flags) {
  Control control;
  const IoVector piece(room);
  msghdr message{};
  message.msg_iov = const_cast<IoVector*>(&piece);
  message.msg_iovlen = 1;
  message.msg_control = control.octets.data();
  message.msg_controllen = control.octets.size();
  const auto size = recv_header(descriptor, message, flags | MSG_CMSG_CLOEXEC);
  Received received;
  if (size || size.error().code == Code::truncated) take(message, received);
  if (!size) return size.error();
  received.size = *size;
  const bool cut = (message.msg_flags & MSG_CTRUNC) != 0;  // such as no descriptor left in this process
  if (cut || received.handles.size() > max_handles) {
    return base::error(Stage::receive, cut ? Code::out_of_resources : Code::too_large);
  }
  return received;
}

}  // namespace corbel::ipc::detail
