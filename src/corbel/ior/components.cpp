// SPDX-License-Identifier: Apache-2.0
#include "corbel/cdr/encapsulation.hpp"
#include "corbel/ior/profile.hpp"

namespace corbel::ior {
namespace {

/// A component body reader; failed if the component has another tag.
cdr::Decoder open(const TaggedComponent& component, ComponentTag tag) noexcept {
  cdr::Decoder decoder = cdr::Decoder::from_encapsulation(component.data);
  if (component.tag != static_cast<std::uint32_t>(tag)) decoder.fail(base::Code::unsupported);
  return decoder;
}

TaggedComponent make(ComponentTag tag, base::FunctionRef<void(cdr::Encoder&)> write) {
  auto body = cdr::encapsulate(write);
  return {static_cast<std::uint32_t>(tag), body ? *std::move(body) : base::Bytes{}};
}

void put_code_sets(cdr::Encoder& encoder, const CodeSetInfo::Component& component) {
  encoder.put(component.native);
  encoder.put_count(component.conversions.size());
  encoder.put_array(component.conversions.data(), component.conversions.size());
}

void get_code_sets(cdr::Decoder& decoder, CodeSetInfo::Component& component) {
  component.native = decoder.get<std::uint32_t>();
  component.conversions.resize(decoder.take_count(sizeof(std::uint32_t), sizeof(std::uint32_t)));
  decoder.get_array(component.conversions.data(), component.conversions.size());
}

}  // namespace

TaggedComponent encode_alternate_address(const HostPort& address) {
  return make(ComponentTag::alternate_iiop_address, [&](cdr::Encoder& encoder) {
    encoder.put_plain_string(address.host);
    encoder.put(address.port);
  });
}

base::Result<HostPort> decode_alternate_address(const TaggedComponent& component) {
  cdr::Decoder decoder = open(component, ComponentTag::alternate_iiop_address);
  HostPort address;
  address.host = decoder.get_plain_string();
  address.port = decoder.get<std::uint16_t>();
  if (!decoder.ok()) return decoder.error();
  return address;
}

TaggedComponent encode_unix_address(const HostPath& address) {
  return make(ComponentTag::omniorb_unix_trans, [&](cdr::Encoder& encoder) {
    encoder.put_plain_string(address.host);
    encoder.put_plain_string(address.path);
  });
}

base::Result<HostPath> decode_unix_address(const TaggedComponent& component) {
  cdr::Decoder decoder = open(component, ComponentTag::omniorb_unix_trans);
  HostPath address;
  address.host = decoder.get_plain_string();
  address.path = decoder.get_plain_string();
  if (!decoder.ok()) return decoder.error();
  return address;
}

TaggedComponent encode_bandwidths(const std::vector<Bandwidth>& bandwidths) {
  return make(ComponentTag::bandwidths, [&](cdr::Encoder& encoder) {
    encoder.put_count(bandwidths.size());
    for (const Bandwidth& each : bandwidths) {
      encoder.put_plain_string(each.endpoint);
      encoder.put(each.kbit_s);
    }
  });
}

base::Result<std::vector<Bandwidth>> decode_bandwidths(const TaggedComponent& component) {
  cdr::Decoder decoder = open(component, ComponentTag::bandwidths);
  std::vector<Bandwidth> bandwidths(decoder.take_count(3 * sizeof(std::uint32_t), sizeof(Bandwidth)));
  for (Bandwidth& each : bandwidths) {
    each.endpoint = decoder.get_plain_string();
    each.kbit_s = decoder.get<std::uint32_t>();
  }
  if (!decoder.ok()) return decoder.error();
  return bandwidths;
}

TaggedComponent encode_code_sets(const CodeSetInfo& info) {
  return make(ComponentTag::code_sets, [&](cdr::Encoder& encoder) {
    put_code_sets(encoder, info.for_char);
    put_code_sets(encoder, info.for_wchar);
  });
}

base::Result<CodeSetInfo> decode_code_sets(const TaggedComponent& component) {
  cdr::Decoder decoder = open(component, ComponentTag::code_sets);
  CodeSetInfo info;
  get_code_sets(decoder, info.for_char);
  get_code_sets(decoder, info.for_wchar);
  if (!decoder.ok()) return decoder.error();
  return info;
}

}  // namespace corbel::ior
