// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/transport/tls/engine.hpp"

namespace corbel::transport::tls {

extern const Engine kOpenSsl;

}  // namespace corbel::transport::tls
