// SPDX-License-Identifier: Apache-2.0
#include "conformance/transport_conformance.hpp"
#include "corbel/transport/tcp/tcp.hpp"

namespace corbel::conformance {
namespace {

std::vector<Carrier> tcp_carriers() {
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
  Carrier spinning = tcp;
  spinning.name += "_spinning";
  spinning.options.spin = std::chrono::microseconds(100);
  return {tcp, tcp6, tcp_any, spinning};
}

}  // namespace
}  // namespace corbel::conformance

CORBEL_TRANSPORT_CONFORMANCE(Tcp, tcp_carriers())
