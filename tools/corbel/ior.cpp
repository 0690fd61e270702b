// SPDX-License-Identifier: Apache-2.0
// corbel ior: takes references apart and writes them in other forms.
#include "corbel/ior/ior.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <iostream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>

#include "command.hpp"
#include "corbel/base/log.hpp"
#include "corbel/ior/group.hpp"
#include "corbel/ior/profile.hpp"
#include "corbel/ior/url.hpp"

namespace corbel::tool {
namespace {

using Json = nlohmann::ordered_json;

std::string hex(base::ConstByteSpan octets) {
  std::string text;
  for (const base::Octet octet : octets) {
    const auto value = static_cast<unsigned>(octet);
    text += "0123456789abcdef"[value >> 4];
    text += "0123456789abcdef"[value & 15];
  }
  return text;
}

std::string version_text(ior::Version version) {
  return std::to_string(version.major) + "." + std::to_string(version.minor);
}

std::string tag_text(std::uint32_t tag) {
  std::string text = "0x";
  for (int shift = 28; shift >= 0; shift -= 4) text += "0123456789abcdef"[tag >> shift & 15];
  for (int shift = 24; shift >= 0; shift -= 8) {
    const auto c = static_cast<char>(tag >> shift & 0xff);
    if (c == 0 && shift == 0 && text.size() > 10) return text + "'";
    if (c < 32 || c > 126) return text.substr(0, 10);
    if (shift == 24) text += " '";
    text += c;
    if (shift == 0) text += "'";
  }
  return text;
}

/// The ORB whose value of TAG_ORB_TYPE it is, where that is known.
std::string orb_name(std::uint32_t type) {
  switch (type) {
    case ior::kOrbType:
      return "Corbel";
    case 0x41545400:
      return "omniORB";
    case 0x54414f00:
      return "TAO";
    case 0x4a414300:
      return "JacORB";
    case 0x53554e00:
      return "Sun/GlassFish";
    case 0x49424d00:
      return "IBM";
    case 0x4f425200:
      return "ORBit/ORBacus family";
    default:
      return "unknown";
  }
}

std::string code_set_name(std::uint32_t set) {
  switch (set) {
    case 0x05010001:
      return "UTF-8";
    case 0x00010109:
      return "UTF-16";
    case 0x00010001:
      return "ISO 8859-1";
    case 0x00010020:
      return "ISO 646";
    case 0x00010100:
      return "UCS-2 level 1";
    case 0x00010106:
      return "UCS-4";
    default:
      return tag_text(set);
  }
}

Json code_sets_json(const ior::CodeSetInfo::Component& sets) {
  Json json = Json::array({code_set_name(sets.native)});
  for (const std::uint32_t set : sets.conversions) json.push_back(code_set_name(set));
  return json;
}

/// The names of the compressors that the OMG has numbered.
std::string compressor_text(std::uint16_t id, std::uint16_t level) {
  static constexpr std::string_view kNames[] = {"none", "gzip", "pkzip", "bzip2", "zlib",
                                                "lzma", "lzo",  "rzip",  "7x",    "xar"};
  const std::string name = id < std::size(kNames) ? std::string(kNames[id]) : std::to_string(id);
  return name + ":" + std::to_string(level);
}

/// A policy in a reference: what is said of compression (ZIOP) in words, others by their types.
std::string policy_text(std::uint32_t type, base::ConstByteSpan data) {
  constexpr std::uint32_t kEnabling = 64;
  constexpr std::uint32_t kCompressors = 65;
  cdr::Decoder value = cdr::Decoder::from_encapsulation(data);
  if (type == kEnabling) {
    const bool enabled = value.get<bool>();
    if (value.ok()) return enabled ? "compression" : "no compression";
  }
  if (type == kCompressors) {
    std::string text = "compressors";
    for (std::size_t left = value.take_count(4); left > 0 && value.ok(); --left) {
      const auto id = value.get<std::uint16_t>();
      text.append(" ").append(compressor_text(id, value.get<std::uint16_t>()));
    }
    if (value.ok()) return text;
  }
  return "type " + std::to_string(type) + " " + hex(data);
}

/// Of a component TAG_POLICIES; null if it makes no sense.
Json policies_json(base::ConstByteSpan data) {
  cdr::Decoder decoder = cdr::Decoder::from_encapsulation(data);
  Json policies = Json::array();
  for (std::size_t left = decoder.take_count(8); left > 0 && decoder.ok(); --left) {
    const auto type = decoder.get<std::uint32_t>();
    const base::ConstByteSpan value = decoder.get_octet_sequence();
    if (decoder.ok()) policies.push_back(policy_text(type, value));
  }
  return decoder.ok() ? policies : Json();
}

Json component_json(const ior::TaggedComponent& component) {
  Json json;
  const auto is = [&](ior::ComponentTag tag) { return component.tag == static_cast<std::uint32_t>(tag); };
  if (is(ior::ComponentTag::orb_type) && component.data.size() == 8) {
    cdr::Decoder decoder = cdr::Decoder::from_encapsulation(component.data);
    const auto type = decoder.get<std::uint32_t>();
    json["component"] = "ORB type";
    json["orb"] = orb_name(type);
    json["value"] = tag_text(type);
    return json;
  }
  if (is(ior::ComponentTag::code_sets)) {
    if (const auto sets = ior::decode_code_sets(component)) {
      json["component"] = "code sets";
      json["char"] = code_sets_json(sets->for_char);
      json["wchar"] = code_sets_json(sets->for_wchar);
      return json;
    }
  }
  if (is(ior::ComponentTag::alternate_iiop_address)) {
    if (const auto address = ior::decode_alternate_address(component)) {
      json["component"] = "alternate address";
      json["host"] = address->host;
      json["port"] = address->port;
      return json;
    }
  }
  if (is(ior::ComponentTag::omniorb_unix_trans)) {
    if (const auto address = ior::decode_unix_address(component)) {
      json["component"] = "omniORB UNIX-domain address";
      json["host"] = address->host;
      json["path"] = address->path;
      return json;
    }
  }
  if (is(ior::ComponentTag::bandwidths)) {
    if (const auto all = ior::decode_bandwidths(component)) {
      json["component"] = "bandwidths";
      for (const ior::Bandwidth& each : *all) json["kbit_s"][each.endpoint] = each.kbit_s;
      return json;
    }
  }
  if (is(ior::ComponentTag::policies)) {
    if (Json policies = policies_json(component.data); !policies.is_null()) {
      json["component"] = "policies";
      json["policies"] = std::move(policies);
      return json;
    }
  }
  json["component"] = is(ior::ComponentTag::ssl_sec_trans) ? "TLS (SSLIOP)"
                      : is(ior::ComponentTag::policies)    ? "policies"
                                                           : "other";
  json["tag"] = tag_text(component.tag);
  json["data"] = hex(component.data);
  return json;
}

void add_base(Json& json, const ior::ProfileBase& base) {
  json["version"] = version_text(base.version);
  json["key"] = ior::escape_object_key(base.object_key);
  json["key_hex"] = hex(base.object_key);
  json["components"] = Json::array();
  for (const auto& component : base.components) json["components"].push_back(component_json(component));
}

Json profile_json(const ior::TaggedProfile& profile) {
  Json json;
  switch (static_cast<ior::ProfileTag>(profile.tag)) {
    case ior::ProfileTag::internet_iop:
      if (const auto body = ior::decode_iiop_profile(profile)) {
        json["profile"] = "IIOP";
        json["host"] = body->host;
        json["port"] = body->port;
        add_base(json, *body);
        return json;
      }
      break;
    case ior::ProfileTag::diop:
      if (const auto body = ior::decode_diop_profile(profile)) {
        json["profile"] = "DIOP";
        json["host"] = body->host;
        json["port"] = body->port;
        add_base(json, *body);
        return json;
      }
      break;
    case ior::ProfileTag::uipmc:
      if (const auto body = ior::decode_uipmc_profile(profile)) {
        json["profile"] = "UIPMC";
        json["host"] = body->host;
        json["port"] = body->port;
        if (const auto group = ior::group_of(profile)) {
          json["group"] = {{"domain", group->domain}, {"id", group->id}, {"version", group->reference_version}};
        }
        return json;
      }
      break;
    case ior::ProfileTag::uiop:
      if (const auto body = ior::decode_uiop_profile(profile)) {
        json["profile"] = "UIOP";
        json["path"] = body->path;
        add_base(json, *body);
        return json;
      }
      break;
    case ior::ProfileTag::corbel:
      if (const auto body = ior::decode_corbel_profile(profile)) {
        json["profile"] = "Corbel";
        json["protocol"] = body->protocol;
        json["endpoint"] = body->endpoint;
        add_base(json, *body);
        return json;
      }
      break;
    default:
      break;
  }
  json["profile"] = profile.tag == 1                                        ? "multiple components"
                    : profile.tag <= 0x54414f02 && profile.tag > 0x54414f00 ? "TAO"
                                                                            : "other";
  json["tag"] = tag_text(profile.tag);
  json["data"] = hex(profile.data);
  return json;
}

ior::Ior read(const std::string& given, CORBA::ORB& orb) {
  const std::string text = reference_text(given);
  if (text.size() >= 4 && (text.starts_with("IOR:") || text.starts_with("ior:"))) {
    auto ior = ior::from_string(text);
    if (!ior) throw std::runtime_error("this is no well-formed IOR: " + base::to_string(ior.error()));
    return *std::move(ior);
  }
  IDL::traits<CORBA::Object>::ref_type object;
  try {
    object = orb.string_to_object(text);
  } catch (const CORBA::BAD_PARAM& exception) {
    throw BadReference(std::string("this is no well-formed reference: ") + exception.what());
  }
  if (object == nullptr) return {};
  return *ior::from_string(orb.object_to_string(object));
}

/// Whether it may be a name or an address: nothing in it that would end it in a URL, or do something to a terminal.
bool is_host(std::string_view text) {
  constexpr std::string_view kOthers = ".-_:%";
  return std::ranges::all_of(text, [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || kOthers.find(c) != std::string_view::npos;
  });
}

/// One corbaloc URL with all IIOP addresses that share the first one's key; empty if there is none.
std::string corbaloc(const ior::Ior& ior) {
  std::string addresses;
  base::Bytes key;
  for (const auto& profile : ior.profiles) {
    const auto body = ior::decode_iiop_profile(profile);
    if (!body || (!addresses.empty() && body->object_key != key)) continue;
    key = body->object_key;
    if (!is_host(body->host)) {
      throw std::runtime_error("a host that is called '" + base::printable(body->host) + "' has no place in a URL");
    }
    const bool six = body->host.find(':') != std::string::npos;
    addresses += (addresses.empty() ? ":" : ",:") + version_text(body->version) + "@" +
                 (six ? "[" + body->host + "]" : body->host) + ":" + std::to_string(body->port);
  }
  return addresses.empty() ? "" : "corbaloc:" + addresses + "/" + ior::escape_object_key(key);
}

/// Fit for a terminal: the maker of the reference may mean it harm.
std::string shown(const Json& value) {
  const std::string text =
      value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', false, Json::error_handler_t::replace);
  return base::printable(text, 6 * text.size());  // whole, however much of it is escaped
}

void print(const Json& json) {
  const std::string type = shown(json["type_id"]);
  std::cout << "type      " << (type.empty() ? "(none: ask the object)" : type) << '\n';
  for (const auto& profile : json["profiles"]) {
    std::cout << "profile   " << shown(profile["profile"]);
    for (const auto& [name, value] : profile.items()) {
      if (name == "profile" || name == "components" || name == "key_hex") continue;
      std::cout << "  " << name << ' ' << shown(value);
    }
    std::cout << '\n';
    for (const auto& component : profile.value("components", Json::array())) {
      std::cout << "            " << shown(component["component"]) << ':';
      for (const auto& [name, value] : component.items()) {
        if (name != "component") std::cout << ' ' << name << ' ' << shown(value);
      }
      std::cout << '\n';
    }
  }
}

}  // namespace

void add_ior(CLI::App& app, Run& run) {
  struct Arguments {
    std::string reference;
    std::string to;
    bool json = false;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App* const command = app.add_subcommand("ior", "Take a reference apart, or write it in another form");
  command->add_option("REF", arguments->reference, "IOR:..., corbaloc:..., corbaname:... or a file with one")
      ->required();
  command->add_flag("--json", arguments->json, "Print JSON");
  command->add_option("--to", arguments->to, "Print it as ior or corbaloc instead")
      ->check(CLI::IsMember({"ior", "corbaloc"}));
  command->callback([arguments, &run] {
    run = [arguments] {
      const auto orb = make_orb({});
      const ior::Ior ior = read(arguments->reference, *orb);
      if (arguments->to == "ior") {
        std::cout << ior::to_string(ior) << '\n';
      } else if (arguments->to == "corbaloc") {
        const std::string url = corbaloc(ior);
        if (url.empty()) throw std::runtime_error("the reference has no IIOP profile, which corbaloc needs");
        std::cout << url << '\n';
      } else {
        Json json;
        json["type_id"] = ior.type_id;
        json["profiles"] = Json::array();
        for (const auto& profile : ior.profiles) json["profiles"].push_back(profile_json(profile));
        if (arguments->json)
          std::cout << json.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
        else
          print(json);
      }
      orb->destroy();
      return int{kDone};
    };
  });
}

}  // namespace corbel::tool
