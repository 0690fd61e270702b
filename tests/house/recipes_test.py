#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The recipes for Conan and vcpkg say what the project says: version, options, features, and every library that it looks for."""

import ast
import glob
import json
import os
import re
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# What the recipes call what find_package and find_path look for.
NAMES = {"OpenSSL": ("openssl", "openssl"), "ZLIB": ("zlib", "zlib"), "CURL": ("libcurl", "curl"), "SQLite3": ("sqlite3", "sqlite3"),
         "PostgreSQL": ("libpq", "libpq"), "nlohmann_json": ("nlohmann_json", "nlohmann-json"), "CLI/CLI.hpp": ("cli11", "cli11"),
         "mcpp_lib.h": (None, "mcpp")}
# Of the machine that builds, or of tests; Avahi's library is of use only with the system's daemon.
OTHERS = {"Threads", "GTest", "Python3", "PkgConfig", "avahi-client/client.h"}


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


class Recipes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.project = read("CMakeLists.txt")
        cls.vcpkg = json.loads(read("packaging/vcpkg/vcpkg.json"))
        cls.port = read("packaging/vcpkg/portfile.cmake")
        cls.conan = read("packaging/conan/conanfile.py")
        recipe = next(node for node in ast.parse(cls.conan).body if isinstance(node, ast.ClassDef))
        cls.values = {}
        for node in recipe.body:
            if isinstance(node, ast.Assign):
                cls.values[node.targets[0].id] = ast.literal_eval(node.value)
        cls.looked_for = set()
        for path in ["CMakeLists.txt"] + [os.path.relpath(path, ROOT) for folder in ("src", "services", "tools")
                                          for path in glob.glob(os.path.join(ROOT, folder, "**/CMakeLists.txt"), recursive=True)]:
            cls.looked_for |= set(re.findall(r"find_package\((\w+)", read(path)))
            cls.looked_for |= set(re.findall(r"find_path\(\w+ (\S+?)[ )]", read(path)))

    def test_the_version_is_the_projects(self):
        self.assertEqual(self.vcpkg["version-semver"], re.search(r"project\(Corbel VERSION (\S+)", self.project).group(1))
        self.assertIn('project\\(Corbel VERSION (\\S+)', self.conan)

    def test_both_offer_the_same_choices(self):
        features = set(self.vcpkg["features"])
        self.assertEqual(features, set(self.values["options"]))
        self.assertEqual(set(self.vcpkg["default-features"]), {name for name, on in self.values["default_options"].items() if on})
        self.assertEqual(features, set(re.findall(r"^  (\w+) CMAKE_DISABLE_FIND_PACKAGE", self.port, re.M)))

    def test_every_library_that_is_looked_for_is_named(self):
        ports = json.dumps([self.vcpkg["dependencies"], self.vcpkg["features"]])
        for name in self.looked_for - OTHERS:
            with self.subTest(name):
                conan, vcpkg = NAMES[name]
                self.assertIn(f'"{vcpkg}"', ports)
                if conan:
                    self.assertIn(f'requires("{conan}/[', self.conan)

    def test_what_is_left_out_is_looked_for(self):
        for text in (self.conan, self.port):
            left_out = set(re.findall(r"CMAKE_DISABLE_FIND_PACKAGE_(\w+)", text)) | set(re.findall(r'[(] ?"\w+", "(\w+)"\)[,)]', text))
            self.assertEqual(len(left_out), len(self.vcpkg["features"]))
            self.assertLessEqual(left_out, self.looked_for)
            for option in re.findall(r"CORBEL_[A-Z_]+", text):
                self.assertRegex(self.project, rf"(option|set)\({option} ")

    def test_what_is_exported_exists(self):
        for name in re.findall(r'"([\w/]+(?:\.\w+)?)"', re.search(r"def export_sources.*?def configure", self.conan, re.S).group(0)):
            self.assertTrue(os.path.exists(os.path.join(ROOT, name)), name)


if __name__ == "__main__":
    unittest.main()
