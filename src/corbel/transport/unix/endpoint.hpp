// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/ipc/unix_address.hpp"
#include "corbel/transport/endpoint_text.hpp"

namespace corbel::transport::local {

inline constexpr std::string_view kScheme = "unix";

/// A path, an abstract name, or unnamed (to listen on a generated path).
class UnixEndpoint final : public TextEndpoint {
 public:
  explicit UnixEndpoint(const ipc::UnixAddress& address)
      : TextEndpoint(kScheme, address.to_string()), address_(address) {}
  Reach reach() const noexcept override { return Reach::this_host; }
  const ipc::UnixAddress& unix_address() const noexcept { return address_; }

 private:
  ipc::UnixAddress address_;
};

}  // namespace corbel::transport::local
