// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "corbel/base/export.hpp"

namespace corbel::orb {
class Core;
class ObjectAdapter;
}  // namespace corbel::orb

namespace corbel::poa {

/// The portable object adapter, for orb::Components::make_adapter.
CORBEL_API std::unique_ptr<orb::ObjectAdapter> make_adapter(orb::Core& core);

}  // namespace corbel::poa
