#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs `corbel-named --advertise` and `corbel ns discover` with a D-Bus, an avahi-daemon and a network of their own.

usage: discovery_test.py CORBEL_NAMED CORBEL

Skipped (77) where it is not root, or avahi-daemon is missing.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from programs import CORBEL, TIMEOUT_S, Named, run

INSIDE = "IN_A_NETWORK_OF_ITS_OWN"
BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>system</type><listen>unix:path={}/bus</listen><auth>EXTERNAL</auth><policy context="default"><allow user="*"/>
<allow own="*"/><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/></policy></busconfig>
"""
AVAHI = """[server]
host-name=plant
use-ipv6=no
[wide-area]
enable-wide-area=no
"""


def wait_for(what, is_so):
    deadline = time.monotonic() + TIMEOUT_S
    while not is_so():
        if time.monotonic() > deadline:
            raise AssertionError(what)
        time.sleep(0.1)  # nothing tells


class DiscoveryTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="corbel_named_")
        self.addCleanup(shutil.rmtree, self.folder)
        self.bus = os.path.join(self.folder, "bus")
        os.environ["DBUS_SYSTEM_BUS_ADDRESS"] = "unix:path=" + self.bus
        self.start("dbus-daemon", "--nofork", "--config-file=" + self.write("bus.conf", BUS.format(self.folder)))
        wait_for("no D-Bus", lambda: os.path.exists(self.bus))
        self.avahi = self.start_avahi()

    def start(self, *line):
        process = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(lambda: (process.kill(), process.wait(TIMEOUT_S)))
        return process

    def start_avahi(self):
        return self.start("avahi-daemon", "--no-drop-root", "--no-chroot", "--no-rlimits", "-f", self.write("avahi.conf", AVAHI))

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        return path

    def named(self, name, data):
        os.mkdir(os.path.join(self.folder, data))
        named = Named(os.path.join(self.folder, data), "--listen", "tcp://10.9.9.1:0", "--advertise", name)
        self.addCleanup(lambda: named.process.poll() is None and named.end())
        return named

    @staticmethod
    def found():
        done = subprocess.run([CORBEL, "ns", "discover", "--json"], capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
        return {one["name"]: one for one in json.loads(done.stdout)} if done.returncode == 0 else {}

    def test_services_are_found_by_name_as_long_as_they_serve(self):
        plant = self.named("the plant", "1")
        wait_for("not found", lambda: "the plant" in self.found())
        url = run(CORBEL, "ns", "discover", "the plant").strip()
        self.assertEqual(url, f"corbaloc::10.9.9.1:{plant.port}/NameService")
        run(CORBEL, "ns", "context", "telescope", "--service", url)
        self.assertEqual(run(CORBEL, "ns", "list", "--service", url), "telescope/\n")
        self.assertIn(f"{url}  the plant  plant.local\n", run(CORBEL, "ns", "discover"))
        self.named("the plant", "2")  # takes another name
        wait_for("no second one", lambda: "the plant #2" in self.found())
        self.avahi.kill()
        self.avahi.wait(TIMEOUT_S)
        self.assertIn("avahi-daemon", run(CORBEL, "ns", "discover", status=2))
        self.start_avahi()
        wait_for("not told again", lambda: {"the plant", "the plant #2"} <= self.found().keys())
        self.assertEqual(plant.end(signal.SIGTERM), 0)
        wait_for("still told of", lambda: "the plant" not in self.found())
        self.assertIn("under that name", run(CORBEL, "ns", "discover", "the plant", status=2))


def in_a_network_of_its_own():
    """Runs this test again there; its status."""
    if os.geteuid() != 0 or not (shutil.which("avahi-daemon") and shutil.which("dbus-daemon") and shutil.which("unshare")):
        print("needs root, avahi-daemon, dbus-daemon and unshare")
        return 77
    script = ("mount -t tmpfs none /run && mkdir -p /run/avahi-daemon && ip link set lo up && ip link add veth0 type veth peer name veth1 && "
              "ip link set veth1 up && ip link set veth0 up && ip addr add 10.9.9.1/24 dev veth0 || exit 77; exec \"$@\"")
    line = ["unshare", "--net", "--mount", "bash", "-c", script, "bash", sys.executable, "-B", *sys.argv]
    return subprocess.run(line, env=dict(os.environ, **{INSIDE: "1"}), check=False).returncode


if __name__ == "__main__":
    if INSIDE not in os.environ:
        sys.exit(in_a_network_of_its_own())
    unittest.main(argv=sys.argv[:1])
