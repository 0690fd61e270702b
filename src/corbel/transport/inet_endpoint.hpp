// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "corbel/ipc/inet_address.hpp"
#include "corbel/transport/endpoint_text.hpp"

namespace corbel::transport {

/// Host (a name or numeric address in canonical form, empty: every interface) and port.
class InetEndpoint : public TextEndpoint {
 public:
  /// `scheme` must outlive the endpoint (a literal).
  InetEndpoint(std::string_view scheme, ior::HostPort address)
      : TextEndpoint(scheme, transport::to_string(address)), address_(std::move(address)) {}

  Reach reach() const noexcept override {
    const std::string& host = address_.host;
    for (const std::string_view loopback : {"127.", "::ffff:127."}) {
      if (host.starts_with(loopback)) return Reach::loopback;
    }
    if (host == "localhost" || host == "::1") return Reach::loopback;
    for (const std::string_view link : {"169.254.", "fe8", "fe9", "fea", "feb"}) {
      if (host.starts_with(link) && (link[0] != 'f' || host.find(':') != std::string::npos)) return Reach::this_link;
    }
    return Reach::anybody;
  }
  const std::string& host() const noexcept { return address_.host; }
  std::uint16_t port() const noexcept { return address_.port; }
  const ior::HostPort& host_port() const noexcept { return address_; }

 private:
  ior::HostPort address_;
};

/// One place of Options::publish_host: by what address clients find what listens here.
struct PublishedHost {
  std::string host;
  std::uint16_t port = 0;       ///< 0: the one that is listened at
  std::uint16_t listening = 0;  ///< for what listens at this port alone; 0: for all
};
/// HOST[:PORT[=LISTENING_PORT]], several separated by commas; an IPv6 address with a port in brackets. Empty if that is
/// not what the text is.
CORBEL_API std::vector<PublishedHost> parse_published_hosts(std::string_view text);

/// What a server that asked for `asked` and got `bound` publishes: the hosts that it was told to
/// (Options::publish_host), the address, or for a wildcard those of all interfaces. Error: bad_argument (stage
/// resolve).
CORBEL_API base::Result<std::vector<ior::HostPort>> published_addresses(const InetEndpoint& asked,
                                                                        const ipc::InetAddress& bound,
                                                                        const Options& options);

}  // namespace corbel::transport
