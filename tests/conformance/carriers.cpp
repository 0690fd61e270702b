// SPDX-License-Identifier: Apache-2.0
// The transports that ship, each put through the conformance suite.
#include <unistd.h>

#include "conformance/transport_conformance.hpp"
#include "corbel/transport/faulty/faulty.hpp"
#include "corbel/transport/inproc/inproc.hpp"
#include "corbel/transport/tcp/tcp.hpp"
#include "corbel/transport/unix/unix.hpp"

namespace corbel::conformance {
namespace {

std::vector<Carrier> carriers() {
  Carrier tcp{.name = "tcp_v4", .make = [] { return transport::make_tcp(); }, .listen = "127.0.0.1:0"};
  tcp.nowhere = "no-such-host.invalid:1";
  tcp.spelled = {{"127.0.0.1:80", "127.0.0.1:80"},
                 {"LocalHost:4000", "localhost:4000"},
                 {"[::1]:80", "[::1]:80"},
                 {"[0:0:0:0:0:0:0:1]:80", "[::1]:80"},
                 {"[2001:DB8::0:1]:80", "[2001:db8::1]:80"},
                 {"host", "host:0"},
                 {"", ":0"},
                 {":7", ":7"},
                 {"a_b-c.d:65535", "a_b-c.d:65535"}};
  tcp.bad = {":",
             "host:",
             "host:65536",
             "host:-1",
             "host:1x",
             "host: 1",
             "ho st:1",
             "host:1:2",
             "[::1",
             "[::1]80",
             "[]:80",
             "[1.2.3.4]:80",
             "[host]:80",
             "::1:80:",
             "ho/st:1",
             "host@1:2",
             std::string(300, 'a') + ":1",
             "h\n:1",
             std::string("h\0st:1", 6)};
  Carrier tcp6 = tcp;
  tcp6.name = "tcp_v6";
  tcp6.listen = "[::1]:0";
  Carrier tcp_any = tcp;
  tcp_any.name = "tcp_any";
  tcp_any.listen = ":0";

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

  Carrier inproc{.name = "inproc", .make = [] { return transport::make_inproc(); }, .listen = ""};
  inproc.nowhere = "name@anotherhub";
  inproc.spelled = {{"name", "name"}, {"a/b:c", "a/b:c"}, {"name@0123", "name@0123"}};
  inproc.bad = {"@hub", "name@", "a@b@c", "white space", "line\nbreak"};

  Carrier faulty = tcp;
  faulty.name = "faulty_tcp";
  faulty.make = [] {
    return transport::make_faulty(transport::make_tcp(), std::make_shared<transport::faulty::Plan>());
  };
  Carrier faulty_inproc = inproc;
  faulty_inproc.name = "faulty_inproc";
  faulty_inproc.make = [] {
    return transport::make_faulty(transport::make_inproc(), std::make_shared<transport::faulty::Plan>());
  };
  std::vector<Carrier> all{tcp, tcp6, tcp_any, path, abstract, inproc, faulty, faulty_inproc};
  for (Carrier spinning : {tcp, abstract, inproc}) {
    spinning.name += "_spinning";
    spinning.options.spin = std::chrono::microseconds(100);
    all.push_back(spinning);
  }
  return all;
}

}  // namespace
}  // namespace corbel::conformance

CORBEL_TRANSPORT_CONFORMANCE(carriers())
