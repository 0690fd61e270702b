// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/groups.hpp"

#include <algorithm>
#include <optional>

#include "corbel/orb/core.hpp"
#include "corbel/orb/group_table.hpp"

namespace corbel::orb {
namespace {

using ObjectRef = CORBA::object_reference<CORBA::Object>;

[[noreturn]] void refuse(const char* why) {
  throw CORBA::BAD_PARAM(0, CORBA::CompletionStatus::COMPLETED_NO, why);
}

const ior::Ior& reference_of(const ObjectRef& object) {
  if (object == nullptr || object->_target() == nullptr) refuse("joining a group takes two references, neither nil");
  return object->_target()->ior();
}

/// The group that a profile names, if it does: a UIPMC profile, or one of Corbel's with such a profile as its key.
std::optional<ior::GroupIdentity> group_named_by(const ior::TaggedProfile& profile) {
  auto group = ior::group_of(profile);
  if (group) return *std::move(group);
  const auto own = ior::decode_corbel_profile(profile);
  if (!own) return std::nullopt;
  group = ior::group_of({static_cast<std::uint32_t>(ior::ProfileTag::uipmc), own->object_key});
  return group ? std::optional(*std::move(group)) : std::nullopt;
}

/// The profiles of a reference that name groups.
std::vector<ior::TaggedProfile> groups_in(const ObjectRef& group) {
  std::vector<ior::TaggedProfile> profiles;
  for (const auto& profile : reference_of(group).profiles) {
    if (group_named_by(profile)) profiles.push_back(profile);
  }
  if (profiles.empty()) refuse("the reference names no group: it has no UIPMC profile with a group in it");
  return profiles;
}

base::Bytes key_of_member(Core& core, const ObjectRef& member) {
  const auto keys = core.keys_of_ours(reference_of(member));
  if (keys.empty()) refuse("who joins a group must be an object of this ORB");
  return keys.front();
}

}  // namespace

void GroupTable::add(const ior::GroupIdentity& group, const base::Bytes& member) {
  const std::lock_guard lock(mutex_);
  const auto found = groups_.find(group.key());
  auto more = found == groups_.end() ? std::make_shared<Keys>() : std::make_shared<Keys>(*found->second);
  if (std::find(more->begin(), more->end(), member) == more->end()) more->push_back(member);
  groups_[group.key()] = std::move(more);  // last: no group is without members
}

void GroupTable::remove(const ior::GroupIdentity& group, const base::Bytes& member) {
  const std::lock_guard lock(mutex_);
  const auto found = groups_.find(group.key());
  if (found == groups_.end()) return;
  auto fewer = std::make_shared<Keys>(*found->second);
  std::erase(*fewer, member);
  if (fewer->empty()) {
    groups_.erase(found);
  } else {
    found->second = std::move(fewer);
  }
}

std::shared_ptr<const GroupTable::Keys> GroupTable::members(base::ConstByteSpan profile_body) {
  {
    const std::lock_guard lock(mutex_);
    if (groups_.empty()) return nullptr;
  }
  const auto group = ior::group_of(
      {static_cast<std::uint32_t>(ior::ProfileTag::uipmc), base::Bytes(profile_body.begin(), profile_body.end())});
  if (!group) return nullptr;
  const std::lock_guard lock(mutex_);
  const auto found = groups_.find(group->key());
  return found == groups_.end() ? nullptr : found->second;
}

void join_group(CORBA::ORB& orb, const ObjectRef& group, const ObjectRef& member) {
  Core& core = orb._core();
  const auto profiles = groups_in(group);
  const base::Bytes key = key_of_member(core, member);
  for (const auto& profile : profiles) {
    core.listen_to_group(profile);  // an object that cannot be reached is no member
    core.groups().add(*group_named_by(profile), key);
  }
}

ObjectRef group_over(CORBA::ORB& orb, const ObjectRef& group, std::string_view protocol) {
  const routing::Registry& registry = orb._core().registry();
  ior::Ior result;
  result.type_id = reference_of(group).type_id;
  for (const auto& profile : groups_in(group)) {
    for (const auto& transport : registry.transports()) {
      const auto reachable = transport->factory().decode(profile, orb._core().limits());
      if (!reachable || transport->factory().traits().group_profile == 0) continue;
      for (const auto& endpoint : reachable->endpoints) {
        ior::CorbelProfile own;
        own.version = reachable->base.version;
        own.object_key = reachable->base.object_key;
        own.protocol = protocol;
        own.endpoint = endpoint->text();
        if (!registry.parse_endpoint(own.protocol + '+' + own.endpoint)) continue;
        result.profiles.push_back(ior::encode_profile(own));
      }
    }
  }
  if (result.profiles.empty()) refuse("the protocol is unknown, or nothing can be said to a group in it");
  return orb.string_to_object(ior::to_string(result));
}

void leave_group(CORBA::ORB& orb, const ObjectRef& group, const ObjectRef& member) {
  Core& core = orb._core();
  const auto profiles = groups_in(group);
  const base::Bytes key = key_of_member(core, member);
  for (const auto& profile : profiles) core.groups().remove(*group_named_by(profile), key);
}

}  // namespace corbel::orb
