#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`corbel` with the types that JacORB's interface repository tells.

usage: repository_test.py CORBEL REPOSITORY_SERVER INTERFACE_REPOSITORY.IDL
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

CORBEL, SERVER, REPOSITORY_IDL = sys.argv[1:4]
IDL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "repository.idl")
TIMEOUT_S = 60
EVERYTHING = {
    "flag": True, "small": 255, "letter": "x", "wide": "\u20ac", "s": -32768, "us": 65535, "l": -2147483648, "ul": 4294967295,
    "ll": -9223372036854775808, "ull": 18446744073709551615, "f": 0.5, "d": 1e300, "text": "t", "wtext": "\u03b1", "shade": "blue",
    "names": ["a", "b"], "raw": "AAECAw==", "path": [{"x": 1, "y": 2.5}], "cells": [[1, 2, 3], [4, 5, 6]],
    "one": {"discriminator": "green", "text": "t"}, "anything": {"type": "Stock::Point", "value": {"x": 3, "y": 4.5}},
}


class JacorbRepository(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.repository = os.path.join(cls.folder.name, "repository.ior")
        classes = os.path.join(os.path.dirname(SERVER), "repository_classes")
        cls.server = subprocess.Popen([SERVER, classes, cls.repository], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL, text=True)
        cls.shelf = cls.server.stdout.readline().strip()
        assert cls.shelf.startswith("IOR:"), "JacORB's interface repository did not start"

    @classmethod
    def tearDownClass(cls):
        cls.server.communicate(timeout=TIMEOUT_S)
        cls.folder.cleanup()
        assert cls.server.returncode == 0

    def corbel(self, *arguments, status=0):
        done = subprocess.run([CORBEL, *arguments], capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout if status == 0 else done.stdout + done.stderr

    def calls(self, *options):
        """Every operation, with types from where the options say."""
        def call(*words, status=0):
            text = self.corbel("call", self.shelf, *words, *options, status=status)
            return json.loads(text) if status == 0 and text.strip() else text

        self.assertEqual(call("echo", json.dumps(EVERYTHING)), EVERYTHING)
        self.assertEqual(call("number", '{"small": 5}')["small"], 5)
        self.assertEqual(call("number", '{"large": 9223372036854775807}'), {"discriminator": 3, "large": 9223372036854775807})
        self.assertEqual(call("divide", "17", "5"), {"result": 3, "rest": 2})
        self.assertIn('raised Stock::Refused {"why":"division by nothing","code":3,"shade":"green"}', call("divide", "3", "0", status=1))
        self.assertEqual(call("swap", "x", "y"), {"a": "y", "b": "x"})
        self.assertTrue(call("next", self.shelf).startswith("IOR:"))
        call("label", "new")
        self.assertEqual(call("label"), "new")
        before = call("count")
        call("poke", "5")
        self.assertEqual(call("count"), before + 5)
        self.assertIn("value.shade", call("echo", json.dumps(dict(EVERYTHING, shade="pink")), status=2))

    def test_calls_take_their_types_from_the_repository(self):
        self.calls("--ir", self.repository)

    def test_an_object_leads_to_its_interface(self):
        self.calls()

    def test_an_interface_is_described_as_its_idl_would_be(self):
        def contents(text):
            one = json.loads(text)[0]
            return one["name"], one["id"], one["bases"], {part["name"]: part for part in one["contents"]}

        of_idl = contents(self.corbel("describe", self.shelf, "--idl", IDL, "--json"))
        self.assertEqual(contents(self.corbel("describe", "--ir", self.repository, "--interface", "Stock::Shelf", "--json")), of_idl)
        self.assertEqual(contents(self.corbel("describe", self.shelf, "--ir", self.repository, "--json")), of_idl)
        self.assertEqual(contents(self.corbel("describe", self.shelf, "--json")), of_idl)
        self.assertIn("does not know 'Stock::Nothing'", self.corbel("describe", "--ir", self.repository, "--interface", "Stock::Nothing", status=2))

    def test_the_repository_is_called_by_its_published_idl(self):
        def call(reference, interface, *words):
            return json.loads(self.corbel("call", reference, "--idl", REPOSITORY_IDL, "--interface", "CORBA::" + interface, "--", *words))

        definition = call(self.repository, "Repository", "lookup_id", "IDL:Stock/Shelf:1.0")
        whole = call(definition, "InterfaceDef", "describe_interface")
        self.assertEqual((whole["name"], whole["id"]), ("Shelf", "IDL:Stock/Shelf:1.0"))
        self.assertIn("divide", [one["name"] for one in whole["operations"]])
        told = call(definition, "InterfaceDef", "describe")
        self.assertEqual((told["kind"], told["value"]["value"]["name"]), ("dk_Interface", "Shelf"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
