# SPDX-License-Identifier: Apache-2.0
"""Ports for servers that have to be told theirs."""

import random
import socket


def free_port():
    """One that stays free: connections going out get theirs from above."""
    while True:
        port = random.randrange(20000, 30000)
        with socket.socket() as s:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                s.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue
