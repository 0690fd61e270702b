#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Corbel and the Tango control system as Debian packages it, without a Tango database.

run_tango.py call TANGO_TEST CLIENT: a Corbel client of TangoTest. run_tango.py tool TANGO_TEST CORBEL: the command `corbel`, with
this folder's IDL. run_tango.py serve PYTHON SERVER: Tango's client for Python against a device of Corbel's. Exit status: 0 all well, 1 a check failed, 2 the run itself failed.
"""
import os
import re
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from run_interop import Child, check_output  # noqa: E402
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support"))
from ports import free_port  # noqa: E402

NAME = "test/corbel/1"


def report(client, server, status):
    problems = check_output(client, status)
    if problems:
        print("\n".join(problems + [client.log(), server.log()]))
    else:
        print("\n".join(line for line in client.lines if line.startswith(("ok ", "done"))))
    return 1 if problems else 0


def with_tango_test(tango_test, work):
    """What `work` makes of the address of a TangoTest and its process."""
    for _ in range(3):  # another process may take the port meanwhile
        port = free_port()
        command = [tango_test, "corbel", "-nodb", "-dlist", NAME, "-ORBendPoint", f"giop:tcp:127.0.0.1:{port}"]
        with Child("TangoTest", command) as server:
            until = time.monotonic() + 60
            while time.monotonic() < until and server.wait(0.1) is None:
                if any("Ready to accept" in line for line in server.lines):
                    break
            else:
                print("TangoTest did not start\n" + server.log())
                continue
            status = work(f"corbaloc:iiop:1.2@127.0.0.1:{port}/{NAME}", server)
            server.end()
            return status
    return 2


def call(tango_test, client_program):
    def work(url, server):
        with Child("client", [client_program, url, NAME]) as client:
            return report(client, server, client.wait(100))
    return with_tango_test(tango_test, work)


# What is typed behind `corbel call REF`, and what is answered.
TYPED = [
    (["state"], r'"RUNNING"$'),
    (["command_inout", "DevString", '{"type":"string","value":"hello"}'], r'\{"type":"string","value":"hello"\}$'),
    (["command_inout", "DevVarLongStringArray", '{"type":"Tango::DevVarLongStringArray","value":{"lvalue":[1,2],"svalue":["a","b"]}}'],
     r'\{"type":"Tango::DevVarLongStringArray","value":\{"lvalue":\[1,2\],"svalue":\["a","b"\]\}\}$'),
    (["command_inout", "DevVoid", "null"], r'\{"type":"null","value":null\}$'),
    (["command_inout", "DevVoid", '{"type":"null","value":null}'], r'\{"type":"null","value":null\}$'),
    (["command_inout", "NoSuch", "null"], r'raised Tango::DevFailed \{"errors":\[\{"reason":"API_CommandNotFound","severity":"ERR"'),
    (["read_attributes", '["string_scalar"]'], r'\[\{"value":\{"type":"Tango::DevVarStringArray","value":\["Default string"'),
    (["read_attributes_5", '["double_scalar","State"]', "DEV", '{"cpp_clnt":1}'],
     r'\[\{"value":\{"discriminator":"ATT_DOUBLE".*\{"discriminator":"DEVICE_STATE","dev_state_att":"RUNNING"'),
    (["info"], r'\{"dev_class":"TangoTest"'),
]


def tool(tango_test, corbel):
    idl = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tango.idl")

    def work(url, _):
        failed = 0
        for words, expected in TYPED:
            done = subprocess.run([corbel, "call", url, *words, "--idl", idl], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  timeout=60, check=False)
            answer = (done.stdout + done.stderr).strip()
            good = re.match(expected, answer) and done.returncode == (1 if "raised" in expected else 0)
            failed += not good
            print(("ok " if good else "FAIL ") + f"corbel call: {' '.join(words)}" + ("" if good else f": {done.returncode} {answer}"))
        doctor = subprocess.run([corbel, "doctor", url, "--type", "IDL:Tango/Device_5:1.0"], capture_output=True, text=True, timeout=60, check=False)
        good = "healthy" in doctor.stdout and doctor.returncode == 0
        print("ok corbel doctor" if good else f"FAIL corbel doctor: {doctor.returncode} {doctor.stdout}{doctor.stderr}")
        return 1 if failed or not good else 0
    return with_tango_test(tango_test, work)


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
        sys.exit({"call": call, "tool": tool, "serve": serve}[role](first, second))
