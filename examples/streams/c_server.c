/* SPDX-License-Identifier: Apache-2.0 */
/* Writes what clients send, one after the other, to its standard output, with sockets as C has them (figure 13):
   streams_c_server CLIENTS. The first line of its standard error is the port. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
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

static int listen_anywhere(void) {
  struct sockaddr_in own;
  memset(&own, 0, sizeof own);
  own.sin_family = AF_INET;
  own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int handle = check(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
  check(bind(handle, (struct sockaddr*)&own, sizeof own), "bind");
  check(listen(handle, 5), "listen");
  socklen_t size = sizeof own;
  check(getsockname(handle, (struct sockaddr*)&own, &size), "getsockname");
  fprintf(stderr, "%d\n", ntohs(own.sin_port));
  return handle;
}

static int next_client(int listener) {
  struct sockaddr_in peer;
  socklen_t size = sizeof peer;
  int handle;
  do {
    handle = accept(listener, (struct sockaddr*)&peer, &size);
  } while (handle < 0 && errno == EINTR);
  check(handle, "accept");
  printf("client %s\n", inet_ntoa(peer.sin_addr));
  check(fflush(stdout), "fflush");
  return handle;
}

static void write_all(const char* data, size_t size) {
  while (size > 0) {
    const ssize_t written = write(STDOUT_FILENO, data, size);
    if (written < 0 && errno == EINTR) continue;
    check((int)written, "write");
    data += written;
    size -= (size_t)written;
  }
}

static void serve(int handle) {
  char buffer[8192];
  for (;;) {
    const ssize_t count = recv(handle, buffer, sizeof buffer, 0);
    if (count < 0 && errno == EINTR) continue;
    if (check((int)count, "recv") == 0) break;
    write_all(buffer, (size_t)count);
  }
  close(handle);
}

int main(int argc, char* argv[]) {
  if (argc != 2) {
    fprintf(stderr, "usage: streams_c_server CLIENTS\n");
    return 2;
  }
  const int listener = listen_anywhere();
  for (int clients = atoi(argv[1]); clients > 0; --clients) serve(next_client(listener));
  close(listener);
  return 0;
}
