#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what a bridge adds to a call, beside one that demarshals, and prints a table.

usage: measure.py BRIDGE PEER IDL [--calls N] [--instructions]

Each row is a server, perhaps a process between, and a client, over loopback TCP; the call sends octets and gets them back.
Time is the median over the calls of one client that waits for each. With --instructions the process between runs under
callgrind, twice; the difference is divided by the calls. As a test (few calls) it checks that all of it works.
"""
import argparse
import re
import subprocess
import sys

ENDPOINT = "tcp://127.0.0.1:0"


class Process:
    """A program that prints a reference and runs until it is told to end."""

    def __init__(self, command, ends_by_input):
        self.by_input = ends_by_input
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.reference = self.process.stdout.readline().strip()
        if not self.reference.startswith("IOR:"):
            self.process.kill()
            raise RuntimeError(f"{command} printed no reference: {self.process.stderr.read()}")

    def end(self):
        if not self.by_input:
            self.process.terminate()
        _, errors = self.process.communicate(timeout=120)
        if self.process.returncode != 0:
            raise RuntimeError(f"ended with {self.process.returncode}: {errors}")
        return errors


def between(kind, arguments, reference, watched):
    """The process between client and server; None if there is none."""
    watch = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"] if watched else []
    if kind == "none":
        return None
    if kind == "DSI and DII":
        return Process([*watch, arguments.peer, "demarshal", ENDPOINT, reference], True)
    options = ["--idl", arguments.idl, "--by-types"] if kind == "by types" else []
    options += ["--in-place", "10000"] if watched else []  # all takes fifty times as long
    return Process([*watch, arguments.bridge, "--listen", ENDPOINT, "--to", "k=" + reference, *options], False)


def run(kind, arguments, octets, calls, watched=False):
    """Nanoseconds of a call, and what the process between said."""
    server = Process([arguments.peer, "serve", ENDPOINT], True)
    middle = between(kind, arguments, server.reference, watched)
    reference = middle.reference if middle else server.reference
    result = subprocess.run([arguments.peer, "call", reference, str(octets), str(calls)], capture_output=True, text=True,
                            timeout=300, check=True)
    said = middle.end() if middle else ""
    server.end()
    return int(result.stdout), said


def instructions(kind, arguments, octets):
    """Instructions that the process between takes for a call."""
    if kind == "none":
        return 0
    counts = []
    for calls in (1000, 2000):
        _, said = run(kind, arguments, octets, calls, watched=True)
        counts.append(int(re.findall(r"Collected : (\d+)", said)[-1]))  # a child compiles the IDL
    return (counts[1] - counts[0]) // 1100


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("bridge", "peer", "idl"):
        parser.add_argument(name)
    parser.add_argument("--calls", type=int, default=20000)
    parser.add_argument("--instructions", action="store_true")
    arguments = parser.parse_args()
    print(f"{'between':12} {'octets':>8} {'us':>8} {'added':>8} {'instructions':>13}")
    for octets in (16, 4096, 262144):
        calls = max(10, min(arguments.calls, arguments.calls * 4096 // max(octets, 4096)))
        direct = 0
        for kind in ("none", "bridge", "by types", "DSI and DII"):
            nanoseconds, _ = run(kind, arguments, octets, calls)
            direct = direct or nanoseconds
            count = instructions(kind, arguments, octets) if arguments.instructions else 0
            print(f"{kind:12} {octets:8} {nanoseconds / 1000:8.1f} {(nanoseconds - direct) / 1000:8.1f} {count or '':>13}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
