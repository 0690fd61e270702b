// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "corbel/corba/local_traits.hpp"

namespace CORBA {

class Policy;
using PolicyType = std::uint32_t;

/// Why a policy could not be created (CORBA::PolicyErrorCode; CORBA 3.3 part 1, 8.9.2).
enum class PolicyErrorCode : std::int16_t {
  BAD_POLICY = 0,
  UNSUPPORTED_POLICY = 1,
  BAD_POLICY_TYPE = 2,
  BAD_POLICY_VALUE = 3,
  UNSUPPORTED_POLICY_VALUE = 4,
};

}  // namespace CORBA

template <>
struct IDL::traits<CORBA::Policy> : corbel::corba::LocalTraits<CORBA::Policy> {};

namespace CORBA {

/// Base of all policy objects (8.9.1). Immutable, thread-safe.
class CORBEL_API Policy : public virtual LocalObject {
 public:
  static constexpr std::string_view _interface_id = "IDL:omg.org/CORBA/Policy:1.0";

  virtual PolicyType policy_type() const = 0;
  virtual IDL::traits<Policy>::ref_type copy() const = 0;
  /// Policies are shared; nothing to do.
  void destroy() {}

  bool _static_is_a(std::string_view repository_id) const noexcept override;

 protected:
  Policy() noexcept = default;
};

using PolicyList = std::vector<IDL::traits<Policy>::ref_type>;

/// Raised by ORB::create_policy (8.9.2).
class CORBEL_API PolicyError final : public UserException {
 public:
  static constexpr const char* _id = "IDL:omg.org/CORBA/PolicyError:1.0";

  PolicyError() = default;
  explicit PolicyError(PolicyErrorCode reason) : reason_(reason) {}
  PolicyErrorCode reason() const noexcept { return reason_; }
  void reason(PolicyErrorCode reason) noexcept { reason_ = reason; }

  [[noreturn]] void _raise() const override;
  const char* _rep_id() const noexcept override;
  const char* _name() const noexcept override;
  void _encode(corbel::cdr::Encoder& encoder) const override;

 protected:
  void _info(std::string& text) const override;

 private:
  PolicyErrorCode reason_ = PolicyErrorCode::BAD_POLICY;
};

}  // namespace CORBA
