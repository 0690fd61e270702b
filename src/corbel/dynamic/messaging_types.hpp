// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/corba/messaging_policies.hpp"
#include "corbel/dynamic/library_types.hpp"

/// Module TimeBase and the policies of module Messaging as IDL uses them: times travel, policies cannot.
CORBEL_LIBRARY_ALIAS(TimeBase, TimeT, std::uint64_t, "TimeBase/TimeT", "TimeT")
CORBEL_LIBRARY_ALIAS(TimeBase, TdfT, std::int16_t, "TimeBase/TdfT", "TdfT")
CORBEL_LIBRARY_ALIAS(Messaging, RebindMode, std::int16_t, "Messaging/RebindMode", "RebindMode")
CORBEL_LIBRARY_ALIAS(Messaging, SyncScope, std::int16_t, "Messaging/SyncScope", "SyncScope")
CORBEL_LIBRARY_ALIAS(BiDirPolicy, BidirectionalPolicyValue, std::uint16_t, "BiDirPolicy/BidirectionalPolicyValue",
                     "BidirectionalPolicyValue")

namespace TimeBase {
namespace detail {
inline constexpr CORBA::TypeCode k_InaccuracyT{corbel::dynamic::TypeNode{.kind = CORBA::TCKind::tk_alias,
                                                                         .id = "IDL:omg.org/TimeBase/InaccuracyT:1.0",
                                                                         .name = "InaccuracyT",
                                                                         .content = &k_TimeT}};
}  // namespace detail
inline constexpr CORBA::typecode_reference _tc_InaccuracyT = CORBA::TypeCode::_constant(detail::k_InaccuracyT);

/// `TimeBase::UtcT{time=1,inacclo=0,inacchi=0,tdf=0}`
CORBEL_API std::ostream& operator<<(std::ostream& stream, const UtcT& time);
CORBEL_API std::ostream& operator<<(std::ostream& stream, const IntervalT& interval);
}  // namespace TimeBase

namespace corbel::dynamic::detail {
inline constexpr TypeMember kUtc[] = {{"time", &TimeBase::detail::k_TimeT},
                                      {"inacclo", &CORBA::detail::k_ulong},
                                      {"inacchi", &CORBA::detail::k_ushort},
                                      {"tdf", &TimeBase::detail::k_TdfT}};
inline constexpr TypeMember kInterval[] = {{"lower_bound", &TimeBase::detail::k_TimeT},
                                           {"upper_bound", &TimeBase::detail::k_TimeT}};
}  // namespace corbel::dynamic::detail
CORBEL_LIBRARY_MEMBERS(TimeBase::UtcT, tk_struct, "IDL:omg.org/TimeBase/UtcT:1.0", "UtcT", detail::kUtc)
CORBEL_LIBRARY_MEMBERS(TimeBase::IntervalT, tk_struct, "IDL:omg.org/TimeBase/IntervalT:1.0", "IntervalT",
                       detail::kInterval)

namespace corbel::mapping {

template <>
struct Codec<TimeBase::UtcT> {
  static constexpr std::size_t kMinSize = 16;
  static void encode(cdr::Encoder& encoder, const TimeBase::UtcT& value) {
    encoder.put(value.time());
    encoder.put(value.inacclo());
    encoder.put(value.inacchi());
    encoder.put(value.tdf());
  }
  static void decode(cdr::Decoder& decoder, TimeBase::UtcT& value) {
    value.time() = decoder.get<std::uint64_t>();
    value.inacclo() = decoder.get<std::uint32_t>();
    value.inacchi() = decoder.get<std::uint16_t>();
    value.tdf() = decoder.get<std::int16_t>();
  }
};
template <>
struct Codec<TimeBase::IntervalT> {
  static constexpr std::size_t kMinSize = 16;
  static void encode(cdr::Encoder& encoder, const TimeBase::IntervalT& value) {
    encoder.put(value.lower_bound());
    encoder.put(value.upper_bound());
  }
  static void decode(cdr::Decoder& decoder, TimeBase::IntervalT& value) {
    value.lower_bound() = decoder.get<std::uint64_t>();
    value.upper_bound() = decoder.get<std::uint64_t>();
  }
};

}  // namespace corbel::mapping

#define CORBEL_MESSAGING_LOCAL(SPACE, NAME, VALUE, ATTRIBUTE, TYPE, ID) \
  CORBEL_LIBRARY_LOCAL(SPACE::NAME, SPACE::NAME::_interface_id, #NAME)
CORBEL_CLIENT_POLICIES(CORBEL_MESSAGING_LOCAL)
#undef CORBEL_MESSAGING_LOCAL
