#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs omniORB's nameclt and omniNames, where they are installed, and those of JacORB with Corbel's.

usage: peers_test.py CORBEL_NAMED CORBEL [JACORB_CLIENT JACORB_SERVER]

With JacORB's client and naming service, only these are run.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import named_test
from programs import CORBEL, NAMED, THING, TIMEOUT_S, Named, run

JACORB = sys.argv[3:5]
NAMECLT = shutil.which("nameclt")
OMNINAMES = shutil.which("omniNames")


@unittest.skipUnless(OMNINAMES, "omniNames is not installed (omniorb-nameserver)")
class OmniNamesTest(named_test.NamesTest):
    # Without the last: a corbaloc says nothing of code sets, and what it is then taken for differs from what references say.
    STRANGE = named_test.NamesTest.STRANGE[:-1]

    @classmethod
    def start(cls):
        # omniNames takes no port 0 for its data file; -ignoreport and an endpoint do.
        for port in range(23456, 23556):
            cls.process = subprocess.Popen([OMNINAMES, "-start", str(port), "-ignoreport", "-logdir", cls.folder, "-ORBendPoint",
                                            f"giop:tcp:127.0.0.1:{port}"], stderr=subprocess.PIPE, text=True)
            for line in cls.process.stderr:
                if "Checkpointing completed" in line:
                    return f"corbaloc::127.0.0.1:{port}/NameService"
            cls.process.wait(TIMEOUT_S)
            cls.process.stderr.close()
            for name in os.listdir(cls.folder):
                os.remove(os.path.join(cls.folder, name))
        raise AssertionError("omniNames does not start")

    @classmethod
    def stop(cls):
        cls.process.terminate()
        cls.process.wait(TIMEOUT_S)
        cls.process.stderr.close()

    def test_its_names_are_imported(self):
        self.ns("context", "-p", self.name("telescope.k/dome"))
        self.ns("bind", self.name("telescope.k/dome/lamp"), THING)
        self.ns("bind", self.name("strange \\. name\n"), THING)
        self.ns("bind", self.name("unbound"), THING)
        self.ns("unbind", self.name("unbound"))
        self.ns("bind", "--context", self.name("again"), self.ns("resolve", self.name("telescope.k")).strip())
        data = next(os.path.join(self.folder, name) for name in os.listdir(self.folder) if name.endswith(".dat"))
        folder = tempfile.mkdtemp(prefix="corbel_named_")
        self.addCleanup(shutil.rmtree, folder)
        self.assertIn("imported", run(NAMED, "--data", os.path.join(folder, "names.db"), "--import-omninames", data))
        self.assertIn("holds names already", run(NAMED, "--data", os.path.join(folder, "names.db"), "--import-omninames", data, status=1))
        named = Named(folder)
        self.addCleanup(named.end)
        self.assertEqual(run(CORBEL, "ns", "tree", self.home, "--service", named.url), self.ns("tree", self.home))
        self.assertEqual(run(CORBEL, "ns", "resolve", self.name("telescope.k/dome/lamp"), "--service", named.url),
                         self.ns("resolve", self.name("telescope.k/dome/lamp")))


@unittest.skipUnless(NAMECLT, "nameclt is not installed (omniorb)")
class NamecltTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="corbel_named_")
        self.addCleanup(shutil.rmtree, self.folder)

    def test_a_client_of_omniorb(self):
        named = Named(self.folder)
        self.addCleanup(named.end)

        def nameclt(*arguments, status=0):
            return run(NAMECLT, "-advanced", "-ORBInitRef", "NameService=" + named.url, *arguments, status=status)

        reference = run(CORBEL, "ior", THING, "--to", "ior").strip()
        self.assertTrue(nameclt("bind_new_context", "ctx.k").startswith("IOR:"))
        nameclt("bind", "ctx.k/obj", reference)
        self.assertIn("AlreadyBound", nameclt("bind", "ctx.k/obj", reference, status=None))
        nameclt("rebind", "ctx.k/obj", reference)
        self.assertTrue(nameclt("resolve", "ctx.k/obj").startswith("IOR:"))
        self.assertIn("missing node", nameclt("resolve", "ctx.k/nothing", status=None))
        for i in range(250):  # it asks for a hundred at a time
            if i % 50 == 0:
                nameclt("bind", f"ctx.k/o{i}", reference)
        self.assertIn("obj", nameclt("list", "ctx.k"))
        nameclt("bind_context", "again", nameclt("resolve", "ctx.k").strip())
        self.assertIn("o50", nameclt("list", "again"))
        nameclt("rebind_context", "again", nameclt("new_context").strip())
        nameclt("remove_context", "again")
        self.assertIn("NotEmpty", nameclt("remove_context", "ctx.k", status=None))
        nameclt("unbind", "ctx.k/obj")
        self.assertEqual(run(CORBEL, "ns", "tree", "--service", named.url).split(), ["ctx.k/", "o0", "o100", "o150", "o200", "o50"])


@unittest.skipUnless(JACORB, "JacORB was not given")
class JacOrbTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="corbel_named_")
        self.addCleanup(shutil.rmtree, self.folder)

    def test_a_client_of_jacorb(self):
        named = Named(self.folder)
        self.addCleanup(named.end)
        self.assertEqual(run(JACORB[0], named.url).strip(), "ok")
        self.assertIn("java.k/", run(CORBEL, "ns", "list", "--service", named.url))

    def test_the_naming_service_of_jacorb(self):
        path = os.path.join(self.folder, "root.ior")
        options = f"-DOAIAddr=127.0.0.1 -DOAPort=0 -Djacorb.naming.ior_filename={path}"
        server = subprocess.Popen([JACORB[1]], env=dict(os.environ, JAVA_TOOL_OPTIONS=options), stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL)
        try:
            deadline = time.monotonic() + TIMEOUT_S
            while not (os.path.exists(path) and os.path.getsize(path) > 0) and server.poll() is None and time.monotonic() < deadline:
                time.sleep(0.05)  # nothing else tells that it is there
            with open(path, encoding="ascii") as file:
                reference = file.read().strip()

            def ns(*arguments, status=0):
                return run(CORBEL, "ns", *arguments, "--service", reference, status=status)

            ns("context", "-p", "a.k/b")
            ns("bind", "a.k/b/o", reference)  # what is dead would give way to the next
            self.assertIn("bound already", ns("bind", "a.k/b/o", THING, status=1))
            self.assertEqual(ns("tree"), "a.k/\n  b/\n    o\n")
            self.assertIn("3 of 3 alive", ns("check"))
            self.assertIn("nothing is bound to 'x'", ns("resolve", "x", status=1))
            ns("unbind", "a.k/b/o")
            self.assertEqual(ns("tree"), "a.k/\n  b/\n")
        finally:
            server.kill()
            server.wait(TIMEOUT_S)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], defaultTest="JacOrbTest" if JACORB else None)
