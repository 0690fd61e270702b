# SPDX-License-Identifier: Apache-2.0
"""What the tests of `corbel tap`, `fault`, `record`, `replay` and `mock` share."""

import contextlib
import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import unittest

CORBEL, SERVER, IDL = sys.argv[1:4]
TIMEOUT_S = 60


class Program:
    """A program that runs until it is told to end; its lines can be waited for."""

    def __init__(self, *line, text_in=False):
        self.process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                                        stdin=subprocess.PIPE if text_in else subprocess.DEVNULL)
        self.lines = queue.Queue()
        self.errors = []
        self.seen = []
        threads = [threading.Thread(target=self.collect, args=(self.process.stdout, self.lines.put), daemon=True),
                   threading.Thread(target=self.collect, args=(self.process.stderr, self.errors.append), daemon=True)]
        for thread in threads:
            thread.start()
        self.threads = threads

    @staticmethod
    def collect(stream, add):
        for line in stream:
            add(line.rstrip("\n"))

    def line(self, wanted=lambda line: True):
        """The next line that `wanted` likes; those before it are in `seen`."""
        while True:
            try:
                line = self.lines.get(timeout=TIMEOUT_S)
            except queue.Empty:
                raise AssertionError(f"no such line came; {self.seen} {self.errors}") from None
            self.seen.append(line)
            if wanted(line):
                return line

    def say(self, text):
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def end(self, number=signal.SIGTERM):
        """Ends it; its status, and all lines in `seen`."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        status = self.process.wait(TIMEOUT_S)
        for thread in self.threads:
            thread.join(TIMEOUT_S)
        while not self.lines.empty():
            self.seen.append(self.lines.get())
        return status

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(TIMEOUT_S)
        for thread in self.threads:
            thread.join(TIMEOUT_S)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()


class Bench:
    """The test server, and the command."""

    def __init__(self, corbel, server, idl):
        self.corbel_path, self.idl = corbel, idl
        self.server = Program(server, "-ORBListenEndpoints", "tcp://127.0.0.1:0")
        self.reference = self.server.line()

    def close(self):
        self.server.close()

    def run(self, *arguments, status=0):
        done = subprocess.run([self.corbel_path, *arguments], capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
        assert done.returncode == status, f"{arguments}: {done.returncode}, not {status}: {done.stdout}{done.stderr}"
        return done.stdout if status == 0 else done.stdout + done.stderr

    def call(self, reference, operation, *values, status=0, options=()):
        text = self.run("call", reference, operation, "--idl", self.idl, *options, "--", *values, status=status)
        return json.loads(text) if status == 0 and text.strip() else text

    @contextlib.contextmanager
    def between(self, *arguments, text_in=False, file_limit=0):
        """With `file_limit`, its files may have so many KiB and not more, as on a disk that is full."""
        full = ("bash", "-c", f'trap "" XFSZ; ulimit -f {file_limit}; exec "$@"', "bash") if file_limit else ()
        program = Program(*full, self.corbel_path, *arguments, text_in=text_in)
        try:
            first = program.line()
            program.reference = json.loads(first)["reference"] if first.startswith("{") else first
            yield program
        finally:
            program.close()


class BenchTest(unittest.TestCase):
    """Tests with one server, `bench`, and a folder for their files."""

    @classmethod
    def setUpClass(cls):
        cls.bench = Bench(CORBEL, SERVER, IDL)
        cls.folder = tempfile.mkdtemp()

    @classmethod
    def tearDownClass(cls):
        cls.bench.close()
        shutil.rmtree(cls.folder)


def port_of(bench, reference):
    parts = json.loads(bench.run("ior", reference, "--json"))
    return [one for one in parts["profiles"] if one["profile"] == "IIOP"][0]["port"]


def path_in(folder, name):
    return os.path.join(folder, name)
