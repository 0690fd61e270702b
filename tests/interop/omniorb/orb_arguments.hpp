// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <omniORB4/CORBA.h>
#ifdef INTEROP_OMNIORB_TLS
#include <omniORB4/sslContext.h>
#endif

#include <omniORB4/omniZIOP.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "../options.hpp"

namespace interop {

/// The suite's options as an omniORB command line.
class OrbArguments {
 public:
  /// `listens`: whether the process serves objects (a client does, for callbacks).
  OrbArguments(const Options& options, const char* program, bool listens) : texts_{program} {
    add("-ORBmaxGIOPVersion", "1." + std::to_string(options.giop_minor));
    add("-ORBgiopMaxMsgSize", "16777216");
    add("-ORBscanGranularity", "1");  // seconds; bounds how long shutting down takes
    if (listens) {
      // omniORB publishes a UNIX-domain endpoint only in profiles of version 1.2.
      const std::string path = options.giop_minor == 2 ? options.unix_path() : std::string();
      const std::string carrier = options.tls() ? "giop:ssl:" : "giop:tcp:";
      add("-ORBendPoint", path.empty() ? carrier + options.loopback() + ":" : "giop:unix:" + path);
    }
#ifdef INTEROP_OMNIORB_TLS
    if (options.tls()) use_tls();
#endif
    if (options.both_ways()) go_both_ways(options);
    if (options.ziop()) {
      add("-ORBclientTransportRule", "* tcp,ziop");
      add("-ORBserverTransportRule", "* tcp,ziop");
    }
    for (const auto& [name, value] : options.settings) add(("-" + name).c_str(), value);
    for (std::string& text : texts_) pointers_.push_back(text.data());
    count = static_cast<int>(pointers_.size());
    pointers_.push_back(nullptr);
  }

  int count = 0;
  char** values() {
    return pointers_.data();
  }

 private:
#ifdef INTEROP_OMNIORB_TLS
  void use_tls() {
    add("-ORBclientTransportRule", "* ssl");
    sslContext::certificate_authority_file = std::getenv("CORBEL_TLS_AUTHORITIES");
    sslContext::key_file = std::getenv("CORBEL_TLS_CERTIFICATE");
    sslContext::key_file_password = "";
    sslContext::verify_mode = SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT;
  }
#endif
  void go_both_ways(const Options& options) {
    if (options.is_client()) {
      add("-ORBofferBiDirectionalGIOP", "1");
      add("-ORBclientTransportRule", "* tcp,bidir");
      add("-ORBendPointPublish", std::string("giop:tcp:") + Options::kNowhere + ":");
    } else {
      add("-ORBacceptBiDirectionalGIOP", "1");
      add("-ORBserverTransportRule", "* tcp,bidir");
    }
  }
  void add(const char* name, const std::string& value) {
    texts_.push_back(name);
    texts_.push_back(value);
  }

  std::vector<std::string> texts_;
  std::vector<char*> pointers_;
};

/// For ORBs that compress; after ORB_init, before adapters and references.
inline void compress(const Options& options) {
  if (!options.ziop()) return;
  CORBA::PolicyList policies(2);
  policies.length(2);
  policies[0] = omniZIOP::create_compression_low_value_policy(0);
  policies[1] = omniZIOP::create_compression_min_ratio_policy(1);
  omniZIOP::setGlobalPolicies(policies);
}

/// The adapter of objects that servers call back, and of what clients call.
inline PortableServer::POA_ptr make_callback_poa(CORBA::ORB_ptr orb, PortableServer::POA_ptr root,
                                                 const Options& options) {
  if (!options.both_ways()) return PortableServer::POA::_duplicate(root);
  CORBA::Any value;
  value <<= BiDirPolicy::BOTH;
  CORBA::PolicyList policies(2);
  policies.length(2);
  policies[0] = root->create_implicit_activation_policy(PortableServer::IMPLICIT_ACTIVATION);
  policies[1] = orb->create_policy(BiDirPolicy::BIDIRECTIONAL_POLICY_TYPE, value);
  PortableServer::POAManager_var manager = root->the_POAManager();
  return root->create_POA("both ways", manager, policies);
}

}  // namespace interop
