// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "corbel/ipc/connector.hpp"
#include "corbel/ipc/passing.hpp"
#include "corbel/ipc/stream.hpp"

namespace corbel::ipc {

/// A two-way pipe between processes of one machine. make_stream_pair() makes both ends at once; the two classes below
/// give it a name, as mounting a STREAMS pipe did: the connector makes the pair and passes one end to the acceptor.
using StreamPipe = UnixStream;

/// The passive role: takes the ends of pipes that connectors made. Move-only, closes itself. One thread accepts.
class CORBEL_API StreamPipeAcceptor {
 public:
  using AddressType = UnixAddress;
  using StreamType = StreamPipe;
  using Options = DatagramOptions<UnixAddress>;

  StreamPipeAcceptor() noexcept = default;
  StreamPipeAcceptor(StreamPipeAcceptor&& other) noexcept
      : rendezvous_(std::move(other.rendezvous_)), stopped_(other.stopped_.load()) {}
  StreamPipeAcceptor& operator=(StreamPipeAcceptor&& other) noexcept {
    rendezvous_.close();
    rendezvous_ = std::move(other.rendezvous_);
    stopped_ = other.stopped_.load();
    return *this;
  }

  /// Listens at a path or abstract name. Errors: as Acceptor::open.
  static base::Result<StreamPipeAcceptor> open(const UnixAddress& address, const Options& options = {}) noexcept;

  /// Waits for a pipe. What is sent here and is no local stream is closed and skipped. Errors (stage accept):
  /// timed_out, would_block, out_of_resources, cancelled (after shutdown()).
  base::Result<StreamPipe> accept(base::Deadline deadline = base::Deadline::none());

  base::Result<UnixAddress> local_address() const noexcept { return rendezvous_.local_address(); }
  int handle() const noexcept { return rendezvous_.handle(); }
  bool is_open() const noexcept { return rendezvous_.is_open(); }
  /// Wakes a thread that is blocked in accept(). Any thread may call it.
  void shutdown() noexcept {
    stopped_ = true;
    (void)::shutdown(handle(), SHUT_RDWR);
  }
  /// Closes, and with it the pipes that were not yet accepted; removes the socket file.
  void close() noexcept { rendezvous_.close(); }

 private:
  UnixDatagramSocket rendezvous_;
  std::atomic<bool> stopped_{false};
};

/// The active role: makes pipes and passes their other ends on. Has no state.
class CORBEL_API StreamPipeConnector {
 public:
  using AddressType = UnixAddress;
  using StreamType = StreamPipe;

  /// A pipe whose other end waits to be accepted; if it never is, the pipe ends when the acceptor goes. Errors (stage
  /// connect): refused, unreachable, timed_out or would_block (too many wait already), out_of_resources.
  base::Result<StreamPipe> connect(const UnixAddress& remote,
                                   base::Deadline deadline = base::Deadline::none()) const noexcept;
  /// Never waits; a pipe that was made is completed at once. Errors as connect(); would_block when too many wait
  /// already.
  base::Result<PendingConnect<UnixAddress>> start_connect(const UnixAddress& remote) const noexcept {
    CORBEL_TRY(StreamPipe pipe, connect(remote, base::Deadline::now()));
    return PendingConnect<UnixAddress>(pipe.release(), true);
  }
};

}  // namespace corbel::ipc
