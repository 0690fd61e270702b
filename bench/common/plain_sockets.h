/* SPDX-License-Identifier: Apache-2.0 */
/* The control of every comparison: what a C programmer writes by hand with blocking sockets. All functions return -1
   and set errno on failure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How sockets made from now on behave: both queues have `octets` (0: what the system gives). */
void plain_set_queues(int octets);
/* TCP connections made from now on wait for more octets, as TCP does by itself (0), or send at once (1). */
void plain_set_no_delay(int on);
/* How this process waits from now on: asking again and again instead of blocking. */
void plain_set_spinning(int on);

/* A handle that listens on `where`, a numeric Internet address ("tcp"; anything else is 127.0.0.1; the system chooses
   the port, unless it follows a colon) or a path ("unix"). `address`, of `size` octets, receives what plain_connect
   wants: "tcp:ADDRESS:PORT" or "unix:PATH". */
int plain_listen(const char* transport, const char* where, char* address, size_t size);
int plain_accept(int listener);
int plain_connect(const char* address);

/* Serves one connection until the client closes it (0) or it fails (-1). */
int plain_serve(int handle);
/* Receives one request and answers it (1); 0: the client has closed. Nothing that a client puts is kept. */
int plain_answer(int handle);

/* Sends 64 octets and waits for 64 octets in return. */
int plain_ping(int handle);
/* For servers that receive by themselves: whether the 64 octets there are a ping, which is answered by them; what
   plain_accept() does with what it has accepted. */
enum { plain_ping_size = 64 };
int plain_is_ping(const void* data);
void plain_send_at_once(int handle);
/* Sends all the pieces, which the server receives at most `buffer` octets at a time and keeps from `offset` on, within
   what plain_wipe made; returns when it has confirmed them. */
struct plain_piece {
  const void* data;
  size_t size;
};
int plain_put(int handle, const struct plain_piece* pieces, size_t count, uint64_t offset, uint32_t buffer);
/* Fills all the rooms with what the server keeps from `offset` on, at most `buffer` octets at a time. */
struct plain_room {
  void* data;
  size_t size;
};
int plain_get(int handle, const struct plain_room* rooms, size_t count, uint64_t offset, uint32_t buffer);
/* Makes the server keep `size` zeros. */
int plain_wipe(int handle, uint64_t size);
/* Sends `size` octets, at most 1 MiB; returns when they are confirmed or, if `back` is not null, have come back to it.
 */
int plain_exchange(int handle, const void* data, uint32_t size, void* back);
/* Sends the same `buffer` octets `count` times; the server reads them `buffer` at a time, drops them, and confirms. */
int plain_flood(int handle, const void* data, uint32_t buffer, uint64_t count);

#ifdef __cplusplus
}
#endif
