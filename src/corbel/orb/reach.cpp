// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/reach.hpp"

#include <initializer_list>

namespace corbel::orb {

Reach reach_of(std::string_view endpoint) noexcept {
  if (endpoint.starts_with("unix:") || endpoint.starts_with("inproc:")) return Reach::this_host;
  const std::size_t slashes = endpoint.find("://");
  if (slashes == std::string_view::npos) return Reach::anybody;
  const std::string_view host = endpoint.substr(slashes + 3);
  for (const std::string_view local : {"127.", "localhost:", "[::1]", "[::ffff:127."}) {
    if (host.starts_with(local)) return Reach::this_host;
  }
  for (const std::string_view link : {"169.254.", "[fe8", "[fe9", "[fea", "[feb"}) {
    if (host.starts_with(link)) return Reach::this_link;
  }
  return Reach::anybody;
}

}  // namespace corbel::orb
