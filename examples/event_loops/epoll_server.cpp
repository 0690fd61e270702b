// SPDX-License-Identifier: Apache-2.0
// A loop of epoll(7) that is told of each change once (EPOLLET): it goes on until nothing is pending.
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "meter.hpp"

int main(int argc, char* argv[]) try {
  Station station(argc, argv);
  const int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  const timespec interval{0, kTickMilliseconds * 1'000'000};
  const itimerspec times{interval, interval};
  timerfd_settime(timer, 0, &times, nullptr);

  const int loop = epoll_create1(EPOLL_CLOEXEC);
  for (const int descriptor : {station.work.descriptor(), timer}) {
    epoll_event event{};
    event.events = EPOLLIN | EPOLLET;
    event.data.fd = descriptor;
    epoll_ctl(loop, EPOLL_CTL_ADD, descriptor, &event);
  }
  while (!station.work.ended()) {
    epoll_event events[8];
    const int count = epoll_wait(loop, events, 8, -1);
    for (int i = 0; i < count; ++i) {
      std::uint64_t expired = 0;
      if (events[i].data.fd == timer) {
        if (read(timer, &expired, sizeof expired) > 0) station.meter->tick();
        continue;
      }
      do {
        station.work.dispatch();
      } while (!station.work.ended() && station.work.pending());
    }
  }
  close(loop);
  close(timer);
  return 0;
} catch (const CORBA::Exception& exception) {
  std::cerr << "epoll server: " << exception << '\n';
  return 1;
}
