// SPDX-License-Identifier: Apache-2.0
// A loop of poll(2): the ORB is one of the descriptors that it waits for.
#include <poll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "meter.hpp"

int main(int argc, char* argv[]) try {
  Station station(argc, argv);
  const int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  const timespec interval{0, kTickMilliseconds * 1'000'000};
  const itimerspec times{interval, interval};
  timerfd_settime(timer, 0, &times, nullptr);

  pollfd waits[] = {{station.work.descriptor(), POLLIN, 0}, {timer, POLLIN, 0}};
  while (!station.work.ended()) {
    if (poll(waits, 2, -1) < 0) continue;
    if (waits[0].revents != 0) station.work.dispatch();
    std::uint64_t expired = 0;
    if (waits[1].revents != 0 && read(timer, &expired, sizeof expired) > 0) station.meter->tick();
  }
  close(timer);
  return 0;
} catch (const CORBA::Exception& exception) {
  std::cerr << "poll server: " << exception << '\n';
  return 1;
}
