#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs corbel-ttcp between two network namespaces that virtual Ethernet joins; status 77 if that is not permitted.

usage: check_ttcp_hosts.py PROGRAM [inside]
"""

import os
import subprocess
import sys

PROGRAM = sys.argv[1]
TIMEOUT_S = 120
HERE, THERE = "10.77.0.1", "10.77.0.2"
SKIPPED = 77


def run(*argv):
    return subprocess.run(argv, capture_output=True, text=True, timeout=TIMEOUT_S)


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def join(other):
    """This namespace has one end, that of the process `other` the other one."""
    inside = ["nsenter", "-t", str(other), "-n"]
    for command in (["ip", "link", "add", "near", "type", "veth", "peer", "name", "far", "netns", str(other)],
                    ["ip", "addr", "add", f"{HERE}/24", "dev", "near"], ["ip", "link", "set", "near", "up"],
                    [*inside, "ip", "link", "set", "lo", "up"],
                    [*inside, "ip", "addr", "add", f"{THERE}/24", "dev", "far"], [*inside, "ip", "link", "set", "far", "up"]):
        done = run(*command)
        if done.returncode != 0:
            skip(f"{' '.join(command)}: {done.stderr.strip()}")
    return inside


def check(inside, *options, refused=None):
    receiver = subprocess.Popen([*inside, PROGRAM, "-r", "-p", "0", "--listen", THERE], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)
    try:
        port = receiver.stdout.readline().rpartition(":")[2].strip()
        done = run(PROGRAM, "-t", THERE, "-p", port, "-n", "40", *options)
        if refused:
            if done.returncode != 1 or refused not in done.stderr:
                sys.exit(f"check_ttcp_hosts: {options}: {done.returncode} {done.stderr}")
            return
        out, err = receiver.communicate(timeout=TIMEOUT_S)
        if done.returncode != 0 or receiver.returncode != 0 or "40 calls" not in out:
            sys.exit(f"check_ttcp_hosts: {options}: {done.stderr} {err}")
    finally:
        receiver.kill()
        receiver.communicate()


def inside_namespace():
    # It holds the other namespace, says so, and ends with its input.
    other = subprocess.Popen(["unshare", "-n", "sh", "-c", "echo; exec cat"], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        if not other.stdout.readline():
            skip("unshare -n is not permitted")
        inside = join(other.pid)
        for model in ("c", "wrappers", "corbel", "rpc", "omniorb"):
            program = os.path.join(os.path.dirname(PROGRAM), "corbel-bench-" + ("plain" if model == "c" else model))
            if os.access(program, os.X_OK):
                check(inside, "--model", model)
        check(inside, "--protocol", "giop_lite", "--type", "struct")
        check(inside, "--transport", "unix", refused="two programs of one machine")
    finally:
        other.stdin.close()
        other.wait()


def main():
    if sys.argv[2:] == ["inside"]:
        return inside_namespace()
    probe = run("unshare", "-n", "true")
    if probe.returncode != 0:
        skip(probe.stderr.strip())
    sys.exit(subprocess.run(["unshare", "-n", sys.executable, __file__, PROGRAM, "inside"], timeout=TIMEOUT_S).returncode)


if __name__ == "__main__":
    main()
