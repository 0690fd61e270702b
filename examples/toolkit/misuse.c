/* SPDX-License-Identifier: Apache-2.0 */
/* What goes wrong with sockets in C although it compiles: each function makes one classic mistake and reports what
   happened at run time. docs/toolkit.md sets beside each the toolkit's form, which does not compile
   (tests/compile_fail/ipc). Status 0 if every mistake did what it is known for. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int broken = 0;

static void report(const char* mistake, int as_known, const char* what) {
  printf("%-34s %s%s\n", mistake, what, as_known ? "" : "  (UNEXPECTED)");
  if (!as_known) broken = 1;
}

static void report_error(const char* mistake, int wanted) {
  report(mistake, errno == wanted, strerror(errno));
}

static struct sockaddr_in loopback(void) {
  struct sockaddr_in address;
  memset(&address, 0, sizeof address);
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

static int listener(struct sockaddr_in* at) {
  socklen_t size = sizeof *at;
  const int handle = socket(AF_INET, SOCK_STREAM, 0);
  *at = loopback();
  bind(handle, (struct sockaddr*)at, sizeof *at);
  listen(handle, 1);
  getsockname(handle, (struct sockaddr*)at, &size);
  return handle;
}

static void accept_on_datagram(void) {
  const int handle = socket(AF_INET, SOCK_DGRAM, 0);
  accept(handle, NULL, NULL);
  report_error("accept on a datagram socket", EOPNOTSUPP);
  close(handle);
}

static void send_on_acceptor(void) {
  struct sockaddr_in at;
  const int handle = listener(&at);
  send(handle, "x", 1, MSG_NOSIGNAL);
  report_error("send on an acceptor", EPIPE);
  close(handle);
}

static void read_passive(void) {
  struct sockaddr_in at;
  char octet;
  const int handle = listener(&at);
  read(handle, &octet, 1);
  report_error("read from a passive-mode handle", ENOTCONN);
  close(handle);
}

static void wrong_family(void) {
  struct sockaddr_in address = loopback();
  const int handle = socket(AF_UNIX, SOCK_STREAM, 0);
  bind(handle, (struct sockaddr*)&address, sizeof address);
  report_error("address of the wrong family", EINVAL);
  close(handle);
}

static void uninitialised_length(void) {
  struct sockaddr_in at, from;
  const int handle = listener(&at), client = socket(AF_INET, SOCK_STREAM, 0);
  socklen_t length = (socklen_t)-1; /* what was on the stack */
  connect(client, (struct sockaddr*)&at, sizeof at);
  accept(handle, (struct sockaddr*)&from, &length);
  report_error("uninitialised length", EINVAL);
  close(client);
  close(handle);
}

static void byte_order(void) {
  struct sockaddr_in address = loopback();
  socklen_t size = sizeof address;
  char text[64];
  const int handle = socket(AF_INET, SOCK_DGRAM, 0);
  address.sin_port = 20000; /* htons forgotten */
  bind(handle, (struct sockaddr*)&address, sizeof address);
  getsockname(handle, (struct sockaddr*)&address, &size);
  snprintf(text, sizeof text, "no error; asked for port 20000, got %d", ntohs(address.sin_port));
  report("byte order of a port", ntohs(address.sin_port) != 20000 || htons(1) == 1, text);
  close(handle);
}

static void forgotten_parentheses(void) {
  struct sockaddr_in at;
  char text[64];
  int accepted;
  const int handle = listener(&at), client = socket(AF_INET, SOCK_STREAM, 0);
  connect(client, (struct sockaddr*)&at, sizeof at);
  if (accepted = accept(handle, NULL, NULL) == -1) perror("accept");
  snprintf(text, sizeof text, "no error; the \"handle\" is %d: standard input", accepted);
  report("parentheses around an assignment", accepted == 0, text);
  close(client);
  close(handle);
}

static void short_write(void) {
  static const char data[4 << 20];
  static char room[sizeof data];
  size_t received = 0;
  ssize_t count;
  char text[96];
  int ends[2];
  socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  write(ends[0], data, sizeof data); /* the result was not looked at */
  close(ends[0]);
  while ((count = read(ends[1], room, sizeof room)) > 0) received += (size_t)count;
  snprintf(text, sizeof text, "no error; %zu of %zu octets arrived", received, sizeof data);
  report("short write", received < sizeof data, text);
  close(ends[1]);
}

static void truncated_datagram(void) {
  char room[4], text[64];
  int ends[2];
  socketpair(AF_UNIX, SOCK_DGRAM, 0, ends);
  send(ends[0], "more than four octets", 21, 0);
  const ssize_t count = recv(ends[1], room, sizeof room, 0);
  snprintf(text, sizeof text, "no error; %zd of 21 octets, the rest is gone", count);
  report("truncated datagram", count == 4, text);
  close(ends[0]);
  close(ends[1]);
}

int main(void) {
  accept_on_datagram();
  send_on_acceptor();
  read_passive();
  wrong_family();
  uninitialised_length();
  byte_order();
  forgotten_parentheses();
  short_write();
  truncated_datagram();
  return broken;
}
