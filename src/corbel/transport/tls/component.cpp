// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/tls/component.hpp"

#include "corbel/cdr/encapsulation.hpp"

namespace corbel::transport::tls {
namespace {

constexpr auto kTag = static_cast<std::uint32_t>(ior::ComponentTag::ssl_sec_trans);

}  // namespace

ior::TaggedComponent encode(const SslComponent& component) {
  auto body = cdr::encapsulate([&](cdr::Encoder& encoder) {
    encoder.put(component.supports);
    encoder.put(component.requires_);
    encoder.put(component.port);
  });
  return {kTag, body ? *std::move(body) : base::Bytes{}};
}

base::Result<SslComponent> decode(const ior::TaggedComponent& component) {
  cdr::Decoder decoder = cdr::Decoder::from_encapsulation(component.data);
  if (component.tag != kTag) decoder.fail(base::Code::unsupported);
  SslComponent result;
  result.supports = decoder.get<std::uint16_t>();
  result.requires_ = decoder.get<std::uint16_t>();
  result.port = decoder.get<std::uint16_t>();
  if (!decoder.ok()) return decoder.error();
  return result;
}

}  // namespace corbel::transport::tls
