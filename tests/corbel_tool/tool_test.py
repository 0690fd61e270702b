#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs `corbel` as a person would, against a server of its own.

usage: tool_test.py CORBEL SERVER IDL
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

CORBEL, SERVER, IDL = sys.argv[1:4]
# A reference of omniORB 4.3.4 with its library for ZIOP.
OMNIORB_COMPRESSES = (
    "IOR:010000000f00000049444c3a5a2f4563686f3a312e300000010000000000000090000000010102000a0000003132372e"
    "302e302e310071ad0e000000fe83890a6b0000134b0000000000000003000000000000000800000001000000005454410100"
    "00001c000000010000000100010001000000010001050901010001000000090101000200000028000000010111a902000000"
    "400000000200000001011588410000000c000000010111a90100000004000600")
TIMEOUT_S = 100

EVERYTHING = {
    "flag": True, "small": 255, "letter": "x", "wide": "\u20ac", "s": -32768, "us": 65535, "l": -2147483648,
    "ul": 4294967295, "ll": -9223372036854775808, "ull": 18446744073709551615, "f": 0.5, "d": 1e300, "text": "gr\u00fc\u00dfe",
    "wtext": "\u03b1\U0001F600", "colour": "blue", "money": "-1234.50", "octets": "AAECAw==", "points": [{"x": 1, "y": 2.5}],
    "grid": [[1, 2, 3], [4, 5, 6]], "choice": {"discriminator": "green", "text": "t"},
    "anything": {"type": "sequence<string>", "value": ["a", "b"]},
    "tree": {"name": "root", "children": [{"name": "leaf", "children": []}]},
}


class CorbelTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = subprocess.Popen([SERVER, "-ORBListenEndpoints", "tcp://127.0.0.1:0"], stdout=subprocess.PIPE, text=True)
        cls.reference = cls.server.stdout.readline().strip()

    @classmethod
    def tearDownClass(cls):
        done = subprocess.run([CORBEL, "call", cls.reference, "shutdown", "--idl", IDL], timeout=TIMEOUT_S, check=False)
        cls.server.stdout.close()
        if done.returncode != 0:
            cls.server.kill()
        assert cls.server.wait(TIMEOUT_S) == 0

    def corbel(self, *arguments, status=0):
        done = subprocess.run([CORBEL, *arguments], capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout if status == 0 else done.stdout + done.stderr

    def test_what_is_said_does_nothing_to_the_terminal(self):
        escapes = "\x1b]0;x\x07\x1b[2J"
        octets = json.dumps({"type": "Test::OctetList", "value": {"file": escapes}})
        for arguments in (["ior", "corbaloc:rir:/" + escapes], ["ior", "file:///" + escapes], ["call", escapes, "_non_existent"],
                          ["call", "corbaloc:rir:/%1b]0;x%07%1b[2J", "_non_existent"],
                          ["call", self.reference, "echo_any", "--idl", IDL, "--", octets]):
            said = self.corbel(*arguments, status=2)
            self.assertNotIn("\x1b", said)
            self.assertNotIn("\x07", said)

    def test_what_is_no_file_is_not_waited_for(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "fifo")
            os.mkfifo(path)
            self.assertIn("nor a file", self.corbel("ior", path, status=2))

    def test_numbers_are_numbers(self):
        self.assertIn("nan", self.corbel("top", "-i", "nan", "localhost:1", status=2))
        self.assertIn("nan", self.corbel("bench", self.reference, "_non_existent", "--rate", "nan", status=2))

    def call(self, operation, *arguments, status=0, options=()):
        text = self.corbel("call", self.reference, operation, "--idl", IDL, *options, "--", *arguments, status=status)
        return json.loads(text) if status == 0 and text.strip() else text

    def test_values_of_every_type_come_back_as_they_went(self):
        self.assertEqual(self.call("echo", json.dumps(EVERYTHING)), EVERYTHING)
        for said, call, value in (("value: 'no", "echo_object", "nowhere"), ("value: BAD_PARAM", "echo_object", "corbaloc:"), ("value.text: ", "echo", dict(EVERYTHING, text="a\0b"))): self.assertIn(said, self.call(call, json.dumps(value), status=2))

    def test_maps_bits_and_optional_members_come_back_as_they_went(self):
        some = {"may": ["read", "owner"], "old": [], "first": {"kind": 7, "last": True, "size": 2**40 - 1, "turn": -16},
                "people": {"ann": ["write"], "bob": []}, "sites": [{"key": -1, "value": {"x": 1, "y": 0.5}}],
                "nested": {"green": {"a": 1}}, "note": "n", "more": {"kind": 0, "last": False}}
        self.assertEqual(self.call("echo_extended", json.dumps(some)), some)
        none = dict(some, people={}, sites=[], nested={}, note=None, more=None)
        self.assertEqual(self.call("echo_extended", json.dumps(none)), none)
        del none["note"], none["more"]
        self.assertEqual(self.call("echo_extended", json.dumps(none)), dict(none, note=None, more=None))
        as_any = {"type": "Test::Users", "value": some["people"]}
        self.assertEqual(self.call("echo_any", json.dumps(as_any)), as_any)
        for change, said in (({"may": ["rite"]}, '"rite" is none of read, write, owner'), ({"may": 3}, "an array of the names"),
                             ({"first": {"kind": 8, "last": True, "size": 1, "turn": 0}}, "value.first.kind: 8 is no whole number from 0 to 7"),
                             ({"first": {"kind": 1, "last": True, "size": -1, "turn": 0}}, f"size: -1 is no whole number from 0 to {2**40 - 1}"),
                             ({"first": {"kind": 1, "last": True, "size": 1, "turn": 16}}, "turn: 16 is no whole number from -16 to 15"),
                             ({"first": {"kind": 1, "last": True, "size": 1, "turn": -17}}, "turn: -17 is no whole number from -16 to 15"),
                             ({"first": {"kind": 1, "size": 1, "turn": 1}}, "field 'last' is missing"), ({"sites": {"x": {"x": 1, "y": 1}}}, "is no number"),
                             ({"first": {"kind": 1, "last": 1, "size": 1, "turn": 1}}, "neither true nor false"), ({"note": 5}, "is no text"),
                             ({"first": {"kind": 1, "last": True, "size": 1, "turn": 1, "x": 1}}, "no other fields than kind, last, size, turn")):
            self.assertIn(said, self.call("echo_extended", json.dumps(dict(some, **change)), status=2))
        many = dict(some, nested={"red": {}, "green": {}, "blue": {}})
        self.assertEqual(self.call("echo_extended", json.dumps(many)), many)
        twice = dict(some, sites=[{"key": 1, "value": {"x": 1, "y": 1}}] * 2)
        self.assertIn("MARSHAL", self.call("echo_extended", json.dumps(twice), status=3))

    def test_floating_point_values_that_are_no_numbers(self):
        value = dict(EVERYTHING, f="-Infinity", d="NaN")
        self.assertEqual(self.call("echo", json.dumps(value)), value)

    def test_octets_come_from_a_file_or_an_array(self):
        with tempfile.NamedTemporaryFile() as file:
            file.write(bytes(range(4)))
            file.flush()
            for octets in ({"file": file.name}, [0, 1, 2, 3]):
                self.assertEqual(self.call("echo", json.dumps(dict(EVERYTHING, octets=octets))), EVERYTHING)

    def test_an_argument_that_is_an_array_is_one_argument(self):
        grid = json.dumps([[1, 2, 3], [4, 5, 6]])
        self.assertEqual(self.call("echo_any", json.dumps({"type": "Test::GridArray", "value": json.loads(grid)}))["value"], json.loads(grid))
        for text in ("[1,2,3]", "[]", '["x"]', "[a,b]", "[" * 50000 + "]" * 50000):
            answer = self.call("divide", text, "2", status=2)
            self.assertNotIn("missing", answer)
            self.assertNotIn("too many", answer)
        self.assertEqual(self.call("swap", "[x", "y]"), {"a": "y]", "b": "[x"})
        self.assertEqual(self.call("swap", "[a,b]", "y"), {"a": "y", "b": "[a,b]"})

    def test_unions_are_chosen_by_member_or_discriminator(self):
        for given, back in (({"number": 7}, {"discriminator": "red", "number": 7}),
                            ({"point": {"x": 1, "y": 0.5}}, {"discriminator": "blue", "point": {"x": 1, "y": 0.5}})):
            self.assertEqual(self.call("echo", json.dumps(dict(EVERYTHING, choice=given)))["choice"], back)
        self.assertEqual(self.call("number", '{"discriminator": 2, "small": 5}'), {"discriminator": 2, "small": 5})
        self.assertEqual(self.call("number", '{"small": 5}'), {"discriminator": 1, "small": 5})
        self.assertEqual(self.call("number", '{"discriminator": 9}'), {"discriminator": 9})
        self.assertIn("does not select", self.call("number", '{"discriminator": 3, "small": 5}', status=2))

    def test_anys_take_named_types_and_plain_values(self):
        for given, back in (('"text"', {"type": "string", "value": "text"}), ("5", {"type": "long", "value": 5}),
                            ("true", {"type": "boolean", "value": True}),
                            ('{"type": "Test::SPoint", "value": {"x": 1, "y": 2.0}}', {"type": "Test::SPoint", "value": {"x": 1, "y": 2.0}}),
                            ('{"type": "sequence<Test::EColour>", "value": ["red"]}', {"type": "sequence<Test::EColour>", "value": ["red"]})):
            self.assertEqual(self.call("echo_any", given), back)
        self.assertIn("names no type", self.call("echo_any", '{"type": "Nobody", "value": 1}', status=2))

    def test_arguments_by_position_and_by_name_and_what_comes_back(self):
        self.assertEqual(self.call("divide", "17", "5"), {"result": 3, "rest": 2})
        self.assertEqual(self.call("divide", "b=5", "a=17"), {"result": 3, "rest": 2})
        self.assertEqual(self.call("swap", "left", "right"), {"a": "right", "b": "left"})

    def test_attributes_are_read_and_written_also_inherited_ones(self):
        self.assertEqual(self.call("count"), 42)
        self.call("label", "new")
        self.assertEqual(self.call("label"), "new")
        self.assertIn("readonly", self.call("count", "1", status=2))

    def test_calls_are_repeated_at_a_rate_and_sent_without_waiting(self):
        begin = time.monotonic()
        said = self.corbel("call", self.reference, "count", "--idl", IDL, "--repeat", "5", "--rate", "10")
        self.assertEqual(said.split(), ["42"] * 5)
        self.assertGreaterEqual(time.monotonic() - begin, 0.4)
        # The server refuses, and no caller waits to hear it.
        self.assertEqual(self.corbel("call", self.reference, "divide", "1", "0", "--idl", IDL, "--oneway"), "")

    def test_exceptions_print_their_members_and_have_a_status_of_their_own(self):
        self.assertIn('{"why":"division by nothing","code":3}', self.call("divide", "3", "0", status=1))
        raised = json.loads(self.call("divide", "3", "0", status=1, options=["--json"]))
        self.assertEqual(raised, {"exception": "Test::Refused", "members": {"why": "division by nothing", "code": 3}})

    def test_references_go_there_and_back(self):
        self.assertTrue(self.call("echo_object", self.reference).startswith("IOR:"))
        self.assertEqual(self.call("echo_object", "null"), "")

    def test_what_is_wrong_with_an_argument_is_said_and_where(self):
        for change, said in (({"s": 40000}, "value.s: 40000 is too large"), ({"colour": "pink"}, "red, green, blue"),
                             ({"grid": [[1, 2, 3]]}, "1 elements, not 2"), ({"extra": 1}, "no member 'extra'"),
                             ({"letter": "xy"}, "not one character"), ({"octets": "?"}, "base64"), ({"flag": 1}, "neither true nor false"),
                             ({"f": 1e39}, "value.f: 1e+39 is out of range (a number from -3.4028234663852886e+38 to"),
                             ({"f": -3.5e38}, "value.f: -3.5e+38 is out of range")):
            self.assertIn(said, self.call("echo", json.dumps(dict(EVERYTHING, **change)), status=2))
        largest = self.call("echo", json.dumps(dict(EVERYTHING, f=3.4028235e38)))
        self.assertEqual(largest["f"], 3.4028234663852886e38)
        for given, said in (('{"small": 5, "small": 6}', "the member 'small'"), ('{"point": {"x": 1, "y": 2, "x": 3}}', "the member 'x'")):
            self.assertIn(f"value: {said} is there twice", self.call("number", given, status=2))
        self.assertEqual(self.call("echo_any", '{"type": "sequence<Test::SPoint>", "value": [{"x": 1, "y": 2}, {"x": 1, "y": 2}]}')["value"],
                         [{"x": 1, "y": 2}] * 2)
        self.assertIn("argument 'b' is missing: divide(long a, long b)", self.call("divide", "1", status=2))
        self.assertIn("too many arguments", self.call("divide", "1", "2", "3", status=2))
        self.assertIn("has 'nothing'", self.call("nothing", status=2))

    def test_the_operations_of_every_object_need_no_idl(self):
        self.assertEqual(self.corbel("call", self.reference, "_is_a", "IDL:Test/Base:1.0").strip(), "true")
        self.assertEqual(self.corbel("call", self.reference, "_non_existent").strip(), "false")
        self.assertEqual(self.corbel("call", self.reference, "_repository_id").strip(), '"IDL:Test/Bench:1.0"')

    def test_nobody_there_is_a_status_of_its_own(self):
        self.assertIn("refused", self.corbel("call", "corbaloc::127.0.0.1:1/x", "_non_existent", status=4))
        self.assertIn("neither a reference", self.corbel("call", "nothing", "_non_existent", status=2))

    def test_a_reference_is_taken_apart_and_written_in_other_forms(self):
        parts = json.loads(self.corbel("ior", self.reference, "--json"))
        self.assertEqual(parts["type_id"], "IDL:Test/Bench:1.0")
        iiop = [one for one in parts["profiles"] if one["profile"] == "IIOP"][0]
        self.assertEqual(iiop["host"], "127.0.0.1")
        self.assertIn({"component": "ORB type", "orb": "Corbel", "value": "0x43424c00 'CBL'"}, iiop["components"])
        parts = json.loads(self.corbel("ior", OMNIORB_COMPRESSES, "--json"))
        self.assertIn({"component": "policies", "policies": ["compression", "compressors zlib:6"]}, parts["profiles"][0]["components"])
        url = self.corbel("ior", self.reference, "--to", "corbaloc").strip()
        self.assertEqual(self.corbel("call", url, "_non_existent").strip(), "false")
        self.assertTrue(self.corbel("ior", url, "--to", "ior").startswith("IOR:"))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "file.ior")
            with open(path, "w", encoding="ascii") as file:
                file.write(self.reference + "\n")
            self.assertEqual(self.corbel("ior", path, "--json"), self.corbel("ior", self.reference, "--json"))
        self.assertIn("no well-formed IOR", self.corbel("ior", "IOR:00", status=2))
        for url in ("corbaloc:xx", "corbaloc::host:99999/x", "corbaloc:"):
            self.assertIn("malformed address", self.corbel("ior", url, status=2))
        for text in ("IOR:00", "corbaloc:xx"):
            self.corbel("call", text, "count", "--idl", IDL, status=2)

    def test_what_a_reference_says_does_nothing_to_the_terminal(self):
        hostile = "corbaloc::127.0.0.1:1/key"
        octets = bytes.fromhex(self.corbel("ior", hostile, "--to", "ior").strip()[4:])
        shown = self.corbel("ior", "IOR:" + octets.replace(b"127.0.0.1", b"\x1b[31m.0.1").hex())
        self.assertNotIn("\x1b", shown)
        self.assertIn("has no place in a URL",
                      self.corbel("ior", "IOR:" + octets.replace(b"127.0.0.1", b"\x1b[31m.0.1").hex(), "--to", "corbaloc", status=2))

    def test_an_object_is_described_by_its_most_derived_interface(self):
        text = self.corbel("describe", self.reference, "--idl", IDL)
        self.assertIn("interface Test::Bench : Test::Base {", text)
        self.assertIn("  long divide(in long a, in long b, out long rest) raises (Test::Refused);", text)
        self.assertIn("  readonly attribute long count;", text)
        self.assertNotIn("interface Test::Base {", text)
        self.assertEqual(self.corbel("describe", "--idl", IDL, self.reference), text)
        described = json.loads(self.corbel("describe", self.reference, "--idl", IDL, "--json"))
        self.assertEqual([(one["name"], one["id"], one["bases"]) for one in described],
                         [("Test::Bench", "IDL:Test/Bench:1.0", ["Test::Base"])])
        contents = {one["name"]: one for one in described[0]["contents"]}
        self.assertEqual(contents["divide"], {
            "name": "divide", "kind": "operation", "oneway": False, "result": "long", "parameters": [
                {"direction": "in", "type": "long", "name": "a"}, {"direction": "in", "type": "long", "name": "b"},
                {"direction": "out", "type": "long", "name": "rest"}], "raises": ["Test::Refused"], "interface": "Test::Bench"})
        self.assertEqual(contents["count"], {"name": "count", "kind": "attribute", "readonly": True, "type": "long", "getraises": [],
                                             "setraises": [], "interface": "Test::Base"})

    def test_names_of_what_an_object_or_a_file_has_are_listed(self):
        names = self.corbel("list", self.reference).split("\n")
        self.assertIn("divide", names)
        self.assertIn("count", names)
        self.assertEqual(self.corbel("list", self.reference, "--idl", IDL).split("\n"), names)
        self.assertIn({"name": "count", "kind": "readonly attribute", "interface": "Test::Base"},
                      json.loads(self.corbel("list", self.reference, "--json")))
        self.assertIn("Test::Base", self.corbel("list", "--idl", IDL).split("\n"))
        self.assertIn("name an object", self.corbel("list", status=2))

    def test_a_failure_says_where_its_minor_code_is_explained(self):
        with open(os.path.join(os.path.dirname(__file__), "../../docs/errors.md"), encoding="utf-8") as file:
            document = file.read()
        self.assertIn("\n## Minor codes\n", document)
        said = self.corbel("call", "corbaloc::127.0.0.1:1/x", "_non_existent", status=4)
        self.assertIn("see docs/errors.md#minor-codes: connect (2), refused (1)", said)
        for row in ("| connect | 2 |", "| refused | 1 |", "| BAD_OPERATION | 2 | `kUnknownOperation` |"):
            self.assertIn(row, document)
        with tempfile.TemporaryDirectory() as folder:
            other = os.path.join(folder, "other.idl")
            with open(other, "w", encoding="ascii") as file:
                file.write("interface Other { void missing(); };\n")
            self.assertIn("see docs/errors.md#minor-codes: BAD_OPERATION 2, kUnknownOperation",
                          self.corbel("call", self.reference, "missing", "--idl", other, status=3))

    def test_calls_obey_policies(self):
        for policy in ("SyncScope=SYNC_WITH_TARGET", "RelativeRoundtripTimeout=30000", "ConnectionTimeout=9000", "Rebind=NO_REBIND"):
            self.assertEqual(self.corbel("call", self.reference, "count", "--policy", policy).strip(), "42")
        for wrong, why in (("Nonsense=1", "with one of Rel"), ("SyncScope", "SYNC_NONE"), ("Rebind=NO", "NO_REBIND"),
                           ("RelativeRoundtripTimeout=0", "from 1 to"), ("ConnectionTimeout=1x", "from 1 to"), ("", "with one of")):
            self.assertIn(why, self.corbel("call", self.reference, "count", "--policy", wrong, status=2))
        with socket.socket() as silent:  # takes connections, and answers nothing
            silent.bind(("127.0.0.1", 0))
            silent.listen()
            url = f"corbaloc::127.0.0.1:{silent.getsockname()[1]}/x"
            self.assertIn("TIMEOUT", self.corbel("call", url, "_non_existent", "--policy", "RelativeRoundtripTimeout=100", status=4))

    def test_files_and_an_object_are_described_in_any_order(self):
        with tempfile.TemporaryDirectory() as folder:
            more = os.path.join(folder, "more.idl")
            with open(more, "w", encoding="ascii") as file:
                file.write("interface More { void most(); };\n")
            both = self.corbel("describe", "--idl", IDL, "--idl", more)
            self.assertIn("interface Test::Base {", both)
            self.assertIn("interface More {", both)
            self.assertEqual(self.corbel("describe", "--idl", IDL, more), both)
            own = self.corbel("describe", self.reference, "--idl", IDL)
            for arguments in (["--idl", IDL, more, self.reference], ["-I", folder, self.reference, "--idl", IDL],
                              ["--idl", IDL, "-I", folder, self.reference]):
                self.assertEqual(self.corbel("describe", *arguments), own)
        self.assertIn("one object at a time", self.corbel("describe", "--idl", IDL, self.reference, "IOR:00", status=2))

    def test_a_server_that_tells_its_interfaces_needs_no_idl(self):
        self.assertEqual(json.loads(self.corbel("call", self.reference, "divide", "17", "5")), {"result": 3, "rest": 2})
        self.assertEqual(json.loads(self.corbel("call", self.reference, "echo", json.dumps(EVERYTHING))), EVERYTHING)
        text = self.corbel("describe", self.reference)
        self.assertIn("interface Test::Bench : Test::Base {", text)
        self.assertNotIn("Reflected", text)
        done = json.loads(self.corbel("bench", self.reference, "count", "-n", "5", "--json"))
        self.assertEqual((done["calls"], done["errors"]), (5, {}))
        self.assertIn("has 'nothing'", self.corbel("call", self.reference, "nothing", status=2))
        with tempfile.TemporaryDirectory() as folder:  # nothing is left behind
            done = subprocess.run([CORBEL, "call", self.reference, "count"], capture_output=True, text=True, timeout=TIMEOUT_S, check=True,
                                  env=dict(os.environ, TMPDIR=folder))
            self.assertEqual((done.stdout.strip(), os.listdir(folder)), ("42", []))

    def test_a_server_that_tells_nothing_is_said(self):
        with subprocess.Popen([SERVER, "silent", "-ORBListenEndpoints", "tcp://127.0.0.1:0"], stdout=subprocess.PIPE, text=True) as server:
            try:
                reference = server.stdout.readline().strip()
                for command in (["call", reference, "count"], ["describe", reference]):
                    said = self.corbel(*command, status=2)
                    self.assertIn("--idl", said)
                    self.assertIn("does not tell its interfaces", said)
            finally:
                server.kill()

    def test_bench_counts_calls_and_errors(self):
        done = json.loads(self.corbel("bench", self.reference, "count", "--idl", IDL, "-n", "200", "-c", "2", "--warm-up", "5", "--json"))
        self.assertEqual((done["loop"], done["calls"], done["errors"]), ("closed", 200, {}))
        latency = done["latency_us"]
        order = [latency[name] for name in ("min", "p50", "p90", "p99", "p99.9", "max")]
        self.assertEqual(order, sorted(order))
        self.assertGreater(latency["min"], 0)
        self.assertIn("20 calls in", self.corbel("bench", self.reference, "echo_any", "1", "--idl", IDL, "-n", "20"))
        failed = self.corbel("bench", self.reference, "divide", "1", "0", "--idl", IDL, "-n", "20", status=2)
        self.assertIn("Refused", failed)
        self.assertIn("refused", self.corbel("bench", "corbaloc::127.0.0.1:1/x", "count", "--idl", IDL, "-n", "5", status=4))

    def test_bench_tells_how_it_was_as_time_passed_and_writes_a_page(self):
        folder = tempfile.mkdtemp(prefix="corbel_tool_")
        self.addCleanup(shutil.rmtree, folder)
        page = os.path.join(folder, "bench.html")
        done = json.loads(self.corbel("bench", self.reference, "divide", "17", "5", "--idl", IDL, "-n", "500", "-r", "1000", "--json", "--html", page))
        self.assertEqual(sum(count for _, count in done["histogram_us"]), 500)
        bounds = [last for last, _ in done["histogram_us"]]
        self.assertEqual(bounds, sorted(bounds))
        self.assertEqual(bounds[-1], done["latency_us"]["max"])
        self.assertEqual(sum(slot["calls"] for slot in done["timeline"]["slots"]), 500)
        self.assertEqual((done["unmade"], done["interrupted"]), (0, False))
        with open(page, encoding="utf-8") as file:
            text = file.read()
        self.assertEqual(text.count("<svg"), 3)
        self.assertNotIn("nan", text)
        self.assertNotIn("inf", text)
        self.assertIn("500 calls in", text)
        self.assertIn("cannot be written", self.corbel("bench", self.reference, "count", "--idl", IDL, "-n", "5", "--html", "/nowhere/x.html", status=2))

    def test_bench_ends_in_time_and_tells_of_calls_that_were_not_made(self):
        done = json.loads(self.corbel("bench", self.reference, "count", "--idl", IDL, "-r", "10000000", "-d", "0.1", "--json"))
        self.assertGreater(done["unmade"], 0)
        self.assertEqual(done["unmade"] + done["calls"], 1000000)

    def test_an_interrupt_ends_the_measurement_in_order(self):
        for options in (("-n", "1000000000"), ("-r", "0.01", "-d", "1000")):
            line = [CORBEL, "bench", self.reference, "count", "--idl", IDL, "--json", *options]
            with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as bench:
                try:
                    self.assertIn("begins", bench.stderr.readline())
                    bench.send_signal(signal.SIGINT)
                    self.assertTrue(json.loads(bench.communicate(timeout=TIMEOUT_S)[0])["interrupted"])
                finally:
                    bench.kill()

    def test_the_open_loop_does_not_forget_the_calls_that_a_stall_delays(self):
        # 200 calls are due within four seconds, in which the server is stopped. Most are late, not just the two that two clients can
        # have under way. Again if much of the time had passed before it was stopped, as on a busy machine.
        self.assertTrue(any(self.median_where_the_server_is_stopped() > 300000 for _ in range(4)))

    def median_where_the_server_is_stopped(self):
        line = [CORBEL, "bench", self.reference, "count", "--idl", IDL, "-n", "200", "-r", "50", "-c", "2", "--warm-up", "1", "--json"]
        going_on = threading.Timer(4.0, os.kill, [self.server.pid, signal.SIGCONT])
        with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as bench:
            try:
                self.assertIn("begins", bench.stderr.readline())
                os.kill(self.server.pid, signal.SIGSTOP)
                going_on.start()
                done = json.loads(bench.communicate(timeout=TIMEOUT_S)[0])
            finally:
                going_on.cancel()
                os.kill(self.server.pid, signal.SIGCONT)
                bench.kill()
        self.assertEqual((done["loop"], done["calls"]), ("open", 200))
        return done["latency_us"]["p50"]


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
