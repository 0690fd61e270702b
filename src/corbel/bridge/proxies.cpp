// SPDX-License-Identifier: Apache-2.0
#include "corbel/bridge/proxies.hpp"

#include <algorithm>
#include <optional>

#include "corbel/ior/profile.hpp"
#include "corbel/orb/core.hpp"

namespace corbel::bridge {
namespace {

using ior::ComponentTag;
using ior::ProfileTag;

bool has_tag(const ior::TaggedProfile& profile, ProfileTag tag) {
  return profile.tag == static_cast<std::uint32_t>(tag);
}

/// What a profile says to those who write bodies for its server.
struct Says {
  ior::Version version;
  std::optional<ior::TaggedComponent> code_sets;
  bool negotiates = true;
};

Says told_by(const ior::ProfileBase& base) {
  Says says{base.version, std::nullopt};
  const auto* component = ior::find_component(base.components, ComponentTag::code_sets);
  if (component != nullptr) says.code_sets = *component;
  return says;
}

std::optional<Says> read(const ior::TaggedProfile& profile, const cdr::Limits& limits) {
  if (has_tag(profile, ProfileTag::internet_iop)) {
    if (const auto body = ior::decode_iiop_profile(profile, limits)) return told_by(*body);
  } else if (has_tag(profile, ProfileTag::uiop)) {
    if (const auto body = ior::decode_uiop_profile(profile, limits)) return told_by(*body);
  } else if (has_tag(profile, ProfileTag::corbel)) {
    if (const auto body = ior::decode_corbel_profile(profile, limits)) {
      Says says = told_by(*body);
      says.negotiates = body->protocol == "giop";
      return says;
    }
  }
  return std::nullopt;
}

/// What clients are told: what all profiles of the original understand.
Says common(const ior::Ior& ior, const cdr::Limits& limits) {
  Says common{{1, 2}, std::nullopt};
  bool first = true;
  for (const auto& profile : ior.profiles) {
    const auto says = read(profile, limits);
    if (!says) continue;
    if (says->negotiates) common.version = std::min(common.version, says->version);
    common.negotiates = common.negotiates && says->negotiates;
    if (first || common.code_sets) common.code_sets = says->code_sets;
    first = false;
  }
  // The other side does not negotiate: its text is UTF-8 and UTF-16 and nothing else.
  if (!common.negotiates) {
    ior::CodeSetInfo only = ior::own_code_sets();
    only.for_char.conversions.clear();
    only.for_wchar.conversions.clear();
    common.code_sets = ior::encode_code_sets(only);
  }
  return common;
}

template <class Profile>
void adapt(ior::TaggedProfile& tagged, base::Result<Profile> body, const Says& says) {
  if (!body) return;
  body->version = std::min(body->version, says.version);
  std::erase_if(body->components, [](const ior::TaggedComponent& component) {
    return component.tag == static_cast<std::uint32_t>(ComponentTag::code_sets);
  });
  if (body->version.minor == 0) body->components.clear();
  if (says.code_sets && body->version.minor != 0) body->components.push_back(*says.code_sets);
  tagged = ior::encode_profile(*body);
}

}  // namespace

ior::Ior Proxies::make(const ior::Ior& ior, base::ConstByteSpan key) {
  const cdr::Limits& limits = core_.limits();
  const Says says = common(ior, limits);
  ior::Ior proxy{ior.type_id, core_.make_profiles(key)};
  for (auto& profile : proxy.profiles) {
    if (has_tag(profile, ProfileTag::internet_iop)) adapt(profile, ior::decode_iiop_profile(profile, limits), says);
    if (has_tag(profile, ProfileTag::uiop)) adapt(profile, ior::decode_uiop_profile(profile, limits), says);
    if (!has_tag(profile, ProfileTag::corbel)) continue;
    auto body = ior::decode_corbel_profile(profile, limits);
    if (body && body->protocol == "giop") adapt(profile, std::move(body), says);
  }
  return proxy;
}

base::Result<ior::Ior> Proxies::replace(const ior::Ior& ior) {
  if (ior.profiles.empty()) return ior;
  for (const base::Bytes& key : core_.keys_of_ours(ior)) {
    const TargetPtr target = table_.find(key);
    return target == nullptr ? ior : target->ior();
  }
  const base::Bytes key = table_.key_for(ior);
  if (key.empty()) return base::error(base::Stage::encode, base::Code::too_large);
  return make(ior, key);
}

}  // namespace corbel::bridge
