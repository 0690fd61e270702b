# SPDX-License-Identifier: Apache-2.0
"""CDR and GIOP by hand: enough to send any message, well-formed or not, and to read the answers."""
import socket
import struct

REQUEST, REPLY, CANCEL, LOCATE, LOCATE_REPLY, CLOSE, ERROR, FRAGMENT = range(8)
NO_EXCEPTION, USER_EXCEPTION, SYSTEM_EXCEPTION, LOCATION_FORWARD = range(4)
SIZES = {"b": 1, "B": 1, "h": 2, "H": 2, "i": 4, "I": 4, "q": 8, "Q": 8, "f": 4, "d": 8}


class Writer:
    """Appends CDR values in byte order "<" or ">"; `start` is the offset from the alignment origin."""

    def __init__(self, order, start=0):
        self.order, self.start, self.data = order, start, bytearray()

    def align(self, size):
        self.data += bytes(-(self.start + len(self.data)) % size)
        return self

    def put(self, kinds, *values):
        for kind, value in zip(kinds, values, strict=True):
            self.align(SIZES[kind]).data += struct.pack(self.order + kind, value)
        return self

    def raw(self, octets):
        self.data += octets
        return self

    def octets(self, octets):
        return self.put("I", len(octets)).raw(octets)

    def string(self, text):
        return self.octets(text.encode("latin-1") + b"\0")


class Reader:
    def __init__(self, data, order, at):
        self.data, self.order, self.at = data, order, at

    def get(self, kind):
        size = SIZES[kind]
        self.at += -self.at % size
        value = struct.unpack_from(self.order + kind, self.data, self.at)[0]
        self.at += size
        return value

    def octets(self):
        size = self.get("I")
        if self.at + size > len(self.data):
            raise ValueError("a length runs past the end")
        self.at += size
        return self.data[self.at - size:self.at]

    def string(self):
        return self.octets()[:-1].decode("latin-1")

    def contexts(self):
        return [(self.get("I"), self.octets()) for _ in range(self.get("I"))]


def message(minor, order, kind, body=b"", more=False, major=1, magic=b"GIOP", size=None):
    flags = (1 if order == "<" else 0) | (2 if more else 0)
    return magic + bytes([major, minor, flags, kind]) + struct.pack(order + "I", len(body) if size is None else size) + body


def request(minor, order, number, key, operation, body=None, response=True, contexts=(), flags=None, target=None):
    """The octets of a Request; `body` is called with a Writer placed where the arguments begin."""
    out = Writer(order, 12)

    def put_contexts():
        out.put("I", len(contexts))
        for name, data in contexts:
            out.put("I", name).octets(data)

    if minor < 2:
        put_contexts()
        out.put("IB", number, 1 if response else 0)
        out.raw(b"" if minor == 0 else bytes(3)).octets(key).string(operation).octets(b"")
    else:
        out.put("IB", number, (3 if response else 0) if flags is None else flags).raw(bytes(3))
        if target:
            target(out)
        else:
            out.put("h", 0).octets(key)
        out.string(operation)
        put_contexts()
        if body:
            out.align(8)
    if body:
        body(out)
    return message(minor, order, REQUEST, bytes(out.data))


def fragmented(minor, octets, sizes):
    """Cuts a Request into a first message and Fragments; `sizes` are octets of the whole that each piece takes."""
    order = "<" if octets[6] & 1 else ">"
    body, pieces, at = octets[12:], [], 0
    for index, size in enumerate(list(sizes) + [None]):
        part = body[at:] if size is None else body[at:at + size]
        at += len(part)
        if index == 0:
            pieces.append(message(minor, order, REQUEST, part, more=True))
        else:
            prefix = octets[12:16] if minor >= 2 else b""
            pieces.append(message(minor, order, FRAGMENT, prefix + part, more=size is not None))
    return pieces


def locate(minor, order, number, key):
    out = Writer(order, 12).put("I", number)
    if minor >= 2:
        out.put("h", 0)
    return message(minor, order, LOCATE, bytes(out.octets(key).data))


class Answer:
    """A message from the server; replies are taken apart."""

    def __init__(self, octets):
        if octets[:4] != b"GIOP":
            raise ValueError(f"not GIOP: {octets[:12].hex()}")
        self.minor, self.order, self.kind = octets[5], "<" if octets[6] & 1 else ">", octets[7]
        self.more = bool(octets[6] & 2)
        self.body = Reader(octets, self.order, 12)
        if self.kind == REPLY and self.minor < 2:
            self.contexts, self.number, self.status = self.body.contexts(), self.body.get("I"), self.body.get("I")
        elif self.kind == REPLY:
            self.number, self.status, self.contexts = self.body.get("I"), self.body.get("I"), self.body.contexts()
            if self.body.at < len(octets):
                self.body.at += -self.body.at % 8
        elif self.kind == LOCATE_REPLY:
            self.number, self.status = self.body.get("I"), self.body.get("I")

    def exception(self):
        """(repository id, minor code, completion) of a system exception, or (id, None, None) of a user exception."""
        name = self.body.string()
        return (name, self.body.get("I"), self.body.get("I")) if self.status == SYSTEM_EXCEPTION else (name, None, None)


class Connection:
    def __init__(self, address, seconds=10):
        self.socket = socket.create_connection(address, timeout=seconds)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, *pieces):
        self.socket.sendall(b"".join(pieces))
        return self

    def _exactly(self, count):
        data = b""
        while len(data) < count:
            part = self.socket.recv(count - len(data))
            if not part:
                return None
            data += part
        return data

    def receive(self):
        """The next message, its fragments joined; None at the end of the stream."""
        try:
            header = self._exactly(12)
            if header is None:
                return None
            order = "<" if header[6] & 1 else ">"
            octets = header + (self._exactly(struct.unpack(order + "I", header[8:])[0]) or b"")
            while octets[6] & 2:
                more = self._exactly(12)
                part = self._exactly(struct.unpack(order + "I", more[8:])[0])
                octets = octets[:6] + bytes([octets[6] & ~2 | more[6] & 2]) + octets[7:]
                octets += part[4:] if header[5] >= 2 else part
            return Answer(octets)
        except ConnectionError:
            return None

    def ends(self):
        """True when the server closes the connection, with or without a MessageError or CloseConnection first."""
        while (answer := self.receive()) is not None:
            if answer.kind not in (ERROR, CLOSE):
                return False
        return True

    def close(self):
        self.socket.close()


def parse_ior(text):
    """((host, port), object key, profile octets, whole IOR octets) of the first IIOP profile; one with a port, if there is any."""
    data = bytes.fromhex(text.strip()[4:])
    ior = Reader(data, "<" if data[0] & 1 else ">", 1)
    ior.octets()
    found = []
    for _ in range(ior.get("I")):
        tag, octets = ior.get("I"), ior.octets()
        if tag == 0:
            profile = Reader(octets, "<" if octets[0] & 1 else ">", 3)
            found.append(((profile.string(), profile.get("H")), profile.octets(), octets, data))
    if not found:
        raise ValueError("no IIOP profile")
    return next((one for one in found if one[0][1]), found[0])
