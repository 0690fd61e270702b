// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "corbel/corba/local_traits.hpp"
#include "corbel/corba/policy_core.hpp"

namespace CORBA {

class Policy;
class Current;
class PolicyManager;
class PolicyCurrent;

/// Why a policy could not be created (CORBA 3.3 part 1, 8.9.2).
using PolicyErrorCode = std::int16_t;
inline constexpr PolicyErrorCode BAD_POLICY = 0;
inline constexpr PolicyErrorCode UNSUPPORTED_POLICY = 1;
inline constexpr PolicyErrorCode BAD_POLICY_TYPE = 2;
inline constexpr PolicyErrorCode BAD_POLICY_VALUE = 3;
inline constexpr PolicyErrorCode UNSUPPORTED_POLICY_VALUE = 4;

/// The policy of the types that objects are made of (8.9.6).
inline constexpr PolicyType SecConstruction = 11;

/// Whether overrides replace those that are there or are added to them (8.10.1).
enum class SetOverrideType : std::uint32_t { SET_OVERRIDE, ADD_OVERRIDE };

}  // namespace CORBA

template <>
struct IDL::traits<CORBA::Policy> : corbel::corba::LocalTraits<CORBA::Policy> {};
template <>
struct IDL::traits<CORBA::Current> : corbel::corba::LocalTraits<CORBA::Current> {};
template <>
struct IDL::traits<CORBA::PolicyManager> : corbel::corba::LocalTraits<CORBA::PolicyManager> {};
template <>
struct IDL::traits<CORBA::PolicyCurrent> : corbel::corba::LocalTraits<CORBA::PolicyCurrent> {};

namespace CORBA {

/// Base of all policy objects (8.9.1). Immutable, thread-safe. Applications may derive from it: what they make of their
/// own policies is up to them, and ORB, threads and references keep them all the same. Policies are shared; their
/// policy_type() never changes.
class CORBEL_API Policy : public virtual LocalObject, public corbel::corba::PolicyCore {
 public:
  static constexpr std::string_view _interface_id = "IDL:omg.org/CORBA/Policy:1.0";

  virtual PolicyType policy_type() = 0;
  virtual IDL::traits<Policy>::ref_type copy() = 0;
  /// Nothing to do, mostly: whoever holds a policy keeps it.
  virtual void destroy() {}

  PolicyType _type() const final { return const_cast<Policy*>(this)->policy_type(); }
  bool _static_is_a(std::string_view repository_id) const noexcept override;

 protected:
  Policy() noexcept = default;
};

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
  PolicyErrorCode reason_ = BAD_POLICY;
};

/// Raised when policies cannot override (8.10.3): the indices of those that cannot.
class CORBEL_API InvalidPolicies final : public UserException {
 public:
  static constexpr const char* _id = "IDL:omg.org/CORBA/InvalidPolicies:1.0";
  using Indices = std::vector<std::uint16_t>;

  InvalidPolicies() = default;
  explicit InvalidPolicies(Indices indicies) : indicies_(std::move(indicies)) {}
  /// Spelled as in the OMG's IDL.
  const Indices& indicies() const noexcept { return indicies_; }
  Indices& indicies() noexcept { return indicies_; }
  void indicies(Indices indicies) noexcept { indicies_ = std::move(indicies); }

  [[noreturn]] void _raise() const override;
  const char* _rep_id() const noexcept override;
  const char* _name() const noexcept override;
  void _encode(corbel::cdr::Encoder& encoder) const override;

 protected:
  void _info(std::string& text) const override;

 private:
  Indices indicies_;
};

/// Base of what belongs to the calling thread (8.8).
class CORBEL_API Current : public virtual LocalObject {
 public:
  static constexpr std::string_view _interface_id = "IDL:omg.org/CORBA/Current:1.0";
  bool _static_is_a(std::string_view repository_id) const noexcept override;

 protected:
  Current() noexcept = default;
};

/// Holds the policies that override others (8.10.3). `resolve_initial_references("ORBPolicyManager")` gives that of an
/// ORB, whose policies are weaker than those of threads and references.
class CORBEL_API PolicyManager : public virtual LocalObject {
 public:
  static constexpr std::string_view _interface_id = "IDL:omg.org/CORBA/PolicyManager:1.0";

  /// Those of the types; all if there are no types.
  virtual PolicyList get_policy_overrides(const PolicyTypeSeq& ts) = 0;
  /// Replaces the overrides of this level (no policies: clears it), or adds to them. Calls under way keep what they
  /// began with. Throws BAD_PARAM minor OMG 30 for two policies of one type, NO_PERMISSION for one that can override
  /// nothing (an object adapter's), or not here (BidirectionalPolicy, but for an ORB), InvalidPolicies for nil; then
  /// nothing has changed.
  virtual void set_policy_overrides(const PolicyList& policies, SetOverrideType set_add) = 0;

  bool _static_is_a(std::string_view repository_id) const noexcept override;

 protected:
  PolicyManager() noexcept = default;
};

/// The overrides of the calling thread (8.10.4): `resolve_initial_references("PolicyCurrent")`. Of each ORB, a thread
/// has its own, none at first. Once a thread has had some, all calls of that ORB take a little longer.
class CORBEL_API PolicyCurrent : public virtual PolicyManager, public virtual Current {
 public:
  static constexpr std::string_view _interface_id = "IDL:omg.org/CORBA/PolicyCurrent:1.0";
  bool _static_is_a(std::string_view repository_id) const noexcept override;

 protected:
  PolicyCurrent() noexcept = default;
};

}  // namespace CORBA
