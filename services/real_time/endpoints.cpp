// SPDX-License-Identifier: Apache-2.0
#include "endpoints.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include <corbel/cdr/decoder.hpp>
#include <corbel/cdr/encapsulation.hpp>
#include <corbel/ior/profile.hpp>

namespace corbel::real_time {
namespace {

constexpr std::size_t kLeastEntry = 8;    // octets
constexpr std::size_t kMostEntries = 64;  // of a profile; more are no lanes that anybody made
constexpr std::size_t kMostProfiles = 64;

constexpr auto kIiop = static_cast<std::uint32_t>(ior::ProfileTag::internet_iop);
constexpr auto kUiop = static_cast<std::uint32_t>(ior::ProfileTag::uiop);
constexpr auto kOwn = static_cast<std::uint32_t>(ior::ProfileTag::corbel);

/// One endpoint of a profile. What it is called is the profile's matter: a host and a port (IIOP), a path (UIOP), a
/// protocol and an endpoint (Corbel's own).
struct Entry {
  std::string name;
  std::uint16_t port = 0;  ///< of IIOP only
  std::int16_t priority = 0;
};

void remove(std::vector<ior::TaggedComponent>& components, std::uint32_t tag) {
  std::erase_if(components, [&](const ior::TaggedComponent& one) { return one.tag == tag; });
}

/// What in a profile's components is an address of the endpoint that it had before.
void remove_addresses(std::vector<ior::TaggedComponent>& components) {
  remove(components, static_cast<std::uint32_t>(ior::ComponentTag::alternate_iiop_address));
  remove(components, static_cast<std::uint32_t>(ior::ComponentTag::omniorb_unix_trans));
  remove(components, static_cast<std::uint32_t>(ior::ComponentTag::ssl_sec_trans));
}

/// The profile's own endpoint; nothing if such profiles have none that could be listed.
std::optional<Entry> own_entry(const ior::TaggedProfile& profile) {
  if (profile.tag == kIiop) {
    const auto iiop = ior::decode_iiop_profile(profile);
    if (iiop && iiop->version.minor >= 1) return Entry{iiop->host, iiop->port};
  } else if (profile.tag == kUiop) {
    const auto uiop = ior::decode_uiop_profile(profile);
    if (uiop && uiop->version.minor >= 1) return Entry{uiop->path};
  } else if (profile.tag == kOwn) {
    const auto own = ior::decode_corbel_profile(profile);
    if (own) return Entry{own->protocol + '+' + own->endpoint};
  }
  return std::nullopt;
}

/// All endpoints of one kind in a lane that fit into another profile's list: an IIOP profile has further ones.
std::vector<Entry> entries_of(const ior::TaggedProfile& profile, std::int16_t priority) {
  std::vector<Entry> entries;
  auto own = own_entry(profile);
  if (!own || (profile.tag == kIiop && own->port == 0)) return entries;  // TLS: the port is not in the address
  own->priority = priority;
  entries.push_back(*std::move(own));
  if (profile.tag != kIiop) return entries;
  const auto iiop = ior::decode_iiop_profile(profile);
  for (const ior::TaggedComponent& component : iiop->components) {
    if (component.tag != static_cast<std::uint32_t>(ior::ComponentTag::alternate_iiop_address)) continue;
    if (auto address = ior::decode_alternate_address(component)) {
      entries.push_back({std::move(address->host), address->port, priority});
    }
  }
  return entries;
}

ior::TaggedComponent encode_entries(std::uint32_t profile, const std::vector<Entry>& entries) {
  auto body = cdr::encapsulate([&](cdr::Encoder& encoder) {
    encoder.put_count(entries.size());
    for (const Entry& entry : entries) {
      encoder.put_plain_string(entry.name);
      if (profile == kIiop) encoder.put(entry.port);
      encoder.put(entry.priority);
    }
  });
  return {kTagEndpoints, body ? *std::move(body) : base::Bytes{}};
}

std::vector<Entry> decode_entries(std::uint32_t profile, const base::Bytes& data) {
  cdr::Decoder decoder = cdr::Decoder::from_encapsulation(data);
  const std::size_t count = decoder.take_count(kLeastEntry);
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < count && i < kMostEntries && decoder.ok(); ++i) {
    Entry entry;
    entry.name = decoder.get_plain_string();
    if (profile == kIiop) entry.port = decoder.get<std::uint16_t>();
    entry.priority = decoder.get<std::int16_t>();
    entries.push_back(std::move(entry));
  }
  if (!decoder.ok()) entries.clear();
  return entries;
}

std::vector<Entry> listed_in(const ior::TaggedProfile& profile) {
  for (const ior::TaggedComponent& component : components_of(profile)) {
    if (component.tag == kTagEndpoints) return decode_entries(profile.tag, component.data);
  }
  return {};
}

/// The profile without its list; with another endpoint, unless that is null.
ior::TaggedProfile led_to(const ior::TaggedProfile& profile, const Entry* entry) {
  if (profile.tag == kIiop) {
    ior::IiopProfile iiop = *ior::decode_iiop_profile(profile);
    remove(iiop.components, kTagEndpoints);
    if (entry != nullptr) {
      remove_addresses(iiop.components);
      iiop.host = entry->name;
      iiop.port = entry->port;
    }
    return ior::encode_profile(iiop);
  }
  if (profile.tag == kUiop) {
    ior::UiopProfile uiop = *ior::decode_uiop_profile(profile);
    remove(uiop.components, kTagEndpoints);
    if (entry != nullptr) {
      const auto* told = ior::find_component(uiop.components, ior::ComponentTag::omniorb_unix_trans);
      const auto machine =
          told == nullptr ? base::Result<ior::HostPath>(ior::HostPath{}) : ior::decode_unix_address(*told);
      const bool says_where = told != nullptr && machine.ok();
      remove_addresses(uiop.components);
      if (says_where) uiop.components.push_back(ior::encode_unix_address({machine->host, entry->name}));
      uiop.path = entry->name;
    }
    return ior::encode_profile(uiop);
  }
  ior::CorbelProfile own = *ior::decode_corbel_profile(profile);
  remove(own.components, kTagEndpoints);
  if (entry != nullptr) {
    const std::size_t plus = entry->name.find('+');
    own.protocol = entry->name.substr(0, plus);
    own.endpoint = plus == std::string::npos ? std::string() : entry->name.substr(plus + 1);
  }
  return ior::encode_profile(own);
}

}  // namespace

std::vector<ior::TaggedProfile> join_lanes(const std::vector<LaneProfiles>& lanes) {
  std::vector<ior::TaggedProfile> joined;
  if (lanes.empty()) return joined;
  // One list for each kind of profile, in the first of the kind.
  std::vector<std::uint32_t> listed;
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
    for (const ior::TaggedProfile& profile : lanes[lane].profiles) {
      std::vector<Entry> entries = entries_of(profile, lanes[lane].priority);
      const bool in_a_list = !entries.empty() && std::ranges::find(listed, profile.tag) != listed.end();
      if (in_a_list && lane > 0) continue;
      if (entries.empty()) {
        auto own = own_entry(profile);
        if (own) own->priority = lanes[lane].priority;
        if (own) entries.push_back(*std::move(own));
      } else if (!in_a_list) {
        listed.push_back(profile.tag);
        for (std::size_t other = lane + 1; other < lanes.size(); ++other) {
          for (const ior::TaggedProfile& its : lanes[other].profiles) {
            if (its.tag != profile.tag) continue;
            for (Entry& entry : entries_of(its, lanes[other].priority)) entries.push_back(std::move(entry));
          }
        }
      }
      joined.push_back(profile);
      // Where there is no room for a list, the profile is one of those that say nothing of lanes.
      if (!entries.empty()) (void)ior::add_component(joined.back(), encode_entries(profile.tag, entries));
    }
  }
  return joined;
}

std::vector<ior::TaggedComponent> components_of(const ior::TaggedProfile& profile) {
  const auto of = [](auto decoded) {
    return decoded ? std::move(decoded->components) : std::vector<ior::TaggedComponent>();
  };
  if (profile.tag == kIiop) return of(ior::decode_iiop_profile(profile));
  if (profile.tag == kUiop) return of(ior::decode_uiop_profile(profile));
  if (profile.tag == kOwn) return of(ior::decode_corbel_profile(profile));
  return {};
}

std::vector<std::int16_t> lanes_of(const ior::Ior& ior) {
  std::vector<std::int16_t> lanes;
  for (const ior::TaggedProfile& profile : ior.profiles) {
    for (const Entry& entry : listed_in(profile)) {
      if (entry.priority >= 0) lanes.push_back(entry.priority);  // TAO's, of endpoints without a lane, is -1
    }
  }
  std::ranges::sort(lanes);
  const auto rest = std::ranges::unique(lanes);
  lanes.erase(rest.begin(), rest.end());
  return lanes;
}

ior::Ior only_lane(const ior::Ior& ior, std::int16_t priority) {
  ior::Ior narrowed{ior.type_id, {}};
  std::vector<ior::TaggedProfile> others;
  for (const ior::TaggedProfile& profile : ior.profiles) {
    const std::vector<Entry> entries = listed_in(profile);
    if (entries.empty()) others.push_back(profile);
    for (std::size_t i = 0; i < entries.size() && narrowed.profiles.size() < kMostProfiles; ++i) {
      if (entries[i].priority != priority) continue;
      narrowed.profiles.push_back(led_to(profile, i == 0 ? nullptr : &entries[i]));
    }
  }
  narrowed.profiles.insert(narrowed.profiles.end(), others.begin(), others.end());
  return narrowed.profiles.empty() ? ior : narrowed;
}

std::int16_t lane_for(const std::vector<std::int16_t>& lanes, std::int16_t priority) {
  const auto above = std::ranges::upper_bound(lanes, priority);
  return above == lanes.begin() ? lanes.front() : *(above - 1);
}

}  // namespace corbel::real_time
