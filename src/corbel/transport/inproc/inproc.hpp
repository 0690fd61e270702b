// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "corbel/transport/transport.hpp"

namespace corbel::transport {

namespace inproc {
class Hub;
}

/// The names under which in-process acceptors listen. Factories that share a hub reach each other. Thread-safe.
CORBEL_API std::shared_ptr<inproc::Hub> make_inproc_hub();

/// The transport within one process: a pair of byte rings in memory, no system call on the way (waking a reader that
/// waits on the handle excepted). Endpoints: "inproc://name", or "inproc://" to listen under a generated name.
/// Published endpoints end in "@hub", the hub's random identity, so that references that leave the process reach no
/// other hub. It has no profile of its own. Options: send_buffer and receive_buffer of the connecting side size the
/// rings.
CORBEL_API std::shared_ptr<const Factory> make_inproc(std::shared_ptr<inproc::Hub> hub);
/// With names of the whole process: all that were made so reach each other.
CORBEL_API std::shared_ptr<const Factory> make_inproc();

}  // namespace corbel::transport
