#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs members of a group, of several ORBs, and a client that posts to it: run_groups.py CLIENT SERVER...

In a network of its own, where the loopback interface can multicast. Exit status: 0 all well, 1 a check failed, 77 the
system has no such networks for us. Only processes started here are ever killed.
"""
import os
import shutil
import subprocess
import sys
import threading

GROUP = "corbaloc:miop:1.0@1.0-Corbel-7/239.255.77.7:5577"
INSIDE = "INTEROP_GROUPS_INSIDE"
SET_UP = 'ip link set lo up multicast on && ip route add 224.0.0.0/4 dev lo && exec "$@"'


def in_own_network():
    """Runs this script again inside; its exit status."""
    if shutil.which("unshare") is None or shutil.which("ip") is None:
        print("skipped: no unshare or ip")
        return 77
    for unshare in (["unshare", "-n"], ["unshare", "-rn"]):
        inside = [*unshare, "sh", "-c", SET_UP, "sh"]
        if subprocess.run([*inside, "true"], stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode == 0:
            return subprocess.run([*inside, sys.executable, "-B", *sys.argv], stdin=subprocess.DEVNULL,
                                  env=os.environ | {INSIDE: "yes"}, check=False).returncode
    print("skipped: no network of our own")
    return 77


def main():
    if INSIDE not in os.environ:
        return in_own_network()
    client, *programs = sys.argv[1:]
    servers = [subprocess.Popen([program, GROUP], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                text=True) for program in programs]
    watchdog = threading.Timer(110, lambda: [server.kill() for server in servers])
    watchdog.start()
    try:
        references = [server.stdout.readline().strip() for server in servers]
        if not all(references):
            print("a server did not start")
            return 1
        return 1 if subprocess.run([client, GROUP, *references], stdin=subprocess.DEVNULL, timeout=100, check=False).returncode else 0
    finally:
        watchdog.cancel()
        for server in servers:
            server.kill()
            server.wait()


if __name__ == "__main__":
    sys.exit(main())
