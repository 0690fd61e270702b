/* SPDX-License-Identifier: Apache-2.0 */
#include "common/plain_tls.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum operation { op_ping = 1, op_flood, op_exchange, op_echo };

/* 64 octets, as that of plain_sockets.c. */
struct message {
  uint32_t operation;
  uint32_t buffer;
  uint64_t size;
  char filler[48];
};

static const uint32_t most_exchanged = 1U << 20; /* octets of an exchange, and of a buffer that a flood is read into */

struct plain_tls {
  SSL* ssl;
  int handle;
  char* room; /* what an exchange goes out from and comes in to: its message, then its octets */
};

const char* plain_tls_why(void) {
  static _Thread_local char text[256];
  const unsigned long code = ERR_peek_last_error();
  if (code == 0) return errno != 0 ? strerror(errno) : "the other end has gone";
  ERR_error_string_n(code, text, sizeof text);
  return text;
}

static SSL_CTX* server_context = NULL;

static SSL_CTX* new_context(const SSL_METHOD* method) {
  SSL_CTX* const context = SSL_CTX_new(method);
  /* A renegotiation or a ticket must not end a read or a write that blocks. */
  if (context != NULL) SSL_CTX_set_mode(context, SSL_MODE_AUTO_RETRY);
  return context;
}

int plain_tls_set_certificate(const char* file) {
  SSL_CTX* const context = new_context(TLS_server_method());
  if (context == NULL || SSL_CTX_use_certificate_chain_file(context, file) != 1 ||
      SSL_CTX_use_PrivateKey_file(context, file, SSL_FILETYPE_PEM) != 1) {
    SSL_CTX_free(context);
    return -1;
  }
  SSL_CTX_free(server_context);
  server_context = context;
  return 0;
}

void plain_tls_close(struct plain_tls* end) {
  if (end == NULL) return;
  if (end->ssl != NULL) {
    SSL_shutdown(end->ssl);
    SSL_free(end->ssl);
  }
  if (end->handle >= 0) close(end->handle);
  free(end->room);
  free(end);
}

static struct plain_tls* shake_hands(SSL_CTX* context, int handle, int (*shake)(SSL*)) {
  struct plain_tls* const end = calloc(1, sizeof *end);
  if (end == NULL) {
    close(handle);
    return NULL;
  }
  end->handle = handle;
  end->room = malloc(sizeof(struct message) + most_exchanged);
  end->ssl = context != NULL ? SSL_new(context) : NULL;
  ERR_clear_error();
  if (end->room == NULL || end->ssl == NULL || SSL_set_fd(end->ssl, handle) != 1 || shake(end->ssl) != 1) {
    if (end->ssl != NULL) SSL_set_quiet_shutdown(end->ssl, 1);
    plain_tls_close(end);
    return NULL;
  }
  return end;
}

struct plain_tls* plain_tls_client(int handle) {
  SSL_CTX* const context = new_context(TLS_client_method());
  struct plain_tls* const end = shake_hands(context, handle, SSL_connect);
  SSL_CTX_free(context); /* the connection keeps it */
  return end;
}

struct plain_tls* plain_tls_server(int handle) {
  return shake_hands(server_context, handle, SSL_accept);
}

static int send_all(struct plain_tls* end, const void* data, size_t size) {
  size_t sent = 0;
  errno = 0;
  ERR_clear_error();
  return size == 0 || (SSL_write_ex(end->ssl, data, size, &sent) == 1 && sent == size) ? 0 : -1;
}

/* 1: all there; 0: the peer closed before the first octet. */
static int receive_all(struct plain_tls* end, void* data, size_t size) {
  char* next = data;
  size_t left = size;
  errno = 0;
  ERR_clear_error();
  while (left > 0) {
    size_t got = 0;
    if (SSL_read_ex(end->ssl, next, left, &got) != 1) {
      return left == size && SSL_get_error(end->ssl, 0) == SSL_ERROR_ZERO_RETURN ? 0 : -1;
    }
    next += got;
    left -= got;
  }
  return 1;
}

/* A message and what belongs to it, in one write: fewer records, and one call of the system for what fits into one. */
static int send_both(struct plain_tls* end, const struct message* message, const void* data, size_t size) {
  memcpy(end->room, message, sizeof *message);
  memmove(end->room + sizeof *message, data, size);
  return send_all(end, end->room, sizeof *message + size);
}

static int await_reply(struct plain_tls* end) {
  struct message reply;
  return receive_all(end, &reply, sizeof reply) == 1 ? 0 : -1;
}

static int drop_flood(struct plain_tls* end, const struct message* request) {
  uint64_t left = request->size;
  while (left > 0) {
    size_t got = 0;
    size_t piece = request->buffer < most_exchanged ? request->buffer : most_exchanged;
    if (piece > left) piece = (size_t)left;
    if (piece == 0 || SSL_read_ex(end->ssl, end->room, piece, &got) != 1) return -1;
    left -= got;
  }
  return 0;
}

static int serve_exchange(struct plain_tls* end, const struct message* request) {
  char* const data = end->room + sizeof *request;
  if (request->size > most_exchanged) {
    errno = EPROTO;
    return -1;
  }
  if (request->size > 0 && receive_all(end, data, (size_t)request->size) != 1) return -1;
  return send_both(end, request, data, request->operation == op_echo ? (size_t)request->size : 0);
}

static int serve_request(struct plain_tls* end, const struct message* request) {
  switch (request->operation) {
    case op_flood:
      if (drop_flood(end, request) != 0) return -1;
      return send_all(end, request, sizeof *request);
    case op_ping:
      return send_all(end, request, sizeof *request);
    case op_exchange:
    case op_echo:
      return serve_exchange(end, request);
    default:
      errno = EPROTO;
      return -1;
  }
}

int plain_tls_serve(struct plain_tls* end) {
  struct message request;
  int status;
  while ((status = receive_all(end, &request, sizeof request)) == 1) {
    if (serve_request(end, &request) != 0) return -1;
  }
  return status;
}

int plain_tls_ping(struct plain_tls* end) {
  const struct message request = {.operation = op_ping};
  return send_all(end, &request, sizeof request) == 0 ? await_reply(end) : -1;
}

int plain_tls_exchange(struct plain_tls* end, const void* data, uint32_t size, void* back) {
  const struct message request = {.operation = back != NULL ? op_echo : op_exchange, .size = size};
  if (size > most_exchanged) {
    errno = EMSGSIZE;
    return -1;
  }
  if (send_both(end, &request, data, size) != 0 || await_reply(end) != 0) return -1;
  return back == NULL || size == 0 || receive_all(end, back, size) == 1 ? 0 : -1;
}

int plain_tls_flood(struct plain_tls* end, const void* data, uint32_t buffer, uint64_t count) {
  const struct message request = {.operation = op_flood, .buffer = buffer, .size = buffer * count};
  if (send_all(end, &request, sizeof request) != 0) return -1;
  for (uint64_t i = 0; i < count; ++i) {
    if (send_all(end, data, buffer) != 0) return -1;
  }
  return await_reply(end);
}
