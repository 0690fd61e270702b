// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/base/deadline.hpp"
#include "corbel/base/intrusive_ptr.hpp"
#include "corbel/ipc/ring.hpp"
#include "corbel/ipc/shared_memory.hpp"
#include "corbel/ipc/stream.hpp"
#include "corbel/reactor/event_handler.hpp"
#include "corbel/transport/transport.hpp"

namespace corbel::transport::shm {

/// One side of the two rings that two processes share, and what hears of the other one's death.
///
/// How they come to share them: the server makes the memory, seals its size, and sends it over the local socket behind
/// a greeting of 16 octets: "corbelM1", the capacity of the ring to the server and of the one to the client (32 bits
/// each, in the host's order). The rings follow each other in the memory in that order. After that the socket carries
/// octets that mean nothing, one for each time that a side that waits for its handle is to look, and its end.
///
/// Lent memory: the note of the consumer's end of the ring to the server says how many octets of it the server takes, 0
/// for none, as a peer has it that knows nothing of it. A client that lends passes a segment (slots.hpp) behind such an
/// octet at any time, and says so in the note of its own end, before the first piece. So what is greeted with, and the
/// stream, are the same for peers that lend and for those that never heard of it.
class Channel final : public reactor::EventHandler {
 public:
  /// The server's side: makes the rings and sends them, without waiting. Errors: out_of_resources, lost (stage accept).
  /// `takes_lent`: octets of memory that the client may lend (see slots.hpp).
  static base::Result<base::IntrusivePtr<Channel>> offer(ipc::UnixStream& socket, const ConnectionOptions& options,
                                                         std::size_t takes_lent = 0);
  /// The client's side: waits for what the server offers. Errors (stage connect): timed_out, refused (the server has
  /// hung up, or offers something else), out_of_resources.
  static base::Result<base::IntrusivePtr<Channel>> take(ipc::UnixStream& socket, base::Deadline deadline);

  Channel(ipc::SharedMemory memory, const ipc::RingProducer& sends, const ipc::RingConsumer& receives) noexcept
      : out(sends), in(receives), memory_(std::move(memory)) {}

  /// The peer has hung up: threads that wait here are woken. What it sent before can still be received.
  void peer_died() noexcept {
    out.peer_died();
    in.peer_died();
  }
  void on_event(reactor::Events) noexcept override { peer_died(); }
  /// In the child of fork(), where no thread uses it any more.
  void unmap() noexcept { memory_.close(); }

  ipc::RingProducer out;
  ipc::RingConsumer in;

 private:
  static base::Result<base::IntrusivePtr<Channel>> make(ipc::SharedMemory memory, std::size_t to_server, bool serves);

  ipc::SharedMemory memory_;
};

}  // namespace corbel::transport::shm
