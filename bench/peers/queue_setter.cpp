// SPDX-License-Identifier: Apache-2.0
// Preloaded into peers that have no option for it: every socket that the process makes gets both queues of
// CORBEL_BENCH_QUEUE octets; what a listening socket accepts inherits them.
#include <dlfcn.h>
#include <sys/socket.h>

#include <cstdlib>

extern "C" [[gnu::visibility("default")]] int socket(int domain, int type, int protocol) noexcept {
  using Socket = int (*)(int, int, int);
  static const auto next = reinterpret_cast<Socket>(dlsym(RTLD_NEXT, "socket"));
  const int handle = next(domain, type, protocol);
  const char* const text = std::getenv("CORBEL_BENCH_QUEUE");
  const int octets = text != nullptr ? std::atoi(text) : 0;
  if (handle >= 0 && octets > 0) {
    setsockopt(handle, SOL_SOCKET, SO_SNDBUF, &octets, sizeof octets);
    setsockopt(handle, SOL_SOCKET, SO_RCVBUF, &octets, sizeof octets);
  }
  return handle;
}
