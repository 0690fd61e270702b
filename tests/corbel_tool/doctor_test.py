#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shows `corbel doctor` situations that are broken in one way each; it must name the cause, and the exit status must fit.

usage: doctor_test.py CORBEL SERVER
"""

import contextlib
import json
import os
import socket
import struct
import subprocess
import sys
import threading
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from ports import free_port  # noqa: E402

CORBEL, SERVER = sys.argv[1:3]
TIMEOUT_S = 100
DONE, UNREADABLE, NOT_USABLE, NOT_REACHED = 0, 2, 3, 4


def run(*line, env=None):
    return subprocess.run(line, capture_output=True, text=True, timeout=TIMEOUT_S, check=False, env=env)


class Encoder:
    """CDR, little endian, as an encapsulation."""

    def __init__(self):
        self.octets = bytearray(b"\x01")

    def number(self, value, form="<I"):
        size = struct.calcsize(form)
        self.octets += b"\0" * (-len(self.octets) % size) + struct.pack(form, value)
        return self

    def raw(self, octets):
        self.number(len(octets))
        self.octets += octets
        return self

    def text(self, text):
        return self.raw(text.encode() + b"\0")


def code_sets(char, wchar):
    encoder = Encoder()
    for native in (char, wchar):
        encoder.number(native).number(0)
    return (1, bytes(encoder.octets))


def ior(host="127.0.0.1", port=1, type_id="IDL:Test/Bench:1.0", key=b"key", minor=2, components=()):
    profile = Encoder()
    profile.octets += bytes([1, minor])
    profile.text(host).number(port, "<H").raw(key)
    if minor > 0:
        profile.number(len(components))
        for tag, data in components:
            profile.number(tag).raw(data)
    whole = Encoder().text(type_id).number(1).number(0).raw(bytes(profile.octets))
    return "IOR:" + whole.octets.hex()


def group_ior(domain="Domain", component=True):
    """To a group at 239.255.77.12:4000."""
    group = Encoder()
    group.octets += bytes([1, 0])
    group.raw(domain.encode("latin-1") + b"\0").number(7, "<Q").number(0)
    profile = Encoder()
    profile.octets += bytes([1, 0])
    profile.text("239.255.77.12").number(4000, "<H").number(1 if component else 0)
    if component:
        profile.number(39).raw(bytes(group.octets))
    whole = Encoder().text("IDL:Test/Bench:1.0").number(1).number(3).raw(bytes(profile.octets))
    return "IOR:" + whole.octets.hex()


def locate_reply(request, status, body=b"", request_id=None, minor=None):
    """The answer to a LocateRequest as the doctor writes it: little endian."""
    identity = request[12:16] if request_id is None else struct.pack("<I", request_id)
    content = identity + struct.pack("<I", status) + body
    return b"GIOP" + bytes([1, request[5] if minor is None else minor, 1, 4]) + struct.pack("<I", len(content)) + content


@contextlib.contextmanager
def fake(answer, close=True):
    """A listener that gives each connection `answer(request)`; None: nothing at all. Without `close` it then waits for the client."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        def serve():
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                threading.Thread(target=talk, args=(connection,), daemon=True).start()

        def talk(connection):
            with connection, contextlib.suppress(OSError):
                if answer is None:
                    return
                octets = answer(connection.recv(4096))
                connection.sendall(octets)
                if not close:
                    while connection.recv(4096):
                        pass

        threading.Thread(target=serve, daemon=True).start()
        try:
            yield listener.getsockname()[1]
        finally:
            with contextlib.suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)


@contextlib.contextmanager
def server(*arguments, endpoint="tcp://127.0.0.1:0"):
    process = subprocess.Popen([SERVER, *arguments, "-ORBListenEndpoints", endpoint], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait(TIMEOUT_S)
        process.stdout.close()


def port_of(reference):
    return json.loads(run(CORBEL, "ior", reference, "--json").stdout)["profiles"][0]["port"]


class DoctorCase(unittest.TestCase):
    def doctor(self, reference, status, *said, options=(), timeout="20000", env=None, tries=1):
        """`tries`: where silence is waited for, and what comes before it may come too late on a busy machine."""
        for _ in range(tries):
            done = run(CORBEL, "doctor", "--timeout", timeout, *options, reference, env=env)
            if done.returncode == status and all(text in done.stdout + done.stderr for text in said):
                break
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        for text in said:
            self.assertIn(text, done.stdout + done.stderr)
        return done.stdout


class DoctorTest(DoctorCase):
    # --- healthy ---

    def test_a_healthy_object_gets_no_problem(self):
        with server() as reference:
            text = self.doctor(reference, DONE, "accepts connections", "the object is there", "_is_a(IDL:Test/Bench:1.0): true", "healthy")
            self.assertNotIn("problem", text)
            self.assertIn(" ms)", text)
            whole = json.loads(self.doctor(reference, DONE, options=["--json"]))
            self.assertEqual(whole["verdict"], "healthy")
            self.assertIn("ms", whole["findings"][1])

    def test_references_with_the_loopback_address_are_noted(self):
        with server() as reference:
            self.doctor(reference, DONE, "note     127.0.0.1 is the loopback address", "-ORBPublishHost")

    # --- the reference itself ---

    def test_references_that_cannot_be_read(self):
        self.doctor(ior()[:-10], UNREADABLE, "ends too early; was all of it copied?")
        self.doctor("IOR:00zz", UNREADABLE, "malformed")
        self.doctor("corbaloc::host:99999/x", UNREADABLE, "malformed address")
        self.doctor("nothing-of-that-name", UNREADABLE, "neither a reference")

    def test_hosts_do_nothing_to_the_terminal(self):
        for host in ("\x1b[31m127.0.0.1", "fe80:\x1b[31m", "169.254.\x1b[31m", "a:\x1b[31m"):
            for components in ((), ((3, b"\x01" + b"\xff" * 9),)):
                done = run(CORBEL, "doctor", ior(host, components=components), "--timeout", "1")
                self.assertIn("\\u001b", done.stdout)
                self.assertNotIn("\x1b", done.stdout + done.stderr)

    def test_nil(self):
        self.doctor("IOR:" + Encoder().text("").number(0).octets.hex(), UNREADABLE, "is nil")

    def test_code_sets_that_nobody_has(self):
        with server() as reference:
            bad = ior(port=port_of(reference), components=[code_sets(0x10020417, 0x10020417)])  # EBCDIC
            self.doctor(bad, NOT_USABLE, "offers no code set that Corbel has")

    def test_a_tls_component_that_cannot_be_read(self):
        self.doctor(ior(port=0, components=[(20, b"\x00\x00\x00")]), NOT_REACHED, "has a TLS component that cannot be read")

    def test_no_profile_that_can_be_used(self):
        text = self.doctor(ior(port=0), NOT_REACHED, "names no address that can be used from here", "cannot be reached", "no usable profile")
        self.assertNotIn("POA manager", text)

    def test_the_wildcard_address(self):
        self.doctor(ior(host="0.0.0.0"), NOT_REACHED, "none to connect to", "-ORBPublishHost")

    def test_a_name_that_nobody_knows(self):
        self.doctor(ior(host="no-such-host.invalid"), NOT_REACHED, "no-such-host.invalid:1", "-ORBPublishHost", timeout="10000")

    # --- connections ---

    def test_nobody_listens(self):
        self.doctor(ior(), NOT_REACHED, "nobody listens", "another port now")

    def test_silence_as_behind_a_firewall(self):
        # A full queue: the system drops what comes, as a firewall does.
        with socket.create_server(("127.0.0.1", 0), backlog=0) as listener, contextlib.ExitStack() as stack:
            for _ in range(4):
                filler = stack.enter_context(socket.socket())
                filler.setblocking(False)
                with contextlib.suppress(BlockingIOError):
                    filler.connect(listener.getsockname())
            self.doctor(ior(port=listener.getsockname()[1]), NOT_REACHED, "does not answer at all", "firewall", timeout="700", tries=4)

    def test_a_socket_file_that_is_gone(self):
        self.doctor("corbaloc:uiop:/nonexistent/socket|key", NOT_REACHED, "unix:///nonexistent/socket", "cannot be reached")

    def test_one_address_of_two_is_dead(self):
        with server() as reference:
            url = run(CORBEL, "ior", reference, "--to", "corbaloc").stdout.strip()
            self.doctor(url.replace("corbaloc:", "corbaloc::127.0.0.1:1,"), DONE, "tcp://127.0.0.1:1 is there, but nobody listens",
                        "usable, with problems", options=["--type", "IDL:Test/Bench:1.0"])

    # --- what answers ---

    def test_a_process_that_says_nothing(self):
        with fake(lambda request: b"", close=False) as port:
            self.doctor(ior(port=port), NOT_REACHED, "then says nothing", "gdb", timeout="500", tries=4)

    def test_a_process_that_closes_at_once(self):
        with fake(None) as port:
            self.doctor(ior(port=port), NOT_REACHED, "closes it without an answer")

    def test_other_servers(self):
        for banner, said in ((b"HTTP/1.1 400 Bad Request\r\n\r\n", "speaks HTTP"), (b"SSH-2.0-OpenSSH_9.2\r\n", "speaks SSH"),
                             (b"\x15\x03\x01\x00\x02\x02\x46", "speaks TLS"), (b"220 mail ready\r\n", "mail"), (b"\x00\x01what", "sends '")):
            with fake(lambda request, banner=banner: banner) as port:
                self.doctor(ior(port=port), NOT_REACHED, "no CORBA server", said)

    def test_half_answers(self):
        for octets in (b"GIOP\x01\x02", b"GIOP\x01\x02\x01\x04\x08\0\0\0\1\2"):
            for close in (True, False):
                with fake(lambda request, octets=octets: octets, close=close) as port:
                    self.doctor(ior(port=port), NOT_REACHED, "begins an answer and does not end it", timeout="20000" if close else "2000", tries=4)

    def test_nonsense_and_answers_to_other_questions(self):
        with fake(lambda request: b"GIOP\x01\x02\x01\x04\xff\xff\xff\xff") as port:
            self.doctor(ior(port=port), NOT_REACHED, "a header that makes no sense")
        with fake(lambda request: locate_reply(request, 1, request_id=7)) as port:
            self.doctor(ior(port=port), NOT_REACHED, "another question")
        with fake(lambda request: locate_reply(request, 1)[:7] + b"\x01" + struct.pack("<I", 0)) as port:
            self.doctor(ior(port=port), NOT_REACHED, "a message of type 1")

    def test_close_connection(self):
        with fake(lambda request: b"GIOP\x01\x02\x01\x05\0\0\0\0") as port:
            self.doctor(ior(port=port), NOT_REACHED, "CloseConnection at once")

    def test_a_server_of_an_older_giop(self):
        def answer(request):
            return locate_reply(request, 0) if request[5] == 0 else b"GIOP\x01\x00\x01\x06\0\0\0\0"
        with fake(answer) as port:
            self.doctor(ior(port=port), NOT_REACHED, "refuses GIOP 1.2, which the reference promises, and takes 1.0", "-ORBGiopVersion 1.0")
        with fake(lambda request: b"GIOP\x01\x00\x01\x06\0\0\0\0") as port:
            self.doctor(ior(port=port), NOT_REACHED, "MessageError whatever GIOP version")

    def test_forwards_in_a_circle(self):
        with fake(lambda request: locate_reply(request, 2, bytes.fromhex(ior(port=port)[4:])[4:])) as port:
            self.doctor(ior(port=port), NOT_USABLE, "the object is elsewhere", "in a circle")

    # --- the object ---

    def test_an_object_that_was_deactivated(self):
        with server("deactivated") as reference:
            self.doctor(reference, NOT_USABLE, "does not know the object", "is gone")

    def test_a_key_that_no_adapter_made(self):
        with server() as reference:
            self.doctor(f"corbaloc::127.0.0.1:{port_of(reference)}/nothing", NOT_USABLE, "does not know the object", "another server has the address now")

    def test_a_reference_from_an_earlier_life_of_the_server(self):
        endpoint = f"tcp://127.0.0.1:{free_port()}"
        with server(endpoint=endpoint) as reference:
            pass
        with server(endpoint=endpoint):
            self.doctor(reference, NOT_USABLE, "transient: it ended with its server", "persistent")

    def test_a_manager_that_holds(self):
        with server("holding") as reference:
            self.doctor(reference, NOT_REACHED, "does not answer requests for it", "POA manager holds", timeout="2000", tries=4)

    def test_a_manager_that_discards(self):
        with server("discarding") as reference:
            self.doctor(reference, NOT_REACHED, "is not served now", "discards requests")

    def test_a_manager_that_is_inactive(self):
        with server("inactive") as reference:
            self.doctor(reference, NOT_USABLE, "its POA manager is inactive")

    def test_an_object_of_another_interface(self):
        with server() as reference:
            self.doctor(reference, NOT_USABLE, "is not of the interface IDL:Other:1.0", "different IDL", options=["--type", "IDL:Other:1.0"])

    def test_a_name_that_leads_nowhere(self):
        self.doctor("corbaname::127.0.0.1:1#a/b", NOT_REACHED, "the naming service at tcp://127.0.0.1:1", "nobody listens", "cannot be resolved")

    def test_a_group_is_told_as_one(self):
        environment = {**os.environ, "CORBEL_MULTICAST_INTERFACE": "lo"}
        told = run(CORBEL, "doctor", group_ior(), env=environment)
        self.assertEqual(told.returncode, DONE, told.stdout)
        for text in ("239.255.77.12:4000 is the address of the group Domain-7", "can be sent oneways", "healthy"):
            self.assertIn(text, told.stdout)
        told = run(CORBEL, "doctor", group_ior(), env={**environment, "CORBEL_MULTICAST_INTERFACE": "nowhere0"})
        self.assertNotEqual(told.returncode, DONE)
        self.assertIn("cannot be sent anything", told.stdout)
        told = run(CORBEL, "doctor", group_ior(component=False), env=environment)
        self.assertEqual(told.returncode, NOT_REACHED, told.stdout)
        self.assertIn("names none", told.stdout)

    def test_what_is_no_utf_8_in_a_reference_does_not_hide_the_rest(self):
        told = run(CORBEL, "ior", group_ior(domain="D\xff"))
        self.assertEqual((told.returncode, told.stderr), (0, ""))
        self.assertIn("239.255.77.12", told.stdout)
        self.assertIn('"version":0', told.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
