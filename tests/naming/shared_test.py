#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs several `corbel-named` that share a database of PostgreSQL or an etcd, as people do, with clients of several ORBs.

usage: shared_test.py CORBEL_NAMED CORBEL [postgresql|etcd | JACORB_CLIENT]

With JacORB's client, only that is run. Exit status 77 if the database is not installed.
"""

import json
import os
import shutil
import signal
import sys
import tempfile
import time
import unittest

import etcd
import postgres
from programs import CORBEL, NAMED, THING, TIMEOUT_S, Named, free_port, run

KIND = sys.argv[3] if sys.argv[3:] in (["postgresql"], ["etcd"]) else None
JACORB = [] if KIND else sys.argv[3:4]
NAMECLT = shutil.which("nameclt")


class SharedCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.database = etcd.Etcd() if KIND == "etcd" else postgres.Postgres()

    @classmethod
    def tearDownClass(cls):
        cls.database.end()

    def setUp(self):
        self.named = []
        self.addCleanup(lambda: [each.end() for each in self.named if each.process.poll() is None])

    def member(self, *options, port="0"):
        self.named.append(Named("", *options, port=port, store=self.database.url))
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
        # At a port that nobody else gets when it is dead.
        first, second = self.member("--member-lease", "3", port=free_port()), self.member("--member-lease", "3")
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

    @unittest.skipIf(KIND == "etcd", "PostgreSQL's own")
    def test_mistakes_with_postgresql(self):
        self.assertIn("password", run(NAMED, "--store", "postgresql://u:secret@h/d", status=1))
        self.assertIn("--max-component-octets", run(NAMED, "--store", self.database.url, "--max-component-octets", "4000", status=2))
        self.assertIn("nowhere", run(NAMED, "--store", "postgresql:///d?host=/nowhere", status=1))

    @unittest.skipUnless(KIND == "etcd", "etcd's own")
    def test_mistakes_with_etcd(self):
        self.assertIn("password", run(NAMED, "--store", "etcd://u:secret@h:1/p", status=1))
        self.assertIn("HOST:PORT", run(NAMED, "--store", "etcd://h:port/p", status=1))
        secure = ["--store", "etcds://127.0.0.1:1/p"]
        self.assertIn("etcds://", run(NAMED, "--store", "etcd://h:1/p", "--store-cacert", "ca.pem", status=2))
        self.assertIn("--store etcd", run(NAMED, "--store", "host=h", "--store-user", "u", status=2))
        self.assertIn("--store-cert", run(NAMED, *secure, "--store-key", "key.pem", status=2))
        self.assertIn("--store-password-file", run(NAMED, *secure, "--store-user", "u:secret", status=2))
        self.assertIn("CORBEL_NAMED_STORE_PASSWORD", run(NAMED, *secure, "--store-user", "u", status=2))
        self.assertIn("contexts", run(NAMED, "--store", self.database.url, "--max-component-octets", "4000", "--check"))
        self.assertIn("connect", run(NAMED, "--store", "etcd://127.0.0.1:1", "-ORBCallTimeout", "300", status=1))

    def test_names_are_imported_whole_and_once(self):
        folder = tempfile.mkdtemp(prefix="corbel_named_")
        self.addCleanup(shutil.rmtree, folder)
        data = os.path.join(folder, "omninames.log")
        store = self.database.url.replace("/names", "/imported")
        if store == self.database.url:
            self.skipTest("with etcd, which has room for several")
        reference = run(CORBEL, "ior", THING, "--to", "ior").strip()
        root = run(CORBEL, "ior", "corbaloc::127.0.0.1:1/NameService", "--to", "ior").strip()
        with open(data, "w", encoding="ascii") as file:
            file.write("port 2809\ncreate 4e616d6553657276696365\n")
            for i in range(400):
                file.write(f"bind {root} name{i}  nobject {reference}\n")
        self.assertIn("imported 1 contexts and 400 bindings", run(NAMED, "--store", store, "--import-omninames", data))
        self.assertIn("bindings 400\n", run(NAMED, "--store", store, "--check"))
        self.assertIn("holds names already", run(NAMED, "--store", store, "--import-omninames", data, status=1))
        self.named.append(Named("", store=store))
        self.assertTrue(self.ns(self.named[-1], "resolve", "name399").startswith("IOR:"))

    def test_mistakes(self):
        self.assertIn("excludes", run(NAMED, "--store", self.database.url, "--data", "x", status=2))
        env = dict(os.environ, CORBEL_NAMED_DATA="/nowhere/names.db")
        self.assertIn("contexts", run(NAMED, "--store", self.database.url, "--check", env=env))


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
    if not (etcd.PROGRAM if KIND == "etcd" else postgres.PROGRAMS):
        print("The database is not installed (Debian: postgresql, etcd-server)")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], defaultTest="JacOrbTest" if JACORB else None)
