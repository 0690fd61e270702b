#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shows that `corbel fault` does to clients what it is told, and that it can be told while it runs.

usage: fault_test.py CORBEL SERVER IDL
"""

import json
import socket
import sys
import threading
import time
import unittest

from between import IDL, BenchTest, port_of

NOT_REACHED = 4


class FaultTest(BenchTest):
    def fault(self, *commands):
        line = [word for command in commands for word in ("--do", command)]
        return self.bench.between("fault", self.bench.reference, *line, text_in=True)

    def tell(self, fault, command):
        fault.say(command)
        return fault.line()

    def counts(self, fault):
        return json.loads(self.tell(fault, "status"))["counts"]

    def call(self, reference, *arguments, status=0, options=()):
        return self.bench.call(reference, *arguments, status=status, options=options)

    def test_without_commands_everything_passes(self):
        with self.fault() as fault:
            self.assertEqual(self.call(fault.reference, "divide", "17", "5"), {"result": 3, "rest": 2})
            counts = self.counts(fault)
            self.assertEqual((counts["connections"], counts["messages"] >= 2, counts["cut"]), (1, True, 0))
            self.assertEqual(fault.end(), 0)

    def test_what_clients_do_not_read_is_kept_for_all_together(self):
        many, flood = 16, bytes(1 << 20)

        def pour(server):
            try:
                for _ in range(32):
                    server.sendall(flood)
            except OSError:
                pass  # by the end of the test

        with socket.create_server(("127.0.0.1", 0), backlog=many) as listener:
            reference = f"corbaloc::127.0.0.1:{listener.getsockname()[1]}/k"
            with self.bench.between("fault", reference, text_in=True) as fault:
                sides = []
                for _ in range(many):
                    sides.append(socket.create_connection(("127.0.0.1", port_of(self.bench, fault.reference))))
                    sides[-1].sendall(b"x")
                    sides.append(listener.accept()[0])
                    sides[-1].settimeout(3)  # of a send that nobody takes
                threads = [threading.Thread(target=pour, args=(server,)) for server in sides[1::2]]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
                with open(f"/proc/{fault.process.pid}/status", encoding="ascii") as status:
                    peak = [int(line.split()[1]) for line in status if line.startswith("VmHWM")][0]
                self.assertLess(peak, 140 << 10, "KiB; 64 MiB wait")
                for side in sides:
                    side.close()
                self.assertEqual(fault.end(), 0)

    def test_delays_hold_each_message_and_not_the_ones_behind_it_longer(self):
        with self.fault("delay back 400") as fault:
            begin = time.monotonic()
            self.assertEqual(self.call(fault.reference, "count"), 42)
            self.assertGreaterEqual(time.monotonic() - begin, 0.4)
            self.assertGreaterEqual(self.counts(fault)["delayed"], 1)
            # Eight calls at the same time on one connection wait together.
            done = json.loads(self.bench.run("bench", fault.reference, "count", "--idl", IDL, "-n", "32", "-c", "8", "--warm-up", "1", "--json"))
            self.assertGreaterEqual(done["latency_us"]["min"], 400000)
            self.assertLess(done["seconds"], 32 * 0.4)

    def test_delays_longer_than_the_time_out_are_a_time_out(self):
        with self.fault("delay there 5000") as fault:
            self.assertIn("TIMEOUT", self.call(fault.reference, "count", status=NOT_REACHED, options=["--timeout", "300"]))
            self.assertEqual(self.tell(fault, "clear"), "ok")
            self.assertEqual(self.call(fault.reference, "count"), 42)

    def test_dropped_requests_and_silence_are_never_answered(self):
        with self.fault("drop there 1") as fault:
            for _ in range(10):  # on a loaded machine the time may be over before the request leaves
                self.assertIn("TIMEOUT", self.call(fault.reference, "count", status=NOT_REACHED, options=["--timeout", "300"]))
                if self.counts(fault)["dropped"]:
                    break
            self.assertGreaterEqual(self.counts(fault)["dropped"], 1)
            self.assertEqual(self.tell(fault, "drop off"), "ok")
            self.assertEqual(self.tell(fault, "silence on"), "ok")
            self.assertIn("TIMEOUT", self.call(fault.reference, "count", status=NOT_REACHED, options=["--timeout", "300"]))
            self.assertEqual(self.tell(fault, "silence off"), "ok")
            self.assertEqual(self.call(fault.reference, "count"), 42)

    def test_throttled_messages_take_their_time(self):
        with self.fault("throttle there 20000") as fault:
            begin = time.monotonic()
            self.call(fault.reference, "echo_any", json.dumps("x" * 20000))
            self.assertGreaterEqual(time.monotonic() - begin, 0.95)

    def test_split_messages_arrive_whole(self):
        with self.fault("split 3") as fault:
            self.assertEqual(self.call(fault.reference, "swap", "left", "right"), {"a": "right", "b": "left"})

    def test_cut_connections_and_new_ones(self):
        with self.fault() as fault, socket.create_connection(("127.0.0.1", port_of(self.bench, fault.reference))) as client:
            client.settimeout(30)
            client.sendall(b"GIOP")
            while self.counts(fault)["connections"] == 0:
                pass
            self.assertEqual(self.tell(fault, "cut"), "ok 1")
            with self.assertRaises(ConnectionResetError):
                client.recv(10)
            self.assertEqual(self.call(fault.reference, "count"), 42)

    def test_connections_end_after_so_many_octets(self):
        with self.fault("cut-after back 5") as fault:
            self.assertIn("COMM_FAILURE", self.call(fault.reference, "count", status=NOT_REACHED))
            self.assertGreaterEqual(self.counts(fault)["cut"], 1)

    def test_refused_connections(self):
        with self.fault("refuse on") as fault:
            self.call(fault.reference, "count", status=NOT_REACHED, options=["--timeout", "2000"])
            self.assertGreaterEqual(self.counts(fault)["refused"], 1)
            self.assertEqual(self.tell(fault, "refuse off"), "ok")
            self.assertEqual(self.call(fault.reference, "count"), 42)

    def test_corrupted_replies_never_pass_for_good_ones_unnoticed_by_the_count(self):
        with self.fault("corrupt back 1") as fault:
            for _ in range(5):
                self.bench_any_status(fault.reference)
            self.assertGreaterEqual(self.counts(fault)["corrupted"], 5)
            self.assertEqual(self.tell(fault, "corrupt 0"), "ok")
            self.assertEqual(self.call(fault.reference, "count"), 42)

    def bench_any_status(self, reference):
        try:
            self.bench.run("call", reference, "divide", "17", "5", "--idl", IDL, "--timeout", "500")
        except AssertionError as error:  # any end will do
            self.assertNotIn("-11,", str(error))

    def test_requests_are_overtaken_and_repeated(self):
        with self.echo() as (server, port):
            url = f"corbaloc:iiop:1.2@127.0.0.1:{port}/x"
            with self.bench.between("fault", url, "--do", "reorder there 1", text_in=True) as fault:
                first, second = self.message(1), self.message(2)
                with socket.create_connection(("127.0.0.1", port_of(self.bench, fault.reference))) as client:
                    client.sendall(first + second)
                    self.assertEqual(self.receive(client, len(first) * 2), second + first)
                    self.assertEqual(self.tell(fault, "clear"), "ok")
                    self.assertEqual(self.tell(fault, "duplicate there 1"), "ok")
                    client.sendall(first)
                    self.assertEqual(self.receive(client, len(first) * 2), first + first)
                self.assertEqual((self.counts(fault)["reordered"], self.counts(fault)["duplicated"]), (1, 1))
            server.shutdown(socket.SHUT_RDWR)

    @staticmethod
    def message(number):
        """A CloseConnection with a body: a message to the proxy, and octets to the echo server."""
        return b"GIOP\1\2\1\5" + (4).to_bytes(4, "little") + number.to_bytes(4, "little")

    @staticmethod
    def receive(client, size):
        octets = b""
        client.settimeout(30)
        while len(octets) < size:
            octets += client.recv(size - len(octets))
        return octets

    def echo(self):
        class Echo:
            def __enter__(self):
                self.listener = socket.create_server(("127.0.0.1", 0))
                threading.Thread(target=self.serve, daemon=True).start()
                return self.listener, self.listener.getsockname()[1]

            def serve(self):
                try:
                    connection, _ = self.listener.accept()
                    with connection:
                        while octets := connection.recv(4096):
                            connection.sendall(octets)
                except OSError:
                    pass

            def __exit__(self, *_):
                self.listener.close()
        return Echo()

    def test_what_makes_no_sense_is_said(self):
        with self.fault() as fault:
            for command, said in (("", "is missing"), ("dance", "is no command"), ("delay", "lacks its number"), ("delay there x", "no number"),
                                  ("drop 2", "from 0 to 1"), ("refuse", "on or off"), ("delay 1 2 3", "a word too many"),
                                  ("clear now", "a word too many"), ("status x", "a word too many"), ("x" * 5000, "is no command")):
                self.assertIn(said, self.tell(fault, command))
        self.assertIn("no number", self.bench.run("fault", self.bench.reference, "--do", "drop x", status=2))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
