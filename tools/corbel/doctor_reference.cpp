// SPDX-License-Identifier: Apache-2.0
// What a reference shows of itself.
#include <algorithm>

#include "corbel/base/log.hpp"
#include "corbel/cdr/encapsulation.hpp"
#include "corbel/ior/group.hpp"
#include "corbel/ior/profile.hpp"
#include "corbel/ipc/inet_address.hpp"
#include "doctor.hpp"

namespace corbel::tool {
namespace {

using Level = Finding::Level;

void add(std::vector<Place>& places, Place place) {
  for (const Place& known : places) {
    if (known.text() == place.text() && known.key == place.key) return;
  }
  places.push_back(std::move(place));
}

/// Of TAG_SSL_SEC_TRANS: what the association can do, what it must have, the port (Security Service 1.8, SSLIOP).
base::Result<std::uint16_t> tls_port(const ior::TaggedComponent& component) {
  cdr::Decoder decoder = cdr::Decoder::from_encapsulation(component.data);
  decoder.get<std::uint16_t>();
  decoder.get<std::uint16_t>();
  const auto port = decoder.get<std::uint16_t>();
  if (!decoder.ok()) return decoder.error();
  return port;
}

void add_iiop(const ior::IiopProfile& body, std::vector<Place>& places, std::vector<Finding>& findings) {
  if (body.port != 0) {
    add(places, {Place::Kind::tcp, body.host, body.port, body.version, body.object_key});
  }
  bool tls = false;
  for (const auto& component : body.components) {
    if (component.tag != static_cast<std::uint32_t>(ior::ComponentTag::ssl_sec_trans)) continue;
    tls = true;
    const auto port = tls_port(component);
    if (!port) {
      findings.push_back({Level::problem, base::printable(body.host), "has a TLS component that cannot be read",
                          "its ORB, or who passed it on, damaged it"});
    } else if (*port != 0) {
      add(places, {Place::Kind::tls, body.host, *port, body.version, body.object_key});
    }
  }
  if (body.port == 0 && !tls) {
    findings.push_back(
        {Level::note, base::printable(body.host), "has no TCP port in this profile: it is for other carriers", ""});
  }
  for (const auto& component : body.components) {
    if (component.tag != static_cast<std::uint32_t>(ior::ComponentTag::alternate_iiop_address)) continue;
    if (const auto other = ior::decode_alternate_address(component)) {
      add(places, {Place::Kind::tcp, other->host, other->port, body.version, body.object_key});
    } else {
      findings.push_back(
          {Level::problem, base::printable(body.host), "has an alternate address that cannot be read", ""});
    }
  }
}

void add_corbel(const ior::CorbelProfile& body, std::vector<Place>& places) {
  const std::string& endpoint = body.endpoint;
  Place place{Place::Kind::tcp, "", 0, body.version, body.object_key, body.protocol == "giop"};
  if (endpoint.starts_with("unix://")) {
    place.kind = Place::Kind::unix_socket;
    place.host = endpoint.substr(7);
    add(places, std::move(place));
    return;
  }
  const std::size_t colon = endpoint.rfind(':');
  if (!endpoint.starts_with("tcp://") || colon <= 5) return;  // within the process
  place.host = endpoint.substr(6, colon - 6);
  if (place.host.starts_with('[') && place.host.ends_with(']'))
    place.host = place.host.substr(1, place.host.size() - 2);
  place.port = static_cast<std::uint16_t>(std::strtoul(endpoint.c_str() + colon + 1, nullptr, 10));
  add(places, std::move(place));
}

void judge_host(const std::string& host, std::vector<Finding>& findings) {
  const std::string shown = base::printable(host);  // whoever made the reference may mean the terminal harm
  const auto address = ipc::InetAddress::parse(host, 0);
  const bool local_name = host == "localhost" || host.starts_with("localhost.");
  const std::string advice =
      "start the server with -ORBPublishHost and the name or address by which its clients know it";
  if (host.empty()) {
    findings.push_back({Level::problem, "the reference", "names no host", advice});
  } else if (local_name || (address && address->is_loopback())) {
    findings.push_back({Level::note, shown,
                        "is the loopback address: each host takes it for itself, so clients elsewhere cannot "
                        "use the reference",
                        advice});
  } else if (address && address->is_any()) {
    findings.push_back(
        {Level::problem, shown, "is the address to listen at all interfaces, and none to connect to", advice});
  } else if (host.starts_with("169.254.") || host.starts_with("fe80:")) {
    findings.push_back({Level::note, shown, "is a link-local address: it means something on that link alone", advice});
  } else if (host.starts_with("172.17.") || host.starts_with("172.18.")) {
    findings.push_back(
        {Level::note, shown, "looks like the address of a container: outside its host nobody can reach it", advice});
  }
}

void judge_code_sets(const std::vector<ior::TaggedComponent>& components, std::vector<Finding>& findings) {
  const auto* component = ior::find_component(components, ior::ComponentTag::code_sets);
  if (component == nullptr) return;
  const auto sets = ior::decode_code_sets(*component);
  if (!sets) {
    findings.push_back({Level::problem, "the reference", "has code sets that cannot be read",
                        "its ORB, or who passed it on, damaged it"});
  } else if (!ior::choose_code_sets(&*sets).compatible) {
    findings.push_back({Level::problem, "the reference",
                        "offers no code set that Corbel has, too: strings cannot be passed",
                        "have the server offer UTF-8 or ISO 8859-1 (and UTF-16 for wide characters)"});
  }
}

void add_group(const ior::TaggedProfile& profile, std::vector<Place>& places, std::vector<Finding>& findings) {
  const auto body = ior::decode_uipmc_profile(profile);
  const auto group = ior::group_of(profile);
  if (!body || !group) {
    findings.push_back({Level::problem, "the reference", "has a profile of a group (UIPMC) that names none",
                        "its ORB, or who passed it on, damaged it"});
    return;
  }
  findings.push_back({Level::note, base::printable(body->host) + ":" + std::to_string(body->port),
                      "is the address of the group " + base::printable(group->domain) + "-" +
                          std::to_string(group->id) +
                          ", which takes oneways and answers nothing: who is in it cannot be found out",
                      ""});
  for (const auto& component : body->components) {
    if (component.tag != static_cast<std::uint32_t>(ior::ComponentTag::group_iiop)) continue;
    const auto iiop =
        ior::decode_iiop_profile({static_cast<std::uint32_t>(ior::ProfileTag::internet_iop), component.data});
    if (iiop) add_iiop(*iiop, places, findings);
  }
}

}  // namespace

bool names_group(const ior::Ior& ior) {
  return std::ranges::any_of(ior.profiles, [](const auto& profile) { return ior::group_of(profile).ok(); });
}

std::vector<Place> places_of(const ior::Ior& ior, std::vector<Finding>& findings) {
  std::vector<Place> places;
  for (const auto& profile : ior.profiles) {
    if (const auto iiop = ior::decode_iiop_profile(profile)) {
      add_iiop(*iiop, places, findings);
    } else if (const auto uiop = ior::decode_uiop_profile(profile)) {
      add(places, {Place::Kind::unix_socket, uiop->path, 0, uiop->version, uiop->object_key});
    } else if (const auto corbel = ior::decode_corbel_profile(profile)) {
      add_corbel(*corbel, places);
    } else if (profile.tag == static_cast<std::uint32_t>(ior::ProfileTag::uipmc)) {
      add_group(profile, places, findings);
    } else if (profile.tag == static_cast<std::uint32_t>(ior::ProfileTag::internet_iop)) {
      findings.push_back({Level::problem, "the reference", "has an IIOP profile that cannot be read",
                          "it was damaged on its way here"});
    } else {
      findings.push_back({Level::note, "the reference",
                          "has a profile of tag " + std::to_string(profile.tag) + ", which is not known here", ""});
    }
  }
  if (places.empty() && !names_group(ior)) {
    findings.push_back({Level::problem, "the reference", "names no address that can be used from here",
                        "look at it with `corbel ior`; its server has to listen at TCP for clients like this one"});
  }
  return places;
}

void judge(const ior::Ior& ior, std::vector<Finding>& findings) {
  for (const auto& profile : ior.profiles) {
    const auto iiop = ior::decode_iiop_profile(profile);
    if (!iiop) continue;
    judge_host(iiop->host, findings);
    judge_code_sets(iiop->components, findings);
  }
}

}  // namespace corbel::tool
