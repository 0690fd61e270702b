// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace corbel::naming {

/// What the network calls a naming service, behind which is the object NameService by GIOP over TCP.
inline constexpr const char* kServiceType = "_corba-naming._tcp";

}  // namespace corbel::naming
