// SPDX-License-Identifier: Apache-2.0
#include "corbel/ior/profile.hpp"
#include "golden.hpp"

namespace corbel::golden {
namespace {

std::string version_text(const ior::Version& version) {
  return std::to_string(version.major) + '.' + std::to_string(version.minor);
}

void check_code_sets(const Record& record, const ior::TaggedComponent& component, const Json& expected) {
  const auto sets = ior::decode_code_sets(component);
  if (!sets) return fail(record, "code sets do not decode");
  const auto compare = [&](const ior::CodeSetInfo::Component& found, const Json& wanted) {
    const auto number = [](const Json& text) {
      return static_cast<std::uint32_t>(std::stoul(text.get<std::string>(), nullptr, 16));
    };
    expect_equal(record, "native code set", found.native, number(wanted.at("native")));
    const Json& conversions = wanted.at("conversion");
    expect_equal(record, "conversions", found.conversions.size(), conversions.size());
    for (std::size_t i = 0; i < std::min(found.conversions.size(), conversions.size()); ++i) {
      expect_equal(record, "conversion", found.conversions[i], number(conversions[i]));
    }
  };
  compare(sets->for_char, expected.at("char"));
  compare(sets->for_wchar, expected.at("wchar"));
  if (!ior::choose_code_sets(&*sets).compatible) fail(record, "no code set in common");
}

void check_component(const Record& record, const ior::TaggedComponent& component, const Json& expected) {
  expect_equal(record, "component tag", component.tag, std::stoul(expected.at("tag").get<std::string>(), nullptr, 16));
  expect_equal(record, "component data", base::to_hex(component.data), expected.at("data_hex").get<std::string>());
  switch (static_cast<ior::ComponentTag>(component.tag)) {
    case ior::ComponentTag::code_sets:
      return check_code_sets(record, component, expected);
    case ior::ComponentTag::alternate_iiop_address: {
      const auto address = ior::decode_alternate_address(component);
      if (!address) return fail(record, "alternate address does not decode");
      expect_equal(record, "alternate host", address->host, expected.at("host").get<std::string>());
      return expect_equal(record, "alternate port", address->port, expected.at("port").get<std::uint16_t>());
    }
    case ior::ComponentTag::omniorb_unix_trans: {
      const auto address = ior::decode_unix_address(component);
      if (!address) return fail(record, "unix address does not decode");
      expect_equal(record, "unix host", address->host, expected.at("host").get<std::string>());
      return expect_equal(record, "unix path", address->path, expected.at("filename").get<std::string>());
    }
    default:
      return;
  }
}

void check_components(const Record& record, const std::vector<ior::TaggedComponent>& found, const Json& profile) {
  const Json expected = profile.value("components", Json::array());
  expect_equal(record, "components", found.size(), expected.size());
  for (std::size_t i = 0; i < std::min(found.size(), expected.size()); ++i) {
    check_component(record, found[i], expected[i]);
  }
}

void check_profile(const Record& record, const ior::TaggedProfile& profile, const Json& expected) {
  expect_equal(record, "profile tag", profile.tag, expected.at("tag").get<std::uint32_t>());
  if (expected.contains("data_hex")) {
    expect_equal(record, "profile data", base::to_hex(profile.data), expected.at("data_hex").get<std::string>());
  }
  if (profile.tag == static_cast<std::uint32_t>(ior::ProfileTag::uiop)) {
    const auto uiop = ior::decode_uiop_profile(profile);
    if (!uiop || uiop->path.empty() || uiop->components.empty()) fail(record, "UIOP profile does not decode");
  }
  if (profile.tag == static_cast<std::uint32_t>(ior::ProfileTag::diop)) {
    const auto diop = ior::decode_diop_profile(profile);
    if (!diop || diop->host.empty() || diop->port == 0 || diop->object_key.empty()) {
      fail(record, "DIOP profile does not decode");
    }
  }
  if (profile.tag != static_cast<std::uint32_t>(ior::ProfileTag::internet_iop)) return;
  const auto iiop = ior::decode_iiop_profile(profile);
  if (!iiop) return fail(record, "IIOP profile does not decode");
  expect_equal(record, "version", version_text(iiop->version), expected.at("version").get<std::string>());
  expect_equal(record, "host", iiop->host, expected.at("host").get<std::string>());
  expect_equal(record, "port", iiop->port, expected.at("port").get<std::uint16_t>());
  expect_equal(record, "key", printed(iiop->object_key), expected.at("object_key").get<std::string>());
  check_components(record, iiop->components, expected);
}

/// Encodes again in the byte order of the original, which must give the same octets.
void check_encoding(const Record& record, const ior::Ior& reference) {
  const cdr::Format format{.little_endian = record.octets.at(0) == 1};
  cdr::Encoder encoder(format);
  encoder.put(format.little_endian);
  encode(encoder, reference);
  // All that is recorded has zeros in the gaps outside profile bodies, and those are kept as they are.
  expect_equal(record, "encoded again", base::to_hex(encoder.to_bytes()), base::to_hex(record.octets));
}

}  // namespace

void check_references(const std::vector<Record>& records, Tally& tally) {
  for (const Record& record : records) {
    const auto reference = ior::from_string("IOR:" + base::to_hex(record.octets));
    if (!reference) {
      fail(record, "does not decode");
      continue;
    }
    const auto from_text = ior::from_string(record.decoded.at("stringified").get<std::string>());
    if (!from_text || !(*from_text == *reference)) fail(record, "its text does not read the same");
    expect_equal(record, "type id", reference->type_id, record.decoded.at("type_id").get<std::string>());
    const Json& profiles = record.decoded.at("profiles");
    expect_equal(record, "profiles", reference->profiles.size(), profiles.size());
    for (std::size_t i = 0; i < std::min(reference->profiles.size(), profiles.size()); ++i) {
      check_profile(record, reference->profiles[i], profiles[i]);
    }
    check_encoding(record, *reference);
    ++tally.checked;
  }
}

}  // namespace corbel::golden
