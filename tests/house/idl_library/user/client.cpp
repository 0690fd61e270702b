// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "observatory.hpp"
#include "observatory_server.hpp"

namespace POA {
class Observatory;  // not defined: it would be another class's name otherwise
}

int main() {
  std::cout << (IDL::traits<Observatory>::narrow(nullptr) == nullptr ? "nil" : "object") << '\n';
}
