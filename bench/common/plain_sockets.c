/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "common/plain_sockets.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/plain_rings.h"

enum operation { op_ping = 1, op_put, op_get, op_wipe, op_flood, op_exchange, op_echo };

struct message {
  uint32_t operation;
  uint32_t buffer;
  uint64_t size;
  uint64_t offset;
  char filler[40];
};

static const uint64_t most_kept = (uint64_t)4 << 30;
static const uint32_t most_exchanged = 1U << 20;

static int queues = 0;
static int receive_flags = 0;
static int offers_rings = 0;
static int no_delay = 1;

void plain_set_queues(int octets) {
  queues = octets;
}

void plain_set_no_delay(int on) {
  no_delay = on;
}

void plain_set_spinning(int on) {
  receive_flags = on ? MSG_DONTWAIT : 0;
  plain_rings_spin(on);
}

/* One receive; asks again if a signal came between, or while there is nothing and this process spins. */
static ssize_t receive_some(int handle, void* data, size_t size) {
  ssize_t got;
  if (plain_rings_on(handle)) return plain_rings_receive(handle, data, size);
  do {
    got = recv(handle, data, size, receive_flags);
  } while (got < 0 && (errno == EINTR || (errno == EAGAIN && receive_flags != 0)));
  return got;
}

static int send_all(int handle, const void* data, size_t size) {
  const char* next = data;
  if (plain_rings_on(handle)) return plain_rings_send(handle, data, size, NULL, 0);
  while (size > 0) {
    const ssize_t sent = send(handle, next, size, MSG_NOSIGNAL);
    if (sent < 0) {
      if (errno == EINTR) continue;
      return -1;
    }
    next += sent;
    size -= (size_t)sent;
  }
  return 0;
}

/* 1: all there; 0: the peer closed before the first octet. */
static int receive_all(int handle, void* data, size_t size) {
  char* next = data;
  size_t left = size;
  while (left > 0) {
    const ssize_t got = receive_some(handle, next, left);
    if (got < 0) return -1;
    if (got == 0) {
      if (left == size) return 0;
      errno = ECONNRESET;
      return -1;
    }
    next += got;
    left -= (size_t)got;
  }
  return 1;
}

/* A message and what belongs to it, in one call if the socket takes all. */
static int send_both(int handle, const struct message* message, const void* data, size_t size) {
  struct iovec pieces[2] = {{(void*)message, sizeof *message}, {(void*)data, size}};
  struct msghdr header = {.msg_iov = pieces, .msg_iovlen = 2};
  ssize_t sent;
  if (plain_rings_on(handle)) return plain_rings_send(handle, message, sizeof *message, data, size);
  do {
    sent = sendmsg(handle, &header, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  if (sent < 0) return -1;
  const size_t done = (size_t)sent;
  if (done < sizeof *message) {
    if (send_all(handle, (const char*)message + done, sizeof *message - done) != 0) return -1;
    return send_all(handle, data, size);
  }
  const size_t of_data = done - sizeof *message;
  return send_all(handle, (const char*)data + of_data, size - of_data);
}

static int ask(int handle, const struct message* request) {
  return send_all(handle, request, sizeof *request);
}

static int await_reply(int handle) {
  struct message reply;
  const int status = receive_all(handle, &reply, sizeof reply);
  if (status == 1) return 0;
  if (status == 0) errno = ECONNRESET;
  return -1;
}

static int send_pieces(int handle, const char* data, uint64_t size, uint32_t buffer) {
  while (size > 0) {
    const size_t piece = size < buffer ? (size_t)size : buffer;
    if (send_all(handle, data, piece) != 0) return -1;
    data += piece;
    size -= piece;
  }
  return 0;
}

/* Where the octets go: to `data` one after the other, or all to the same `buffer` octets if `drop`. */
static int receive_pieces(int handle, char* data, uint64_t size, uint32_t buffer, int drop) {
  while (size > 0) {
    const ssize_t got = receive_some(handle, data, size < buffer ? (size_t)size : buffer);
    if (got < 0) return -1;
    if (got == 0) {
      errno = ECONNRESET;
      return -1;
    }
    if (!drop) data += got;
    size -= (uint64_t)got;
  }
  return 0;
}

static int make_socket(int family) {
  const int handle = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (handle >= 0 && queues > 0) {
    setsockopt(handle, SOL_SOCKET, SO_SNDBUF, &queues, sizeof queues);
    setsockopt(handle, SOL_SOCKET, SO_RCVBUF, &queues, sizeof queues);
  }
  return handle;
}

static int listen_tcp(const char* where, char* address, size_t size) {
  struct sockaddr_in name = {.sin_family = AF_INET};
  socklen_t length = sizeof name;
  char host[64] = "";
  unsigned short port = 0;
  sscanf(where, "%63[0-9.]:%hu", host, &port);
  if (inet_aton(host, &name.sin_addr) == 0) name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  name.sin_port = htons(port);
  const int handle = make_socket(AF_INET);
  if (handle < 0) return -1;
  if (port != 0) setsockopt(handle, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int)); /* it was used before */
  if (bind(handle, (struct sockaddr*)&name, sizeof name) != 0 || listen(handle, 1024) != 0 ||
      getsockname(handle, (struct sockaddr*)&name, &length) != 0) {
    close(handle);
    return -1;
  }
  snprintf(address, size, "tcp:%s:%u", inet_ntoa(name.sin_addr), (unsigned)ntohs(name.sin_port));
  return handle;
}

static int unix_name(const char* path, struct sockaddr_un* name) {
  memset(name, 0, sizeof *name);
  name->sun_family = AF_UNIX;
  if (strlen(path) >= sizeof name->sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  strcpy(name->sun_path, path);
  return 0;
}

static int listen_unix(const char* scheme, const char* path, char* address, size_t size) {
  struct sockaddr_un name;
  if (unix_name(path, &name) != 0) return -1;
  const int handle = make_socket(AF_UNIX);
  if (handle < 0) return -1;
  if (bind(handle, (struct sockaddr*)&name, sizeof name) != 0 || listen(handle, 1024) != 0) {
    close(handle);
    return -1;
  }
  snprintf(address, size, "%s:%s", scheme, path);
  return handle;
}

int plain_listen(const char* transport, const char* where, char* address, size_t size) {
  offers_rings = strcmp(transport, "shm") == 0;
  return offers_rings || strcmp(transport, "unix") == 0 ? listen_unix(transport, where, address, size)
                                                        : listen_tcp(where, address, size);
}

static void send_at_once(int handle) {
  setsockopt(handle, IPPROTO_TCP, TCP_NODELAY, &no_delay, sizeof no_delay); /* fails, harmlessly, on local sockets */
}

void plain_send_at_once(int handle) {
  send_at_once(handle);
}

int plain_accept(int listener) {
  int handle;
  do {
    handle = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
  } while (handle < 0 && errno == EINTR);
  if (handle < 0) return handle;
  send_at_once(handle);
  if (offers_rings && plain_rings_offer(handle) != 0) {
    close(handle);
    return -1;
  }
  return handle;
}

/* Of "tcp:ADDRESS:PORT". */
static int inet_name(const char* address, struct sockaddr_in* name) {
  char host[64];
  unsigned short port;
  memset(name, 0, sizeof *name);
  name->sin_family = AF_INET;
  if (sscanf(address, "tcp:%63[0-9.]:%hu", host, &port) != 2 || inet_aton(host, &name->sin_addr) == 0) {
    errno = EINVAL;
    return -1;
  }
  name->sin_port = htons(port);
  return 0;
}

int plain_connect(const char* address) {
  struct sockaddr_un local;
  struct sockaddr_in inet;
  const int is_shm = strncmp(address, "shm:", 4) == 0;
  const int is_unix = is_shm || strncmp(address, "unix:", 5) == 0;
  if ((is_unix ? unix_name(strchr(address, ':') + 1, &local) : inet_name(address, &inet)) != 0) return -1;
  const int handle = make_socket(is_unix ? AF_UNIX : AF_INET);
  if (handle < 0) return -1;
  const struct sockaddr* name = is_unix ? (struct sockaddr*)&local : (struct sockaddr*)&inet;
  if (connect(handle, name, is_unix ? sizeof local : sizeof inet) != 0 || (is_shm && plain_rings_take(handle) != 0)) {
    close(handle);
    return -1;
  }
  if (!is_unix) send_at_once(handle);
  return handle;
}

/* What a connection's server keeps between requests. */
struct kept {
  char* data;
  uint64_t size;
  uint64_t capacity;
};

static int holds(const struct kept* kept, const struct message* request) {
  if (request->offset <= kept->size && request->size <= kept->size - request->offset) return 1;
  errno = EINVAL;
  return 0;
}

static int resize(struct kept* kept, uint64_t size) {
  if (size > most_kept) {
    errno = ENOMEM;
    return -1;
  }
  if (size > kept->capacity) {
    char* const data = realloc(kept->data, size);
    if (data == NULL) return -1;
    kept->data = data;
    kept->capacity = size;
  }
  kept->size = size;
  return 0;
}

static int drop_flood(int handle, const struct message* request) {
  char* const buffer = malloc(request->buffer);
  if (buffer == NULL) return -1;
  const int status = receive_pieces(handle, buffer, request->size, request->buffer, 1);
  free(buffer);
  return status;
}

static int serve_exchange(int handle, const struct message* request, struct kept* kept) {
  if (request->size > most_exchanged) {
    errno = EPROTO;
    return -1;
  }
  if (resize(kept, request->size) != 0) return -1;
  if (request->size > 0 && receive_all(handle, kept->data, request->size) != 1) return -1;
  if (request->operation == op_echo) return send_both(handle, request, kept->data, request->size);
  return send_all(handle, request, sizeof *request);
}

static int serve_request(int handle, struct message* request, struct kept* kept) {
  switch (request->operation) {
    case op_ping:
      break;
    case op_put:
      if (!holds(kept, request)) return -1;
      if (receive_pieces(handle, kept->data + request->offset, request->size, request->buffer, 0) != 0) return -1;
      break;
    case op_get:
      if (!holds(kept, request)) return -1;
      return send_pieces(handle, kept->data + request->offset, request->size, request->buffer);
    case op_wipe:
      if (resize(kept, request->size) != 0) return -1;
      memset(kept->data, 0, kept->size);
      break;
    case op_flood:
      if (drop_flood(handle, request) != 0) return -1;
      break;
    case op_exchange:
    case op_echo:
      return serve_exchange(handle, request, kept);
    default:
      errno = EPROTO;
      return -1;
  }
  return send_all(handle, request, sizeof *request);
}

int plain_serve(int handle) {
  struct kept kept = {NULL, 0, 0};
  struct message request;
  int status;
  while ((status = receive_all(handle, &request, sizeof request)) == 1) {
    if (serve_request(handle, &request, &kept) != 0) {
      status = -1;
      break;
    }
  }
  free(kept.data);
  return status;
}

int plain_answer(int handle) {
  struct kept kept = {NULL, 0, 0};
  struct message request;
  int status = receive_all(handle, &request, sizeof request);
  if (status == 1 && serve_request(handle, &request, &kept) != 0) status = -1;
  free(kept.data);
  return status;
}

int plain_is_ping(const void* data) {
  struct message request;
  memcpy(&request, data, sizeof request);
  return request.operation == op_ping;
}

int plain_ping(int handle) {
  const struct message request = {.operation = op_ping};
  return ask(handle, &request) == 0 ? await_reply(handle) : -1;
}

int plain_exchange(int handle, const void* data, uint32_t size, void* back) {
  const struct message request = {.operation = back != NULL ? op_echo : op_exchange, .size = size};
  if (send_both(handle, &request, data, size) != 0 || await_reply(handle) != 0) return -1;
  return back == NULL || receive_all(handle, back, size) == 1 ? 0 : -1;
}

int plain_put(int handle, const struct plain_piece* pieces, size_t count, uint64_t offset, uint32_t buffer) {
  struct message request = {.operation = op_put, .buffer = buffer, .offset = offset};
  for (size_t i = 0; i < count; ++i) request.size += pieces[i].size;
  if (ask(handle, &request) != 0) return -1;
  for (size_t i = 0; i < count; ++i) {
    if (send_all(handle, pieces[i].data, pieces[i].size) != 0) return -1;
  }
  return await_reply(handle);
}

int plain_get(int handle, const struct plain_room* rooms, size_t count, uint64_t offset, uint32_t buffer) {
  struct message request = {.operation = op_get, .buffer = buffer, .offset = offset};
  for (size_t i = 0; i < count; ++i) request.size += rooms[i].size;
  if (ask(handle, &request) != 0) return -1;
  for (size_t i = 0; i < count; ++i) {
    if (receive_pieces(handle, rooms[i].data, rooms[i].size, buffer, 0) != 0) return -1;
  }
  return 0;
}

int plain_wipe(int handle, uint64_t size) {
  const struct message request = {.operation = op_wipe, .size = size};
  return ask(handle, &request) == 0 ? await_reply(handle) : -1;
}

int plain_flood(int handle, const void* data, uint32_t buffer, uint64_t count) {
  const struct message request = {.operation = op_flood, .buffer = buffer, .size = buffer * count};
  if (ask(handle, &request) != 0) return -1;
  for (uint64_t i = 0; i < count; ++i) {
    if (send_all(handle, data, buffer) != 0) return -1;
  }
  return await_reply(handle);
}
