// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/base/result.hpp"
#include "corbel/ipc/unix_address.hpp"

namespace corbel::transport::shm {

/// How a client says how large the rings are to be: by the name of its own end of the socket, which the server learns
/// as it accepts. Servers that know nothing of it pass it by.
///
/// A name that nobody else has. `octets`: of each ring.
base::Result<ipc::UnixAddress> name_of_wish(int octets);
/// What such a name asks for, within the bounds of rings; 0 if it is any other.
int wish_of(const ipc::UnixAddress& name) noexcept;

}  // namespace corbel::transport::shm
