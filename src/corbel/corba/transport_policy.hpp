// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "corbel/corba/policy.hpp"
#include "corbel/policy/transport_options.hpp"

/// What the connections of single references have, such as TCP_NODELAY.
namespace corbel {

inline constexpr CORBA::PolicyType TRANSPORT_OPTIONS_POLICY_TYPE = policy::kTransportOptionsType;

/// Options of the connections that calls use, by the names that transports give to them; over TCP they are those of
/// RTCORBA::TCPProtocolProperties: send_buffer_size, recv_buffer_size (octets), keep_alive, no_delay (on or off), and
/// dscp, socket_priority and others (docs/applications.md). Of ORBs, threads and references, as the policies of
/// corbel/corba/messaging_policies.hpp. Calls share connections only with others that want the same. Where none of a
/// reference's transports has the option, or takes the value, calls end in INV_POLICY. Immutable, thread-safe.
///
///     CORBA::make_reference<corbel::TransportOptionsPolicy>(corbel::policy::TransportOptions{{"no_delay", "off"}})
class CORBEL_API TransportOptionsPolicy final : public CORBA::Policy {
 public:
  static constexpr std::string_view _interface_id = "IDL:corbel.org/TransportOptionsPolicy:1.0";

  /// Throws BAD_PARAM if there are none, a name is empty or one comes twice.
  explicit TransportOptionsPolicy(policy::TransportOptions options);
  /// Reads "no_delay=off,send_buffer_size=65536"; what makes no sense becomes options that the constructor refuses.
  static policy::TransportOptions parse(std::string_view text);

  const policy::TransportOptions& options() const noexcept { return *options_; }
  CORBA::PolicyType policy_type() override { return TRANSPORT_OPTIONS_POLICY_TYPE; }
  IDL::traits<CORBA::Policy>::ref_type copy() override;
  bool _static_is_a(std::string_view repository_id) const noexcept override;
  void _override(corbel::policy::ClientOverrides& overrides) const noexcept override;

 private:
  const policy::TransportOptionsPtr options_;
};

}  // namespace corbel

template <>
struct IDL::traits<corbel::TransportOptionsPolicy> : corbel::corba::LocalTraits<corbel::TransportOptionsPolicy> {};
