// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "corbel/base/export.hpp"
#include "corbel/transport/transport.hpp"

namespace corbel::transport {

/// Sequenced-packet sockets between processes of one host, which keep messages: "packet:///path", "packet://@abstract",
/// or "packet://" to listen on a private socket of a generated name. Messages of up to 65,536 octets.
CORBEL_API std::shared_ptr<const Factory> make_packet();

}  // namespace corbel::transport
