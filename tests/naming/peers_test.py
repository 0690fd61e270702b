#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Naming services of others with `corbel ns`, and clients of others with corbel-named.

usage: peers_test.py CORBEL_NAMED CORBEL [TEST PROGRAM]

Without TEST, omniORB's nameclt and omniNames, where they are installed; else only that one, with PROGRAM. Prints `ok NAME` for
each test that passed, as the clients of tests/interop do.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import named_test
from programs import CORBEL, NAMED, THING, TIMEOUT_S, Named, free_port, run

TEST, PROGRAM = sys.argv[3:] or (None, None)
NAMECLT = PROGRAM or shutil.which("nameclt")
OMNINAMES = PROGRAM or shutil.which("omniNames")


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


class ServiceTest(unittest.TestCase):
    """`corbel ns` with the naming service of an ORB in Java or Python: a subclass starts it."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="corbel_named_")
        self.addCleanup(shutil.rmtree, self.folder)
        self.reference = self.start()

    def started(self, *line, env=None, **more):
        server = subprocess.Popen([PROGRAM, *line], env=dict(os.environ, **(env or {})), stderr=subprocess.DEVNULL, text=True, **more)
        self.addCleanup(server.wait, TIMEOUT_S)
        self.addCleanup(server.kill)
        return server

    def ns(self, *arguments, status=0):
        return run(CORBEL, "ns", *arguments, "--service", self.reference, status=status)

    def bound_found_and_unbound(self):
        self.ns("context", "-p", "a.k/b")
        self.ns("bind", "a.k/b/o", self.reference)  # what is dead would give way to the next
        self.assertIn("bound already", self.ns("bind", "a.k/b/o", THING, status=1))
        self.assertEqual(self.ns("tree"), "a.k/\n  b/\n    o\n")
        self.assertIn("3 of 3 alive", self.ns("check"))
        self.assertIn("nothing is bound to 'x'", self.ns("resolve", "x", status=1))
        self.ns("unbind", "a.k/b/o")
        self.assertEqual(self.ns("tree"), "a.k/\n  b/\n")


class JacOrbServiceTest(ServiceTest):
    def start(self):
        path = os.path.join(self.folder, "root.ior")
        options = f"-DOAIAddr=127.0.0.1 -DOAPort=0 -Djacorb.naming.ior_filename={path}"
        server = self.started(env={"JAVA_TOOL_OPTIONS": options}, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + TIMEOUT_S
        while not (os.path.exists(path) and os.path.getsize(path) > 0) and server.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)  # nothing else tells that it is there
        with open(path, encoding="ascii") as file:
            return file.read().strip()

    def test_the_naming_service_of_jacorb(self):
        self.bound_found_and_unbound()


class TransientServiceTest(ServiceTest):
    """What was the JDK's tnameserv, found by its port alone."""

    def start(self):
        port = free_port()
        server = self.started("-ORBInitialPort", port, stdout=subprocess.PIPE)
        self.addCleanup(server.stdout.close)
        for line in server.stdout:
            if "setting port" in line:
                return f"corbaloc:iiop:1.2@127.0.0.1:{port}/NameService"
        raise AssertionError("tnameserv does not start")

    def test_the_transient_naming_service(self):
        self.bound_found_and_unbound()


class ClientTest(unittest.TestCase):
    """A client of another ORB with corbel-named."""

    def test_a_client_of_the_naming_service(self):
        folder = tempfile.mkdtemp(prefix="corbel_named_")
        self.addCleanup(shutil.rmtree, folder)
        named = Named(folder)
        self.addCleanup(named.end)
        self.assertEqual(run(PROGRAM, named.url).strip(), "ok")
        self.assertIn("java.k/", run(CORBEL, "ns", "list", "--service", named.url))


class Told(unittest.TextTestResult):
    def addSuccess(self, test):
        super().addSuccess(test)
        print("ok", test.id().rsplit(".", 1)[-1].removeprefix("test_").replace("_", " "), flush=True)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], defaultTest=TEST or ["OmniNamesTest", "NamecltTest"],
                  testRunner=unittest.TextTestRunner(resultclass=Told, verbosity=0))
