// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/invocation_policies.hpp"

#include <algorithm>

#include "corbel/cdr/decoder.hpp"
#include "corbel/cdr/encapsulation.hpp"

namespace corbel::orb {
namespace {

using policy::kNever;
using policy::UtcTime;

// Numbers of policies (CORBA 3.3 part 1, 17.2.4).
constexpr std::uint32_t kRequestEndTime = 28, kReplyEndTime = 30;
constexpr std::uint32_t kMostPolicies = 64;  // of those that a client may tell, more than the standard has

/// A UtcT without inaccuracy or time zone.
base::Bytes encode_time(UtcTime time) {
  auto octets = cdr::encapsulate([&](cdr::Encoder& encoder) {
    encoder.put(time);
    encoder.put(std::uint32_t{0});
    encoder.put(std::uint16_t{0});
    encoder.put(std::int16_t{0});
  });
  return octets ? *std::move(octets) : base::Bytes();
}

void put_policy(cdr::Encoder& encoder, std::uint32_t type, UtcTime time) {
  if (time == kNever) return;
  const base::Bytes value = encode_time(time);
  encoder.put(type);
  encoder.put_octet_sequence(value);
}

}  // namespace

base::Bytes encode_invocation_policies(const policy::ClientPolicies& policies) {
  const std::size_t count = (policies.request_end == kNever ? 0 : 1) + (policies.reply_end == kNever ? 0 : 1);
  if (count == 0) return {};
  auto octets = cdr::encapsulate([&](cdr::Encoder& encoder) {
    encoder.put_count(count);
    put_policy(encoder, kRequestEndTime, policies.request_end);
    put_policy(encoder, kReplyEndTime, policies.reply_end);
  });
  return octets ? *std::move(octets) : base::Bytes();
}

UtcTime end_time(base::ConstByteSpan context) {
  cdr::Decoder decoder = cdr::Decoder::from_encapsulation(context);
  UtcTime end = kNever;
  const auto count = decoder.get<std::uint32_t>();
  for (std::uint32_t i = 0; i < std::min(count, kMostPolicies) && decoder.ok(); ++i) {
    const auto type = decoder.get<std::uint32_t>();
    cdr::Decoder value = decoder.get_encapsulation();
    if (type != kRequestEndTime && type != kReplyEndTime) continue;
    const auto time = value.get<std::uint64_t>();
    if (value.ok() && decoder.ok()) end = std::min(end, time);
  }
  return end;
}

UtcTime end_time(const messaging::ServiceContextView& contexts) {
  base::ConstByteSpan policies;
  if (contexts.count() == 0 || !contexts.find(kInvocationPoliciesContext, policies)) return kNever;
  return end_time(policies);
}

}  // namespace corbel::orb
