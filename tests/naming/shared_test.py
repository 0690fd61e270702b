#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs several `corbel-named` that share a database of PostgreSQL, as people do, with clients of several ORBs.

usage: shared_test.py CORBEL_NAMED CORBEL [JACORB_CLIENT]

With JacORB's client, only that is run. Exit status 77 if PostgreSQL is not installed.
"""

import json
import os
import shutil
import signal
import sys
import tempfile
import time
import unittest

import postgres
from programs import CORBEL, NAMED, THING, TIMEOUT_S, Named, run

JACORB = sys.argv[3:4]
NAMECLT = shutil.which("nameclt")


class SharedCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.database = postgres.Postgres()

    @classmethod
    def tearDownClass(cls):
        cls.database.end()

    def setUp(self):
        self.named = []
        self.addCleanup(lambda: [each.end() for each in self.named if each.process.poll() is None])

    def member(self, *options):
        self.named.append(Named("", *options, store=self.database.url))
        self.assertTrue(self.named[-1].url, self.named[-1].line)
        return self.named[-1]

    def ns(self, member, *arguments, status=0):
        return run(CORBEL, "ns", *arguments, "--service", member.url, status=status)

    def whole_reference(self, member, name, count):
        """What it is bound to, when that leads to so many members."""
        deadline = time.monotonic() + TIMEOUT_S
        while time.monotonic() < deadline:
            reference = self.ns(member, "resolve", name).strip()
            if json.loads(run(CORBEL, "ior", reference, "--json"))["profiles"][0].get("components", []):
                described = run(CORBEL, "ior", reference)
                if sum(described.count(each.port) for each in self.named) >= count:
                    return reference
        raise AssertionError("references do not lead to all members")

    def survivors(self, name):
        """The reference of a context from a member that was killed since, and one that lives."""
        first, second = self.member("--member-lease", "3"), self.member("--member-lease", "3")
        self.ns(second, "context", name)
        reference = self.whole_reference(first, name, 2)
        self.assertEqual(first.end(signal.SIGKILL), -signal.SIGKILL)
        return reference, second


class ToolTest(SharedCase):
    def test_what_one_binds_the_other_resolves_and_administration_goes_on_beside_them(self):
        first, second = self.member(), self.member()
        self.ns(first, "context", "-p", "tool/dome")
        self.ns(second, "bind", "tool/dome/lamp", THING)
        self.assertIn("bound already", self.ns(first, "bind", "tool/dome/lamp", THING, status=1))
        self.assertTrue(self.ns(first, "resolve", "tool/dome/lamp").startswith("IOR:"))
        self.assertIn("unreachable contexts 0\n", run(NAMED, "--store", self.database.url, "--check"))
        self.ns(first, "context", "forgotten")
        self.ns(first, "unbind", "forgotten")
        self.assertIn("pruned contexts 1\n", run(NAMED, "--store", self.database.url, "--prune", "--prune-age", "0"))
        # A context that one has given out is the other's own, too.
        self.ns(second, "bind", "--context", "tool/again", self.ns(first, "resolve", "tool/dome").strip())
        self.assertEqual(self.ns(second, "tree", "tool"), "again/\n  lamp\ndome/  (the same as again)\n")
        self.assertEqual([each.end() for each in (first, second)], [0, 0])

    def test_a_client_goes_on_at_another(self):
        reference, second = self.survivors("survives")
        self.ns(second, "bind", "survives/lamp", THING)
        self.assertEqual(run(CORBEL, "ns", "list", "--service", reference), "lamp\n")

    def test_addresses_may_be_published_with_a_file_too(self):
        folder = tempfile.mkdtemp(prefix="corbel_named_")
        self.addCleanup(shutil.rmtree, folder)
        self.named.append(Named(folder, "--publish", "other.example.org:2809", "--publish", "[::1]:2810"))
        self.ns(self.named[-1], "context", "a")
        described = run(CORBEL, "ior", self.ns(self.named[-1], "resolve", "a").strip())
        self.assertIn("other.example.org", described)
        self.assertIn("2810", described)
        self.assertIn("HOST:PORT", run(NAMED, "--publish", "nonsense", status=2))

    def test_mistakes(self):
        self.assertIn("password", run(NAMED, "--store", "postgresql://u:secret@h/d", status=1))
        self.assertIn("--max-component-octets", run(NAMED, "--store", self.database.url, "--max-component-octets", "4000", status=2))
        self.assertIn("excludes", run(NAMED, "--store", self.database.url, "--data", "x", status=2))
        env = dict(os.environ, CORBEL_NAMED_DATA="/nowhere/names.db")
        self.assertIn("contexts", run(NAMED, "--store", self.database.url, "--check", env=env))
        self.assertIn("nowhere", run(NAMED, "--store", "postgresql:///d?host=/nowhere", status=1))


@unittest.skipUnless(NAMECLT, "nameclt is not installed (omniorb)")
class NamecltTest(SharedCase):
    def test_a_client_of_omniorb_goes_on_at_another(self):
        reference, second = self.survivors("omni")
        run(NAMECLT, "-ORBInitRef", "NameService=" + reference, "bind_new_context", "ctx")
        self.assertEqual(self.ns(second, "list", "omni"), "ctx/\n")


@unittest.skipUnless(JACORB, "JacORB was not given")
class JacOrbTest(SharedCase):
    def test_a_client_of_jacorb_goes_on_at_another(self):
        reference, second = self.survivors("jac")
        self.assertEqual(run(JACORB[0], reference).strip(), "ok")
        self.assertIn("java.k/", self.ns(second, "list", "jac"))


if __name__ == "__main__":
    if not postgres.PROGRAMS:
        print("PostgreSQL is not installed (Debian: postgresql)")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], defaultTest="JacOrbTest" if JACORB else None)
