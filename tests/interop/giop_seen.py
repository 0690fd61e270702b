# SPDX-License-Identifier: Apache-2.0
"""What passed a recording proxy, in words: which messages each side sent, how large, and which code sets they agreed on."""
import struct

from giop_wire import LOCATE_REPLY, REPLY, REQUEST, Reader

KINDS = ["Request", "Reply", "CancelRequest", "LocateRequest", "LocateReply", "CloseConnection", "MessageError", "Fragment"]
LOCATED = ["UNKNOWN_OBJECT", "OBJECT_HERE", "OBJECT_FORWARD", "OBJECT_FORWARD_PERM"]
CODE_SETS = {0: "none", 0x00010001: "ISO 8859-1", 0x05010001: "UTF-8", 0x00010109: "UTF-16", 0x00010100: "UCS-2"}
CODE_SETS_CONTEXT = 1


def split(octets):
    """(messages, rest) of a stream: each whole GIOP message, header and all."""
    messages, at = [], 0
    while len(octets) - at >= 12:
        size = 12 + struct.unpack_from("<I" if octets[at + 6] & 1 else ">I", octets, at + 8)[0]
        if len(octets) - at < size:
            break
        messages.append(bytes(octets[at:at + size]))
        at += size
    return messages, octets[at:]


def _code_sets(message):
    """The code sets for char and wchar that a Request names; None if it names none."""
    reader = Reader(message, "<" if message[6] & 1 else ">", 12)
    if message[5] >= 2:
        reader.get("I")
        reader.at += 4
        if reader.get("h") != 0:
            return None
        reader.octets()
        reader.octets()
    for number, data in reader.contexts():
        if number == CODE_SETS_CONTEXT:
            inner = Reader(data, "<" if data[0] else ">", 4)
            return [CODE_SETS.get(one, hex(one)) for one in (inner.get("I"), inner.get("I"))]
    return None


def _facts_of(message, side):
    kind, order = message[7], "<" if message[6] & 1 else ">"
    yield f"{KINDS[kind]} of the {side}"
    yield f"{'little' if order == '<' else 'big'} endian of the {side}"
    body = Reader(message, order, 12)
    if kind == LOCATE_REPLY:
        body.get("I")
        yield f"{LOCATED[body.get('I')]} of the {side}"
    elif kind == REPLY and message[5] >= 2:
        body.get("I")
        if body.get("I") in (3, 4):
            yield f"LOCATION_FORWARD of the {side}"
    elif kind == REQUEST and (sets := _code_sets(message)):
        yield f"code sets {sets[0]} and {sets[1]}"


def facts(records):
    """All that can be said of `records`, as RecordingProxy keeps them."""
    streams, said = {}, set()
    for connection, outward, data in records:
        streams.setdefault((connection, outward), bytearray()).extend(data)
    for (_, outward), octets in streams.items():
        side, joined = "client" if outward else "server", 0
        for message in split(octets)[0]:
            if message[:4] != b"GIOP":
                continue
            try:
                said.update(_facts_of(message, side))
            except (struct.error, ValueError, IndexError):
                pass  # the rest of a header is in a fragment
            joined = joined + len(message) if message[7] == KINDS.index("Fragment") else len(message)
            if joined > 4 << 20:
                said.add(f"more than 4 MiB of the {side}")
    return said


def check(records, expected):
    """Prints of each expected fact that it holds: a list of problems."""
    said = facts(records)
    problems = []
    for fact in expected:
        if fact in said:
            print("ok seen:", fact)
        else:
            problems.append(f"FAIL seen: {fact}")
    return problems + (["seen was: " + ", ".join(sorted(said))] if problems else [])


def cut(message, step):
    """A Request or Reply, or a Fragment, in fragments of about `step` octets (GIOP 1.1: of values no larger than 4)."""
    minor, kind, flags = message[5], message[7], message[6]
    if message[:4] != b"GIOP" or minor not in (1, 2) or kind not in (REQUEST, REPLY, KINDS.index("Fragment")):
        return [message]
    # Every message but the last is a multiple of 8 with its header.
    header = 16 if minor == 2 else 12
    step = max(step + -(header + step) % 8, 20 if minor == 1 else 16)
    first = max(24 if minor == 2 else 160, step + 12 + -(step + 12) % 8)  # Corbel wants the request id in it, behind contexts in 1.1
    order = "<I" if flags & 1 else ">I"
    parts = [message[12:first]] + [message[at:at + step] for at in range(first, len(message), step)]
    pieces = []
    for index, part in enumerate(parts):
        more = index + 1 < len(parts) or flags & 2
        if index > 0 and minor == 2:
            part = message[12:16] + part
        pieces.append(b"GIOP" + bytes([1, minor, flags & ~2 | (2 if more else 0), kind if index == 0 else KINDS.index("Fragment")]) +
                      struct.pack(order, len(part)) + part)
    return pieces
