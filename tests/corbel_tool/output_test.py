#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `corbel` says when nobody takes what it prints.

usage: output_test.py CORBEL SERVER IDL
"""

import json
import os
import select
import signal
import subprocess
import sys
import time
import unittest

from between import TIMEOUT_S, BenchTest, Program, path_in

LOST = "corbel: standard output cannot be written\n"


class OutputTest(BenchTest):
    def shell(self, redirection, *command):
        """The status of `corbel` with this redirection, and what it says on standard error."""
        done = subprocess.run(["bash", "-c", f'exec "$@" {redirection}', "bash", self.bench.corbel_path, *command], stderr=subprocess.PIPE,
                              text=True, timeout=TIMEOUT_S, check=False)
        return done.returncode, done.stderr

    def test_output_that_cannot_be_written_is_an_error(self):
        recording = path_in(self.folder, "recording.jsonl")
        with open(recording, "w", encoding="ascii") as file:
            file.write('{"operation": "_get_count", "result": 43}\n')
        reference, idl = self.bench.reference, ["--idl", self.bench.idl]
        bench, top = ["bench", reference, "count", *idl, "-n", "5"], ["top", "127.0.0.1:1", "-i", "0.05"]
        for command in (["call", reference, "count", *idl], ["describe", *idl], ["list", *idl], ["ior", reference], ["ior", reference, "--json"],
                        bench, [*bench, "--json"], ["doctor", reference], top, [*top, "--json"], ["replay", recording, reference, *idl],
                        ["--help"], ["ior", "--help"], ["--version"]):
            for redirection in (">/dev/full", ">&-"):  # what is closed is not the number of a socket to a server, either
                with self.subTest(command=command, redirection=redirection):
                    status, said = self.shell(redirection, *command)
                    self.assertEqual(status, 2, said)
                    self.assertIn(LOST, said)
        # There was nothing to print.
        self.assertEqual(self.shell("<&- >&- 2>&-", "call", reference, "label", "new", *idl), (0, ""))

    def test_what_serves_says_at_its_end_that_its_output_was_lost(self):
        reference, idl = self.bench.reference, ["--idl", self.bench.idl]
        for command in (["tap", reference], ["fault", reference], ["record", reference, path_in(self.folder, "session.jsonl"), *idl],
                        ["mock", "--defaults", "--interface", "Test::Bench", *idl]):
            path = path_in(self.folder, command[0] + ".ior")
            with self.subTest(command=command), open("/dev/full", "w", encoding="ascii") as full, subprocess.Popen(
                    [self.bench.corbel_path, *command, "--ior-file", path], stdout=full, stderr=subprocess.PIPE, text=True) as server:
                try:
                    while server.poll() is None and not (os.path.exists(path) and os.path.getsize(path)):
                        time.sleep(0.01)
                    self.assertEqual(self.bench.call(path, "_non_existent"), False)
                finally:
                    server.terminate()
                said = server.communicate(timeout=TIMEOUT_S)[1]
                self.assertEqual(server.returncode, 2, said)
                self.assertIn(LOST, said)
                self.assertEqual("messages are passed on all the same" in said, command[0] == "tap")

    def fifo(self, name):
        path = path_in(self.folder, name)
        os.mkfifo(path)
        return path

    def start(self, *arguments):
        program = Program(self.bench.corbel_path, *arguments)
        self.addCleanup(program.close)
        return program

    def test_a_fifo_that_nobody_reads_is_waited_for_until_a_signal(self):
        fifo, reference, idl = self.fifo("unread"), self.bench.reference, ["--idl", self.bench.idl]
        mock = ["mock", "--defaults", "--interface", "Test::Bench", *idl]
        for command in (["record", reference, fifo, *idl], ["tap", reference, "-w", fifo], ["tap", reference, "--ior-file", fifo],
                        ["record", reference, path_in(self.folder, "x.jsonl"), "--ior-file", fifo, *idl], ["fault", reference, "--ior-file", fifo],
                        [*mock, "--ior-file", fifo]):
            for number in (signal.SIGINT, signal.SIGTERM):
                with self.subTest(command=command, number=number):
                    waiting = self.start(*command)
                    time.sleep(0.5)  # the signal is heeded also if it comes earlier
                    self.assertEqual(waiting.end(number), 2)
                    self.assertIn(f"cannot write {fifo}: nobody has read this FIFO", "".join(waiting.errors))

    def test_a_fifo_takes_a_capture_as_soon_as_it_is_read(self):
        fifo = self.fifo("read")
        tap = self.start("tap", self.bench.reference, "-w", fifo)
        time.sleep(0.3)
        with open(fifo, "rb") as reader:
            reference = tap.line()
            self.assertEqual(reader.read(4), bytes.fromhex("0a0d0d0a"))
            self.bench.call(reference, "count")
        self.bench.call(reference, "count")  # its reader has gone
        self.assertEqual(tap.end(), 2)
        self.assertIn("cannot be written any more", "".join(tap.errors))

    def test_a_reader_that_stands_still_does_not_keep_a_command_from_its_end(self):
        fifo = self.fifo("still")
        tap = self.start("tap", self.bench.reference, "-w", fifo)
        with open(fifo, "rb"), open(os.open(fifo, os.O_WRONLY | os.O_NONBLOCK), "wb", buffering=0) as writer:
            call = self.start("call", tap.line(), "echo_any", "--idl", self.bench.idl, "--repeat", "8", "--", '"' + "x" * 60000 + '"')
            end = time.monotonic() + TIMEOUT_S
            while select.select([], [writer], [], 0)[1]:  # until it is full
                self.assertLess(time.monotonic(), end)
                time.sleep(0.01)
            self.assertEqual(tap.end(), 2)
        call.close()

    def test_a_file_that_another_command_writes_is_left_to_it(self):
        reference, idl = self.bench.reference, ["--idl", self.bench.idl]
        for command, path in ((["record", reference], "two.jsonl"), (["tap", reference, "-w"], "two.pcapng")):
            path = path_in(self.folder, path)
            first = self.start(*command, path, *idl)
            through = first.line()
            self.bench.call(through, "count")
            for second in (command, ["tap", reference, "--ior-file"]):
                said = self.bench.run(*second, path, *idl, status=2)
                self.assertIn(f"cannot write {path}: another command is writing it", said)
            self.bench.call(through, "count")
            self.assertEqual(first.end(), 0)
        self.assertIn("2 calls, 0 with", self.bench.run("replay", path_in(self.folder, "two.jsonl"), *idl))

    def test_a_pipe_that_is_closed_does_not_cut_clients(self):
        for command in (["tap", self.bench.reference], ["mock", "--defaults", "--json", "--interface", "Test::Bench"]):
            with subprocess.Popen([self.bench.corbel_path, *command, "--idl", self.bench.idl], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  text=True) as program:
                reference = program.stdout.readline().strip()
                if reference.startswith("{"):
                    reference = json.loads(reference)["reference"]
                program.stdout.close()
                for _ in range(3):
                    self.bench.call(reference, "count")
                program.terminate()
                said = program.communicate(timeout=TIMEOUT_S)[1]
                self.assertEqual((program.returncode, LOST in said), (2, True), said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
