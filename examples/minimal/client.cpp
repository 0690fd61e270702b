// SPDX-License-Identifier: Apache-2.0
// A client of one message protocol and one transport: nothing else of Corbel is linked, and nothing listens.
#include <corbel/messaging/giop/giop.hpp>
#include <corbel/orb/components.hpp>
#include <corbel/orb/orb.hpp>
#include <corbel/transport/tcp/tcp.hpp>

#include <cstdio>

#include "hello.hpp"

int main(int argc, char* argv[]) try {
  const corbel::orb::Components parts{.protocols = {corbel::messaging::make_giop()},
                                      .transports = {corbel::transport::make_tcp()},
                                      .load_plugins = nullptr,
                                      .open_log = nullptr};
  auto orb = CORBA::ORB_init(argc, argv, "", parts);
  if (argc < 2) {
    std::fputs("usage: minimal_client REFERENCE [NAME]\n", stderr);
    return 2;
  }
  auto greeter = IDL::traits<Hello::Greeter>::narrow(orb->string_to_object(argv[1]));
  std::puts(greeter->greet(argc > 2 ? argv[2] : "world").c_str());
  try {
    greeter->greet(std::string(100, 'x'));
  } catch (const Hello::TooLong& too_long) {
    std::printf("names may have %d characters\n", static_cast<int>(too_long.limit()));
  }
  greeter->shutdown();
  orb->destroy();
  return 0;
} catch (const CORBA::Exception& exception) {
  std::fprintf(stderr, "client: %s\n", exception.what());
  return 1;
}
