#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`corbel-named` on a disk that is full: names are found, changes are refused, and all is well when there is room.

usage: full_disk_test.py CORBEL_NAMED CORBEL
"""

import os
import signal
import subprocess
import sys
import tempfile
import unittest

from programs import CORBEL, NAMED, THING, Named, run

DISK = "FULL_DISK"  # where the disk is; it belongs to this process alone
OCTETS = 1 << 20


class FullDisk(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=os.environ[DISK])
        self.filler = os.path.join(os.environ[DISK], "filler")
        self.addCleanup(self.make_room)

    def fill(self):
        with open(self.filler, "wb", buffering=0) as file:
            size = OCTETS
            while size > 0:
                try:
                    file.write(bytes(size))
                except OSError:
                    size //= 2

    def make_room(self):
        if os.path.exists(self.filler):
            os.remove(self.filler)

    def start(self, **more):
        """With what it says in a file elsewhere."""
        self.said = os.path.join(tempfile.gettempdir(), f"corbel_full_disk_{os.getpid()}.log")
        self.addCleanup(lambda: os.path.exists(self.said) and os.remove(self.said))
        named = Named(self.folder, "--error-log", self.said, "--ior-file", os.path.join(self.folder, "root.ior"), **more)
        self.addCleanup(lambda: named.process.poll() is None and named.end())
        return named

    def ns(self, named, *words, status=0):
        return run(CORBEL, "ns", *words, "--service", named.url, status=status)

    def refused(self, named):
        """Binds until there is no room in the log any more, either; how many were bound."""
        for count in range(10_000):
            done = subprocess.run([CORBEL, "ns", "bind", f"more{count}", THING, "--service", named.url], capture_output=True, text=True, check=False)
            if done.returncode != 0:
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertIn("PERSIST_STORE", done.stderr)
                self.assertIn("COMPLETED_NO", done.stderr)
                with open(self.said, encoding="utf-8") as said:
                    self.assertIn("names.db: its disk is full: ", said.read())
                return count
        raise AssertionError("there is always room")

    def test_it_serves_what_it_has_and_goes_on_when_there_is_room(self):
        for ended in (signal.SIGTERM, signal.SIGKILL):
            with self.subTest(ended):
                named = self.start()
                port = named.port
                for i in range(20):
                    self.ns(named, "rebind", f"name{i}", THING)
                named.end(ended)
                self.fill()
                named = self.start(port=port)  # which it cannot remember
                self.assertEqual(named.port, port)
                self.assertTrue(self.ns(named, "resolve", "name7").startswith("IOR:"))
                bound = self.refused(named)
                self.assertEqual(len(self.ns(named, "list").split()), 20 + bound)
                self.make_room()
                self.ns(named, "bind", "later", THING)
                self.assertEqual(len(self.ns(named, "list").split()), 21 + bound)
                self.ns(named, "unbind", "later")
                for i in range(bound):
                    self.ns(named, "unbind", f"more{i}")
                self.assertEqual(named.end(), 0)
                self.assertIn("bindings 20\n", run(NAMED, "--data", self.folder + "/names.db", "--check"))

    def test_what_it_cannot_begin_with_it_says(self):
        data = self.folder + "/names.db"
        self.start().end()
        os.remove(data + "-shm")
        self.fill()
        self.assertIn("names.db: its disk is full; to begin it needs 32 KiB beside the file", run(NAMED, "--data", data, "--port", "0", status=1))
        self.make_room()
        os.remove(data)
        os.remove(data + "-wal")
        self.fill()
        self.assertIn("its disk is full", run(NAMED, "--data", data, "--port", "0", status=1))


def on_a_disk_of_its_own():
    """Runs this test again there; its status."""
    with tempfile.TemporaryDirectory() as folder:
        image = os.path.join(folder, "image")
        place = os.path.join(folder, "place")
        os.mkdir(place)
        with open(image, "wb") as file:
            file.truncate(2 * OCTETS)
        # Blocks that are smaller than pages have their own trouble.
        small = f"mkfs.ext4 -q -b 1024 -m 0 -O ^has_journal {image} && mount -o loop {image} {place}"
        status = {}
        for kind, mount in (("tmpfs", f"mount -t tmpfs -o size={OCTETS} none {place}"), ("small blocks", small)):
            # Not "private" by unshare itself: in a root that is no mount point (chroot) it fails without saying so.
            script = f'{{ mount --make-rprivate / && {mount}; }} 2>/dev/null || exit 77; exec "$@"'
            alone = ["--mount", "--propagation", "unchanged"]
            if os.geteuid() != 0:
                alone += ["--user", "--map-root-user"]
            line = ["unshare", *alone, "bash", "-c", script, "bash", sys.executable, "-B", *sys.argv]
            status[kind] = subprocess.run(line, env=dict(os.environ, **{DISK: place}), check=False).returncode
    for kind in (kind for kind, one in status.items() if one == 77):
        print(f"skipped: a full disk ({kind}): needs root, or a name space in which it may mount")
    return max((one for one in status.values() if one != 77), default=77)


if __name__ == "__main__":
    if DISK not in os.environ:
        sys.exit(on_a_disk_of_its_own())
    unittest.main(argv=sys.argv[:1])
