/* SPDX-License-Identifier: Apache-2.0 */
/* The control: what a careful C programmer writes. wrapped.cpp is the same program with the toolkit, step by step.
   usage: toolkit-plain ping-tcp|ping-unix|ping-udp|stream-tcp|stream-unix COUNT SIZE */
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { most = 1 << 20 };
static unsigned char buffer[most];

static void fail(const char* what) {
  fprintf(stderr, "toolkit-plain: %s: %s\n", what, strerror(errno));
  exit(1);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

union name {
  struct sockaddr any;
  struct sockaddr_in inet;
  struct sockaddr_un local;
};

/* Binds to a free loopback port, or to a free abstract name; the address is filled in. */
static int open_socket(int family, int type, union name* name, socklen_t* size) {
  const int handle = socket(family, type | SOCK_CLOEXEC, 0);
  if (handle < 0) fail("socket");
  memset(name, 0, sizeof *name);
  name->any.sa_family = (sa_family_t)family;
  *size = sizeof(sa_family_t);
  if (family == AF_INET) {
    const int on = 1;
    if (type == SOCK_STREAM && setsockopt(handle, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0) fail("setsockopt");
    name->inet.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    *size = sizeof name->inet;
  }
  if (bind(handle, &name->any, *size) != 0) fail("bind");
  return handle;
}

static void name_of(int handle, union name* name, socklen_t* size) {
  *size = sizeof *name;
  if (getsockname(handle, &name->any, size) != 0) fail("getsockname");
}

static int connect_to(int family, const union name* name, socklen_t size) {
  const int handle = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (handle < 0) fail("socket");
  if (connect(handle, &name->any, size) != 0) fail("connect");
  return handle;
}

/* A signal must not look like a failure. */
static ssize_t send_some(int handle, const void* data, size_t size) {
  ssize_t count;
  do count = send(handle, data, size, MSG_NOSIGNAL);
  while (count < 0 && errno == EINTR);
  return count;
}

static ssize_t receive_all(int handle, void* data, size_t size) {
  ssize_t count;
  do count = recv(handle, data, size, MSG_WAITALL);
  while (count < 0 && errno == EINTR);
  return count;
}

static ssize_t send_to(int handle, const void* data, size_t size, const union name* to, socklen_t to_size) {
  ssize_t count;
  do count = sendto(handle, data, size, MSG_NOSIGNAL, &to->any, to_size);
  while (count < 0 && errno == EINTR);
  return count;
}

static ssize_t receive_from(int handle, void* data, size_t size, union name* from, socklen_t* from_size) {
  ssize_t count;
  do {
    *from_size = sizeof *from;
    count = recvfrom(handle, data, size, MSG_TRUNC, &from->any, from_size);
  } while (count < 0 && errno == EINTR);
  return count;
}

static void serve_stream(int handle, size_t size, int answers) {
  for (;;) {
    const ssize_t count = receive_all(handle, buffer, size);
    if (count == 0) break;
    if (count != (ssize_t)size) fail("receive");
    if (answers && send_some(handle, buffer, size) != (ssize_t)size) fail("send");
  }
}

static void use_stream(int handle, long count, size_t size, int answers) {
  for (long i = 0; i < count; ++i) {
    if (send_some(handle, buffer, size) != (ssize_t)size) fail("send");
    if (answers && receive_all(handle, buffer, size) != (ssize_t)size) fail("receive");
  }
}

static void stream(int family, long count, size_t size, int answers) {
  union name name;
  socklen_t name_size;
  const int listener = open_socket(family, SOCK_STREAM, &name, &name_size);
  if (listen(listener, 1024) != 0) fail("listen");
  name_of(listener, &name, &name_size);
  const pid_t server = fork();
  if (server < 0) fail("fork");
  if (server == 0) {
    const int handle = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (handle < 0) fail("accept");
    close(listener);
    serve_stream(handle, size, answers);
    close(handle);
    _exit(0);
  }
  close(listener);
  const int handle = connect_to(family, &name, name_size);
  use_stream(handle, count, size, answers);
  close(handle);
  int status = 1;
  if (waitpid(server, &status, 0) != server || status != 0) fail("server");
}

static void serve_datagrams(int handle, size_t size) {
  union name from;
  for (;;) {
    socklen_t from_size;
    const ssize_t count = receive_from(handle, buffer, size, &from, &from_size);
    if (count < 0 || count > (ssize_t)size) fail("receive");
    if (count == 0) break;
    if (send_to(handle, buffer, (size_t)count, &from, from_size) != count) fail("send");
  }
}

static void use_datagrams(int handle, const union name* to, socklen_t to_size, long count, size_t size) {
  union name from;
  for (long i = 0; i < count; ++i) {
    if (send_to(handle, buffer, size, to, to_size) != (ssize_t)size) fail("send");
    socklen_t from_size;
    if (receive_from(handle, buffer, size, &from, &from_size) != (ssize_t)size) fail("receive");
  }
  if (send_to(handle, NULL, 0, to, to_size) != 0) fail("send");
}

static void datagrams(long count, size_t size) {
  union name at, own;
  socklen_t at_size, own_size;
  const int listener = open_socket(AF_INET, SOCK_DGRAM, &at, &at_size);
  name_of(listener, &at, &at_size);
  const pid_t server = fork();
  if (server < 0) fail("fork");
  if (server == 0) {
    serve_datagrams(listener, size);
    close(listener);
    _exit(0);
  }
  close(listener);
  const int handle = open_socket(AF_INET, SOCK_DGRAM, &own, &own_size);
  use_datagrams(handle, &at, at_size, count, size);
  close(handle);
  int status = 1;
  if (waitpid(server, &status, 0) != server || status != 0) fail("server");
}

int main(int argc, char* argv[]) {
  const char* const mode = argc == 4 ? argv[1] : "";
  const long count = argc == 4 ? atol(argv[2]) : 0;
  const long size = argc == 4 ? atol(argv[3]) : 0;
  if (count < 1 || size < 1 || size > most) {
    fprintf(stderr, "usage: toolkit-plain ping-tcp|ping-unix|ping-udp|stream-tcp|stream-unix COUNT SIZE\n");
    return 2;
  }
  const double start = now();
  if (strcmp(mode, "ping-tcp") == 0) {
    stream(AF_INET, count, (size_t)size, 1);
  } else if (strcmp(mode, "ping-unix") == 0) {
    stream(AF_UNIX, count, (size_t)size, 1);
  } else if (strcmp(mode, "ping-udp") == 0) {
    datagrams(count, (size_t)size);
  } else if (strcmp(mode, "stream-tcp") == 0) {
    stream(AF_INET, count, (size_t)size, 0);
  } else if (strcmp(mode, "stream-unix") == 0) {
    stream(AF_UNIX, count, (size_t)size, 0);
  } else {
    fprintf(stderr, "toolkit-plain: no mode '%s'\n", mode);
    return 2;
  }
  printf("{\"mode\": \"%s\", \"count\": %ld, \"size\": %ld, \"seconds\": %.6f}\n", mode, count, size, now() - start);
  return 0;
}
