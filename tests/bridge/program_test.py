#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs `corbel-bridge` as people do.

usage: program_test.py CORBEL_BRIDGE
"""

import os
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import unittest

BRIDGE = sys.argv[1]
TIMEOUT_S = 100


def text(octets, at):
    """A string that begins at this position of a message."""
    return b"\0" * (-at % 4) + struct.pack("<I", len(octets) + 1) + octets + b"\0"


def request(key, operation, body=b""):
    """A request in GIOP 1.2, little-endian."""
    octets = struct.pack("<IB3xH2xI", 1, 3, 0, len(key)) + key
    octets += text(operation, len(octets))
    octets += b"\0" * (-len(octets) % 4) + struct.pack("<I", 0)
    if body:
        octets += b"\0" * (-(len(octets) + 12) % 8) + body
    return b"GIOP\1\2\1\0" + struct.pack("<I", len(octets)) + octets


VALUE, ONE_ID, CHUNKED = 0x7FFFFF00, 2, 8
VALUES = """
module M {
  interface Guest {};
  valuetype Base { public long number; };
  valuetype Derived : Base { public string words; };
  valuetype Host : Base { public Guest who; };
  custom valuetype Odd {};
  interface Target {
    void take(in Base one, in any other);
    void look(in Base one);
    void keep(in Odd one, in Odd two, in Guest who);
    void after(in Host one, in Odd two);
  };
};
"""


def value(name, state, flags=0):
    """One with a repository id, at the beginning of a body; `state` is a function of its position."""
    octets = struct.pack("<I", VALUE | ONE_ID | flags)
    octets += text(b"IDL:M/" + name + b":1.0", len(octets))
    octets += b"\0" * (-len(octets) % 4)
    return octets + state(len(octets))


def reference(key):
    """Of a Guest; at a multiple of four."""
    octets = text(b"IDL:M/Guest:1.0", 0)
    profile = b"\1\1\2\0" + text(b"127.0.0.1", 0)
    profile += b"\0" * (-len(profile) % 2) + struct.pack("<H", 1)
    profile += b"\0" * (-len(profile) % 4) + struct.pack("<I", len(key)) + key
    profile += b"\0" * (-len(profile) % 4) + struct.pack("<I", 0)
    return octets + b"\0" * (-len(octets) % 4) + struct.pack("<III", 1, 0, len(profile)) + profile


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

    def passed(self, operation, body, *options):
        """What the server gets of a request with this body, through a bridge that knows VALUES; or what the bridge answers."""
        path = os.path.join(self.folder, "in")
        idl = os.path.join(self.folder, "values.idl")
        with open(idl, "w", encoding="utf-8") as file:
            file.write(VALUES)
        with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as client:
            line = [BRIDGE, "--listen", "unix://" + path, "--to", f"corbaloc::1.2@127.0.0.1:{server.getsockname()[1]}/k", "--idl", idl, *options]
            with subprocess.Popen(line, stdout=subprocess.PIPE) as bridge:
                try:
                    self.assertTrue(bridge.stdout.readline().startswith(b"IOR:"))
                    client.settimeout(TIMEOUT_S)
                    client.connect(path)
                    client.sendall(request(b"k", operation, body))
                    server.settimeout(TIMEOUT_S)
                    behind, _ = server.accept()
                    with behind:
                        heard, _, _ = select.select([behind, client], [], [], TIMEOUT_S)
                        got = heard[0].recv(65536) if heard else b""
                finally:
                    bridge.kill()
        self.assertEqual(got[:4], b"GIOP")
        return got

    def test_values_whose_type_derives_from_the_declared_one_are_passed_on(self):
        for options in ((), ("--by-types",)):
            body = value(b"Derived", lambda at: struct.pack("<I", 7) + text(b"words", at + 4)) + b"\0\0" + struct.pack("<I", 0)
            self.assertTrue(self.passed(b"take", body, *options).endswith(body), options)

    def test_references_in_such_values_lead_through_the_bridge(self):
        body = value(b"Host", lambda at: struct.pack("<I", 7) + reference(b"key of the guest"))
        got = self.passed(b"look", body)
        self.assertIn(b"IDL:M/Host:1.0", got)
        self.assertIn(b"IDL:M/Guest:1.0", got)
        self.assertNotIn(b"key of the guest", got)

    def test_custom_values_are_passed_on_as_they_are(self):
        one = value(b"Odd", lambda at: struct.pack("<i", 12) + b"twelve octet" + struct.pack("<i", -1), CHUNKED)
        two = struct.pack("<Ii", 0xFFFFFFFF, -len(one) - 4)
        got = self.passed(b"keep", one + two + reference(b"key of the guest"))
        self.assertIn(one + two, got)
        self.assertNotIn(b"key of the guest", got)
        # In them may be positions of other values, which are others once a reference before them has changed.
        host = value(b"Host", lambda at: struct.pack("<I", 7) + reference(b"key of the guest"))
        host += b"\0" * (-len(host) % 4)
        back = value(b"Odd", lambda at: struct.pack("<iIii", 8, 0xFFFFFFFF, -(len(host) + at + 8), -1), CHUNKED)
        self.assertIn(b"CORBA/MARSHAL", self.passed(b"after", host + back))

    def test_a_second_signal_does_not_wait_for_a_silent_server(self):
        path = os.path.join(self.folder, "in")
        with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as client:
            line = [BRIDGE, "--listen", "unix://" + path, "--to", f"corbaloc::127.0.0.1:{server.getsockname()[1]}/k",
                    "-ORBShutdownTimeout", "600000"]  # longer than this test waits
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
