// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <omniORB4/CORBA.h>
#include <omniORB4/sslContext.h>

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
    if (options.tls()) use_tls();
    for (std::string& text : texts_) pointers_.push_back(text.data());
    count = static_cast<int>(pointers_.size());
    pointers_.push_back(nullptr);
  }

  int count = 0;
  char** values() { return pointers_.data(); }

 private:
  void use_tls() {
    add("-ORBclientTransportRule", "* ssl");
    sslContext::certificate_authority_file = std::getenv("CORBEL_TLS_AUTHORITIES");
    sslContext::key_file = std::getenv("CORBEL_TLS_CERTIFICATE");
    sslContext::key_file_password = "";
    sslContext::verify_mode = SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT;
  }
  void add(const char* name, const std::string& value) {
    texts_.push_back(name);
    texts_.push_back(value);
  }

  std::vector<std::string> texts_;
  std::vector<char*> pointers_;
};

}  // namespace interop
