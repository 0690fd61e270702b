// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "corbel/base/export.hpp"
#include "corbel/base/result.hpp"
#include "corbel/ior/profile.hpp"
#include "corbel/transport/transport.hpp"

namespace corbel::transport {

/// What most endpoints are: a scheme and an address in canonical form, "scheme://address". Derive to add what
/// connecting needs.
class TextEndpoint : public Endpoint {
 public:
  /// `scheme` must outlive the endpoint (a literal).
  TextEndpoint(std::string_view scheme, std::string_view address)
      : scheme_(scheme), text_(std::string(scheme).append("://").append(address)) {}

  std::string_view scheme() const noexcept final { return scheme_; }
  const std::string& text() const noexcept final { return text_; }
  /// What follows "scheme://".
  std::string_view address() const noexcept { return std::string_view(text_).substr(scheme_.size() + 3); }

 private:
  std::string_view scheme_;
  std::string text_;
};

/// The endpoint as the type that the transport's own factory makes; bad_argument if it is another transport's.
template <class Own>
base::Result<const Own*> own_endpoint(const Endpoint& endpoint, base::Stage stage) {
  if (const auto* own = dynamic_cast<const Own*>(&endpoint)) return own;
  return base::error(stage, base::Code::bad_argument);
}

/// True if `text` can stand in an endpoint: visible ASCII and, in paths, UTF-8; no white space or control characters.
CORBEL_API bool is_printable(std::string_view text) noexcept;

/// Reads "host:port", "[v6]:port", ":port", "host" or "" (port 0 if there is none). The host comes back without
/// brackets, names in lower case, numeric addresses in canonical form. Error: bad_argument (stage resolve).
CORBEL_API base::Result<ior::HostPort> parse_host_port(std::string_view text);
/// Brings a host from elsewhere (a profile, a URL) into the same form. Error: bad_argument (stage resolve).
CORBEL_API base::Result<std::string> canonical_host(std::string_view host);
/// "host:port", with brackets around an IPv6 address.
CORBEL_API std::string to_string(const ior::HostPort& address);

/// The name of this machine as other ORBs on it write it into references (gethostname); never empty.
CORBEL_API std::string machine_name();

}  // namespace corbel::transport
