# SPDX-License-Identifier: Apache-2.0
"""Clients that mean no good, each a function that attacks until its process is ended. ATTACKS lists them."""
import os
import random
import select
import socket
import ssl
import struct
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "interop"))
import giop_wire as wire  # noqa: E402
import hostile  # noqa: E402
from means import TICK, Crowd, Foreign, exchange  # noqa: E402

def slow_headers(target):
    crowd = Crowd(target, 200, b"GIOP\1\2")
    while True:
        crowd.tick(b"\0")  # the fifth of these is an octet of the size


def slow_bodies(target):
    crowd = Crowd(target, 200, wire.message(2, "<", wire.REQUEST, b"", size=1 << 20))
    while True:
        crowd.tick(b"x")


def half_headers(target):
    crowd = Crowd(target, 400, b"GIOP\1\2")
    while True:
        crowd.tick()


def slow_readers(target):
    """Each asks for 20 MiB and takes nothing."""
    ask = target.request("give", lambda w: w.put("I", 1 << 20))
    crowd = Crowd(target, 100, ask * 20, receive_buffer=4096)
    while True:
        crowd.tick(read=False)


def one_slow_reader(target):
    ask = target.request("give", lambda w: w.put("I", 1 << 20))
    crowd = Crowd(target, 1, ask * 200, receive_buffer=4096)
    while True:
        crowd.tick(read=False)


def pipelined_slow(target):
    ask = target.request("slow", lambda w: w.put("I", 100))
    crowd = Crowd(target, 1, ask * 300)
    while True:
        crowd.tick(ask)


def pipelined_questions(target):
    """Asks whether the object is there, as fast as the server takes it, and does not read the answers."""
    asks = target.request("_non_existent") * 200
    s = None
    while True:
        if s is None and (s := target.connect(receive_buffer=4096)) is None:
            time.sleep(TICK)
            continue
        try:
            select.select([], [s], [], TICK)
            s.send(asks)
        except BlockingIOError:
            pass
        except OSError:
            s.close()
            s = None


def ocean(target):
    crowd = Crowd(target, 2000, target.request("ping"))
    while True:
        crowd.tick()


def memory(target):
    """Ten messages of which 60 of 64 announced MiB come, and then nothing."""
    crowd = Crowd(target, 10, wire.message(2, "<", wire.REQUEST, b"", size=64 << 20))
    part = bytes(1 << 20)
    sent = 0
    while True:
        crowd.tick()
        for member in crowd.members:
            end = time.monotonic() + 0.2
            while member is not None and sent < 60 * len(crowd.members) and time.monotonic() < end:
                try:
                    sent += member.send(part) / len(part)
                except BlockingIOError:
                    select.select([], [member], [], 0.02)
                except OSError:
                    break
        if all(member is None for member in crowd.members) or sent >= 60 * len(crowd.members):
            sent = 0 if random.random() < 0.05 else sent


def fragments(target):
    """Messages that never end, more of them than may be open, and fragments of nothing."""
    whole = target.request("ping")

    def opening(number):
        head = bytearray(wire.fragmented(2, whole, [16])[0])
        struct.pack_into("<I", head, 12, number)
        return bytes(head)

    def more(number, size):
        return wire.message(2, "<", wire.FRAGMENT, struct.pack("<I", number) + bytes(size), more=True)

    crowds = [Crowd(target, 20, b"".join(opening(2 * n) for n in range(14))), Crowd(target, 20, opening(2)),
              Crowd(target, 20, b"".join(opening(2 * n) for n in range(40))), Crowd(target, 20, more(99, 8)),
              Crowd(target, 5, wire.message(1, "<", wire.REQUEST, bytes(40), more=True))]
    nothing = wire.message(1, "<", wire.FRAGMENT, b"", more=True) * 5000
    while True:
        crowds[0].tick()
        crowds[1].tick(more(2, 8) * 500)
        crowds[2].tick()
        crowds[3].tick()
        crowds[4].tick(nothing)


def cancels(target):
    """Requests and at once their cancellation, and cancellations of what never was."""
    ask = target.request("slow", lambda w: w.put("I", 20), number=8)
    cancel = wire.message(2, "<", wire.CANCEL, struct.pack("<I", 8))
    opened = wire.fragmented(2, target.request("ping", number=10), [16])[0]
    stray = b"".join(wire.message(2, "<", wire.CANCEL, struct.pack("<I", n)) for n in range(1000, 3000))
    crowds = [Crowd(target, 4, (ask + cancel) * 4), Crowd(target, 10, stray), Crowd(target, 10, opened)]
    while True:
        crowds[0].tick(ask + cancel)
        crowds[1].tick(stray)
        crowds[2].tick(wire.message(2, "<", wire.CANCEL, struct.pack("<I", 10)) + opened)


def hostile_values(target):
    """Anys, TypeCodes and valuetypes that are deep, wide, in circles, or other than they say."""
    messages = [target.request("take_any", body) for body in hostile.anys()]
    messages += [target.request("take_link", body) for body in hostile.links()]
    messages += [target.request("keep", body) for body in hostile.counts()]
    exchange(target, lambda: random.choice(messages) if random.random() < 0.5 else hostile.mutated(random.choice(messages)))


def foreign_references(target):
    """References to the server's own objects where others are expected, and what is hardly a reference."""
    messages = [target.request("ask", body) for body in hostile.references(target)]
    exchange(target, lambda: random.choice(messages))


def churn(target):
    """Connects, asks, and breaks off with a reset, as clients do that are killed and started again."""
    ask = target.request("slow", lambda w: w.put("I", 1)) + target.request("ping", number=3)
    while True:
        group = [target.connect() for _ in range(20)]
        for member in filter(None, group):
            Crowd.push(member, ask[:random.randrange(1, len(ask) + 1)])
            if random.random() < 0.7:
                member.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            member.close()
        time.sleep(0.005)


def far_places(target):
    """Has the server call references to ever new places, where the connections stay."""
    server = Foreign(lambda number: [wire.message(2, "<", wire.REPLY, struct.pack("<IIII", number, 0, 0, 7))])
    places = iter(range(1, 1 << 24))

    def ask(place):
        return target.request("ask", server.reference(f"127.{place >> 16}.{place >> 8 & 255}.{place & 255 or 1}"))
    exchange(target, lambda: b"".join(ask(next(places)) for _ in range(20)))


def half_replies(target):
    """Has the server call references whose owner answers at length and never to the end."""
    part = bytes(1 << 20)

    def answer(number):
        yield wire.message(2, "<", wire.REPLY, struct.pack("<III", number, 0, 0), size=250 << 20)
        for _ in range(100):
            yield part
            time.sleep(0.002)
    servers = [Foreign(answer) for _ in range(8)]
    crowd = [(Crowd(target, 4, target.request("ask", server.reference("127.0.0.1"))), server) for server in servers]
    while True:
        for each, _ in crowd:
            each.tick()


def hello(version):
    """What a client of TLS says first, newest version so."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode, context.maximum_version = False, ssl.CERT_NONE, version
    came, left = ssl.MemoryBIO(), ssl.MemoryBIO()
    try:
        context.wrap_bio(came, left).do_handshake()
    except ssl.SSLWantReadError:
        pass
    return left.read()


def tls_slow_hellos(target):
    """Hand-shakes that come an octet at a time."""
    whole = hello(ssl.TLSVersion.TLSv1_3)
    crowd = Crowd(target.over_tls(), 200, whole[:5])
    place = 5
    while True:
        crowd.tick(whole[place:place + 1] or b"\x16")
        place += 1


def tls_hellos(target):
    """Hand-shakes that are left as soon as the server has had the work, and some that go on with something else."""
    target = target.over_tls()
    hellos = [hello(ssl.TLSVersion.TLSv1_3), hello(ssl.TLSVersion.TLSv1_2)]
    nonsense = [b"", target.request("ping"), b"\x16\x03\x03\x40\x00" + bytes(0x4000), b"\x15\x03\x03\x00\x02\x01\x00"]
    while True:
        group = list(filter(None, (target.connect() for _ in range(20))))
        for member in group:
            Crowd.push(member, random.choice(hellos))
        for member in group:
            select.select([member], [], [], TICK)
            Crowd.push(member, random.choice(nonsense))
            member.close()


def tls_unread(target):
    """Hand-shakes that are over, 20 MiB asked for, and nothing read."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    ask = target.request("give", lambda w: w.put("I", 1 << 20)) * 20
    members = [None] * 20
    while True:
        for index, member in enumerate(members):
            try:
                if member is None:
                    s = target.over_tls().connect(receive_buffer=4096)
                    if s is not None:
                        s.settimeout(5)
                        members[index] = context.wrap_socket(s)
                        members[index].sendall(ask)
                else:
                    member.sendall(target.request("ping"))
            except OSError:
                if members[index] is not None:
                    members[index].close()
                members[index] = None
        time.sleep(TICK)


ATTACKS = {f.__name__.replace("_", "-"): f for f in (
    slow_headers, slow_bodies, half_headers, slow_readers, one_slow_reader, pipelined_slow, pipelined_questions, ocean, memory,
    fragments, cancels, hostile_values, foreign_references, far_places, half_replies, churn, tls_slow_hellos, tls_hellos, tls_unread)}
# At the limit of its descriptors the server has fewer of them than there are attackers.
ATTACKS["descriptors"] = half_headers
DESCRIPTORS = {"descriptors": 300, "far-places": 400}
# Those that are known to do harm are asked for by name.
NOT_HELD = []
OVER_TLS = [name for name in ATTACKS if name.startswith("tls-")]
