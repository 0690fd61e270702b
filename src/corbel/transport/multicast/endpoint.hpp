// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <utility>

#include "corbel/ior/group.hpp"
#include "corbel/ipc/inet_address.hpp"
#include "corbel/transport/endpoint_text.hpp"

namespace corbel::transport::multicast {

inline constexpr std::string_view kScheme = "multicast";
/// Octets of one message. Its packets come in a burst, which has to fit a socket's buffer.
inline constexpr std::size_t kLargest = 64U << 10;
inline constexpr Traits kTraits{.byte_stream = false,
                                .reliable = false,
                                .ordered = false,
                                .connected = false,
                                .group_profile = static_cast<std::uint32_t>(ior::ProfileTag::uipmc),
                                .largest_message = kLargest};

/// The address of a group, and of which group if it was a reference that named it.
class GroupEndpoint final : public TextEndpoint {
 public:
  GroupEndpoint(const ipc::InetAddress& address, std::optional<ior::GroupIdentity> group)
      : TextEndpoint(kScheme, address.to_string()), address_(address), group_(std::move(group)) {}
  const ipc::InetAddress& address() const noexcept { return address_; }
  const std::optional<ior::GroupIdentity>& group() const noexcept { return group_; }

 private:
  ipc::InetAddress address_;
  std::optional<ior::GroupIdentity> group_;
};

}  // namespace corbel::transport::multicast
