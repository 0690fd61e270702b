// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "corbel/base/export.hpp"
#include "corbel/base/function_ref.hpp"
#include "corbel/ior/profile.hpp"

namespace corbel::transport {

/// Several transports share one IIOP profile: tcp owns its host and port, others add components to it. Lets `edit`
/// change the IIOP profile with `base`'s key that is already among `profiles`, or a new one (no host, port 0) made
/// from `base`, which is then appended.
CORBEL_API void edit_iiop_profile(const ior::ProfileBase& base, std::vector<ior::TaggedProfile>& profiles,
                                  base::FunctionRef<void(ior::IiopProfile&)> edit);

}  // namespace corbel::transport
