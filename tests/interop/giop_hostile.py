# SPDX-License-Identifier: Apache-2.0
"""Malformed and hostile messages: the server must refuse each and keep serving every other connection."""
import struct

import giop_wire as wire
from giop_session import check, require, shown
from giop_wire import Writer, message, request


def refused(probe, *octets, finish=False):
    """The server must end the connection, and answer nothing but MessageError or CloseConnection on it."""
    c = probe.connect().send(*octets)
    if finish:
        c.socket.shutdown(1)
    require(c.ends(), "the server answered")


@check()
def bad_magic(probe, minor, order):
    refused(probe, message(minor, order, wire.REQUEST, bytes(40), magic=b"POIG"))
    refused(probe, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")


@check()
def bad_headers(probe, minor, order):
    refused(probe, message(minor, order, 99, bytes(8)))
    refused(probe, message(minor, order, wire.REQUEST, bytes(8), major=2))
    refused(probe, message(minor, order, wire.REPLY, struct.pack(order + "IIIII", 0, 1, 0, 0, 0)))
    refused(probe, message(minor, order, wire.REQUEST, b"", size=0))


@check(versions=(2,))
def future_version(probe, minor, order):
    refused(probe, request(2, order, 1, probe.key, "ping").replace(b"GIOP\1\2", b"GIOP\1\x09"))


# omniORB waits for the octets announced.
@check(peers=("corbel",))
def oversized(probe, minor, order):
    refused(probe, message(minor, order, wire.REQUEST, bytes(100), size=0xFFFFFFF0))
    refused(probe, message(minor, order, wire.REQUEST, bytes(100), size=0x7FFFFFFF))


@check()
def broken_off(probe, minor, order):
    whole = request(minor, order, 1, probe.key, "echo_string", lambda w: w.string("abc").string("def"))
    for length in range(0, len(whole), 3):
        c = probe.connect().send(whole[:length])
        c.socket.shutdown(1)
        require(c.ends(), f"the server answered {length} octets")


@check()
def lengths_past_the_end_of_the_header(probe, minor, order):
    whole = bytearray(request(minor, order, 1, probe.key, "ping"))
    at = whole.find(probe.key) - 4
    struct.pack_into(order + "I", whole, at, 0x7FFFFFF0)
    c = probe.connect().send(bytes(whole))
    answer = c.receive()
    require(answer is None or answer.kind in (wire.ERROR, wire.CLOSE) or answer.status == wire.SYSTEM_EXCEPTION, shown(answer))


# omniORB allocates whatever a count promises, and takes its time.
@check(peers=("corbel",))
def bad_arguments(probe, minor, order):
    c = probe.connect()
    cases = [
        ("echo_string", lambda w: w.put("I", 0x7FFFFFFF).raw(b"abc\0")),
        ("echo_string", lambda w: w.put("I", 0xFFFFFFFF).raw(b"abc\0")),
        ("echo_string", lambda w: w.put("I", 3).raw(b"abc").string("no NUL")),
        ("echo_string", lambda w: w.string("only one")),
        ("echo_long", lambda w: w.put("i", 1)),
        ("echo_long_seq", lambda w: w.put("II", 0x40000000, 1)),
        ("echo_string_seq", lambda w: w.put("II", 0x0FFFFFFF, 1)),
        ("echo_tree", lambda w: w.put("iI", 1, 0xFFFFFFFF)),
        ("echo_bin_seq", lambda w: w.put("I", 0x10000000)),
        ("echo_enum", lambda w: w.put("II", 3, 0)),
        ("echo_bounded_seq", lambda w: w.put("Ihhhhh", 5, 1, 2, 3, 4, 5).put("I", 0)),
        ("echo_bounded_string", lambda w: w.string("123456789").string("")),
        ("echo_enum_union", lambda w: w.put("II", 17, 0)),
    ]
    for operation, body in cases:
        try:
            probe.raises(["MARSHAL", "BAD_PARAM"], c, minor, order, operation, body)
        except AssertionError as failure:
            raise AssertionError(f"{operation} {bytes(make(body, order)).hex()}: {failure}") from None
    probe.result(c, minor, order, "ping")


def make(body, order):
    writer = Writer(order)
    body(writer)
    return writer.data


@check()
def deep_recursion(probe, minor, order):
    def tree(w):
        for _ in range(20000):
            w.put("iI", 1, 1)
        w.put("iI", 1, 0).put("iI", 2, 0)

    c = probe.connect().send(request(minor, order, 1, probe.key, "echo_tree", tree))
    answer = c.receive()  # a limit or a result, but an answer
    require(answer is not None and answer.kind == wire.REPLY, shown(answer))


@check(versions=(1, 2))
def stray_fragments(probe, minor, order):
    c = probe.connect().send(message(minor, order, wire.FRAGMENT, struct.pack(order + "I", 77) + bytes(16)))
    c.send(request(minor, order, 1, probe.key, "ping"))
    answer = c.receive()  # ignored, or refused; never answered
    require(answer is None or answer.kind == wire.ERROR or (answer.kind, answer.number) == (wire.REPLY, 1), shown(answer))


@check()
def closing(probe, minor, order):
    refused(probe, message(minor, order, wire.ERROR))
    if minor == 2:
        refused(probe, message(minor, order, wire.CLOSE))
