// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "corbel/corba/policy.hpp"

namespace PortableInterceptor {

/// Of which requests an interceptor of requests is told (16.3).
using ProcessingMode = std::int16_t;
inline constexpr ProcessingMode LOCAL_AND_REMOTE = 0;
inline constexpr ProcessingMode REMOTE_ONLY = 1;
inline constexpr ProcessingMode LOCAL_ONLY = 2;  ///< those that stay in the process, without a connection
inline constexpr CORBA::PolicyType PROCESSING_MODE_POLICY_TYPE = 61;

/// Of an interceptor (ORBInitInfo_3_1). Made by ORB::create_policy, of another ORB, or by
/// `CORBA::make_reference<PortableInterceptor::ProcessingModePolicy>(PortableInterceptor::REMOTE_ONLY)`.
class CORBEL_API ProcessingModePolicy final : public CORBA::Policy {
 public:
  static constexpr std::string_view _interface_id = "IDL:omg.org/PortableInterceptor/ProcessingModePolicy:1.0";

  /// Throws BAD_PARAM for a mode that there is not.
  explicit ProcessingModePolicy(ProcessingMode mode);
  ProcessingMode processing_mode() const { return mode_; }
  CORBA::PolicyType policy_type() override { return PROCESSING_MODE_POLICY_TYPE; }
  IDL::traits<CORBA::Policy>::ref_type copy() override;
  bool _static_is_a(std::string_view repository_id) const noexcept override;
  bool _overrides() const noexcept override { return false; }

 private:
  ProcessingMode mode_;
};

}  // namespace PortableInterceptor

template <>
struct IDL::traits<PortableInterceptor::ProcessingModePolicy>
    : corbel::corba::LocalTraits<PortableInterceptor::ProcessingModePolicy> {};
