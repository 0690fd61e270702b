# SPDX-License-Identifier: Apache-2.0
"""Well-formed messages that few clients send, and what a server must answer."""
import struct

import giop_wire as wire
from giop_session import check, require, shown
from giop_wire import Writer, locate, message, request

UTF16 = b"\1\0\0\0" + struct.pack("<II", 0x00010001, 0x00010109)


@check()
def calls(probe, minor, order):
    c = probe.connect()
    probe.result(c, minor, order, "ping")
    body = probe.result(c, minor, order, "echo_long", lambda w: w.put("ii", -2, 0x01020304))
    require([body.get("i") for _ in range(3)] == [-2, -2, 0x01020305], "echo_long")
    body = probe.result(c, minor, order, "echo_double", lambda w: w.put("dd", 0.1, -3.5))
    require([body.get("d") for _ in range(3)] == [0.1, 0.1, 3.5], "echo_double")
    body = probe.result(c, minor, order, "mixed", lambda w: w.put("BdBqBh", 1, 2.5, 65, -7, 1, -4).string("odd").put("i", 9))
    require(body.string() == "596/-7/odd", "mixed")
    body = probe.result(c, minor, order, "echo_bin", lambda w: w.put("hBiBd" * 2, 1, 65, 2, 3, 4.0, -1, 66, -2, 255, 0.5))
    require([body.get(kind) for kind in "hBiBd" * 3][10:] == [0, 67, -1, 254, -0.5], "echo_bin")


@check()
def attributes_and_implicit_operations(probe, minor, order):
    c = probe.connect()
    probe.result(c, minor, order, "_set_level", lambda w: w.put("i", 41))
    require(probe.result(c, minor, order, "_get_level").get("i") == 41, "level")
    for name, answer in (("IDL:corbel.test/Interop/Node:2.1", 1), ("IDL:omg.org/CORBA/Object:1.0", 1), ("IDL:no/such:1.0", 0)):
        require(probe.result(c, minor, order, "_is_a", lambda w: w.string(name)).get("B") == answer, name)
    require(probe.result(c, minor, order, "_non_existent").get("B") == 0, "_non_existent")
    require(probe.result(c, minor, order, "module").get("i") == 77, "an escaped identifier")


@check()
def exceptions(probe, minor, order):
    c = probe.connect()
    answer = probe.call(c, minor, order, "raise_user", lambda w: w.put("i", 1))
    require(answer.status == wire.USER_EXCEPTION and answer.exception()[0] == "IDL:corbel.test/Interop/Empty:1.0", "Empty")
    answer = probe.call(c, minor, order, "raise_user", lambda w: w.put("i", 2))
    require(answer.exception()[0] == "IDL:inside.test/Detail:1.0", "Detail")
    body = answer.body
    require(body.string() == "because" and [body.get("i") for _ in range(6)] == [-7, 1, 3, 1, 2, 3], "members")
    answer = probe.call(c, minor, order, "raise_user", lambda w: w.put("i", 3))
    require(answer.exception()[0] == "IDL:elsewhere.test/Interop/OtherName:3.7" and answer.body.get("Q") == 2**40 + 1, "Renamed")
    answer = probe.call(c, minor, order, "raise_system", lambda w: w.string("NO_PERMISSION").put("II", 99, 2))
    require(answer.exception() == ("IDL:omg.org/CORBA/NO_PERMISSION:1.0", 99, 2), "NO_PERMISSION")
    probe.raises(["UNKNOWN"], c, minor, order, "raise_foreign")
    probe.raises(["BAD_OPERATION"], c, minor, order, "no_such_operation")
    probe.raises(["OBJECT_NOT_EXIST"], c, minor, order, "ping", key=b"\xfe no such key")
    probe.raises(["OBJECT_NOT_EXIST"], c, minor, order, "ping", key=b"")
    probe.result(c, minor, order, "ping")


@check()
def locating(probe, minor, order):
    c = probe.connect()
    for number, (key, status) in enumerate(((probe.key, 1), (b"nowhere", 0), (b"", 0), (bytes(300), 0))):
        answer = c.send(locate(minor, order, number, key)).receive()
        require(answer is not None and answer.kind == wire.LOCATE_REPLY, f"no LocateReply but {shown(answer)}")
        require((answer.number, answer.status, answer.minor) == (number, status, minor), f"key {key[:10]}: {shown(answer)}")


@check()
def oneways(probe, minor, order):
    c = probe.connect()
    before = probe.result(c, minor, order, "fired").get("q")
    for number in range(5):
        c.send(request(minor, order, 1000 + number, probe.key, "fire", lambda w: w.put("i", 10), response=False))
    for _ in range(1000):
        if (after := probe.result(c, minor, order, "fired").get("q")) == before + 50:
            return
    raise AssertionError(f"fired {after - before}")


@check(versions=(2,))
def sync_with_server(probe, minor, order):
    answer = probe.call(probe.connect(), minor, order, "fire", lambda w: w.put("i", 0), flags=1)
    require(answer.status == wire.NO_EXCEPTION, shown(answer))


@check()
def pipelined(probe, minor, order):
    c, count = probe.connect(), 200
    c.send(*[request(minor, order, n, probe.key, "echo_long", lambda w: w.put("ii", n, n)) for n in range(count)])
    got = {}
    for _ in range(count):
        answer = c.receive()
        require(answer is not None and answer.kind == wire.REPLY, f"after {len(got)}: {shown(answer)}")
        got[answer.number] = answer.body.get("i")
    require(got == {n: n for n in range(count)}, "numbers")


@check()
def in_single_octets(probe, minor, order):
    c = probe.connect()
    for octet in request(minor, order, 7, probe.key, "echo_string", lambda w: w.string("Slow").string("Line")):
        c.send(bytes([octet]))
    body = probe.reply(c, minor, 7).body
    require([body.string() for _ in range(3)] == ["Slow", "Slow", "lINE"], "echo_string")


@check()
def service_contexts(probe, minor, order):
    c = probe.connect()
    contexts = [(0x12345678, b"unknown"), (1, UTF16), (0xFFFFFFFF, b""), (17, b"\0\1")]
    probe.result(c, minor, order, "ping", contexts=contexts)
    probe.result(c, minor, order, "echo_octet", lambda w: w.put("BB", 1, 2), contexts=[(n, bytes(n % 9)) for n in range(100, 140)])


# The 8-alignment of a body starts anew in GIOP 1.2 only; a key of any length shifts everything behind it.
@check()
def shifted_headers(probe, minor, order):
    c = probe.connect()
    for length in range(9):
        body = probe.result(c, minor, order, "echo_double", lambda w: w.put("dd", 1.5, 2.5), contexts=[(99, bytes(length))])
        require(body.get("d") == 1.5, f"context of {length}")


@check(versions=(2,))
def fragments(probe, minor, order):
    c = probe.connect()
    text = "".join(chr(65 + i % 50) for i in range(5000))
    whole = request(minor, order, 21, probe.key, "echo_string", lambda w: w.string(text).string("Tail"))
    start = -(-(12 + len(whole) - 12 - 5000) // 8) * 8 - 12
    other = request(minor, order, 22, probe.key, "echo_long", lambda w: w.put("ii", 5, 6))
    first, *rest = wire.fragmented(minor, whole, [start + 8 * 20, 8, 1000, 8, 3000])
    c.send(first, rest[0], other, *rest[1:])
    got = {}
    for _ in range(2):
        answer = c.receive()
        require(answer is not None and answer.kind == wire.REPLY, shown(answer))
        got[answer.number] = answer
    require(got[22].body.get("i") == 5, "the call between the fragments")
    require([got[21].body.string() for _ in range(3)] == [text, text, "tAIL"], "the fragmented call")


# Cut only where the data behind is the tail of one octet sequence, so that no reading of the alignment rules differs.
@check(versions=(1,))
def fragments_of_one_sequence(probe, minor, order):
    c = probe.connect()
    whole = request(minor, order, 23, probe.key, "sum_octets", lambda w: w.octets(bytes([3]) * 4000))
    body = len(whole) - 12
    c.send(*wire.fragmented(minor, whole, [body - 2400, 800, 800]))
    require(probe.reply(c, minor, 23).body.get("Q") == 12000, "sum")


# omniORB waits for the rest.
# Values are aligned from the header of the Fragment that they are in. omniORB wants every message but the last to be a
# multiple of 8 octets, which GIOP 1.1 does not ask for.
@check(peers=("corbel",), versions=(1,))
def fragments_with_alignment_of_their_own(probe, minor, order):
    c = probe.connect()
    first = bytearray(request(minor, order, 24, probe.key, "mixed", lambda w: w.put("B", 1)))
    first[6] |= 2
    second = Writer(order, 12).put("dB", 2.5, 65)
    third = Writer(order, 12).put("qBh", -7, 1, -4).string("odd").put("i", 9)
    c.send(bytes(first), message(minor, order, wire.FRAGMENT, bytes(second.data), more=True),
           message(minor, order, wire.FRAGMENT, bytes(third.data)))
    require(probe.reply(c, minor, 24).body.string() == "596/-7/odd", "mixed")


@check(peers=("corbel",), versions=(2,))
def a_cancelled_fragmented_request(probe, minor, order):
    c = probe.connect()
    whole = request(minor, order, 31, probe.key, "twist_octets", lambda w: w.octets(bytes(4000)))
    first, *_ = wire.fragmented(minor, whole, [1012 - 1012 % 8 + 4, 800])
    c.send(first, message(minor, order, wire.CANCEL, Writer(order, 12).put("I", 31).data))
    probe.result(c, minor, order, "ping")


# omniORB closes the connection, but not in GIOP 1.2.
@check(peers=("corbel",))
def cancelling_the_unknown(probe, minor, order):
    c = probe.connect()
    c.send(message(minor, order, wire.CANCEL, Writer(order, 12).put("I", 4711).data))
    probe.result(c, minor, order, "ping")


# omniORB takes only keys; see docs/interoperability.md.
@check(peers=("corbel",), versions=(2,))
def addressing_by_profile_and_reference(probe, minor, order):
    def by_profile(w):
        w.put("hI", 1, 0).octets(probe.profile)

    def by_reference(w):
        w.put("hI", 2, 0).string("").put("II", 1, 0).octets(probe.profile)

    c = probe.connect()
    for target in (by_profile, by_reference):
        answer = probe.call(c, minor, order, "ping", target=target)
        if answer.status != wire.NO_EXCEPTION:  # or the server asks for the key
            require(answer.status == 5 and answer.body.get("h") == 0, shown(answer))


@check(versions=(2,))
def wide_strings(probe, minor, order):
    c, context = probe.connect(), [(1, UTF16)]
    big, little = "A\u20ac\u4e2d".encode("utf-16-be"), "A\u20ac\u4e2d".encode("utf-16-le")
    for sent in (big, b"\xfe\xff" + big, b"\xff\xfe" + little):
        body = probe.result(c, minor, order, "echo_wstring", lambda w: w.octets(sent).octets(b""), contexts=context)
        got = body.octets()
        text = got[2:].decode("utf-16-le") if got[:2] == b"\xff\xfe" else got.decode("utf-16-be").lstrip("\ufeff")
        require(text == "A\u20ac\u4e2d", f"{sent.hex()} came back as {got.hex()}")
        context = []
    body = probe.result(c, minor, order, "echo_wchar", lambda w: w.raw(b"\2\x20\xac").raw(b"\2\0A"))
    length = body.get("B")
    require(body.data[body.at:body.at + length].replace(b"\xff\xfe\xac\x20", b"\x20\xac")[-2:] == b"\x20\xac", "echo_wchar")


# omniORB serves what has no characters in it, and raises BAD_INV_ORDER at the first that come.
@check(peers=("corbel",), versions=(1, 2))
def code_sets_that_nobody_knows(probe, minor, order):
    ebcdic = b"\1\0\0\0" + struct.pack("<II", 0x10020417, 0x10020417)
    probe.raises(["CODESET_INCOMPATIBLE"], probe.connect(), minor, order, "echo_string", lambda w: w.string("a").string("b"),
                 contexts=[(1, ebcdic)])


@check(peers=("corbel",), versions=(1,))
def fixed_width_wide_strings(probe, minor, order):
    units = [0x41, 0x20AC, 0x4E2D, 0]
    body = probe.result(probe.connect(), minor, order, "echo_wstring",
                        lambda w: w.put("I" + "H" * 4, 4, *units).put("IH", 1, 0), contexts=[(1, UTF16)])
    require([body.get("I")] + [body.get("H") for _ in range(4)] == [4] + units, "echo_wstring")
