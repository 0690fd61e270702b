# SPDX-License-Identifier: Apache-2.0
"""What attackers work with: the server as they know it, crowds of connections, a server of their own."""
import os
import selectors
import socket
import struct
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "interop"))
import giop_wire as wire  # noqa: E402
import hostile  # noqa: E402

TICK = 0.05


class Target:
    """The server as an attacker knows it; counts the connections made to it."""

    def __init__(self, references, opened, tls=None):
        self.target, self.notes, self.gauge = references
        self.tls = tls
        self.address, self.key, _, self.ior = wire.parse_ior(self.target)
        self.opened = opened

    def over_tls(self):
        """The same, but connecting to where TLS is spoken."""
        other = Target((self.target, self.notes, self.gauge), self.opened, self.tls)
        other.address = self.tls
        return other

    def connect(self, receive_buffer=None):
        """A socket that never blocks; None if the server or the system takes no more."""
        s = socket.socket()
        try:
            if receive_buffer:
                s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
            s.settimeout(2)
            s.connect(self.address)
            s.setblocking(False)
            with self.opened.get_lock():
                self.opened.value += 1
            return s
        except OSError:
            s.close()
            return None

    def request(self, operation, body=None, number=1, **more):
        return wire.request(2, "<", number, self.key, operation, body, **more)


class Crowd:
    """So many connections, each of which is opened again when the server has closed it."""

    def __init__(self, target, size, greeting=b"", receive_buffer=None):
        self.target, self.greeting, self.receive_buffer = target, greeting, receive_buffer
        self.members = [None] * size

    def tick(self, octets=b"", read=True):
        for index, member in enumerate(self.members):
            if member is not None and not self.alive(member, octets, read):
                member.close()
                member = self.members[index] = None
            if member is None:
                member = self.members[index] = self.target.connect(self.receive_buffer)
                if member is not None:
                    self.push(member, self.greeting)
        time.sleep(TICK)

    def alive(self, member, octets, read):
        try:
            if read and member.recv(65536) == b"":
                return False
        except BlockingIOError:
            pass
        except OSError:
            return False
        return self.push(member, octets)

    @staticmethod
    def push(member, octets):
        """What does not fit is not sent: the attackers here do not care."""
        try:
            return not octets or member.send(octets) >= 0
        except BlockingIOError:
            return True
        except OSError:
            return False


class Foreign:
    """A server of the attacker's, reached at every address of this host's own network; it keeps its connections."""

    def __init__(self, answer):
        self.socket = socket.socket()
        self.socket.bind(("0.0.0.0", 0))
        self.socket.listen(1000)
        self.port = self.socket.getsockname()[1]
        self.answer = answer
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        waiting = selectors.DefaultSelector()
        waiting.register(self.socket, selectors.EVENT_READ)
        while True:
            for key, _ in waiting.select():
                if key.fileobj is self.socket:
                    waiting.register(self.socket.accept()[0], selectors.EVENT_READ)
                elif not self.serve(key.fileobj):
                    waiting.unregister(key.fileobj)
                    key.fileobj.close()

    def serve(self, connection):
        try:
            request = connection.recv(65536)
            if len(request) >= 16 and request[7] == wire.REQUEST:
                connection.setblocking(False)
                for octets in self.answer(struct.unpack_from("<I" if request[6] & 1 else ">I", request, 12)[0]):
                    connection.send(octets)
            return request != b""
        except BlockingIOError:
            return True
        except OSError:
            return False

    def reference(self, host, key=b"k"):
        """As an argument."""
        profile = wire.Writer("<", 1).raw(b"\1\2").string(host).put("H", self.port).octets(key).put("I", 0)
        return hostile.ior([(0, b"\1" + bytes(profile.data))])


def exchange(target, message):
    """Sends messages on a few connections and reads what comes, so that the server can go on."""
    members = [None] * 4
    while True:
        for index, member in enumerate(members):
            if member is None:
                member = members[index] = target.connect()
                if member is None:
                    time.sleep(TICK)
                    continue
            if not send_and_read(member, message()):
                member.close()
                members[index] = None


def send_and_read(member, octets):
    member.settimeout(2)
    try:
        member.sendall(octets)
        return member.recv(65536) != b""
    except OSError:
        return False
