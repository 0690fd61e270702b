// SPDX-License-Identifier: Apache-2.0
// Tries to lease a name where no service is.
#include <iostream>
#include "corbel_naming_lease.hpp"

int main() {
  std::vector<std::string> arguments = {"consumer"};
  const auto orb = CORBA::ORB_init(arguments);
  corbel::naming::Lease::Options options;
  options.service = orb->string_to_object("corbaloc::127.0.0.1:1/NameService");
  try {
    const corbel::naming::Lease lease(orb, "a", options.service, options);
  } catch (const CORBA::TRANSIENT&) {
    std::cout << "nobody there\n";
  }
  orb->destroy();
}
