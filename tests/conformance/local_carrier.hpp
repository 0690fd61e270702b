// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

#include "conformance/transport_conformance.hpp"

namespace corbel::conformance {

/// A carrier whose addresses are those of UNIX-domain sockets, here a path with `stem` in it, with what such addresses
/// may not be.
inline Carrier local_carrier(std::string name, std::function<std::shared_ptr<const transport::Factory>()> make,
                             const std::string& stem) {
  Carrier carrier{.name = std::move(name), .make = std::move(make)};
  carrier.listen = "/tmp/" + stem + "-" + std::to_string(::getpid());
  carrier.nowhere = "/no/such/directory/socket";
  carrier.spelled = {{"/tmp/a", "/tmp/a"}, {"@name", "@name"}};
  carrier.bad = {"relative",
                 "@",
                 "/white space",
                 "/line\nbreak",
                 "/" + std::string(200, 'a'),
                 "@" + std::string(200, 'a'),
                 std::string("/a\0b", 4),
                 "@back\\slash",
                 "@\xff"};
  return carrier;
}

/// The same at an abstract name.
inline Carrier abstract_carrier(Carrier path, std::string name, const std::string& stem) {
  path.name = std::move(name);
  path.listen = "@" + stem + "-" + std::to_string(::getpid());
  return path;
}

/// What addresses of this carrier are besides, or may not be.
inline void add_addresses(Carrier& carrier, std::vector<std::pair<std::string, std::string>> spelled,
                          std::vector<std::string> bad) {
  carrier.spelled.insert(carrier.spelled.end(), spelled.begin(), spelled.end());
  carrier.bad.insert(carrier.bad.end(), bad.begin(), bad.end());
}

}  // namespace corbel::conformance
