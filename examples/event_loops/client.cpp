// SPDX-License-Identifier: Apache-2.0
// A client with a loop of its own: replies come to it while it does other things. It has no thread besides.
#include <poll.h>
#include <corbel/corbel.hpp>
#include <corbel/orb/work_handle.hpp>

#include <coroutine>
#include <cstdint>
#include <exception>
#include <iostream>

#include "meter.hpp"

namespace {

constexpr std::int32_t kEnough = 5;

/// A coroutine that goes on by itself.
struct Task {
  struct promise_type {
    Task get_return_object() noexcept { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { std::terminate(); }
  };
};

struct Watch {
  std::int32_t ticks = 0;
  bool failed = false;
  bool done() const { return failed || ticks >= kEnough; }
};

Task watch_meter(IDL::traits<Loop::Meter>::ref_type meter, Watch& watch) {
  try {
    while (!watch.done()) watch.ticks = co_await meter->async_ticks();
  } catch (const CORBA::Exception& exception) {
    std::cerr << "client: " << exception << '\n';
    watch.failed = true;
  }
}

}  // namespace

int main(int argc, char* argv[]) try {
  auto orb = Station::make(argc, argv);
  if (argc < 2) {
    std::cerr << "usage: event_loops_client REFERENCE\n";
    return 2;
  }
  Watch watch;
  {
    corbel::orb::WorkHandle work(*orb);
    const auto meter = IDL::traits<Loop::Meter>::unchecked_narrow(orb->string_to_object(argv[1]));
    watch_meter(meter, watch);
    pollfd waits = {work.descriptor(), POLLIN, 0};
    while (!watch.done()) {
      if (poll(&waits, 1, -1) > 0) work.dispatch();
    }
    if (!watch.failed) meter->close();
  }
  orb->destroy();
  std::cout << (watch.failed ? "no answer\n" : "the server answered, and its own timer ticked meanwhile\n");
  return watch.failed ? 1 : 0;
} catch (const CORBA::Exception& exception) {
  std::cerr << "client: " << exception << '\n';
  return 1;
}
