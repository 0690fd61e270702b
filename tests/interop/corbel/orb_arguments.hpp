// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "../options.hpp"

namespace interop {

/// The suite's options as arguments of Corbel's ORB_init.
inline std::vector<std::string> orb_arguments(const Options& options) {
  // In GIOP 1.0 only Corbel's own profile names a UNIX-domain endpoint, and omniORB does not read it.
  const bool unreadable = options.giop_minor == 0 && options.peer == "omniorb";
  const std::string path = unreadable ? std::string() : options.unix_path();
  const std::string scheme = options.tls() ? "ssliop://" : "tcp://";  // certificates: from the environment
  const std::string address = path.empty() ? scheme + options.loopback() + ":0" : "unix://" + path;
  return {"-ORBListenEndpoints", (options.lite() ? "giop_lite+" : "") + address, "-ORBGiopVersion",
          "1." + std::to_string(options.giop_minor)};
}

}  // namespace interop
