/* SPDX-License-Identifier: Apache-2.0 */
/* The control of streams over UDP: what a C programmer writes by hand. Data are datagrams of any size that the server
   counts; what the two say to each other is notes of 8 octets. All functions return -1 and set errno on failure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { plain_datagram_most = 65507 }; /* octets of the largest over IPv4 */

/* What a note asks for. No data begins so, but what plain_datagrams_put sends. */
enum plain_note_kind { plain_note_trip = 0x01504c54, plain_note_wipe, plain_note_tally };
struct plain_note {
  uint32_t kind;
  uint32_t number; /* comes back, so that late answers are known */
};
/* The answer to every note but a trip, which comes back as it is: what has arrived since the last wipe. */
struct plain_tally {
  struct plain_note note;
  uint64_t datagrams;
  uint64_t octets;
};

/* How sockets made from now on behave: both queues have `octets` (0: what the system gives). */
void plain_datagrams_set_queues(int octets);
/* How this process waits from now on: asking again and again instead of blocking. */
void plain_datagrams_set_spinning(int on);

/* A handle at `where`, a numeric Internet address, with a port of the system's choice. `address`, of `size` octets,
   receives what plain_datagrams_connect wants: "udp:ADDRESS:PORT". */
int plain_datagrams_listen(const char* where, char* address, size_t size);
int plain_datagrams_connect(const char* address);

/* Counts data and answers notes until that fails. */
int plain_datagrams_serve(int handle);

/* Sends 8 octets and waits for 8 octets in return; asks again each second, ten times. */
int plain_datagrams_trip(int handle);
/* The same with `size` octets on the way there, 8 at least. A note takes the place of the first 8. */
int plain_datagrams_put(int handle, void* data, size_t size);
/* Sends the same `size` octets `count` times and asks what has arrived, again and again should that get lost. */
int plain_datagrams_flood(int handle, const void* data, size_t size, uint64_t count, struct plain_tally* arrived);

#ifdef __cplusplus
}
#endif
