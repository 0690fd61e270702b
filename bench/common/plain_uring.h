/* SPDX-License-Identifier: Apache-2.0 */
/* One thread that serves many connections of plain_sockets.h by io_uring, as it is meant to be used: one receive that
   stays under way for each connection, buffers that the kernel chooses from, answers that leave together with the next
   wait. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/* Whether the kernel has all that this needs (Linux 6.1), and lets this process use it. */
int plain_has_uring(void);
/* As plain_serve_all(), of pings alone; connections that ask for something else are closed. */
int plain_serve_all_by_uring(int listener);

#ifdef __cplusplus
}
#endif
