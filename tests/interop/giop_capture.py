# SPDX-License-Identifier: Apache-2.0
"""A recording proxy for IIOP, and tshark's verdict on what it recorded."""
import collections
import re
import socket
import struct
import subprocess
import threading

import giop_seen


def _iiop_port_offset(ior):
    """Octet offset of the port in the first IIOP profile of an IOR given as octets, and its struct format."""
    def ulong(data, order, at):
        at = (at + 3) & ~3
        return struct.unpack_from(order + "I", data, at)[0], at + 4

    order = "<" if ior[0] & 1 else ">"
    length, at = ulong(ior, order, 1)
    count, at = ulong(ior, order, at + length)
    for _ in range(count):
        tag, at = ulong(ior, order, at)
        size, at = ulong(ior, order, at)
        if tag == 0:
            body = ior[at:at + size]
            inner = "<" if body[0] & 1 else ">"
            host, start = ulong(body, inner, 3)
            return at + ((start + host + 1) & ~1), inner + "H", body[start:start + host - 1].decode()
        at += size
    raise ValueError("no IIOP profile")


class RecordingProxy:
    """Stands between a client and the server of `ior`; `ior` becomes the reference to hand to the client."""

    def __init__(self, ior):
        octets = bytearray.fromhex(ior[4:])
        at, layout, host = _iiop_port_offset(octets)
        self._target = (host, struct.unpack_from(layout, octets, at)[0])
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        struct.pack_into(layout, octets, at, self.port)
        self.ior = "IOR:" + octets.hex()
        self.records = []  # (connection, from client?, octets), in the order of their passing
        self._lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        connection = 0
        while True:
            client, _ = self._listener.accept()
            server = socket.create_connection(self._target)
            for source, sink, outward in ((client, server, True), (server, client, False)):
                threading.Thread(target=self._pump, args=(connection, source, sink, outward), daemon=True).start()
            connection += 1

    def _pump(self, connection, source, sink, outward):
        try:
            while data := source.recv(65536):
                with self._lock:
                    self.records.append((connection, outward, data))
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def whole(self):
        """What passed so far."""
        with self._lock:
            return list(self.records)

    def octets(self, outward):
        """All that passed in one direction."""
        with self._lock:
            return b"".join(data for _, of_client, data in self.records if of_client == outward)

    def write_pcap(self, path):
        """The records as a capture file of raw IPv4: per connection a handshake, then segments in order."""
        states = {}
        with self._lock, open(path, "wb") as out:
            out.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 1 << 18, 101))
            clock = 0
            for connection, outward, data in self.records:
                if connection not in states:
                    states[connection] = {True: 1, False: 1}
                    for direction, flags, sequence, acknowledged in ((True, 2, 0, 0), (False, 18, 0, 1), (True, 16, 1, 1)):
                        out.write(self._packet(clock, connection, direction, flags, sequence, acknowledged, b""))
                for start in range(0, len(data), 16384):
                    piece, clock = data[start:start + 16384], clock + 1
                    state = states[connection]
                    out.write(self._packet(clock, connection, outward, 24, state[outward], state[not outward], piece))
                    state[outward] += len(piece)

    def _packet(self, clock, connection, outward, flags, sequence, acknowledged, data):
        client, server = 40000 + connection, self.port
        ports = (client, server) if outward else (server, client)
        hosts = (b"\x0a\0\0\1", b"\x0a\0\0\2") if outward else (b"\x0a\0\0\2", b"\x0a\0\0\1")
        tcp = struct.pack(">HHIIBBHHH", *ports, sequence & 0xFFFFFFFF, acknowledged & 0xFFFFFFFF, 0x50, flags, 65535, 0, 0)
        ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(tcp) + len(data), 0, 0, 64, 6, 0) + hosts[0] + hosts[1]
        packet = ip + tcp + data
        return struct.pack("<IIII", clock // 1000, clock % 1000 * 1000, len(packet), len(packet)) + packet


class MessageProxy(RecordingProxy):
    """Reads messages: what references to the server's objects pass to the client, lead here, too, and back again."""

    def _pump(self, connection, source, sink, outward):
        rest = bytearray()
        try:
            while data := source.recv(65536):
                rest += data
                messages, rest = giop_seen.split(rest)
                for message in messages:
                    pieces = self._pieces(self._led(message, outward), outward)
                    with self._lock:
                        self.records += [(connection, outward, piece) for piece in pieces]
                    sink.sendall(b"".join(pieces))
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def _led(self, message, outward):
        """With the one's port in place of the other's."""
        host, port = self._target[0].encode() + b"\0", self._target[1]
        before, after = (self.port, port) if outward else (port, self.port)
        for layout in ("<H", ">H"):
            message = message.replace(host + struct.pack(layout, before), host + struct.pack(layout, after))
        return message

    def _pieces(self, message, _outward):
        return [message]


class CuttingProxy(MessageProxy):
    """Passes every Request and Reply on in fragments, of other sizes each time."""

    def __init__(self, ior):
        self.cut = {True: 0, False: 0}  # from client?: how many were
        super().__init__(ior)

    def _pieces(self, message, outward):
        pieces = giop_seen.cut(message, max(8 * (1 + self.cut[outward] % 40), len(message) // 64))
        self.cut[outward] += len(pieces) > 1
        return pieces


def dissect(tshark, proxy, path):
    """Writes the capture and lets tshark read it: a list of problems, empty when every message was understood."""
    proxy.write_pcap(path)
    command = [tshark, "-r", path, "-d", f"tcp.port=={proxy.port},giop", "-T", "fields", "-e", "frame.number", "-e",
               "giop.type", "-e", "giop.flags.fragment", "-e", "giop.replystatus", "-e", "_ws.malformed", "-e",
               "_ws.expert.message", "-Y", "giop"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=100)
    if result.returncode != 0:
        return ["tshark failed: " + result.stderr.strip()]
    kinds, problems = collections.Counter(), []
    for line in result.stdout.splitlines():
        number, types, fragmented, status, malformed, expert = (line.split("\t") + [""] * 6)[:6]
        kinds.update(types.split(","))
        expert = re.sub(r"Connection (establish|finish)[^,]*,?", "", expert)
        if re.search(r": (GIAS|CosNaming|CosEventComm|PARLAY|TANGO)\]", malformed):  # they claim operations by name alone
            continue
        # Service contexts it looks for in the first fragment alone; GlassFish's with system exceptions are longer.
        if "1" in fragmented.split(",") and "2" in status.split(","):
            continue
        if malformed or expert:
            problems.append(f"tshark, frame {number}: {malformed} {expert}")
    names = ["Request", "Reply", "CancelRequest", "LocateRequest", "LocateReply", "CloseConnection", "MessageError",
             "Fragment"]
    print("dissected: " + ", ".join(f"{count} {names[int(kind, 0)]}" for kind, count in sorted(kinds.items()) if kind))
    return problems if kinds else ["tshark saw no GIOP message"]
