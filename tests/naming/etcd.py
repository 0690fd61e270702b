# SPDX-License-Identifier: Apache-2.0
"""An etcd of a test's own: in a temporary folder, at the loopback address."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from ports import free_port  # noqa: E402

PROGRAM = shutil.which("etcd")
TIMEOUT_S = 120


class Etcd:
    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="corbel_etcd_")
        port, peer = free_port(), free_port()  # it has to be told
        client_url, peer_url = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{peer}"
        self.url = f"etcd://127.0.0.1:{port}/names"
        with open(os.path.join(self.folder, "log"), "wb") as log:
            self.process = subprocess.Popen(
                ["setpriv", "--pdeathsig=KILL", PROGRAM, "--data-dir", os.path.join(self.folder, "data"), "--listen-client-urls", client_url,
                 "--advertise-client-urls", client_url, "--listen-peer-urls", peer_url, "--initial-advertise-peer-urls", peer_url,
                 "--initial-cluster", f"default={peer_url}"], stdout=log, stderr=log)
        deadline = time.monotonic() + TIMEOUT_S
        while not self.is_ready(port):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError("etcd does not start")
            time.sleep(0.01)  # nothing else tells

    @staticmethod
    def is_ready(port):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT_S).close()
        except OSError:
            return False
        return True

    def end(self):
        self.process.kill()
        self.process.wait(TIMEOUT_S)
        shutil.rmtree(self.folder)
