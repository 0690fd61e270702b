// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace corbel::poa {

/// The user exceptions that operations of adapters and managers end in (CORBA 3.3 part 1, 15.3). Faces throw them as
/// their mapping has them.
enum class Refused : std::uint8_t {
  adapter_already_exists,
  adapter_inactive,
  no_servant,
  object_already_active,
  object_not_active,
  servant_already_active,
  servant_not_active,
  wrong_adapter,
  wrong_policy,
};

}  // namespace corbel::poa
