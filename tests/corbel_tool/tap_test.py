#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shows what `corbel tap` sees between clients and a server, and that tshark reads what it writes.

usage: tap_test.py CORBEL SERVER IDL
"""

import json
import random
import socket
import struct
import subprocess
import sys
import unittest
import zlib

from between import CORBEL, IDL, TIMEOUT_S, BenchTest, path_in, port_of


def as_pcap(path):
    """The path of a pcapng file's copy in the older format."""
    old = path.removesuffix("ng")
    subprocess.run(["editcap", "-F", "pcap", path, old], capture_output=True, timeout=TIMEOUT_S, check=True)
    return old


def packets_of(path):
    """The head of a pcap file and its packets, as octets."""
    with open(path, "rb") as file:
        data = file.read()
    head, packets, at = data[:24], [], 24
    while at < len(data):
        size = struct.unpack_from("<I", data, at + 8)[0]
        packets.append(data[at:at + 16 + size])
        at += 16 + size
    return head, packets


def profiles_of(reference):
    """What is before the number of profiles, and the profiles as tag and octets."""
    data = bytes.fromhex(reference.removeprefix("IOR:"))
    order = "<" if data[0] else ">"
    at = 8 + struct.unpack_from(order + "I", data, 4)[0]
    at += -at % 4
    head, count = data[:at], struct.unpack_from(order + "I", data, at)[0]
    at, profiles = at + 4, []
    for _ in range(count):
        at += -at % 4
        tag, size = struct.unpack_from(order + "II", data, at)
        profiles.append((tag, data[at + 8:at + 8 + size]))
        at += 8 + size
    return head, profiles


def with_profiles(head, profiles):
    order, data = "<" if head[0] else ">", head
    data += struct.pack(order + "I", len(profiles))
    for tag, octets in profiles:
        data += bytes(-len(data) % 4) + struct.pack(order + "II", tag, len(octets)) + octets
    return "IOR:" + data.hex()


def as_of_tls(profile):
    """An IIOP profile with port 0, as one has whose port is that of TLS."""
    tag, octets = profile
    at = 8 + struct.unpack_from("<I" if octets[0] else ">I", octets, 4)[0]
    at += -at % 2
    return tag, octets[:at] + bytes(2) + octets[at + 2:]


class TapTest(BenchTest):
    def messages(self, *arguments, calls, until=None):
        """What is printed as JSON while `calls(reference)` runs, and then up to a line with the text `until`."""
        with self.bench.between("tap", self.bench.reference, "--json", *arguments) as tap:
            calls(tap.reference)
            if until:
                tap.line(lambda line: until in line)
            self.assertEqual(tap.end(), 0, tap.errors)
            return [json.loads(line) for line in tap.seen[1:]]

    def test_requests_and_replies_are_shown_with_their_values(self):
        def calls(reference):
            self.assertEqual(self.bench.call(reference, "divide", "17", "5"), {"result": 3, "rest": 2})
        seen = self.messages("--idl", IDL, calls=calls, until='"close"')
        request, reply = [one for one in seen if one.get("operation") == "divide"]
        self.assertEqual((request["kind"], request["way"], request["interface"], request["values"]),
                         ("request", "there", "Test::Bench", {"a": 17, "b": 5}))
        self.assertEqual((reply["kind"], reply["way"], reply["status"], reply["values"]),
                         ("reply", "back", "ok", {"result": 3, "rest": 2}))
        self.assertEqual((reply["id"], reply["key"]), (request["id"], request["key"]))
        self.assertGreater(reply["ms"], 0)
        self.assertEqual(seen[-1]["kind"], "close")

    def test_a_server_of_tls_and_of_a_plain_port_is_met_at_the_plain_one(self):
        head, (plain, *_) = profiles_of(self.bench.reference)
        both, only_tls = with_profiles(head, [as_of_tls(plain), plain]), with_profiles(head, [as_of_tls(plain)])
        with self.bench.between("tap", both, "--json") as tap:
            self.assertEqual(self.bench.call(tap.reference, "count"), 42)
            self.assertEqual(len(profiles_of(tap.reference)[1]), 1)
            self.assertEqual(tap.end(), 0, tap.errors)
        self.assertIn("the server takes TLS alone", self.bench.run("tap", only_tls, status=2))

    def test_attributes_exceptions_and_the_operations_of_every_object(self):
        def calls(reference):
            self.bench.call(reference, "label", "new")
            self.bench.call(reference, "count")
            self.bench.call(reference, "divide", "1", "0", status=1)
            self.bench.run("call", reference, "_is_a", "IDL:Test/Base:1.0")
        seen = self.messages("--idl", IDL, calls=calls)
        brief = [(one["kind"], one["operation"], one.get("values")) for one in seen if "operation" in one]
        self.assertEqual(brief, [
            ("request", "_set_label", {"value": "new"}), ("reply", "_set_label", {}),
            ("request", "_get_count", {}), ("reply", "_get_count", {"result": 42}),
            ("request", "divide", {"a": 1, "b": 0}), ("reply", "divide", {"why": "division by nothing", "code": 1}),
            ("request", "_is_a", {"id": "IDL:Test/Base:1.0"}), ("reply", "_is_a", {"result": True})])
        self.assertEqual([one["exception"] for one in seen if "exception" in one], ["Test::Refused"])

    def test_system_exceptions_are_shown_with_minor_and_completion(self):
        def calls(reference):
            request = self.giop_request(b"nobody", "count")
            with socket.create_connection(("127.0.0.1", port_of(self.bench, reference))) as client:
                client.sendall(request)
                self.assertEqual(client.recv(4096)[:4], b"GIOP")
        reply = [one for one in self.messages(calls=calls) if one["kind"] == "reply"][0]
        self.assertEqual((reply["status"], reply["exception"]), ("system exception", "CORBA::OBJECT_NOT_EXIST"))
        self.assertEqual(reply["values"]["completed"], "COMPLETED_NO")

    @staticmethod
    def giop_request(key, operation, order=">"):
        """GIOP 1.0, in either byte order."""
        name = operation.encode() + b"\0"
        body = struct.pack(order + "II?xxxI", 0, 7, True, len(key)) + key
        body += b"\0" * (-len(body) % 4) + struct.pack(order + "I", len(name)) + name
        body += b"\0" * (-len(body) % 4) + struct.pack(order + "I", 0)
        return b"GIOP\1\0" + bytes([order == "<"]) + b"\0" + struct.pack(order + "I", len(body)) + body

    def test_without_idl_names_and_sizes_are_shown(self):
        seen = self.messages(calls=lambda reference: self.bench.call(reference, "divide", "17", "5"))
        request = [one for one in seen if one["kind"] == "request"][0]
        self.assertEqual((request["operation"], request.get("values")), ("divide", None))

    def test_idl_that_does_not_fit_is_said(self):
        other = path_in(self.folder, "other.idl")
        with open(other, "w", encoding="ascii") as file:
            file.write("interface Other { long divide(in string a, in long b); };")
        seen = self.messages("--idl", other, calls=lambda reference: self.bench.call(reference, "divide", "17", "5"))
        self.assertIn("'a' is no string", [one for one in seen if one["kind"] == "request"][0]["problem"])

    def ziop(self, message, compressor=4, length=None, data=None):
        """A little-endian GIOP message, compressed."""
        data = zlib.compress(message[12:]) if data is None else data
        length = len(message) - 12 if length is None else length
        return b"ZIOP" + message[4:8] + struct.pack("<IHHII", 12 + len(data), compressor, 0, length, len(data)) + data

    def test_compressed_messages_are_decompressed_or_said_to_be_such(self):
        body = struct.pack("<IB3xH2xI", 7, 3, 0, 4) + b"nobo" + struct.pack("<I", 11) + b"_get_count\0\0" + struct.pack("<I", 0)
        good = b"GIOP\1\2\1\0" + struct.pack("<I", len(body)) + body
        whole = zlib.compress(good[12:])
        sent = [self.ziop(good), self.ziop(good, compressor=3), self.ziop(good, data=whole[:-1]), self.ziop(good, data=whole + b"x"),
                self.ziop(good, length=len(good) - 13), self.ziop(good, length=16_000_000), self.ziop(good, length=0xffffffff),
                self.ziop(good, data=b""), b"ZIOP" + good[4:]]
        def calls(reference):
            for message in sent:
                with socket.create_connection(("127.0.0.1", port_of(self.bench, reference))) as client:
                    client.sendall(message)
                    client.shutdown(socket.SHUT_WR)
                    while client.recv(4096):
                        pass
            self.assertEqual(self.bench.call(reference, "count"), 42)
        everything = self.messages("--idl", IDL, calls=calls)
        self.assertIn({"result": 42}, [one.get("values") for one in everything])
        seen = [one for one in everything if one["way"] == "there"]
        self.assertEqual(len([one for one in seen if one["kind"] == "compressed"]), len(sent) - (seen[0]["kind"] == "request"), seen)
        first = seen[0]
        if "without zlib" in first.get("problem", ""):
            return
        self.assertEqual((first["kind"], first["operation"], first["octets"]), ("request", "_get_count", len(good)))
        self.assertEqual((first["compressed"], first["wire"]), ("zlib", len(sent[0])))
        self.assertEqual((seen[1]["compressed"], seen[1]["problem"]), ("bzip2", "it is compressed, by what this program does not know"))

    def test_what_is_no_giop_passes_unchanged_and_hides_nothing_of_other_connections(self):
        def calls(reference):
            port = port_of(self.bench, reference)
            with socket.create_connection(("127.0.0.1", port)) as client:
                client.sendall(b"GET / HTTP/1.0\r\n\r\n")
                client.shutdown(socket.SHUT_WR)
                while client.recv(4096):
                    pass
            rng = random.Random(15)
            good = self.giop_request(b"nobody", "count", "<")
            for _ in range(40):
                bad = bytearray(good)
                for _ in range(rng.randint(1, 6)):
                    bad[rng.randrange(8, len(bad))] = rng.randrange(256)
                with socket.create_connection(("127.0.0.1", port)) as client:
                    client.sendall(bad)
                    client.shutdown(socket.SHUT_WR)
            self.assertEqual(self.bench.call(reference, "count"), 42)
        seen = self.messages("--idl", IDL, calls=calls)
        self.assertIn("not GIOP", " ".join(one.get("problem", "") for one in seen))
        self.assertIn({"result": 42}, [one.get("values") for one in seen])

    def test_it_ends_after_so_many_messages_and_shows_one_operation(self):
        with self.bench.between("tap", self.bench.reference, "--idl", IDL, "-n", "2", "--operation", "_get_count") as tap:
            self.bench.call(tap.reference, "divide", "17", "5")
            self.bench.call(tap.reference, "count")
            self.assertEqual(tap.process.wait(TIMEOUT_S), 0)
            tap.end()
            self.assertEqual(len(tap.seen), 3)
            self.assertIn("-> request 2 Test::Base::_get_count", tap.seen[1])

    def test_a_server_that_is_away_is_said(self):
        with self.bench.between("tap", "corbaloc::127.0.0.1:1/x") as tap:
            self.bench.run("call", tap.reference, "_non_existent", status=4)
            self.assertEqual(tap.end(), 0)
            self.assertIn("does not take a connection", "".join(tap.errors))
        self.assertIn("127.0.0.1:x", self.bench.run("tap", self.bench.reference, "--listen", "127.0.0.1:x", status=2))

    def captured(self, name):
        path = path_in(self.folder, name)
        with self.bench.between("tap", self.bench.reference, "-w", path) as tap:
            self.bench.call(tap.reference, "divide", "17", "5")
            self.bench.call(tap.reference, "echo_any", json.dumps("x" * 120000))  # several packets, several segments
            self.assertEqual(tap.end(), 0)
        return path

    def test_tshark_reads_the_capture(self):
        path = self.captured("tshark.pcapng")
        done = subprocess.run(["tshark", "-r", path, "-o", "tcp.check_checksum:TRUE", "-T", "fields", "-e", "giop.type", "-e", "giop.request_op",
                               "-e", "tcp.checksum.status", "-e", "_ws.malformed"], capture_output=True, text=True, timeout=TIMEOUT_S, check=True)
        rows = [line.split("\t") for line in done.stdout.splitlines()]
        giop = [(row[0], row[1]) for row in rows if row[0]]
        self.assertEqual(giop[:3], [("0", "divide"), ("1", "divide"), ("5", "")] if giop[1][1] else [("0", "divide"), ("1", ""), ("5", "")])
        self.assertIn("echo_any", [one[1] for one in giop])
        self.assertEqual({row[2] for row in rows}, {"1"})
        self.assertEqual({row[3] for row in rows if len(row) > 3}, {""})

    def test_captures_are_read_in_both_formats(self):
        path = self.captured("read.pcapng")
        for file in (path, as_pcap(path)):
            seen = [json.loads(line) for line in self.bench.run("tap", "--read", file, "--idl", IDL, "--json").splitlines()]
            values = [one["values"] for one in seen if "values" in one]
            self.assertEqual(values[:2], [{"a": 17, "b": 5}, {"result": 3, "rest": 2}])
            self.assertEqual(len(values[2]["value"]["value"]), 120000)
            self.assertEqual(values[2]["value"], values[3]["result"])

    def test_missing_repeated_and_swapped_packets_harm_only_their_message(self):
        head, packets = packets_of(as_pcap(self.captured("order.pcapng")))
        large = [i for i, packet in enumerate(packets) if len(packet) > 3000]
        swapped = list(packets)
        swapped[large[0]], swapped[large[1]] = swapped[large[1]], swapped[large[0]]
        swapped.insert(large[1], packets[3])
        changed = path_in(self.folder, "changed.pcap")
        for order, counts in ((swapped, (4,)), ([p for i, p in enumerate(packets) if i != large[1]], (2, 3))):
            with open(changed, "wb") as file:
                file.write(head + b"".join(order))
            seen = [json.loads(line) for line in self.bench.run("tap", "--read", changed, "--idl", IDL, "--json").splitlines()]
            values = [one["values"] for one in seen if "values" in one]
            self.assertEqual(values[:2], [{"a": 17, "b": 5}, {"result": 3, "rest": 2}])
            self.assertIn(len(values), counts)

    def test_what_comes_behind_a_missing_packet_is_seen_also_at_the_end_of_the_file(self):
        path = path_in(self.folder, "gap.pcapng")
        with self.bench.between("tap", self.bench.reference, "-w", path) as tap:
            text = self.bench.run("call", tap.reference, "echo_any", "--idl", IDL, "--repeat", "4", "--", json.dumps("x" * 60000))
            self.assertEqual(len(text.splitlines()), 4)
            self.assertEqual(tap.end(), 0)
        head, packets = packets_of(as_pcap(path))
        first = next(i for i, packet in enumerate(packets) if len(packet) > 3000)
        changed = path_in(self.folder, "holed.pcap")
        with open(changed, "wb") as file:
            file.write(head + b"".join(packet for i, packet in enumerate(packets) if i != first))
        seen = [json.loads(line) for line in self.bench.run("tap", "--read", changed, "--idl", IDL, "--json").splitlines()]
        requests = [one for one in seen if one["kind"] == "request" and one.get("operation") == "echo_any"]
        self.assertGreaterEqual(len(requests), 2)

    def test_a_capture_that_cannot_be_written_is_an_error(self):
        self.assertIn("cannot write", self.bench.run("tap", self.bench.reference, "-w", "/dev/full", status=2))
        path = path_in(self.folder, "full.pcapng")
        with self.bench.between("tap", self.bench.reference, "-w", path, file_limit=32) as tap:
            self.bench.call(tap.reference, "echo_any", json.dumps("x" * 60000))
            self.assertEqual(tap.end(), 2)
            self.assertIn("cannot be written any more", "".join(tap.errors))

    def test_damaged_captures_are_refused_or_read_but_never_crash(self):
        path = self.captured("damaged.pcapng")
        with open(path, "rb") as file:
            data = file.read()[:6000]
        rng = random.Random(17)
        changed = path_in(self.folder, "changed.pcapng")
        for turn in range(40):
            bad = bytearray(data[:rng.randrange(1, len(data))] if turn % 2 else data)
            for _ in range(rng.randint(0, 8)):
                bad[rng.randrange(len(bad))] = rng.choice((0, 1, 0x7f, 0xff, rng.randrange(256)))
            with open(changed, "wb") as file:
                file.write(bad)
            done = subprocess.run([CORBEL, "tap", "--read", changed], capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
            self.assertIn(done.returncode, (0, 2), done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
