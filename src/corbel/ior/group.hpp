// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "corbel/ior/ior.hpp"

/// References to groups of objects (Unreliable Multicast Inter-ORB Protocol).
namespace corbel::ior {

/// Which group: TAG_GROUP, PortableGroup::TagGroupTaggedComponent.
struct GroupIdentity {
  Version version{1, 0};
  std::string domain;
  std::uint64_t id = 0;
  std::uint32_t reference_version = 0;  ///< 0: any

  /// Equal for the same group, whatever the version of its reference.
  std::string key() const { return domain + '\0' + std::to_string(id); }
};
CORBEL_API TaggedComponent encode_group(const GroupIdentity& group);
CORBEL_API base::Result<GroupIdentity> decode_group(const TaggedComponent& component);

/// MIOP::UIPMC_ProfileBody: the address of a group, and the group as a component. It has no object key; requests name
/// their target by the whole profile.
struct UipmcProfile {
  Version version{1, 0};  ///< of MIOP
  std::string host;
  std::uint16_t port = 0;
  std::vector<TaggedComponent> components;
};
CORBEL_API TaggedProfile encode_profile(const UipmcProfile& profile);
CORBEL_API base::Result<UipmcProfile> decode_uipmc_profile(const TaggedProfile& profile,
                                                           const cdr::Limits& limits = {});
/// The group that a profile names. Fails with unsupported if it is no UIPMC profile, malformed if it names none.
CORBEL_API base::Result<GroupIdentity> group_of(const TaggedProfile& profile, const cdr::Limits& limits = {});
/// The group and the address in what follows "corbaloc:miop:": "1.0@1.0-domain-id[-version]/host:port". Error:
/// bad_argument (stage resolve).
struct GroupUrl {
  GroupIdentity identity;
  std::string address;
};
CORBEL_API base::Result<GroupUrl> parse_group_url(std::string_view text);

}  // namespace corbel::ior
