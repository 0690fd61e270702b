#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `corbel` says when nobody takes what it prints.

usage: output_test.py CORBEL SERVER IDL
"""

import os
import subprocess
import sys
import time
import unittest

from between import TIMEOUT_S, BenchTest, path_in

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


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
