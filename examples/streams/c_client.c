/* SPDX-License-Identifier: Apache-2.0 */
/* Sends its standard input to a server, with sockets as C has them (figure 12): streams_c_client PORT. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int check(int result, const char* what) {
  if (result >= 0) return result;
  perror(what);
  exit(1);
}

/* Connects within ten seconds: begins, waits, asks what came of it, and makes the socket wait again. */
static int connect_in_time(int port) {
  struct sockaddr_in server;
  memset(&server, 0, sizeof server);
  server.sin_family = AF_INET;
  server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  server.sin_port = htons((unsigned short)port);
  const int handle = check(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
  const int flags = check(fcntl(handle, F_GETFL), "fcntl");
  check(fcntl(handle, F_SETFL, flags | O_NONBLOCK), "fcntl");
  if (connect(handle, (struct sockaddr*)&server, sizeof server) != 0) {
    if (errno != EINPROGRESS) check(-1, "connect");
    struct pollfd event = {.fd = handle, .events = POLLOUT};
    int ready;
    do {
      ready = poll(&event, 1, 10000); /* a signal makes it longer */
    } while (ready < 0 && errno == EINTR);
    if (check(ready, "poll") == 0) {
      errno = ETIMEDOUT;
      check(-1, "connect");
    }
    int error = 0;
    socklen_t size = sizeof error;
    check(getsockopt(handle, SOL_SOCKET, SO_ERROR, &error, &size), "getsockopt");
    if (error != 0) {
      errno = error;
      check(-1, "connect");
    }
  }
  check(fcntl(handle, F_SETFL, flags), "fcntl");
  return handle;
}

static void send_all(int handle, const char* data, size_t size) {
  while (size > 0) {
    const ssize_t sent = send(handle, data, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    check((int)sent, "send");
    data += sent;
    size -= (size_t)sent;
  }
}

int main(int argc, char* argv[]) {
  if (argc != 2) {
    fprintf(stderr, "usage: streams_c_client PORT\n");
    return 2;
  }
  const int handle = connect_in_time(atoi(argv[1]));
  char buffer[8192];
  for (;;) {
    const ssize_t count = read(STDIN_FILENO, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (check((int)count, "read") == 0) break;
    send_all(handle, buffer, (size_t)count);
  }
  close(handle);
  return 0;
}
