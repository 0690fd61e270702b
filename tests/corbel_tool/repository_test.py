#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`corbel` with types from an interface repository, which `corbel mock` plays.

usage: repository_test.py CORBEL SERVER IDL INTERFACE_REPOSITORY.IDL
"""

import contextlib
import copy
import json
import socket
import struct
import sys
import threading
import unittest

from between import BenchTest, Program, path_in, port_of

REPOSITORY_IDL = sys.argv[4]
EVERYTHING = {
    "flag": True, "small": 255, "letter": "x", "wide": "\u20ac", "s": -32768, "us": 65535, "l": -2147483648,
    "ul": 4294967295, "ll": -9223372036854775808, "ull": 18446744073709551615, "f": 0.5, "d": 1e300, "text": "t", "wtext": "\u03b1",
    "colour": "blue", "money": "-1234.50", "octets": "AAECAw==", "points": [{"x": 1, "y": 2.5}], "grid": [[1, 2, 3], [4, 5, 6]],
    "choice": {"discriminator": "green", "text": "t"}, "anything": {"type": "sequence<string>", "value": ["a", "b"]},
    "tree": {"name": "root", "children": [{"name": "leaf", "children": []}]},
}


def described(name, scope, **more):
    return {"name": name, "id": f"IDL:{scope}/{name}:1.0", "defined_in": f"IDL:{scope}:1.0", "version": "1.0", **more}


def operation(name, result, *parameters, raises=(), oneway=False):
    return described(
        name, "Test/Bench", result=result, mode="OP_ONEWAY" if oneway else "OP_NORMAL", contexts=[],
        parameters=[{"name": one, "type": kind, "type_def": None, "mode": "PARAM_" + way} for way, kind, one in parameters],
        exceptions=[described(one, "Test", type="Test::" + one) for one in raises])


BENCH = described(
    "Bench", "Test", base_interfaces=["IDL:Test/Base:1.0"], type="Test::Bench",
    attributes=[described("label", "Test/Bench", type="string", mode="ATTR_NORMAL"), described("count", "Test/Base", type="long", mode="ATTR_READONLY")],
    operations=[
        operation("echo", "Test::Everything", ("IN", "Test::Everything", "value")),
        operation("number", "Test::UNumber", ("IN", "Test::UNumber", "value")),
        operation("echo_object", "Object", ("IN", "Object", "value")),
        operation("divide", "long", ("IN", "long", "a"), ("IN", "long", "b"), ("OUT", "long", "rest"), raises=["Refused"]),
        operation("swap", "void", ("INOUT", "string", "a"), ("INOUT", "string", "b")),
        operation("shutdown", "void", oneway=True),
    ])


class Beside(threading.Thread):
    """Passes GIOP 1.2 on to a server, and answers `_interface` itself."""

    def __init__(self, port, definition):
        super().__init__(daemon=True)
        self.port = port
        self.definition = bytes.fromhex(definition[4:])
        self.listening = socket.create_server(("127.0.0.1", 0))

    def run(self):
        with contextlib.suppress(OSError):
            while True:
                client = self.listening.accept()[0]
                server = socket.create_connection(("127.0.0.1", self.port))
                for work in ((self.there, client, server), (self.back, server, client)):
                    threading.Thread(target=work[0], args=work[1:], daemon=True).start()

    @staticmethod
    def read(peer, size):
        octets = b""
        while len(octets) < size:
            more = peer.recv(size - len(octets))
            if not more:
                raise OSError
            octets += more
        return octets

    def there(self, client, server):
        with contextlib.suppress(OSError):
            while True:
                header = self.read(client, 12)
                order = "<" if header[6] & 1 else ">"
                body = self.read(client, struct.unpack(order + "I", header[8:])[0])
                operation_name = b""
                if header[7] == 0:
                    key_end = 16 + struct.unpack(order + "I", body[12:16])[0]
                    key_end += -key_end % 4
                    size = struct.unpack(order + "I", body[key_end:key_end + 4])[0]
                    operation_name = body[key_end + 4:key_end + 3 + size]
                if operation_name != b"_interface":
                    server.sendall(header + body)
                    continue
                mine = "<" if self.definition[0] else ">"
                reply = struct.pack(mine + "3I", struct.unpack(order + "I", body[:4])[0], 0, 0) + self.definition[4:]
                client.sendall(b"GIOP\1\2" + bytes([self.definition[0], 1]) + struct.pack(mine + "I", len(reply)) + reply)
        server.close()

    @staticmethod
    def back(server, client):
        with contextlib.suppress(OSError):
            while octets := server.recv(65536):
                client.sendall(octets)
        client.close()


class RepositoryTest(BenchTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.programs = []
        cls.definition = cls.mock("InterfaceDef", [
            {"operation": "describe_interface", "result": {"result": BENCH}}, {"operation": "_get_absolute_name", "result": {"result": "::Test::Bench"}}])
        answers = [{"operation": "lookup_id", "arguments": {"search_id": "IDL:Test/Bench:1.0"}, "result": {"result": cls.definition}},
                   {"operation": "lookup", "arguments": {"search_name": "::Test::Bench"}, "result": {"result": cls.definition}},
                   {"operation": "lookup_id", "result": {"result": None}}, {"operation": "lookup", "result": {"result": None}}]
        cls.repository = cls.mock("Repository", answers)

    @classmethod
    def tearDownClass(cls):
        for program in cls.programs:
            program.close()
        super().tearDownClass()

    @classmethod
    def mock(cls, interface, answers, idl=REPOSITORY_IDL):
        path = path_in(cls.folder, f"answers{len(cls.programs)}.jsonl")
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(one) + "\n" for one in answers)
        program = Program(cls.bench.corbel_path, "mock", path, "--idl", idl, "--idl", cls.bench.idl, "--interface", "CORBA::" + interface)
        cls.programs.append(program)
        return program.line()

    def corbel(self, *arguments, status=0):
        return self.bench.run(*arguments, status=status)

    def test_calls_take_their_types_from_a_repository(self):
        for repository in (self.repository, self.definition):
            call = lambda *words, status=0: self.corbel("call", self.bench.reference, "--ir", repository, *words, status=status)
            self.assertEqual(json.loads(call("divide", "17", "5")), {"result": 3, "rest": 2})
            self.assertEqual(json.loads(call("echo", json.dumps(EVERYTHING))), EVERYTHING)
            self.assertEqual(json.loads(call("number", '{"small": 5}')), {"discriminator": 1, "small": 5})
            self.assertEqual(json.loads(call("swap", "x", "y")), {"a": "y", "b": "x"})
            self.assertEqual(call("count").strip(), "42")
            self.assertIn("raised Test::Refused", call("divide", "1", "0", status=1))
            self.assertIn("has 'nothing'", call("nothing", status=2))
        done = json.loads(self.corbel("bench", self.bench.reference, "count", "--ir", self.repository, "-n", "5", "--json"))
        self.assertEqual((done["calls"], done["errors"]), (5, {}))

    def test_a_repository_is_asked_by_id_or_by_name(self):
        url = self.corbel("ior", self.bench.reference, "--to", "corbaloc").strip()
        call = lambda *words, status=0: self.corbel("call", url, "count", "--ir", self.repository, *words, status=status)
        self.assertEqual(call().strip(), "42")  # the server says what it is
        for name in ("Test::Bench", "::Test::Bench", "IDL:Test/Bench:1.0"):
            self.assertEqual(call("--interface", name).strip(), "42")
        self.assertIn("does not know 'Test::Other'", call("--interface", "Test::Other", status=2))

    def test_what_a_repository_tells_is_described_as_its_idl_would_be(self):
        def contents(text):
            one = json.loads(text)[0]
            return one["name"], one["id"], one["bases"], {part["name"]: part for part in one["contents"]}

        of_idl = contents(self.corbel("describe", self.bench.reference, "--idl", self.bench.idl, "--json"))
        for name in ("echo_extended", "echo_any"):  # these are not in it
            del of_idl[3][name]
        self.assertEqual(contents(self.corbel("describe", self.bench.reference, "--ir", self.repository, "--json")), of_idl)
        self.assertEqual(contents(self.corbel("describe", "--ir", self.definition, "--json")), of_idl)
        self.assertEqual(contents(self.corbel("describe", "--ir", self.repository, "--interface", "Test::Bench", "--json")), of_idl)
        self.assertIn("--interface", self.corbel("describe", "--ir", self.repository, status=2))
        self.assertIn("divide", self.corbel("list", self.bench.reference, "--ir", self.repository).split("\n"))

    def test_a_repository_of_corba_2_says_whether_an_interface_is_abstract_too(self):
        older = path_in(self.folder, "older.idl")
        with open(REPOSITORY_IDL, encoding="ascii") as new, open(older, "w", encoding="ascii") as file:
            whole, what = new.read(), "      TypeCode type;\n    };\n\n    attribute InterfaceDefSeq base_interfaces;"
            self.assertEqual(whole.count(what), 1)
            file.write(whole.replace(what, what.replace("    };", "      boolean is_abstract;\n    };")))
        definition = self.mock("InterfaceDef", [{"operation": "describe_interface", "result": {"result": dict(BENCH, is_abstract=False)}},
                                                {"operation": "_get_absolute_name", "result": {"result": "::Test::Bench"}}], older)
        self.assertEqual(json.loads(self.corbel("call", self.bench.reference, "--ir", definition, "divide", "17", "5")), {"result": 3, "rest": 2})

    def test_a_mock_takes_its_interface_from_a_repository(self):
        for options in (("--ir", self.repository, "--interface", "Test::Bench"), ("--ir", self.definition)):
            with self.bench.between("mock", "--defaults", *options) as mock:
                self.assertEqual(self.bench.call(mock.reference, "divide", "7", "2"), {"result": 0, "rest": 0})
        self.assertIn("--idl or --ir", self.corbel("mock", "--defaults", status=2))

    def test_an_object_leads_to_its_interface(self):
        silent = Program(sys.argv[2], "silent", "-ORBListenEndpoints", "tcp://127.0.0.1:0")
        beside = None
        try:
            reference = silent.line()
            port = port_of(self.bench, reference)
            beside = Beside(port, self.definition)
            beside.start()
            key = self.corbel("ior", reference, "--to", "corbaloc").strip().partition("/")[2]
            url = f"corbaloc:iiop:1.2@127.0.0.1:{beside.listening.getsockname()[1]}/{key}"
            self.assertEqual(json.loads(self.corbel("call", url, "divide", "17", "5")), {"result": 3, "rest": 2})
            self.assertIn("interface Test::Bench : Test::Base {", self.corbel("describe", url))
            self.assertIn("no interface repository does", self.corbel("call", reference, "count", status=2))
        finally:
            silent.close()
            if beside is not None:
                beside.listening.close()

    def test_what_a_repository_says_is_not_trusted(self):
        escapes = "\x1b]0;x\x07\x1b[2J"
        for change in ({"name": escapes}, {"id": "IDL:Test/" + escapes + ":1.0"}, {"base_interfaces": ["IDL:" + escapes + ":1.0"]},
                       {"operations": [dict(BENCH["operations"][0], name=escapes)]}, {"attributes": [dict(BENCH["attributes"][0], name="")]},
                       {"operations": [dict(BENCH["operations"][3], exceptions=[described("Refused", "Test", type="long")])]}):
            lie = copy.deepcopy(BENCH)
            lie.update(change)
            liar = self.mock("InterfaceDef", [{"operation": "describe_interface", "result": {"result": lie}},
                                              {"operation": "_get_absolute_name", "result": {"result": escapes}}])
            said = self.corbel("describe", "--ir", liar, status=2)
            self.assertIn("the interface repository tells", said)
            self.assertNotIn("\x1b", said)
            self.programs[-1].close()
        # What is no repository at all.
        self.assertIn("BAD_OPERATION", self.corbel("describe", "--ir", self.bench.reference, status=3))
        self.corbel("describe", "--ir", "corbaloc::127.0.0.1:1/x", status=4)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
