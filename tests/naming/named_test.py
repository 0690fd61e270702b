#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs `corbel-named` and `corbel ns` as people do.

usage: named_test.py CORBEL_NAMED CORBEL
"""

import contextlib
import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import unittest

from programs import CORBEL, NAMED, THING, TIMEOUT_S, Named, free_port, run

IDL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../idl/CosNaming.idl")


class CommandTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="corbel_named_")
        self.addCleanup(shutil.rmtree, self.folder)

    def test_help_version_and_mistakes(self):
        self.assertIn("--data", run(NAMED, "--help"))
        self.assertIn("-start", run(NAMED, "-help"))
        self.assertTrue(run(NAMED, "--version").startswith("corbel-named "))
        for wrong in (["--prot", "1"], ["--port", "x"], ["--port", "70000"], ["-logdir"], ["-ORBendPoint", "giop:ssl::1"], ["--max-list", "0"]):
            self.assertTrue(run(NAMED, *wrong, status=2), wrong)
        self.assertIn("-ORBNothing", run(NAMED, "--data", self.folder + "/x.db", "-ORBNothing", "1", status=1))

    def test_options_may_be_in_a_file(self):
        path = os.path.join(self.folder, "orb.conf")
        with open(path, "w", encoding="utf-8") as file:
            file.write("# for any program\nThreads 8\n\nThread 9\n")
        mistake = path + ":4: unknown option -ORBThread; did you mean -ORBThreads?"
        self.assertIn(mistake, run(NAMED, "--data", self.folder + "/x.db", "-ORBConfigFile", path, status=1))
        self.assertIn(mistake, run(CORBEL, "call", "--orb", "-ORBConfigFile=" + path, "corbaloc::127.0.0.1:1/x", "_non_existent", status=None))
        with open(path, "w", encoding="utf-8") as file:
            file.write("Threads 8\nLogFile " + self.folder + "/orb.log\nLogLevel info\n")
        named = Named(self.folder, "-ORBConfigFile", path)
        run(CORBEL, "ns", "bind", "thing", THING, "--orb", "-ORBConfigFile=" + path, "--service", named.url)
        named.end()
        with open(self.folder + "/orb.log", encoding="utf-8") as file:
            self.assertIn("configuration file read", file.read())

    def test_signals_end_it_in_order_and_a_second_one_is_refused(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            named = Named(self.folder)
            self.assertIn("another process", run(NAMED, "--data", self.folder + "/names.db", status=1))
            self.assertEqual(named.end(number), 0)

    def test_the_ior_file_holds_the_root(self):
        path = os.path.join(self.folder, "root.ior")
        named = Named(self.folder, "--ior-file", path)
        self.addCleanup(named.end)
        self.assertEqual(run(CORBEL, "call", path, "_is_a", "IDL:omg.org/CosNaming/NamingContextExt:1.0").strip(), "true")

    def test_a_port_that_does_not_work_is_not_remembered(self):
        def remembered():
            with contextlib.closing(sqlite3.connect(os.path.join(self.folder, "names.db"))) as database:
                return database.execute("SELECT value FROM setting WHERE name = 'port'").fetchall()

        port = free_port()
        with socket.create_server(("127.0.0.1", int(port))):
            run(NAMED, "--data", self.folder + "/names.db", "--host", "127.0.0.1", "--port", port, status=1)
        self.assertEqual(remembered(), [])
        named = Named(self.folder, port=port)
        self.assertEqual(named.end(), 0)
        self.assertEqual(remembered(), [(port,)])

    def test_watching_tells_what_changes(self):
        named = Named(self.folder)
        self.addCleanup(lambda: named.process.poll() is None and named.end())
        service = ["--service", named.url]
        run(CORBEL, "ns", "bind", "old", THING, *service)
        watch = subprocess.Popen([CORBEL, "ns", "watch", "-i", "0.02", "-n", "6", "--initial", *service],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(watch.stdout.close)
        self.addCleanup(watch.stderr.close)
        self.addCleanup(watch.kill)
        self.assertEqual(watch.stdout.readline(), "bound  old\n")
        self.assertIn("1 names are watched", watch.stderr.readline())
        for command, said in ((["context", "dome"], "bound  dome/\n"), (["bind", "dome/lamp", THING], "bound  dome/lamp\n"),
                              (["rebind", "dome/lamp", THING + "2"], "rebound  dome/lamp\n"), (["unbind", "old"], "unbound  old\n")):
            run(CORBEL, "ns", *command, *service)
            self.assertEqual(watch.stdout.readline(), said)
        self.assertEqual(named.end(), 0)
        self.assertTrue(watch.stdout.readline().startswith("away  "))
        self.assertEqual(watch.wait(TIMEOUT_S), 0)
        run(CORBEL, "ns", "watch", *service, status=4)

    def test_pruning_makes_room(self):
        path = os.path.join(self.folder, "names.db")
        self.assertIn("no such file", run(NAMED, "--data", path, "--prune", status=1))
        named = Named(self.folder)
        root = named.url
        run(CORBEL, "ns", "context", "kept", "--service", root)
        run(CORBEL, "ns", "context", "forgotten", "--service", root)
        run(CORBEL, "ns", "unbind", "forgotten", "--service", root)
        self.assertEqual(named.end(), 0)
        self.assertIn("pruned contexts 0\ncontexts 3\n", run(NAMED, "--data", path, "--prune"))
        self.assertIn("pruned contexts 1\ncontexts 2\n", run(NAMED, "--data", path, "--prune", "--prune-age", "0"))

    def test_omninames_spellings(self):
        process = subprocess.Popen([NAMED, "-start", "0", "-logdir", self.folder, "-always", "-errlog", self.folder + "/err",
                                    "-ORBendPoint", "giop:tcp:127.0.0.1:0"], stdout=subprocess.PIPE, text=True)
        self.assertIn("corbaloc::127.0.0.1:", process.stdout.readline())
        process.terminate()
        self.assertEqual(process.wait(TIMEOUT_S), 0)
        process.stdout.close()
        self.assertTrue(os.path.exists(os.path.join(self.folder, "names.db")))

    def test_a_file_that_is_no_database_is_left_alone(self):
        path = os.path.join(self.folder, "names.db")
        with open(path, "w", encoding="ascii") as file:
            file.write("Dear aunt, " * 100)
        self.assertIn("names.db", run(NAMED, "--data", path, status=1))
        with open(path, encoding="ascii") as file:
            self.assertTrue(file.read().startswith("Dear aunt"))
        self.assertIn("no such file", run(NAMED, "--data", path + "2", "--check", status=1))


class NamesTest(unittest.TestCase):
    """`corbel ns` against corbel-named; a subclass runs it against omniNames."""

    STRANGE = ["with space", "d\\.o\\/t", "back\\\\slash.k\\.", ".", ".kind", "line\nend", "gr\u00fc\u00dfe"]

    @classmethod
    def start(cls):
        cls.named = Named(cls.folder)
        return cls.named.url

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="corbel_named_")
        cls.url = cls.start()

    @classmethod
    def tearDownClass(cls):
        cls.stop()
        shutil.rmtree(cls.folder)

    @classmethod
    def stop(cls):
        assert cls.named.end() == 0

    def setUp(self):
        # Every test has a context of its own.
        self.home = self.id().split(".")[-1]
        self.ns("context", self.home)

    def ns(self, command, *arguments, status=0):
        return run(CORBEL, "ns", command, *arguments, "--service", self.url, status=status)

    def name(self, text):
        return f"{self.home}/{text}"

    def test_binding_resolving_and_listing(self):
        self.ns("context", "-p", self.name("telescope.k/dome"))
        self.ns("context", "-p", self.name("telescope.k/dome"))
        self.ns("bind", self.name("telescope.k/lamp"), THING)
        self.assertIn("bound already", self.ns("bind", self.name("telescope.k/lamp"), THING, status=1))
        self.ns("rebind", self.name("telescope.k/lamp"), self.url)
        parts = json.loads(run(CORBEL, "ior", self.ns("resolve", self.name("telescope.k/lamp")).strip(), "--json"))
        self.assertEqual(parts["profiles"][0]["key"], "NameService")
        self.assertEqual(self.ns("list", self.name("telescope.k")).split(), ["dome/", "lamp"])
        self.assertEqual(sorted(line.split(" ")[0] for line in self.ns("list", "-l", self.name("telescope.k")).splitlines()), ["dome/", "lamp"])
        self.assertEqual(json.loads(self.ns("list", "--json", self.name("telescope.k")))[0], {"name": "dome", "type": "context"})
        self.assertIn("nothing is bound to 'x', in the way to 'x/y'", self.ns("resolve", self.name("x/y"), status=1))
        self.assertIn("not to a context", self.ns("resolve", self.name("telescope.k/lamp/x"), status=1))
        self.assertIn("is no name", self.ns("resolve", "a//b", status=2))
        self.assertIn("not empty", self.ns("unbind", "--destroy", self.name("telescope.k"), status=1))
        self.ns("unbind", self.name("telescope.k/lamp"))
        self.ns("unbind", "--destroy", self.name("telescope.k/dome"))
        self.ns("unbind", "--destroy", self.name("telescope.k"))
        self.assertEqual(self.ns("list", self.home), "")

    def test_trees_show_cycles_once(self):
        self.ns("context", "-p", self.name("a/b"))
        self.ns("bind", "--context", self.name("a/b/up"), self.ns("resolve", self.name("a")).strip())
        self.ns("bind", self.name("a/x"), THING)
        self.assertEqual(self.ns("tree", self.home), "a/\n  b/\n    up/  (the same as a)\n  x\n")
        self.assertEqual([one["name"] for one in json.loads(self.ns("tree", "--json", self.home))], ["a", "a/b", "a/b/up", "a/x"])

    def test_names_with_strange_characters(self):
        for text in self.STRANGE:
            self.ns("bind", self.name(text), THING)
            self.assertTrue(self.ns("resolve", self.name(text)).startswith("IOR:"), text)
        listed = [one["name"] for one in json.loads(self.ns("list", "--json", self.home))]
        self.assertEqual(sorted(listed), sorted(self.STRANGE))
        self.assertNotIn("line\nend", self.ns("list", self.home))

    def test_a_thousand_names_come_through_an_iterator(self):
        names = {f"n{i}" for i in range(1200)}
        bindings = [{"name": name, "type": "object", "reference": THING} for name in sorted(names)]
        path = os.path.join(self.folder, "many.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"format": "corbel-names", "version": 1, "bindings": bindings}, file)
        self.assertIn("1200 bound", self.ns("load", path, self.home))
        self.assertEqual(set(self.ns("list", self.home).split()), names)
        self.assertIn("more than 1000 bindings", self.ns("list", self.home, "--most", "1000", status=2))

    def test_dead_bindings_are_found_and_unbound(self):
        self.ns("bind", self.name("alive"), self.url)
        self.ns("bind", self.name("unreachable"), THING)
        self.ns("bind", self.name("gone"), self.url.replace("NameService", "nothing"))
        self.ns("context", self.name("context"))
        found = {one["name"]: one["state"] for one in json.loads(self.ns("check", "--json", self.home, status=1))}
        self.assertEqual(found, {"alive": "alive", "unreachable": "unreachable", "gone": "gone", "context": "alive"})
        self.assertIn("gone  gone  (unbound)", self.ns("check", "--unbind", self.home, status=1))
        self.assertEqual(sorted(self.ns("list", self.home).split()), ["alive", "context/", "unreachable"])
        self.ns("unbind", self.name("unreachable"))
        self.assertIn("2 of 2 alive", self.ns("check", self.home))

    def test_dump_and_load(self):
        self.ns("context", "-p", self.name("from/a.k/b"))
        self.ns("bind", self.name("from/a.k/b/o"), THING)
        self.ns("bind", "--context", self.name("from/again"), self.ns("resolve", self.name("from/a.k")).strip())
        dumped = self.ns("dump", self.name("from"))
        path = os.path.join(self.folder, "names.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(dumped)
        self.ns("context", self.name("to"))
        self.assertEqual(self.ns("load", path, self.name("to")), "4 bound, 0 were there already, 0 refused\n")
        self.assertEqual(self.ns("dump", self.name("to")), dumped)
        self.assertEqual(self.ns("load", path, self.name("to")), "0 bound, 4 were there already, 0 refused\n")
        self.ns("rebind", self.name("to/a.k/b/o"), self.url)
        self.assertIn("--replace", self.ns("load", path, self.name("to"), status=1))
        self.assertEqual(self.ns("load", "--replace", path, self.name("to")), "1 bound, 3 were there already, 0 refused\n")

    def test_names_that_are_not_utf8_are_dumped_and_loaded(self):
        if type(self) is not NamesTest:
            self.skipTest("omniNames takes texts for ISO 8859-1 and converts them")
        self.ns("context", self.name("from"))
        latin = os.fsdecode(b"gr\xfc\xdfe")
        self.ns("context", self.name("from/" + latin))
        self.ns("bind", self.name(f"from/{latin}/o"), THING)
        self.ns("bind", "--context", self.name("from/p"), self.ns("resolve", self.name("from/" + latin)).strip())
        dumped = self.ns("dump", self.name("from"))
        self.assertEqual([{key: one[key] for key in one if key.endswith("_hex")} for one in json.loads(dumped)["bindings"]],
                         [{"name_hex": "6772fcdf65"}, {"same_as_hex": "6772fcdf65"}, {"name_hex": "6772fcdf652f6f"}])
        path = os.path.join(self.folder, "latin.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(dumped)
        self.ns("context", self.name("to"))
        self.assertEqual(self.ns("load", path, self.name("to")), "3 bound, 0 were there already, 0 refused\n")
        self.assertEqual(self.ns("dump", self.name("to")), dumped)
        self.assertTrue(self.ns("resolve", self.name(f"to/{latin}/o")).startswith("IOR:"))

    def test_messages_hold_no_control_characters(self):
        name = "esc\x1b[2J"
        self.assertNotIn("\x1b", self.ns("resolve", self.name(name), status=1))
        self.assertNotIn("\x1b", self.ns("resolve", name + "//", status=2))
        path = os.path.join(self.folder, "escape.json")
        self.ns("bind", self.name(name), THING)
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"format": "corbel-names", "version": 1, "bindings": [{"name": name, "type": "object", "reference": self.url}]}, file)
        said = self.ns("load", path, self.home, status=1)
        self.assertIn("is bound to something else", said)
        self.assertNotIn("\x1b", said)

    def test_files_that_make_no_sense_change_nothing(self):
        good = {"name": "x", "type": "object", "reference": THING}
        whole = {"format": "corbel-names", "version": 1}
        for what, said in (([], "was not written"), (dict(whole, version=2, bindings=[]), "version"), (whole, "no array"),
                           (dict(whole, bindings=[good, 5]), "bindings[1] is no object"),
                           (dict(whole, bindings=[good, dict(good, name="a//b")]), "is no name"),
                           (dict(whole, bindings=[good, dict(good, type="thing")]), "neither object nor context"),
                           (dict(whole, bindings=[good, dict(good, more=1)]), "'more'"),
                           (dict(whole, bindings=[good, dict(good, name_hex="61")]), "name and name_hex"),
                           (dict(whole, bindings=[good, {"name_hex": "6x", "type": "context"}]), "hexadecimal"),
                           (dict(whole, bindings=[good, {"name": "y", "type": "object"}]), "no reference")):
            path = os.path.join(self.folder, "bad.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(what, file)
            self.assertIn(said, self.ns("load", path, self.home, status=2))
        with open(path, "w", encoding="utf-8") as file:
            file.write("[" * 100000)
        self.assertIn("is no JSON", self.ns("load", path, self.home, status=2))
        self.assertEqual(self.ns("list", self.home), "")

    def test_other_commands_take_names(self):
        self.ns("bind", self.name("self"), self.url)
        env = dict(os.environ, CORBEL_INIT_REF="NameService=" + self.url)
        self.assertEqual(run(CORBEL, "call", f"ns:{self.home}/self", "_non_existent", env=env).strip(), "false")
        self.assertIn("NotFound", run(CORBEL, "call", f"ns:{self.home}/other", "_non_existent", env=env, status=1))
        self.assertTrue(run(CORBEL, "ns", "resolve", self.home, env=env).startswith("IOR:"))

    def test_nobody_there_is_a_status_of_its_own(self):
        self.assertIn("refused", run(CORBEL, "ns", "list", "--service", "127.0.0.1:1", status=4))


class LocalTest(unittest.TestCase):
    """Clients of its host find it without -ORBInitRef."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="corbel_named_")
        self.addCleanup(shutil.rmtree, self.folder)
        self.meeting = os.path.join(self.folder, "meeting")
        os.mkdir(self.meeting, 0o755)
        self.socket = os.path.join(self.meeting, "NameService")
        self.env = {name: value for name, value in os.environ.items() if not name.startswith("CORBEL_")}
        self.env["CORBEL_LOCAL_SERVICES"] = self.meeting

    def start(self, *options):
        named = Named(self.folder, *options, env=self.env)
        self.addCleanup(lambda: named.process.poll() is None and named.end())
        return named

    def corbel(self, *arguments, status=0):
        return run(CORBEL, *arguments, env=self.env, status=status)

    def test_it_is_found_while_it_serves(self):
        named = self.start("--local")
        self.assertIn(f" and unix://{self.socket}, names in", named.line)
        self.corbel("ns", "bind", "thing", THING)
        self.assertEqual(self.corbel("ns", "list"), "thing\n")
        self.assertEqual(self.corbel("call", "corbaloc:rir:", "_non_existent"), "false\n")
        self.assertIn("IOR:", self.corbel("call", "corbaloc:rir:", "resolve_str", "thing", "--idl", IDL))
        self.env["CORBEL_INIT_REF"] = "NameService=corbaloc::127.0.0.1:1/NameService"  # what is said counts
        self.corbel("ns", "list", status=4)
        del self.env["CORBEL_INIT_REF"]
        self.assertIn("address in use", run(NAMED, "--data", self.folder + "/2.db", "--port", "0", "--local", env=self.env, status=1))
        self.assertEqual(named.end(), 0)
        self.assertEqual(os.listdir(self.meeting), [])
        self.assertIn("no initial reference 'NameService'", self.corbel("call", "corbaloc:rir:", "_non_existent", status=2))

    def test_what_a_killed_one_left_is_nobody_and_the_next_one_takes_it(self):
        named = self.start("--local")
        named.end(signal.SIGKILL)
        self.assertEqual(os.listdir(self.meeting), ["NameService"])
        self.assertIn("no initial reference", self.corbel("call", "corbaloc:rir:", "_non_existent", status=2))
        self.start("--local")
        self.assertEqual(self.corbel("ns", "list"), "")

    def test_a_folder_that_others_may_write_to_is_believed_by_neither_side(self):
        named = self.start("--local")
        os.chmod(self.meeting, 0o777)
        self.assertIn("orb: local service not believed", self.corbel("call", "corbaloc:rir:", "_non_existent", status=2))
        self.assertEqual(named.end(), 0)
        self.assertIn("others may", run(NAMED, "--data", self.folder + "/2.db", "--port", "0", "--local", env=self.env, status=1))

    def test_it_is_a_choice_of_both_sides(self):
        self.start()  # port 0
        self.assertEqual(os.listdir(self.meeting), [])
        self.env["CORBEL_LOCAL_SERVICES"] = "none"
        self.assertIn("none", run(NAMED, "--data", self.folder + "/2.db", "--port", "0", "--local", env=self.env, status=1))
        port = free_port()
        other = os.path.join(self.folder, "other")
        os.mkdir(other)
        named = Named(other, port=port, env=self.env)
        self.assertNotIn("unix:", named.line)  # and says so, but serves
        self.assertEqual(named.end(), 0)
        self.env["CORBEL_LOCAL_SERVICES"] = self.meeting
        for options, is_there in (([], True), (["--no-local"], False), (["--listen", "tcp://127.0.0.1:0"], False)):
            named = Named(other, *options, port=port, env=self.env)
            self.assertEqual(os.path.exists(self.socket), is_there)
            self.assertEqual(named.end(), 0)


class LifeTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="corbel_named_")
        self.addCleanup(shutil.rmtree, self.folder)

    def test_references_to_contexts_hold_after_a_restart_at_the_remembered_port(self):
        self.assertEqual(Named(self.folder).end(), 0)
        port = free_port()
        named = Named(self.folder, port=port)
        run(CORBEL, "ns", "context", "a", "--service", named.url)
        run(CORBEL, "ns", "bind", "a/o", THING, "--service", named.url)
        context = run(CORBEL, "ns", "resolve", "a", "--service", named.url).strip()
        self.assertEqual(named.end(), 0)
        process = subprocess.Popen([NAMED, "--data", self.folder + "/names.db", "--host", "127.0.0.1", "--no-local"],
                                   stdout=subprocess.PIPE, text=True)
        self.assertIn(f":{port}/NameService", process.stdout.readline())
        try:
            self.assertEqual(run(CORBEL, "ns", "list", "--service", context), "o\n")
        finally:
            process.terminate()
            process.wait(TIMEOUT_S)
            process.stdout.close()

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
