// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "corbel/base/option_rows.hpp"
#include "corbel/transport/tls/security.hpp"

namespace corbel::transport::tls {

/// -ORBTls...
std::span<const base::OptionRow<Security>> security_options() noexcept;

}  // namespace corbel::transport::tls
