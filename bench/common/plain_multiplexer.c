/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "common/plain_multiplexer.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "common/plain_sockets.h"

struct polled {
  struct pollfd* all; /* the listener first */
  nfds_t count;
  nfds_t capacity;
};

static int add_polled(struct polled* polled, int handle) {
  if (polled->count == polled->capacity) {
    const nfds_t capacity = polled->capacity == 0 ? 16 : 2 * polled->capacity;
    struct pollfd* const all = realloc(polled->all, capacity * sizeof *all);
    if (all == NULL) return -1;
    polled->all = all;
    polled->capacity = capacity;
  }
  polled->all[polled->count++] = (struct pollfd){.fd = handle, .events = POLLIN};
  return 0;
}

static int accept_polled(struct polled* polled) {
  const int handle = plain_accept(polled->all[0].fd);
  if (handle < 0) return -1;
  if (add_polled(polled, handle) == 0) return 0;
  close(handle);
  return -1;
}

static int serve_polled(struct polled* polled, int ready) {
  for (nfds_t i = polled->count - 1; i > 0 && ready > 0; --i) { /* the last one takes the place of one that is gone */
    if (polled->all[i].revents == 0) continue;
    --ready;
    if (plain_answer(polled->all[i].fd) == 1) continue;
    close(polled->all[i].fd);
    polled->all[i] = polled->all[--polled->count];
  }
  return ready > 0 ? accept_polled(polled) : 0;
}

static int serve_by_poll(int listener) {
  struct polled polled = {NULL, 0, 0};
  int status = add_polled(&polled, listener);
  while (status == 0) {
    const int ready = poll(polled.all, polled.count, -1);
    if (ready < 0) {
      status = errno == EINTR ? 0 : -1;
    } else {
      status = serve_polled(&polled, ready);
    }
  }
  free(polled.all);
  return -1;
}

static int watch(int set, int handle) {
  struct epoll_event event = {.events = EPOLLIN, .data.fd = handle};
  return epoll_ctl(set, EPOLL_CTL_ADD, handle, &event);
}

static int accept_watched(int set, int listener) {
  const int handle = plain_accept(listener);
  if (handle < 0) return -1;
  if (watch(set, handle) == 0) return 0;
  close(handle);
  return -1;
}

static int serve_by_epoll(int listener) {
  struct epoll_event events[64];
  const int set = epoll_create1(EPOLL_CLOEXEC);
  if (set < 0) return -1;
  int status = watch(set, listener);
  while (status == 0) {
    const int ready = epoll_wait(set, events, 64, -1);
    if (ready < 0 && errno != EINTR) status = -1;
    for (int i = 0; i < ready && status == 0; ++i) {
      const int handle = events[i].data.fd;
      if (handle == listener) {
        status = accept_watched(set, listener);
      } else if (plain_answer(handle) != 1) {
        close(handle); /* which takes it out of the set */
      }
    }
  }
  close(set);
  return -1;
}

int plain_serve_all(int listener, int with_epoll) {
  return with_epoll ? serve_by_epoll(listener) : serve_by_poll(listener);
}
