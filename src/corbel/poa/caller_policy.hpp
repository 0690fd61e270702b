// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <utility>

#include "corbel/corba/policy.hpp"
#include "corbel/poa/callers.hpp"

namespace corbel::poa {
class CallerPolicy;
}

template <>
struct IDL::traits<corbel::poa::CallerPolicy> : corbel::corba::LocalTraits<corbel::poa::CallerPolicy> {};

namespace corbel::poa {

inline constexpr CORBA::PolicyType kCallerPolicy = 0x43420002;

/// Corbel's own policy for create_POA: whose requests the adapter takes (docs/tls.md). The others get NO_PERMISSION,
/// COMPLETED_NO, before anything of the application's but receive_request_service_contexts sees them, whether or not
/// the object exists; so do LocateRequests. Oneways are dropped. The log tells of each. Calls that stay in the process
/// are not asked. As other policies of adapters it does not hold for children. create_POA throws InvalidPolicy if a
/// subject is none.
///
///     root->create_POA("vault", manager, {CORBA::make_reference<corbel::poa::CallerPolicy>(
///                                            corbel::poa::Callers{.subjects = {"CN=alice,O=Example"}})});
class CORBEL_API CallerPolicy final : public CORBA::Policy {
 public:
  static constexpr std::string_view _interface_id = "IDL:corbel/poa/CallerPolicy:1.0";

  explicit CallerPolicy(Callers callers) : callers_(std::move(callers)) {}
  const Callers& callers() const noexcept { return callers_; }
  CORBA::PolicyType policy_type() override { return kCallerPolicy; }
  IDL::traits<CORBA::Policy>::ref_type copy() override;
  bool _overrides() const noexcept override { return false; }
  bool _static_is_a(std::string_view repository_id) const noexcept override;

 private:
  const Callers callers_;
};

}  // namespace corbel::poa
