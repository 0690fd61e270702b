// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace corbel::transport::shm {

/// This start of this host, and this process's part of its network, where abstract names are: "BOOT-ID.NUMBER". The
/// same in all containers that share them, whatever they call themselves; the machine's name where the system does not
/// tell.
std::string host_identity();

}  // namespace corbel::transport::shm
