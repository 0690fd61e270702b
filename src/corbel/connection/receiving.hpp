// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/base/deadline.hpp"
#include "corbel/connection/framer.hpp"
#include "corbel/transport/transport.hpp"

namespace corbel::connection {

/// As Transport::receive() into the framer's `space`, where the framer expects many large messages. A receiver that is
/// faster than their sender sleeps after each piece, and the sender spends as much on waking it as on sending. If
/// nothing is there it therefore lets more come before it is woken, for a moment at most, and the framer is told if
/// that was in vain. For the reading thread.
base::Result<std::size_t> receive_many(transport::Transport& transport, Framer& framer, base::ByteSpan space,
                                       base::Deadline deadline);

/// What the message at hand lacks, if that is all in memory which the peer lends and has come: then it is received
/// without being copied. Number of octets, 0 if not. For the reading thread.
std::size_t receive_lent(transport::Transport& transport, Framer& framer);

}  // namespace corbel::connection
