// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include "conformance/transport_conformance.hpp"
#include "corbel/transport/unix/unix.hpp"

namespace corbel::conformance {
namespace {

std::vector<Carrier> unix_carriers() {
  Carrier path{.name = "unix_path", .make = [] { return transport::make_unix(); }};
  path.listen = "/tmp/corbel-conformance-" + std::to_string(::getpid());
  path.nowhere = "/no/such/directory/socket";
  path.spelled = {
      {"/tmp/a", "/tmp/a"}, {"@name", "@name"}, {"@a/b:c", "@a/b:c"}, {"/with:colon,comma", "/with:colon,comma"}};
  path.bad = {"relative",
              "@",
              "./x",
              "/white space",
              "/line\nbreak",
              "/" + std::string(200, 'a'),
              "@" + std::string(200, 'a'),
              std::string("/a\0b", 4),
              "@back\\slash",
              "@\xff"};
  Carrier abstract = path;
  abstract.name = "unix_abstract";
  abstract.listen = "@corbel-conformance-" + std::to_string(::getpid());
  Carrier spinning = abstract;
  spinning.name += "_spinning";
  spinning.options.spin = std::chrono::microseconds(100);
  return {path, abstract, spinning};
}

}  // namespace
}  // namespace corbel::conformance

CORBEL_TRANSPORT_CONFORMANCE(Unix, unix_carriers())
