# SPDX-License-Identifier: Apache-2.0
"""Arguments that a servant should never see: for take_any, take_link, keep and ask of attack.idl."""
import random
import struct

import giop_wire as wire

ULONG, STRING, OBJREF, STRUCT, SEQUENCE, ARRAY, ANY = 5, 18, 14, 15, 19, 20, 11
NODE, LINK = "IDL:Attack/Node:1.0", "IDL:Attack/Link:1.0"


def encapsulation(fill):
    inner = wire.Writer("<", 1)
    fill(inner)
    return b"\1" + bytes(inner.data)


def sequence_of(element, bound=0):
    """A TypeCode made of TypeCode octets; every level is aligned to four."""
    return lambda w: w.put("I", SEQUENCE).octets(encapsulation(lambda e: (element(e), e.put("I", bound))))


def plain(kind):
    return lambda w: w.put("I", kind)


def array_of(element, length):
    return lambda w: w.put("I", ARRAY).octets(encapsulation(lambda e: (element(e), e.put("I", length))))


def node_of(member):
    def write(w):
        def fill(e):
            e.string(NODE).string("Node").put("I", 1).string("kids")
            member(e)
        w.put("I", STRUCT).octets(encapsulation(fill))
    return write


def deep_type(levels):
    octets = struct.pack("<I", ULONG)
    for _ in range(levels):
        body = b"\1\0\0\0" + octets + struct.pack("<I", 0)
        octets = struct.pack("<II", SEQUENCE, len(body)) + body
    return lambda w: w.align(4).raw(octets)


def circle(w):
    """A sequence whose element is an indirection to the sequence itself, without a struct between."""
    w.put("I", SEQUENCE).octets(encapsulation(lambda e: e.put("Ii", 0xFFFFFFFF, -16).put("I", 0)))


def recursive_node(w):
    def fill(e):
        e.string(NODE).string("Node").put("I", 1).string("kids")
        e.put("I", SEQUENCE)
        place = e.start + len(e.data) + 4 + 4  # of the indirection's offset, from the encapsulation's octet on
        e.octets(encapsulation(lambda i: i.put("Ii", 0xFFFFFFFF, -(place + 8 + 4)).put("I", 0)))
    w.put("I", STRUCT).octets(encapsulation(fill))


def anys():
    """Bodies: TypeCode and value."""
    many = 300000
    yield lambda w: (node_of(array_of(plain(ULONG), many))(w), w.raw(struct.pack("<I", 1) * many))
    yield lambda w: (node_of(sequence_of(plain(ULONG)))(w), w.put("I", many).raw(struct.pack("<I", 1) * many))
    yield lambda w: (deep_type(3000)(w), w.put("I", 0))
    yield lambda w: (deep_type(40)(w), w.raw(struct.pack("<I", 1) * 40).put("I", 7))
    yield lambda w: (circle(w), w.raw(struct.pack("<I", 1) * 1000))
    yield lambda w: (recursive_node(w), w.raw(struct.pack("<I", 1) * 100000).put("I", 0))
    yield lambda w: (sequence_of(plain(ANY))(w), w.put("I", many).raw(bytes(4 * many)))
    yield lambda w: (sequence_of(plain(STRING))(w), w.put("I", 0x0FFFFFFF))
    yield lambda w: (array_of(array_of(plain(ULONG), 0xFFFF), 0xFFFF)(w), w.put("I", 0))
    yield lambda w: (plain(STRING)(w), w.put("I", 0), w.put("I", 0x7FFFFFFF).raw(b"abc"))
    yield lambda w: w.put("I", 0xFFFFFFFF).put("i", -4)


def links():
    def chain(length):
        def write(w):
            for number in range(length):
                w.put("Ii", 0x7FFFFF00, number)
            w.put("I", 0)
        return write

    yield chain(3)
    yield chain(100000)
    yield lambda w: w.put("Ii", 0x7FFFFF00, 1).put("Ii", 0xFFFFFFFF, -12)  # its own successor
    yield lambda w: w.put("I", 0x7FFFFF02).string(LINK).put("i", 1).put("Ii", 0xFFFFFFFF, -4)
    yield lambda w: w.put("I", 0x7FFFFF02).string("IDL:Attack/Nobody:1.0").put("iI", 1, 0)
    yield lambda w: w.put("I", 0x7FFFFF0A).string(LINK).put("I", 8).put("ii", 1, 0).put("i", -1)
    yield lambda w: w.put("I", 0x7FFFFF0E).put("I", 60000)


def counts():
    yield lambda w: w.put("I", 0x7FFFFFFF)
    yield lambda w: w.put("I", 0xFFFFFFFF).raw(bytes(100))
    yield lambda w: w.put("I", 1 << 20).raw(bytes(1 << 20))


def ior(profiles, type_id="IDL:Attack/Gauge:1.0"):
    def write(w):
        w.string(type_id).put("I", len(profiles))
        for tag, data in profiles:
            w.put("I", tag).octets(data)
    return write


def own_object(text):
    """A reference as the server itself has written it, as an argument."""
    data = bytes.fromhex(text.strip()[4:])
    reader = wire.Reader(data, "<" if data[0] & 1 else ">", 1)
    type_id = reader.octets()[:-1].decode()
    profiles = [(reader.get("I"), reader.octets()) for _ in range(reader.get("I"))]
    return type_id, profiles


def references(target):
    type_id, notes = own_object(target.notes)
    _, gauge = own_object(target.gauge)
    own_key = [target.key]
    yield ior(notes)                  # one of the server's objects, but another interface
    yield ior(notes, type_id)
    yield ior(gauge)
    yield ior(own_object(target.target)[1])
    yield ior([])
    yield ior(gauge * 60)
    yield ior(gauge * 5000)
    for tag, data in notes:
        for _ in range(4):
            yield ior([(tag, mutate(data))])
    yield ior([(0, b"\1\1\2\0" + bytes(3))])
    yield ior([(0, own_key[0])])
    yield ior([(1, b"\1" + bytes(40))])


def mutate(octets):
    octets = bytearray(octets)
    for _ in range(random.choice((1, 1, 2, 5))):
        octets[random.randrange(len(octets))] = random.choice((0, 1, 0x7F, 0x80, 0xFF, random.randrange(256)))
    return bytes(octets)


def mutated(message):
    """The message with octets of its body changed; where the body of a short one begins does not matter."""
    return message[:12] + mutate(message[12:])
