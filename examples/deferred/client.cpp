// SPDX-License-Identifier: Apache-2.0
#include <corbel/corbel.hpp>

#include <iostream>
#include <string>
#include <vector>

#include "bell.hpp"

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  if (argc < 2) {
    std::cerr << "usage: deferred_client REFERENCE\n";
    return 2;
  }
  auto bell = IDL::traits<Tower::Bell>::narrow(orb->string_to_object(argv[1]));

  std::vector<corbel::Future<std::string>> calls;
  for (int i = 0; i < 1000; ++i) calls.push_back(bell->async_wait());
  // They come in whatever order the server's threads take them; this one is answered while they wait.
  while (bell->waiting() != 1000) {
  }
  std::cout << "waiting: " << bell->waiting() << '\n';

  bell->ring("noon");
  int heard = 0;
  for (auto& call : calls) heard += call.get() == "noon" ? 1 : 0;
  std::cout << "heard noon: " << heard << '\n';

  auto last = bell->async_wait();
  while (bell->waiting() != 1) {
  }
  bell->close();
  try {
    last.get();
  } catch (const Tower::Silent&) {
    std::cout << "the bell is silent\n";
  }
  orb->destroy();
  return 0;
} catch (const CORBA::Exception& exception) {
  std::cerr << "client: " << exception << '\n';
  return 1;
}
