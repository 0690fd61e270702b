// SPDX-License-Identifier: Apache-2.0
#include "corbel/connection/receiving.hpp"

#include <algorithm>
#include <utility>

namespace corbel::connection {
namespace {

constexpr std::size_t kTogether = 256U << 10;
constexpr std::size_t kMany = 32U << 10;

bool would_block(const base::Result<std::size_t>& received) noexcept {
  return !received && received.error().code == base::Code::would_block;
}

}  // namespace

[[gnu::cold]] base::Result<std::size_t> receive_many(transport::Transport& transport, Framer& framer,
                                                     base::ByteSpan space, base::Deadline deadline) {
  bool vain = false;
  auto received = transport.receive(space, base::Deadline::now());
  if (would_block(received) && !deadline.is_now()) {
    transport.wait_for_many(kTogether);
    received = transport.receive(space, base::Deadline::now());
    vain = !received || *received < std::min(space.size(), kMany);
    if (would_block(received)) received = transport.receive(space, deadline);
  }
  framer.received_many(received ? *received : 0, vain);
  return received;
}

[[gnu::cold]] std::size_t receive_lent(transport::Transport& transport, Framer& framer) {
  const std::size_t octets = transport.next_lent();
  if (octets == 0 || !framer.begin_lent(octets)) return 0;
  auto memory = transport.take_lent();
  if (!memory) return 0;
  framer.received_lent(std::move(memory));
  return octets;
}

}  // namespace corbel::connection
