/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "common/plain_datagrams.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int datagram_queues = 0;
static int datagrams_spin = 0;
static uint32_t last_number = 0;

void plain_datagrams_set_queues(int octets) {
  datagram_queues = octets;
}

void plain_datagrams_set_spinning(int on) {
  datagrams_spin = on;
}

static int make_datagram_socket(void) {
  const int handle = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (handle >= 0 && datagram_queues > 0) {
    setsockopt(handle, SOL_SOCKET, SO_SNDBUF, &datagram_queues, sizeof datagram_queues);
    setsockopt(handle, SOL_SOCKET, SO_RCVBUF, &datagram_queues, sizeof datagram_queues);
  }
  return handle;
}

int plain_datagrams_listen(const char* where, char* address, size_t size) {
  struct sockaddr_in name = {.sin_family = AF_INET};
  socklen_t length = sizeof name;
  if (inet_aton(where, &name.sin_addr) == 0) name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int handle = make_datagram_socket();
  if (handle < 0) return -1;
  if (bind(handle, (struct sockaddr*)&name, sizeof name) != 0 ||
      getsockname(handle, (struct sockaddr*)&name, &length) != 0) {
    close(handle);
    return -1;
  }
  snprintf(address, size, "udp:%s:%u", inet_ntoa(name.sin_addr), (unsigned)ntohs(name.sin_port));
  return handle;
}

int plain_datagrams_connect(const char* address) {
  struct sockaddr_in name = {.sin_family = AF_INET};
  const struct timeval patience = {.tv_sec = 1};
  char host[64];
  unsigned short port;
  if (sscanf(address, "udp:%63[0-9.]:%hu", host, &port) != 2 || inet_aton(host, &name.sin_addr) == 0) {
    errno = EINVAL;
    return -1;
  }
  name.sin_port = htons(port);
  const int handle = make_datagram_socket();
  if (handle < 0) return -1;
  if (connect(handle, (struct sockaddr*)&name, sizeof name) != 0 ||
      setsockopt(handle, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) != 0) {
    close(handle);
    return -1;
  }
  return handle;
}

int plain_datagrams_serve(int handle) {
  static char room[65536];
  struct plain_tally tally = {{0, 0}, 0, 0};
  for (;;) {
    struct sockaddr_in from;
    socklen_t length = sizeof from;
    const ssize_t got =
        recvfrom(handle, room, sizeof room, datagrams_spin ? MSG_DONTWAIT : 0, (struct sockaddr*)&from, &length);
    if (got < 0 && (errno == EINTR || errno == ECONNREFUSED || (errno == EAGAIN && datagrams_spin))) continue;
    if (got < 0) return -1;
    if ((size_t)got >= sizeof tally.note) {
      struct plain_note note;
      memcpy(&note, room, sizeof note);
      if (note.kind == plain_note_trip ||
          ((size_t)got == sizeof note && note.kind > plain_note_trip && note.kind <= plain_note_tally)) {
        tally.note = note;
        if (tally.note.kind == plain_note_wipe) tally.datagrams = tally.octets = 0;
        /* An answer that cannot be sent is one that got lost. */
        (void)sendto(handle, &tally, tally.note.kind == plain_note_trip ? sizeof tally.note : sizeof tally, 0,
                     (struct sockaddr*)&from, length);
        continue;
      }
    }
    tally.datagrams += 1;
    tally.octets += (uint64_t)got;
  }
}

/* One receive: octets, 0 if nothing came in about a second, or -1. */
static ssize_t receive_within_a_second(int handle, void* room, size_t size) {
  const time_t begin = datagrams_spin ? time(NULL) : 0;
  for (;;) {
    const ssize_t got = recv(handle, room, size, datagrams_spin ? MSG_DONTWAIT : 0);
    if (got >= 0) return got;
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return -1;
    if (!datagrams_spin || time(NULL) > begin + 1) return 0;
  }
}

int plain_datagrams_trip(int handle) {
  struct plain_note note;
  return plain_datagrams_put(handle, &note, sizeof note);
}

int plain_datagrams_put(int handle, void* data, size_t size) {
  const struct plain_note note = {plain_note_trip, ++last_number};
  if (size < sizeof note || size > plain_datagram_most) {
    errno = EMSGSIZE;
    return -1;
  }
  memcpy(data, &note, sizeof note);
  for (int again = 0; again < 10; ++again) {
    struct plain_note answer;
    ssize_t got;
    if (send(handle, data, size, MSG_NOSIGNAL) < 0) return -1;
    do {
      got = receive_within_a_second(handle, &answer, sizeof answer);
      if (got < 0) return -1;
      if (got == sizeof answer && answer.number == note.number) return 0;
    } while (got > 0); /* an answer that is late */
  }
  errno = ETIMEDOUT;
  return -1;
}

/* 1: the answer to this note is there; 0: nothing came in time. */
static int receive_tally(int handle, uint32_t number, struct plain_tally* tally, int milliseconds) {
  for (;;) {
    struct pollfd ready = {.fd = handle, .events = POLLIN};
    const int found = poll(&ready, 1, milliseconds);
    if (found < 0 && errno != EINTR) return -1;
    if (found == 0) return 0;
    const ssize_t got = recv(handle, tally, sizeof *tally, MSG_DONTWAIT);
    if (got == sizeof *tally && tally->note.number == number) return 1;
    if (got < 0 && errno != EAGAIN && errno != EINTR) return -1;
  }
}

/* The server's queue may be full, so the first times come soon after each other: 2 ms, 4 ms, ... in all 32 s. */
static int ask_by_note(int handle, uint32_t kind, struct plain_tally* tally) {
  const struct plain_note note = {kind, ++last_number};
  for (int patience = 2; patience < 20000; patience *= 2) {
    if (send(handle, &note, sizeof note, MSG_NOSIGNAL) < 0 && errno != EINTR && errno != ENOBUFS) return -1;
    const int status = receive_tally(handle, note.number, tally, patience);
    if (status != 0) return status < 0 ? -1 : 0;
  }
  errno = ETIMEDOUT;
  return -1;
}

int plain_datagrams_flood(int handle, const void* data, size_t size, uint64_t count, struct plain_tally* arrived) {
  if (ask_by_note(handle, plain_note_wipe, arrived) != 0) return -1;
  for (uint64_t i = 0; i < count; ++i) {
    if (send(handle, data, size, MSG_NOSIGNAL) >= 0 || errno == ENOBUFS) continue;
    if (errno != EINTR) return -1;
    --i;
  }
  return ask_by_note(handle, plain_note_tally, arrived);
}
