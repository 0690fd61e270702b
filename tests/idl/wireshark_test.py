#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""wireshark_test.py CORBEL-IDL TSHARK: what the generated dissector makes of messages that are written by hand.

The messages pass through no ORB: what is expected of them was worked out from the specification."""
import collections
import os
import re
import subprocess
import sys
import tempfile
import threading
from random import Random

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../interop"))
from giop_capture import RecordingProxy  # noqa: E402
import giop_wire as wire  # noqa: E402
from giop_wire import Writer  # noqa: E402

PREFIX = "IDL:Telescope/"


class Conversation(RecordingProxy):
    """Octets that no program sent, as a capture file."""

    def __init__(self):
        self.port, self.records, self._lock = 2809, [], threading.Lock()
        self.number = 0

    def call(self, operation, arguments=None, results=None, minor=2, order="<", status=0, pieces=None):
        """One request, and the reply to it unless `results` is None."""
        self.number += 2
        request = wire.request(minor, order, self.number, b"key", operation, arguments)
        for piece in wire.fragmented(minor, request, pieces) if pieces else [request]:
            self.records.append((0, True, piece))
        if results is None:
            return
        out = Writer(order, 12)
        if minor < 2:
            out.put("III", 0, self.number, status)
        else:
            out.put("III", self.number, status, 0).align(8)
        results(out)
        self.records.append((0, False, wire.message(minor, order, wire.REPLY, bytes(out.data))))


def nothing(_):
    pass


def encapsulated(out, write):
    """An encapsulation in the byte order that `out` does not have."""
    order = ">" if out.order == "<" else "<"
    inner = Writer(order).put("B", 1 if order == "<" else 0)
    write(inner)
    out.octets(bytes(inner.data))


def make_conversation():
    talk = Conversation()
    for minor, order in ((0, ">"), (1, "<"), (2, ">"), (2, "<")):
        talk.call("describe", results=lambda w: w.string(f"GIOP 1.{minor} {order}"), minor=minor, order=order)
        talk.call("aim", lambda w: w.put("dd", 1.5, -2).put("dd", 3, 4).string("Vega").put("i", -7),
                  lambda w: w.put("I", 1).put("I", 2).put("dddd", 5, 6, 7, 8).put("i", 8).put("I", 0), minor, order)
    talk.call("_get_state", results=lambda w: w.put("I", 2))
    talk.call("_set_lamp", lambda w: w.put("B", 1).put("i", 75), nothing)
    talk.call("numbers", lambda w: w.put("BBhHiIqQfdBb", 1, 200, -3, 65535, -100000, 4000000000, -2**62, 2**63 + 5, 0.5, -1e100, 65, -8),
              nothing, order=">")
    utf16 = "\u20ac\u00e4".encode("utf-16-be")
    talk.call("texts", lambda w: w.octets('a "quoted" \u00e4'.encode() + b"\0").octets(utf16).put("B", 2).raw(b"\x20\xac")
              .raw(b"\x12\x34\x56\x7c").raw(b"\0\0\x05\x0d"), nothing)
    for order in "<>":
        talk.call("constructed", lambda w: w.octets(bytes(range(40))).put("iiiiii", 1, 2, 3, 4, 5, 6).put("Bi", 97, -9).put("BB", 122, 1)
                  .string("root").put("I", 2).string("left").put("I", 0).string("right").put("I", 1).string("leaf").put("I", 0)
                  .put("BiB", 1, 42, 0).put("I", 0x11).put("B", 0xc5).put("I", 1).string("one").put("i", 1), nothing, order=order)
    talk.call("aim", nothing, lambda w: w.string(PREFIX + "Stuck:1.0").string("rust").put("I", 2), status=1)
    talk.call("stop", nothing, lambda w: w.string("IDL:omg.org/CORBA/TIMEOUT:1.0").put("II", 0x4f4d0001, 1), status=2)
    talk.call("_is_a", lambda w: w.string("IDL:x:1.0"), lambda w: w.put("B", 0))
    add_anys(talk)
    add_values(talk)
    add_references(talk)
    talk.call("count", lambda w: w.put("I", 2).put("ii", 5, 6), nothing)
    talk.call("count", lambda w: w.put("q", 77), nothing)
    talk.call("texts", lambda w: w.string("x" * 150).octets(b"").put("B", 0).raw(b"\0\0\0\x0c").raw(b"\0\0\0\x0c"), nothing,
              pieces=(100, 104))
    talk.call("unheard_of", lambda w: w.put("i", 1), nothing)
    talk.call("_get_state", results=lambda w: w.put("I", 9))
    talk.call("count", lambda w: w.put("I", 0xfffffff0))
    talk.call("stop", lambda w: w.raw(b"more"))
    return talk


def add_anys(talk):
    def tree_code(w):
        """TypeCode of struct Node { string name; sequence<Node> kids; }, which contains itself."""
        w.put("I", 15)
        start = len(w.data) - 4  # of the kind
        inner = Writer(w.order, w.start + len(w.data) + 4).put("B", 1 if w.order == "<" else 0)
        # Encapsulations begin at a multiple of four here, so positions within agree with those outside.
        inner.start = 0
        inner.string("IDL:Node:1.0").string("Node").put("I", 2).string("name").put("II", 18, 0).string("kids").put("I", 19)
        sequence = Writer(w.order).put("B", 1 if w.order == "<" else 0).put("I", 0xffffffff)
        outer_at = len(w.data) + 4 + len(inner.data) + 4  # where the sequence's encapsulation will begin
        sequence.put("i", start - (outer_at + len(sequence.data))).put("I", 0)
        inner.octets(bytes(sequence.data))
        w.octets(bytes(inner.data))

    def color(w):
        w.put("I", 17)
        encapsulated(w, lambda e: e.string("IDL:Color:1.0").string("Color").put("I", 2).string("red").string("green"))
        w.put("I", 1)

    def choice(w):
        w.put("I", 16)
        encapsulated(w, lambda e: e.string("IDL:Choice:1.0").string("Choice").put("I", 3).put("iI", -1, 2)
                     .put("i", 4).string("four").put("I", 5).put("i", 5).string("five").put("II", 27, 0))
        w.put("i", 4).put("I", 44)

    talk.call("whatever", lambda w: color(w) or choice(w),
              lambda w: tree_code(w) or w.string("a").put("I", 1).string("b").put("I", 0), order=">")
    talk.call("whatever", lambda w: w.put("II", 18, 0).string("text").put("IHh", 28, 3, 1).raw(b"\x12\x3c"),
              lambda w: w.put("I", 0))


def add_values(talk):
    tag, list_tag, chunked = 0x7fffff02, 0x7fffff06, 8

    def plain(w):
        """An Event caused by itself, null, a boxed string."""
        w.put("I", tag)
        start = w.start + len(w.data) - 4
        w.string(PREFIX + "Event:1.0").string("fire").put("I", 0xffffffff)
        w.put("i", start - (w.start + len(w.data))).put("I", 0)
        w.put("I", tag).string(PREFIX + "Label:1.0").string("boxed")

    def in_chunks(w):
        """A value of a type that no reader knows, truncated to Event, in whose state is another value."""
        w.put("II", list_tag + chunked, 2)
        first = w.start + len(w.data)
        w.string("IDL:Unknown:1.0").string(PREFIX + "Event:1.0")
        w.put("I", 10).string("smoke").align(4)
        w.put("I", tag + chunked).put("I", 0xffffffff).put("i", first + 20 - (w.start + len(w.data)))
        w.put("I", 12).put("I", 4).raw(b"hot\0").put("I", 0)
        w.put("i", -2)
        w.put("III", 8, 1, 2).put("i", -1)
        w.put("I", 0).put("I", 0)

    talk.call("events", plain, nothing)
    talk.call("events", in_chunks, nothing)


def add_references(talk):
    def reference(w, identifier):
        w.string(identifier).put("I", 2).put("I", 0)
        encapsulated(w, lambda e: e.put("BB", 1, 2).string("dome.example").put("H", 4711).octets(b"key"))
        w.put("I", 77).octets(b"\0")

    talk.call("find", lambda w: reference(w, "IDL:Any:1.0"), lambda w: w.string("").put("I", 0))
    talk.call("find", lambda w: w.string("").put("I", 0), lambda w: reference(w, PREFIX + "Base:1.0"), status=3)


EXPECTED = """
request Telescope::Base::describe
reply of Telescope::Base::describe | result: "GIOP 1.0 >"
request Telescope::Dome::aim | where: Telescope::Position | azimuth: 1.5 | elevation: -2 | name: Telescope::Named | azimuth: 3 | elevation: 4 | name: "Vega" | count: -7
reply of Telescope::Dome::aim | result: Telescope::Target | discriminator: moving | path: 2 elements | [0]: Telescope::Position | azimuth: 5 | elevation: 6 | [1]: Telescope::Position | azimuth: 7 | elevation: 8 | count: 8 | path: 0 elements
reply of Telescope::Base::describe | result: "GIOP 1.1 <"
reply of Telescope::Base::describe | result: "GIOP 1.2 >"
reply of Telescope::Base::describe | result: "GIOP 1.2 <"
request Telescope::Dome::_get_state
reply of Telescope::Dome::_get_state | result: broken
request Telescope::Dome::_set_lamp | lamp: Parts::Lamp | on: TRUE | brightness: 75
request Telescope::Dome::numbers | a: TRUE | b: 200 | c: -3 | d: 65535 | e: -100000 | f: 4000000000 | g: -4611686018427387904 | h: 9223372036854775813 | i: 0.5 | j: -1e+100 | k: 'A' | l: -8
request Telescope::Dome::texts | a: "a \\x22quoted\\x22 \u00e4" | b: "\u20ac\u00e4" | c: '\u20ac' | d: 12345.67 | e: -0.50
request Telescope::Dome::constructed | a: 000102030405060708090a0b0c0d0e0f1011121314151617... (40 octets) | b: 2 rows | [0]: 3 elements | [0]: 1 | [1]: 2 | [2]: 3 | [1]: 3 elements | [0]: 4 | [1]: 5 | [2]: 6 | c: Telescope::Letter | discriminator: 'a' | number: -9 | d: Telescope::Letter | discriminator: 'z' | other: TRUE | e: Telescope::Tree | name: "root" | branches: 2 elements | [0]: Telescope::Tree | name: "left" | branches: 0 elements | [1]: Telescope::Tree | name: "right" | branches: 1 element | [0]: Telescope::Tree | name: "leaf" | branches: 0 elements | f: Telescope::Options | level: 42 | text: not there | g: tracking|parked | h: filter=5 tilt=-2 shutter=1 | i: 1 element | [0]: entry | key: "one" | value: 1
request Telescope::Dome::constructed | a: 000102030405060708090a0b0c0d0e0f1011121314151617... (40 octets) | b: 2 rows | [0]: 3 elements | [0]: 1 | [1]: 2 | [2]: 3 | [1]: 3 elements | [0]: 4 | [1]: 5 | [2]: 6 | c: Telescope::Letter | discriminator: 'a' | number: -9 | d: Telescope::Letter | discriminator: 'z' | other: TRUE | e: Telescope::Tree | name: "root" | branches: 2 elements | [0]: Telescope::Tree | name: "left" | branches: 0 elements | [1]: Telescope::Tree | name: "right" | branches: 1 element | [0]: Telescope::Tree | name: "leaf" | branches: 0 elements | f: Telescope::Options | level: 42 | text: not there | g: tracking|parked | h: filter=5 tilt=-2 shutter=1 | i: 1 element | [0]: entry | key: "one" | value: 1
exception from Telescope::Dome::aim | exception: IDL:Telescope/Stuck:1.0 | members: Telescope::Stuck | why: "rust" | state: broken
exception from Telescope::Dome::stop | exception: IDL:omg.org/CORBA/TIMEOUT:1.0 | minor: 0x4f4d0001 | completed: COMPLETED_NO
reply of CORBA::Object::_is_a | result: FALSE
request Telescope::Dome::whatever | a: any of Color | value: green | b: any of Choice | value: Choice | discriminator: 4 | four: 44
reply of Telescope::Dome::whatever | result: any of Node | value: Node | name: "a" | kids: 1 element | [0]: Node | name: "b" | kids: 0 elements
request Telescope::Dome::whatever | a: any of string | value: "text" | b: any of fixed | value: 12.3
reply of Telescope::Dome::whatever | result: any of void | value: nothing
request Telescope::Dome::events | a: Telescope::Event | what: "fire" | cause: the value at octet N | b: nil | c: Telescope::Label | value: "boxed"
request Telescope::Dome::events | a: Telescope::Event | what: "smoke" | cause: Telescope::Event | what: "hot" | cause: nil | b: nil | c: nil
request Telescope::Dome::find | near: IDL:Any:1.0 at iiop dome.example:4711, profile 77
reply of Telescope::Dome::find | result: nil
location forward from Telescope::Dome::find | forward: IDL:Telescope/Base:1.0 at iiop dome.example:4711, profile 77
request Telescope::Dome::count | values: 2 elements | [0]: 5 | [1]: 6
request Telescope::Other::count | number: 77
reply of Telescope::Other::count
request Telescope::Dome::texts | a: "%s" | b: "" | c: '' | d: 0.00 | e: 0.00
reply of Telescope::Dome::_get_state | 9 is no Telescope::Motion
request Telescope::Dome::stop | 4 octets are left over
""" % ("x" * 150)


def dissections(lua, folder, talk):
    """What tshark shows below each "IDL:", on one line, without what is generated."""
    capture = os.path.join(folder, "talk.pcap")
    talk.write_pcap(capture)
    command = [sys.argv[2], "-r", capture, "-d", f"tcp.port=={talk.port},giop", "-V"]
    for script in lua:
        command += ["-X", "lua_script:" + script]
    result = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=100, check=False,
                            env=os.environ | {"LC_ALL": "C.UTF-8"})
    error = re.search("lua|Lua", result.stderr) or re.search(".*Lua Error.*", result.stdout)
    if result.returncode != 0 or error:
        sys.exit("tshark failed: " + result.stderr + (error.group() if error else ""))
    found = []
    for block in re.findall(r"^IDL: (.*(?:\n    .*)*)", result.stdout, re.M):
        lines = [line.strip() for line in block.split("\n")]
        lines = [re.sub(r"\[Expert Info \([^)]*\): (.*)\]", r"\1", line) for line in lines]
        lines = [re.sub(r"value at octet \d+", "value at octet N", line) for line in lines if re.match(r"[^[]|\[\d+\]: ", line)]
        found.append(" | ".join(lines))
    return found, command


def hostile(talk, turns):
    """The conversation with octets changed behind the messages' headers, which say how long they are."""
    random = Random(20261122)
    bad = Conversation()
    for _ in range(turns):
        for connection, outward, octets in talk.records:
            octets = bytearray(octets)
            for _ in range(random.choice((1, 1, 2, 5))):
                if len(octets) > 12:
                    octets[random.randrange(12, len(octets))] = random.choice((0, 1, 2, 0x7f, 0x80, 0xfe, 0xff, random.randrange(256)))
            bad.records.append((connection, outward, bytes(octets)))
    return bad


def main():
    with tempfile.TemporaryDirectory() as folder:
        idl = os.path.join(HERE, "wireshark")
        subprocess.run([sys.argv[1], "--emit=wireshark", "-o", folder, os.path.join(idl, "telescope.idl"), os.path.join(idl, "parts.idl")], check=True)
        talk = make_conversation()
        # Several files may be loaded, in any order.
        found, command = dissections([os.path.join(folder, "parts.lua"), os.path.join(folder, "telescope.lua")], folder, talk)
        missing = collections.Counter(EXPECTED.strip().split("\n")) - collections.Counter(found)
        if missing or any("unheard_of" in line for line in found):
            sys.exit("not shown:\n" + "\n".join(missing) + "\n\nshown:\n" + "\n".join(found))
        fields = subprocess.run(command[:5] + command[6:] + ["-Y", 'corbel_idl.value == "name=\\"Vega\\""', "-T", "fields", "-e", "corbel_idl.operation"],
                                capture_output=True, text=True, timeout=100, check=True).stdout.split()
        if fields:
            sys.exit(f"a nested member is found by its name alone: {fields}")
        fields = subprocess.run(command[:5] + command[6:] + ["-Y", 'corbel_idl.value contains "name.name=\\"Vega"', "-T", "fields", "-e", "corbel_idl.operation"],
                                capture_output=True, text=True, timeout=100, check=True).stdout.split()
        if fields != ["aim"] * 4:
            sys.exit(f"filtered by a value: {fields}")
        strange, _ = dissections([os.path.join(folder, "telescope.lua")], folder, hostile(talk, 10))
        if len(strange) < 10 * len(found) // 3:
            sys.exit(f"of {10 * len(found)} changed messages only {len(strange)} are shown")


if __name__ == "__main__":
    main()
