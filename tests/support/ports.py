# SPDX-License-Identifier: Apache-2.0
"""Ports for servers that have to be told theirs."""

import itertools
import os
import socket

FIRST, PORTS = 20000, 10000
OF_ONE_PROCESS = 40  # more than that are of the next ones
given = itertools.count()


def free_port():
    """One that stays free: connections going out get theirs from above.

    No process is given one twice, and each begins elsewhere: programs that run at the same time do not get the same."""
    mine = os.getpid() % (PORTS // OF_ONE_PROCESS) * OF_ONE_PROCESS
    for _ in range(PORTS):
        port = FIRST + (mine + next(given)) % PORTS
        with socket.socket() as s:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                s.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue
    raise RuntimeError("no port")
