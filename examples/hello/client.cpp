// SPDX-License-Identifier: Apache-2.0
#include <corbel/corbel.hpp>

#include <iostream>

#include "hello.hpp"

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  if (argc < 2) {
    std::cerr << "usage: hello_client REFERENCE [NAME]\n";
    return 2;
  }
  auto greeter = IDL::traits<Hello::Greeter>::narrow(orb->string_to_object(argv[1]));
  std::cout << greeter->greet(argc > 2 ? argv[2] : "world") << '\n';
  try {
    greeter->greet(std::string(100, 'x'));
  } catch (const Hello::TooLong& too_long) {
    std::cout << "names may have " << too_long.limit() << " characters\n";
  }
  greeter->shutdown();
  orb->destroy();
  return 0;
} catch (const CORBA::Exception& exception) {
  std::cerr << "client: " << exception << '\n';
  return 1;
}
