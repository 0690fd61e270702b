// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "corbel/base/error.hpp"

int main() {
  using namespace corbel::base;
  std::cout << to_string(error(Stage::connect, Code::refused)) << '\n';
}
