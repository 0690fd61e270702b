// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/ipc/inet_address.hpp"
#include "corbel/transport/rudp/sending.hpp"
#include "corbel/transport/rudp/wire.hpp"

namespace corbel::transport::rudp {

/// A number that nobody can guess; not 0.
std::uint64_t random_token();

/// Has clients show that they hear at the address that they send from, and keeps nothing of them until then: what it
/// would have to remember, it has them say again, with a proof that only it can make. Thread-safe.
class Door {
 public:
  /// How long a cookie is good for.
  static constexpr Time kGoodFor = std::chrono::seconds(10);

  Door() : secret_{random_token(), random_token()} {}

  Cookie cookie_for(const ipc::InetAddress& client, std::uint64_t token, Time now) const noexcept;
  /// A number that differs for clients that differ, and that none of them can choose.
  std::uint64_t name_of(const ipc::InetAddress& client, std::uint64_t token) const noexcept {
    return proof(UINT64_MAX, client, token);
  }
  bool is_right(const Cookie& cookie, const ipc::InetAddress& client, std::uint64_t token, Time now) const noexcept;

 private:
  std::uint64_t proof(std::uint64_t made, const ipc::InetAddress& client, std::uint64_t token) const noexcept;

  const Key secret_;
};

}  // namespace corbel::transport::rudp
