#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Values that lead to themselves or are shared many times over, and types that refer to each other, as `corbel` shows them.

usage: graphs_test.py CORBEL
"""

import json
import os
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import unittest

CORBEL = sys.argv[1]
TIMEOUT_S = 60
GRAPH = "module G { valuetype N { public N x; public N y; }; interface I { N get(); void put(in N node); }; };"
NODE = "IDL:G/N:1.0"


class Body:
    """Little-endian CDR behind a header of 12 octets and 12 of a reply's."""

    def __init__(self):
        self.octets = bytearray()

    def ulong(self, value):
        self.octets += b"\0" * (-len(self.octets) % 4) + struct.pack("<I", value & 0xffffffff)

    def back_to(self, place):
        self.ulong(0xffffffff)
        self.ulong(place - len(self.octets))

    def node(self, first):
        """The tag of a value, and its repository id; where it lies."""
        self.ulong(0x7fffff02)
        place = len(self.octets) - 4
        if first is None:
            self.ulong(len(NODE) + 1)
            self.octets += NODE.encode() + b"\0"
        else:
            self.back_to(first + 4)
        return place


def circle():
    body = Body()
    place = body.node(None)
    body.back_to(place)
    body.ulong(0)
    return bytes(body.octets)


def ladder(rungs):
    """Each value refers to the next one twice: so many values, and 2 ** so many ways."""
    body, places = Body(), []

    def rung(number):
        places.append(body.node(places[0] if places else None))
        if number == rungs:
            body.ulong(0)
            body.ulong(0)
        else:
            rung(number + 1)
            body.back_to(places[number + 1])

    rung(0)
    return bytes(body.octets)


def message(kind, body):
    return b"GIOP\x01\x02\x01" + bytes([kind]) + struct.pack("<I", len(body)) + body


def receive(peer):
    octets = b""
    while len(octets) < 12:
        more = peer.recv(12 - len(octets))
        if not more:
            return None
        octets += more
    size = struct.unpack("<I" if octets[6] & 1 else ">I", octets[8:12])[0]
    while len(octets) < 12 + size:
        octets += peer.recv(12 + size - len(octets))
    return octets


class Server:
    """Answers whatever it is asked with this result."""

    def __init__(self, result):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.result = result
        self.reference = f"corbaloc::1.2@127.0.0.1:{self.listener.getsockname()[1]}/k"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                peer, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(peer,), daemon=True).start()

    def serve(self, peer):
        with peer:
            while (request := receive(peer)) is not None:
                peer.sendall(message(1, request[12:16] + struct.pack("<II", 0, 0) + self.result))

    def close(self):
        self.listener.close()


class Graphs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.idl = self.write("g.idl", GRAPH)

    def tearDown(self):
        self.folder.cleanup()

    def write(self, name, text):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        return path

    def corbel(self, *arguments):
        return subprocess.run([CORBEL, *arguments], capture_output=True, text=True, timeout=TIMEOUT_S, check=False)

    def get(self, result):
        server = Server(result)
        try:
            done = self.corbel("call", server.reference, "get", "--idl", self.idl, "--interface", "G::I")
        finally:
            server.close()
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_a_circle_is_written_once(self):
        self.assertEqual(self.get(circle()), {"x": {"same_as": "/"}, "y": None})

    def test_a_sequence_of_itself_has_a_name_that_ends(self):
        # An any: tk_sequence, an encapsulation with an indirection to where it began, no bound; no elements.
        code = struct.pack("<II4sIiI", 19, 16, b"\1", 0xffffffff, -16, 0)
        server = Server(code + struct.pack("<I", 0))
        idl = self.write("a.idl", "interface A { any get(); };")
        try:
            done = self.corbel("call", server.reference, "get", "--idl", idl)
        finally:
            server.close()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["value"], [])
        self.assertIn("...", done.stdout)

    def test_what_is_shared_is_written_once(self):
        value, path = self.get(ladder(40)), ""
        for _ in range(39):
            path += "/x"
            self.assertEqual(value["y"], {"same_as": path})
            value = value["x"]

    def test_what_passes_a_tap_is_written_once(self):
        server = Server(b"")
        tapped = os.path.join(self.folder.name, "tapped.ior")
        tap = subprocess.Popen([CORBEL, "tap", server.reference, "--idl", self.idl, "--ior-file", tapped, "--json"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            line = tap.stderr.readline() + tap.stdout.readline() if not self.wait_for(tapped) else ""
            self.assertEqual(line, "")
            taken = json.loads(self.corbel("ior", tapped, "--json").stdout)
            port = next(iter(self.numbers(taken, "port")))
            for argument in (circle(), ladder(22)):
                self.put(port, argument)
            tap.terminate()
            output, _ = tap.communicate(timeout=TIMEOUT_S)
            self.assertEqual(tap.returncode, 0)
            self.assertEqual(output.count('"same_as":"/"'), 1)
            self.assertEqual(output.count('"same_as"'), 1 + 22)
        finally:
            tap.kill()
            tap.communicate()
            server.close()

    def put(self, port, argument):
        with socket.create_connection(("127.0.0.1", port)) as peer:
            peer.settimeout(TIMEOUT_S)
            # Padded: the body of a request begins at a multiple of eight, as that of a reply does.
            header = struct.pack("<IBBBBHHI", 2, 3, 0, 0, 0, 0, 0, 1) + b"k\0\0\0" + struct.pack("<I", 4) + b"put\0" + struct.pack("<I", 0)
            header += b"\0" * (-(12 + len(header)) % 8)
            peer.sendall(message(0, header + argument))
            self.assertIsNotNone(receive(peer))

    def test_a_circle_that_was_recorded_is_left_out_and_the_others_are_replayed(self):
        server = Server(b"")
        recorded, path = os.path.join(self.folder.name, "recorded.ior"), os.path.join(self.folder.name, "session.jsonl")
        record = subprocess.Popen([CORBEL, "record", server.reference, path, "--idl", self.idl, "--ior-file", recorded],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            self.assertTrue(self.wait_for(recorded))
            port = next(iter(self.numbers(json.loads(self.corbel("ior", recorded, "--json").stdout), "port")))
            for argument in (circle(), struct.pack("<I", 0)):
                self.put(port, argument)
            record.terminate()
            record.communicate(timeout=TIMEOUT_S)
            self.assertEqual(record.returncode, 0)
            done = self.corbel("replay", path, server.reference, "--idl", self.idl)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("line 2: put: node.", done.stderr)
            self.assertIn("1 calls, 0 with another end; 1 lines that cannot be used", done.stdout)
        finally:
            record.kill()
            record.communicate()
            server.close()

    @staticmethod
    def wait_for(path):
        for _ in range(TIMEOUT_S * 10):
            if os.path.exists(path) and os.path.getsize(path) > 0:
                return True
            threading.Event().wait(0.1)
        return False

    def numbers(self, json_value, name):
        inside = json_value.values() if isinstance(json_value, dict) else json_value if isinstance(json_value, list) else ()
        if isinstance(json_value, dict) and isinstance(json_value.get(name), int):
            yield json_value[name]
        for part in inside:
            yield from self.numbers(part, name)

    def test_types_that_refer_to_each_other_are_made_once(self):
        count = 40
        names = [f"V{number}" for number in range(count)]
        text = "module R { " + " ".join(f"valuetype {name};" for name in names)
        for number, name in enumerate(names):
            following = names[(number + 1) % count]
            text += f" valuetype {name} {{ public {following} a; public {following} b; }};"
        path = self.write("r.idl", text + " interface I { void put(in V0 v); }; };")
        server = Server(b"")
        try:
            done = self.corbel("call", server.reference, "put", "null", "--idl", path, "--interface", "R::I")
        finally:
            server.close()
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_types_whose_code_would_be_endless_are_refused(self):
        names = [f"V{number}" for number in range(12)]
        text = "module R { " + " ".join(f"valuetype {name};" for name in names)
        for name in names:
            text += f" valuetype {name} {{ " + " ".join(f"public {other} m{i};" for i, other in enumerate(names)) + " };"
        path = self.write("r.idl", text + " interface I { void put(in V0 v); }; };")
        server = Server(b"")
        try:
            done = self.corbel("call", server.reference, "put", "null", "--idl", path, "--interface", "R::I")
        finally:
            server.close()
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("refer to each other too often", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
