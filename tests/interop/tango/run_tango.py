#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Corbel and the Tango control system as Debian packages it, without a Tango database.

run_tango.py call TANGO_TEST CLIENT: a Corbel client of TangoTest. run_tango.py serve PYTHON SERVER: Tango's client for
Python against a device of Corbel's. Exit status: 0 all well, 1 a check failed, 2 the run itself failed.
"""
import os
import socket
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from run_interop import Child, check_output  # noqa: E402

NAME = "test/corbel/1"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def report(client, server, status):
    problems = check_output(client, status)
    if problems:
        print("\n".join(problems + [client.log(), server.log()]))
    else:
        print("\n".join(line for line in client.lines if line.startswith(("ok ", "done"))))
    return 1 if problems else 0


def call(tango_test, client_program):
    for _ in range(3):  # another process may take the port meanwhile
        port = free_port()
        command = [tango_test, "corbel", "-nodb", "-dlist", NAME, "-ORBendPoint", f"giop:tcp:127.0.0.1:{port}"]
        with Child("TangoTest", command) as server:
            until = time.monotonic() + 30
            while time.monotonic() < until and server.wait(0.1) is None:
                if any("Ready to accept" in line for line in server.lines):
                    break
            else:
                print("TangoTest did not start\n" + server.log())
                continue
            with Child("client", [client_program, f"corbaloc:iiop:1.2@127.0.0.1:{port}/{NAME}", NAME]) as client:
                status = report(client, server, client.wait(100))
            server.end()
            return status
    return 2


def serve(python, server_program):
    with Child("server", [server_program, NAME]) as server:
        ior = server.wait_for_ior(10)
        if ior is None:
            print("the server printed no IOR\n" + server.log())
            return 2
        octets = bytes.fromhex(ior[4:])
        host = octets.index(b"127.0.0.1\0")
        order = "little" if octets[0] else "big"
        port = int.from_bytes(octets[host + 10:host + 12], order)
        url = f"tango://127.0.0.1:{port}/{NAME}#dbase=no"
        with Child("client", [python, os.path.join(os.path.dirname(os.path.abspath(__file__)), "device_client.py"), url, NAME]) as client:
            problems = report(client, server, client.wait(100))
        if server.wait(10) != 0:
            print("the server did not end cleanly\n" + server.log())
            return 1
        return problems


if __name__ == "__main__":
    role, first, second = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="tango.") as folder:
        os.environ["HOME"] = folder
        sys.exit({"call": call, "serve": serve}[role](first, second))
