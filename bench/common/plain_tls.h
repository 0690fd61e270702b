/* SPDX-License-Identifier: Apache-2.0 */
/* The control of everything over TLS: what a programmer writes by hand with OpenSSL and blocking sockets. The
   conversation is that of plain_sockets.h, ping, exchange and flood; nobody looks at the other's certificate. Functions
   that return int return -1 on failure and set errno, or not if it was OpenSSL's (plain_tls_why). */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct plain_tls; /* one end of a connection, used by one thread */

/* What went wrong last in this thread, for people; valid until the next call. */
const char* plain_tls_why(void);

/* Takes the certificate and the key with which this process serves from one file (PEM). */
int plain_tls_set_certificate(const char* file);
/* Shakes hands over a connection of plain_connect or plain_accept, which the end then owns. NULL on failure; the
   connection is closed. */
struct plain_tls* plain_tls_client(int handle);
struct plain_tls* plain_tls_server(int handle);
void plain_tls_close(struct plain_tls* end);

/* Serves one connection until the client closes it (0) or it fails (-1). */
int plain_tls_serve(struct plain_tls* end);
/* As those of plain_sockets.h. */
int plain_tls_ping(struct plain_tls* end);
int plain_tls_exchange(struct plain_tls* end, const void* data, uint32_t size, void* back);
int plain_tls_flood(struct plain_tls* end, const void* data, uint32_t buffer, uint64_t count);

#ifdef __cplusplus
}
#endif
