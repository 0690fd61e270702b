#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs `corbel-bridge` as people do.

usage: program_test.py CORBEL_BRIDGE
"""

import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import unittest

BRIDGE = sys.argv[1]
TIMEOUT_S = 20  # less than -ORBShutdownTimeout


def request(key, operation):
    """A request without arguments in GIOP 1.2, little-endian."""
    octets = struct.pack("<IB3xH2xI", 1, 3, 0, len(key)) + key
    octets += b"\0" * (-len(octets) % 4) + struct.pack("<I", len(operation) + 1) + operation + b"\0"
    octets += b"\0" * (-len(octets) % 4) + struct.pack("<I", 0)
    return b"GIOP\1\2\1\0" + struct.pack("<I", len(octets)) + octets


class ProgramTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="corbel_bridge_")
        self.addCleanup(shutil.rmtree, self.folder)

    def test_what_cannot_work_is_refused(self):
        for wrong, why in ((["--by-types"], "--idl"), (["x" * 70_000 + "=corbaloc::127.0.0.1:1/k"], "-ORBMaxObjectKey")):
            line = [BRIDGE, "--listen", "unix://" + self.folder + "/a", "--to", "corbaloc::127.0.0.1:1/k"]
            line += wrong if wrong[0].startswith("--") else ["--to", *wrong]
            done = subprocess.run(line, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(why, done.stderr)

    def test_a_second_signal_does_not_wait_for_a_silent_server(self):
        path = os.path.join(self.folder, "in")
        with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as client:
            line = [BRIDGE, "--listen", "unix://" + path, "--to", f"corbaloc::127.0.0.1:{server.getsockname()[1]}/k"]
            with subprocess.Popen(line, stdout=subprocess.PIPE) as bridge:
                self.addCleanup(bridge.kill)
                self.assertTrue(bridge.stdout.readline().startswith(b"IOR:"))
                client.settimeout(TIMEOUT_S)
                client.connect(path)
                client.sendall(request(b"k", b"wait"))
                server.settimeout(TIMEOUT_S)
                behind, _ = server.accept()
                with behind:
                    behind.settimeout(TIMEOUT_S)
                    self.assertEqual(behind.recv(4), b"GIOP")
                    bridge.send_signal(signal.SIGTERM)
                    bridge.send_signal(signal.SIGINT)
                    self.assertIn(bridge.wait(TIMEOUT_S), (-signal.SIGTERM, -signal.SIGINT))
                    self.assertEqual(client.recv(1), b"")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
