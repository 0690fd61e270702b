/* SPDX-License-Identifier: Apache-2.0 */
/* Two rings in shared memory, as a C programmer writes them who trusts the peer: the control of the transport shm. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Over a connected UNIX-domain socket: makes the rings and passes them on, or takes them; then plain_rings_on(handle)
   is true and what is sent over `handle` goes through them. -1 and errno on failure. */
int plain_rings_offer(int handle);
int plain_rings_take(int handle);
int plain_rings_of(int handle);
extern int plain_rings_used; /* whether any handle has rings: what has none must not pay for them */
static inline int plain_rings_on(int handle) {
  return plain_rings_used && plain_rings_of(handle);
}
/* As recv(2), which waits; 0: the peer is gone. */
ssize_t plain_rings_receive(int handle, void* data, size_t size);
/* Sends both pieces whole, one after the other; -1: the peer is gone. */
int plain_rings_send(int handle, const void* head, size_t head_size, const void* data, size_t size);
/* Whether to look again and again instead of sleeping. */
void plain_rings_spin(int on);

#ifdef __cplusplus
}
#endif
