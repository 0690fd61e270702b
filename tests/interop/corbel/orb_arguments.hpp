// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include "../options.hpp"
#include "corbel/corba/messaging_policies.hpp"
#include "corbel/poa/poa.hpp"

namespace interop {

/// The suite's options as arguments of Corbel's ORB_init.
inline std::vector<std::string> orb_arguments(const Options& options) {
  // In GIOP 1.0 only Corbel's own profile names a UNIX-domain endpoint, and omniORB does not read it.
  const bool unreadable = options.giop_minor == 0 && options.peer.rfind("omniorb", 0) == 0;
  const std::string path = unreadable ? std::string() : options.unix_path();
  const std::string scheme = options.tls() ? "ssliop://" : "tcp://";  // certificates: from the environment
  const std::string address = path.empty() ? scheme + options.loopback() + ":0" : "unix://" + path;
  std::vector<std::string> arguments = {"-ORBListenEndpoints", (options.lite() ? "giop_lite+" : "") + address,
                                        "-ORBGiopVersion", "1." + std::to_string(options.giop_minor)};
  if (options.both_ways() && options.is_client()) {
    arguments.insert(arguments.end(), {"-ORBPublishHost", Options::kNowhere});
  }
  const char* const plugin = std::getenv("CORBEL_INTEROP_ZIOP");
  if (options.ziop() && plugin != nullptr) {
    arguments.insert(arguments.end(), {"-ORBLoad", plugin, "-ORBZiopLowValue", "0", "-ORBZiopMinRatio", "1"});
  }
  for (const auto& [name, value] : options.settings) arguments.insert(arguments.end(), {'-' + name, value});
  return arguments;
}

/// The adapter of objects that servers call back, and for servers, of what their clients call.
inline IDL::traits<PortableServer::POA>::ref_type make_callback_poa(
    const IDL::traits<PortableServer::POA>::ref_type& root, const Options& options) {
  if (!options.both_ways()) return root;
  return root->create_POA("both ways", root->the_POAManager(),
                          {CORBA::make_reference<BiDirPolicy::BidirectionalPolicy>(BiDirPolicy::BOTH)});
}

}  // namespace interop
