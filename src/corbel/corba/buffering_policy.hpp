// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

#include "corbel/corba/policy.hpp"
#include "corbel/corba/time_base.hpp"

/// Oneway messages that are kept back to leave together: fewer system calls and wake-ups, at the price of some time.
namespace corbel {

/// The number of TAO's policy of the same meaning.
inline constexpr CORBA::PolicyType BUFFERING_CONSTRAINT_POLICY_TYPE = 0x54410001;

/// Which limits count; several with `|`.
using BufferingConstraintMode = std::uint16_t;
inline constexpr BufferingConstraintMode BUFFER_FLUSH = 0;  ///< none: nothing is kept back
inline constexpr BufferingConstraintMode BUFFER_TIMEOUT = 1;
inline constexpr BufferingConstraintMode BUFFER_MESSAGE_COUNT = 2;
inline constexpr BufferingConstraintMode BUFFER_MESSAGE_BYTES = 4;

/// The limits: whichever is reached first lets everything leave. A limit of 0 that counts is reached at once.
class BufferingConstraint {
 public:
  BufferingConstraint() = default;
  /// `timeout`: since the first of them was kept back, in units of 100 ns. `message_count` and `message_bytes` (octets
  /// on the wire, headers included): together with the message that reaches them.
  explicit BufferingConstraint(BufferingConstraintMode mode, TimeBase::TimeT timeout, std::uint32_t message_count,
                               std::uint32_t message_bytes)
      : mode_(mode), timeout_(timeout), message_count_(message_count), message_bytes_(message_bytes) {}

  void mode(BufferingConstraintMode value) { mode_ = value; }
  BufferingConstraintMode mode() const { return mode_; }
  BufferingConstraintMode& mode() { return mode_; }
  void timeout(TimeBase::TimeT value) { timeout_ = value; }
  TimeBase::TimeT timeout() const { return timeout_; }
  TimeBase::TimeT& timeout() { return timeout_; }
  void message_count(std::uint32_t value) { message_count_ = value; }
  std::uint32_t message_count() const { return message_count_; }
  std::uint32_t& message_count() { return message_count_; }
  void message_bytes(std::uint32_t value) { message_bytes_ = value; }
  std::uint32_t message_bytes() const { return message_bytes_; }
  std::uint32_t& message_bytes() { return message_bytes_; }

  void swap(BufferingConstraint& other) { std::swap(*this, other); }
  friend void swap(BufferingConstraint& a, BufferingConstraint& b) { a.swap(b); }
  friend bool operator==(const BufferingConstraint&, const BufferingConstraint&) = default;

 private:
  BufferingConstraintMode mode_{};
  TimeBase::TimeT timeout_{};
  std::uint32_t message_count_{};
  std::uint32_t message_bytes_{};
};

/// Keeps back oneways of Messaging::SYNC_NONE (others leave at once); of ORBs, threads and references, as the policies
/// of corbel/corba/messaging_policies.hpp. What else is sent over the connection goes behind what is kept back, and
/// takes it along; `corbel::orb::flush_oneways` (corbel/orb/oneways.hpp) sends it at once. Immutable, thread-safe.
class CORBEL_API BufferingConstraintPolicy final : public CORBA::Policy {
 public:
  static constexpr std::string_view _interface_id = "IDL:corbel.org/BufferingConstraintPolicy:1.0";

  /// Throws BAD_PARAM for a mode that has other bits.
  explicit BufferingConstraintPolicy(const BufferingConstraint& value);
  static bool is_mode(BufferingConstraintMode mode) noexcept {
    return (mode & ~(BUFFER_TIMEOUT | BUFFER_MESSAGE_COUNT | BUFFER_MESSAGE_BYTES)) == 0;
  }
  BufferingConstraint buffering_constraint() const { return value_; }
  CORBA::PolicyType policy_type() override { return BUFFERING_CONSTRAINT_POLICY_TYPE; }
  IDL::traits<CORBA::Policy>::ref_type copy() override;
  bool _static_is_a(std::string_view repository_id) const noexcept override;
  void _override(corbel::policy::ClientOverrides& overrides) const noexcept override;

 private:
  BufferingConstraint value_;
};

}  // namespace corbel

template <>
struct IDL::traits<corbel::BufferingConstraintPolicy> : corbel::corba::LocalTraits<corbel::BufferingConstraintPolicy> {
};
