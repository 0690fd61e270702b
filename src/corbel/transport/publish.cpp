// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/publish.hpp"

namespace corbel::transport {

void edit_iiop_profile(const ior::ProfileBase& base, std::vector<ior::TaggedProfile>& profiles,
                       base::FunctionRef<void(ior::IiopProfile&)> edit) {
  for (ior::TaggedProfile& each : profiles) {
    if (each.tag != static_cast<std::uint32_t>(ior::ProfileTag::internet_iop)) continue;
    auto found = ior::decode_iiop_profile(each);
    if (!found || found->object_key != base.object_key || found->version != base.version) continue;
    // A profile that is for TLS alone: its host belongs to that transport.
    if (ior::find_component(found->components, ior::ComponentTag::ssl_sec_trans) != nullptr) continue;
    edit(*found);
    each = ior::encode_profile(*found);
    return;
  }
  ior::IiopProfile made;
  static_cast<ior::ProfileBase&>(made) = base;
  edit(made);
  profiles.push_back(ior::encode_profile(made));
}

}  // namespace corbel::transport
