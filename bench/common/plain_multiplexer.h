/* SPDX-License-Identifier: Apache-2.0 */
/* One thread that serves many connections of plain_sockets.h: how a C programmer writes it by hand. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/* Accepts connections of the listener, and serves all of them, until it fails (-1, errno is set). It learns who has
   octets by epoll, or by poll, which asks for all of them each time. Requests are received whole once they have begun:
   for clients that one trusts. */
int plain_serve_all(int listener, int with_epoll);

#ifdef __cplusplus
}
#endif
