// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/corba/buffering_policy.hpp"
#include "corbel/dynamic/messaging_types.hpp"

/// BufferingConstraint in an Any, as ORB::create_policy takes it.
namespace corbel::dynamic::detail {
inline constexpr TypeMember kBufferingConstraint[] = {{"mode", &CORBA::detail::k_ushort},
                                                      {"timeout", &TimeBase::detail::k_TimeT},
                                                      {"message_count", &CORBA::detail::k_ulong},
                                                      {"message_bytes", &CORBA::detail::k_ulong}};
}  // namespace corbel::dynamic::detail
CORBEL_LIBRARY_MEMBERS(corbel::BufferingConstraint, tk_struct, "IDL:corbel.org/BufferingConstraint:1.0",
                       "BufferingConstraint", detail::kBufferingConstraint)

template <>
struct corbel::mapping::Codec<corbel::BufferingConstraint> {
  static constexpr std::size_t kMinSize = 18;
  static void encode(cdr::Encoder& encoder, const BufferingConstraint& value) {
    encoder.put(value.mode());
    encoder.put(value.timeout());
    encoder.put(value.message_count());
    encoder.put(value.message_bytes());
  }
  static void decode(cdr::Decoder& decoder, BufferingConstraint& value) {
    value.mode() = decoder.get<std::uint16_t>();
    value.timeout() = decoder.get<std::uint64_t>();
    value.message_count() = decoder.get<std::uint32_t>();
    value.message_bytes() = decoder.get<std::uint32_t>();
  }
};
