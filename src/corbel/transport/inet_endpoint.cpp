// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/inet_endpoint.hpp"

#include "corbel/ipc/interfaces.hpp"

namespace corbel::transport {

base::Result<std::vector<ior::HostPort>> published_addresses(const InetEndpoint& asked, const ipc::InetAddress& bound,
                                                             const Options& options) {
  std::vector<ior::HostPort> result;
  const auto add = [&](std::string host) { result.push_back({std::move(host), bound.port()}); };
  if (!options.publish_host.empty()) {
    CORBEL_TRY(std::string host, canonical_host(options.publish_host));
    add(std::move(host));
  } else if (!bound.is_any()) {
    add(bound.host());
  } else {
    const bool v4_only = !bound.is_v6();
    const bool v6_only = bound.is_v6() && !asked.host().empty();
    for (const ipc::InetAddress& each : ipc::interface_addresses()) {
      if (!(v4_only && each.is_v6()) && !(v6_only && !each.is_v6())) add(each.host());
    }
    if (result.empty()) add(v6_only ? "::1" : "127.0.0.1");
  }
  return result;
}

}  // namespace corbel::transport
