// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <memory>
#include <string>

#include "controller.hpp"

namespace field_bus {

inline constexpr auto kPatience = std::chrono::seconds(90);  // for what must happen; only a failing test waits so long

/// A bus of a test's own, as fast as the host: no test waits for a schedule.
inline BusSettings quick() {
  BusSettings settings;
  settings.minor_frame = std::chrono::microseconds(200);
  settings.word_time = 0;
  settings.response = std::chrono::milliseconds(20);
  settings.silence = std::chrono::seconds(60);  // a busy machine is not a silent terminal
  return settings;
}

struct TestBus {
  explicit TestBus(const std::string& name, const BusSettings& settings = quick())
      : path("@corbel-field-bus-" + name + "-" + std::to_string(::getpid())),
        controller(*Controller::start(path, settings)) {}
  std::string at(unsigned terminal) const { return path + "/" + std::to_string(terminal); }

  const std::string path;
  std::unique_ptr<Controller> controller;
};

}  // namespace field_bus
