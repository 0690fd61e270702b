// SPDX-License-Identifier: Apache-2.0
// Prints one figure of its own call, which no server answers.
#include <iostream>
#include "corbel_metrics.hpp"

int main() {
  corbel::metrics::Metrics metrics;
  std::vector<std::string> arguments = {"consumer"};
  const auto orb = CORBA::ORB_init(arguments);
  metrics.watch(orb);
  try {
    orb->string_to_object("corbaloc::127.0.0.1:1/nobody")->_non_existent();
  } catch (const CORBA::TRANSIENT&) {  // as it should be
  }
  const std::string text = metrics.text();
  const auto at = text.find("corbel_requests_total");
  const auto line = text.find("\ncorbel_requests_total{", at) + 1;
  std::cout << text.substr(line, text.find('\n', line) - line) << '\n';
  orb->destroy();
}
