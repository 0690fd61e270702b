// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace interop {

/// The command line that every server and client of the suite understands, whatever its ORB.
struct Options {
  /// `tcp`, `tcp6`, `ssl` (loopback, free port), `unix:PATH`, `both-ways`, `ziop`, `contexts` (see there); Corbel only:
  /// `lite+`.
  std::string endpoint = "tcp";
  int giop_minor = 2;         ///< highest GIOP minor version to offer
  int spoken_minor = 2;       ///< client: the GIOP minor version that the two peers will agree on
  std::string peer;           ///< client: which ORB the server is made of, as a folder here is called
  unsigned lifetime_s = 120;  ///< the process ends after so many seconds, whatever happens
  std::string ior;            ///< client: the reference to test
  std::string filter;         ///< client: run only checks whose name contains this
  std::string char_set;       ///< client: what the peer that is not Corbel has inside, `ISO-8859-1` or `UTF-8`, if told
  std::vector<std::pair<std::string, std::string>> settings;  ///< the ORB's own options, without dash, and their values

  /// The path behind `unix:`, or empty when the endpoint is TCP.
  std::string unix_path() const {
    const std::size_t at = endpoint.find("unix:");
    return at == std::string::npos ? std::string() : endpoint.substr(at + 5);
  }
  /// Certificate and key, and authority, are in the files that CORBEL_TLS_CERTIFICATE and CORBEL_TLS_AUTHORITIES name.
  bool tls() const { return endpoint == "ssl"; }
  /// Bidirectional GIOP over TCP: no process can connect to where clients say they are, so that they have to be called
  /// back over their own connections.
  bool both_ways() const { return endpoint == "both-ways"; }
  /// GIOP over TCP, compressed wherever that makes a message shorter. Corbel's plug-in for it is the file that
  /// CORBEL_INTEROP_ZIOP names.
  bool ziop() const { return endpoint == "ziop"; }
  /// GIOP over TCP, and both sides have interceptors that add service contexts (contexts.hpp).
  bool contexts() const { return endpoint == "contexts"; }
  bool is_client() const { return !ior.empty(); }
  static constexpr const char* kNowhere = "127.0.0.2";
  /// Whether requests shall travel as GIOP_Lite in place of GIOP.
  bool lite() const { return endpoint.rfind("lite+", 0) == 0; }
  std::string loopback() const { return endpoint.find("tcp6") == std::string::npos ? "127.0.0.1" : "[::1]"; }
};

inline void usage_and_exit(const char* program) {
  std::fprintf(stderr,
               "usage: %s [--endpoint tcp|tcp6|ssl|unix:PATH|both-ways|ziop|contexts] [--giop 1.0|1.1|1.2]\n"
               "          [--life SECONDS] [--ior IOR|@FILE] [--spoken 1.0|1.1|1.2] [--peer ORB] [--filter TEXT]\n"
               "          [--char-set ISO-8859-1|UTF-8] [--set NAME=VALUE]...\n",
               program);
  std::exit(2);
}

inline Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    if (i + 1 >= argc) usage_and_exit(argv[0]);
    const std::string value = argv[i + 1];
    if (name == "--endpoint") {
      options.endpoint = value;
    } else if (name == "--giop" && value.size() == 3 && value.compare(0, 2, "1.") == 0) {
      options.giop_minor = value[2] - '0';
    } else if (name == "--life") {
      options.lifetime_s = static_cast<unsigned>(std::atoi(value.c_str()));
    } else if (name == "--spoken" && value.size() == 3) {
      options.spoken_minor = value[2] - '0';
    } else if (name == "--peer") {
      options.peer = value;
    } else if (name == "--filter") {
      options.filter = value;
    } else if (name == "--char-set") {
      options.char_set = value;
    } else if (name == "--set" && value.find('=') != std::string::npos) {
      const std::size_t at = value.find('=');
      options.settings.emplace_back(value.substr(0, at), value.substr(at + 1));
    } else if (name == "--ior" && value[0] == '@') {
      std::ifstream(value.substr(1)) >> options.ior;
    } else if (name == "--ior") {
      options.ior = value;
    } else {
      usage_and_exit(argv[0]);
    }
  }
  return options;
}

/// Tells the runner where the server is: the one line it waits for.
inline void announce(const char* ior) {
  std::printf("%s\n", ior);
  std::fflush(stdout);
}

}  // namespace interop
