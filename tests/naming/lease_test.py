#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Names that last as long as their servers, with every kind of store.

usage: lease_test.py CORBEL_NAMED CORBEL
"""

import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

import etcd
import postgres
from programs import CORBEL, THING, TIMEOUT_S, Named, free_port, run

PATIENCE_S = 120
LEASE_S = 9  # a call has a third of it, and stores are slow where the machine is loaded


class FileTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="corbel_named_")
        self.addCleanup(shutil.rmtree, self.folder)
        self.processes = []
        self.addCleanup(self.end_all)
        self.named = self.start(free_port())

    def end_all(self):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
            process.wait(TIMEOUT_S)
            for pipe in (process.stdout, process.stderr):
                if pipe and not pipe.closed:
                    pipe.close()

    def start(self, port):
        named = Named(self.folder, port=port, store=self.store())
        self.processes.append(named.process)
        self.assertTrue(named.url, named.line)
        return named

    def store(self):
        return None

    def ns(self, *arguments, status=0):
        return run(CORBEL, "ns", *arguments, "--service", self.named.url, status=status)

    def lease(self, name, seconds, said="bound, for"):
        for _ in range(5 if said == "bound, for" else 1):
            process = subprocess.Popen([CORBEL, "ns", "bind", name, THING, "--lease", str(seconds), "--service", self.named.url],
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.processes.append(process)
            line = process.stderr.readline()
            if said in line:
                break
            # Its call took longer than a third of the lease, as on a busy machine; the name may be bound all the same.
            self.ns("unbind", name, status=None)
        self.assertIn(said, line)
        return process

    def becomes(self, name, is_bound):
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            done = subprocess.run([CORBEL, "ns", "resolve", name, "--service", self.named.url], capture_output=True, text=True,
                                  timeout=TIMEOUT_S, check=False)
            if (done.returncode == 0) == is_bound and done.returncode in (0, 1):
                return True
        return False

    def test_the_name_goes_with_the_process(self):
        held = self.lease("a", 600)
        self.assertTrue(self.ns("resolve", "a").startswith("IOR:"))
        self.lease("a", 600, said="is bound to something else").wait(TIMEOUT_S)
        held.send_signal(signal.SIGINT)
        self.assertEqual(held.wait(TIMEOUT_S), 0)
        self.assertIn("nothing is bound", self.ns("resolve", "a", status=1))
        self.assertIn("excludes", self.ns("bind", "a", THING, "--lease", "5", "--context", status=2))

    def test_after_a_sudden_end_the_lease_ends_and_watch_tells(self):
        held = self.lease("a", LEASE_S)
        watch = subprocess.Popen([CORBEL, "ns", "watch", "-i", "0.05", "-n", "1", "--service", self.named.url], stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True)
        self.processes.append(watch)
        self.assertIn("1 names are watched", watch.stderr.readline())
        held.kill()
        self.assertEqual(watch.stdout.readline(), "unbound  a\n")
        self.assertEqual(self.ns("list"), "")
        self.ns("bind", "a", THING)

    def test_leases_outlast_the_service_and_end_all_the_same(self):
        held = self.lease("a", 600)
        gone = self.lease("b", LEASE_S)
        gone.kill()
        self.assertEqual(self.named.end(signal.SIGKILL), -signal.SIGKILL)
        self.named = self.start(self.named.port)
        self.assertTrue(self.becomes("a", True))
        self.assertTrue(self.becomes("b", False))
        held.send_signal(signal.SIGTERM)
        self.assertEqual(held.wait(TIMEOUT_S), 0)
        self.assertIn("nothing is bound", self.ns("resolve", "a", status=1))

    def test_a_service_that_has_lost_its_names_gets_them_back(self):
        if self.store():
            self.skipTest("with a file only")
        self.lease("a", LEASE_S)
        self.assertEqual(self.named.end(signal.SIGKILL), -signal.SIGKILL)
        for name in os.listdir(self.folder):
            os.remove(os.path.join(self.folder, name))
        self.named = self.start(self.named.port)
        self.assertTrue(self.becomes("a", True))


class SharedTest(FileTest):
    DATABASE = None

    @classmethod
    def setUpClass(cls):
        if cls.DATABASE is None:
            raise unittest.SkipTest("what the others share")
        cls.database = cls.DATABASE()

    @classmethod
    def tearDownClass(cls):
        cls.database.end()

    def setUp(self):
        super().setUp()
        # The names of the tests are the same.
        for name in self.ns("list").split():
            self.ns("unbind", name)

    def store(self):
        return self.database.url


@unittest.skipUnless(postgres.PROGRAMS, "PostgreSQL is not installed (Debian: postgresql)")
class PostgresTest(SharedTest):
    DATABASE = postgres.Postgres


@unittest.skipUnless(etcd.PROGRAM, "etcd is not installed (Debian: etcd-server)")
class EtcdTest(SharedTest):
    DATABASE = etcd.Etcd


if __name__ == "__main__":
    unittest.main(argv=["lease_test.py"])
