// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "corbel/base/bytes.hpp"
#include "corbel/messaging/message.hpp"
#include "corbel/policy/client_policies.hpp"

namespace corbel::orb {

/// The id of the service context that tells a server which of a call's policies concern it (CORBA 3.3 part 1, 17.3;
/// part 2, 9.7.3).
inline constexpr std::uint32_t kInvocationPoliciesContext = 7;

/// The context of a call: its end times, if it has any in absolute time. Others are never told: two clocks would have
/// to agree. Empty if there is nothing to tell.
base::Bytes encode_invocation_policies(const policy::ClientPolicies& policies);
/// What such a context says: when the request has to be with the object or the reply with the client, whichever comes
/// first; kNever if it says nothing about that, or makes no sense.
policy::UtcTime end_time(base::ConstByteSpan context);
/// The same of all the contexts of a request.
policy::UtcTime end_time(const messaging::ServiceContextView& contexts);

/// What a call's policies add to its requests: on the stack of the thread that sends them.
class InvocationContexts {
 public:
  explicit InvocationContexts(const policy::ClientPolicies& policies)
      : octets_(policies.plain() ? base::Bytes() : encode_invocation_policies(policies)),
        context_{kInvocationPoliciesContext, octets_} {}
  InvocationContexts(const InvocationContexts&) = delete;
  InvocationContexts& operator=(const InvocationContexts&) = delete;
  /// The contexts of a request. They live as long as this.
  std::span<const messaging::ServiceContext> all() const noexcept {
    return {&context_, octets_.empty() ? std::size_t{0} : 1};
  }

 private:
  const base::Bytes octets_;
  const messaging::ServiceContext context_;
};

}  // namespace corbel::orb
