// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "corbel/transport/transport.hpp"

namespace carriers {

/// A transport that shakes hands and buffers, as TLS does, over any transport of byte streams: "masked://" and an
/// address of that. The ends exchange random numbers, and from then on records of up to 4,096 octets that are masked
/// with them. It is there to be read and hides nothing from a listener.
std::shared_ptr<const corbel::transport::Factory> make_masked(std::shared_ptr<const corbel::transport::Factory> inner);

}  // namespace carriers
