// SPDX-License-Identifier: Apache-2.0
// field_bus_controller PATH [-ORBFieldBus... VALUE]: the controller of a simulated field bus as a process. Says "ready"
// when terminals may come, and what it has seen when SIGINT or SIGTERM ends it.
#include <pthread.h>

#include <algorithm>
#include <csignal>
#include <iostream>
#include <string>
#include <string_view>

#include "controller.hpp"

namespace {

/// False, and says why, if an option is none.
bool set(field_bus::BusSettings& settings, std::string_view name, const char* value) {
  static const field_bus::BusSettings defaults;
  for (const auto& option : corbel::base::list_options(settings, defaults, field_bus::kBusOptions)) {
    if (name != std::string("-ORB").append(option.name)) continue;
    if (value != nullptr && option.set(value)) return true;
    std::cerr << "field_bus_controller: " << name << ": legal is " << option.legal() << '\n';
    return false;
  }
  std::cerr << "field_bus_controller: unknown option " << name << '\n';
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') {
    std::cerr << "usage: field_bus_controller PATH [-ORBFieldBusMinorFrame us] [-ORBFieldBusWords words] ...\n";
    return 2;
  }
  field_bus::BusSettings settings;
  for (int i = 2; i < argc; i += 2) {
    if (!set(settings, argv[i], i + 1 < argc ? argv[i + 1] : nullptr)) return 2;
  }
  sigset_t ends;
  sigemptyset(&ends);
  for (const int signal : {SIGINT, SIGTERM}) sigaddset(&ends, signal);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);  // before there are threads
  const auto controller = field_bus::Controller::start(argv[1], settings);
  if (!controller) {
    std::cerr << "field_bus_controller: " << argv[1] << ": " << corbel::base::to_string(controller.error()) << '\n';
    return 1;
  }
  std::cout << "ready" << std::endl;
  int signal = 0;
  sigwait(&ends, &signal);
  const field_bus::BusCounts counts = (*controller)->counts();
  std::cout << "frames " << counts.frames << ", polls " << counts.polls << ", messages " << counts.messages
            << ", words " << counts.words << ", late " << counts.late << ", malformed " << counts.malformed << ", gone "
            << counts.gone << ", busy " << 100 * counts.busy.count() / std::max<std::int64_t>(counts.elapsed.count(), 1)
            << " %\n";
  return 0;
}
