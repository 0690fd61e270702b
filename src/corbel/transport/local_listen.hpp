// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "corbel/ipc/acceptor.hpp"
#include "corbel/ipc/socket_folder.hpp"
#include "corbel/transport/transport.hpp"

namespace corbel::transport {

/// A socket that listens at a UNIX-domain address, and the folder that its name is in if that was generated.
template <class Socket>
struct LocalListener {
  using Acceptor = ipc::Acceptor<ipc::UnixAddress, Socket>;

  ipc::SocketFolder folder{};
  Acceptor acceptor{};
  ipc::UnixAddress address{};

  /// Listens at `address`, without blocking; an unnamed one stands for a generated name in the user's private folder.
  /// Errors: stage listen.
  static base::Result<LocalListener> open(const ipc::UnixAddress& address, const Options& options) {
    ipc::AcceptorOptions<ipc::UnixAddress> with;
    with.backlog = options.backlog;
    if (options.send_buffer > 0) with.send_buffer = options.send_buffer;
    if (options.receive_buffer > 0) with.receive_buffer = options.receive_buffer;
    LocalListener listener;
    listener.address = address;
    CORBEL_CHECK(listener.listen(with));
    CORBEL_CHECK(listener.acceptor.set_non_blocking(true));
    return listener;
  }

 private:
  base::Status listen(const ipc::AcceptorOptions<ipc::UnixAddress>& with) {
    if (!address.is_unnamed()) {
      CORBEL_TRY(acceptor, Acceptor::open(address, with));
      return {};
    }
    base::Error error;
    for (int attempt = 0; attempt < 100; ++attempt) {
      folder.leave();
      CORBEL_TRY(folder, ipc::SocketFolder::open());
      if (attempt == 0) folder.sweep();
      CORBEL_TRY(address, folder.next_name());
      auto opened = Acceptor::open(address, with);
      if (opened) {
        acceptor = *std::move(opened);
        return {};
      }
      error = opened.error();
      // The last process that left may have taken the folder away; a process of another PID namespace may have our
      // number.
      if (error.code != base::Code::unreachable && error.code != base::Code::address_in_use) break;
    }
    return error;
  }
};

}  // namespace corbel::transport
