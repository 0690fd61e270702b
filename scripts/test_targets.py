#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints what has to be built for some tests to run, one target of ninja in a line.

usage: test_targets.py BUILD [SELECTION OF CTEST...]

A test names what it runs: in its command, its environment or its required files. What of it ninja makes is printed. "all"
is printed if a test is given a folder of the build, in which it may look for anything.
"""

import json
import os
import re
import subprocess
import sys

ENTRY = re.compile(r"^(?:add_test|set_tests_properties)\((?:\[(=*)\[(.*?)\]\1\]|\"?([^\s\")]+)\"?)(.*)\)$", re.MULTILINE)
PLACES = re.compile(r"_BACKTRACE_TRIPLES \"[^\"]*\"")  # where the test is defined


def selected_tests(build, selection):
    """The names of the tests, those that set something up for others among them."""
    shown = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1", *selection], stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL, check=True, text=True).stdout
    return {test["name"] for test in json.loads(shown)["tests"]}


def entries(text):
    """(test, what CMake wrote about it) of each line of a CTestTestfile.cmake."""
    for match in ENTRY.finditer(text):
        yield match.group(2) or match.group(3), PLACES.sub("", match.group(4))


def texts_below(folder):
    """The CTestTestfile.cmake of a folder, and those that it names."""
    with open(os.path.join(folder, "CTestTestfile.cmake"), encoding="utf-8") as file:
        text = file.read()
    yield text
    for inner in re.findall(r'^subdirs\("([^"]+)"\)', text, re.MULTILINE):
        yield from texts_below(os.path.join(folder, inner))


def outputs(build):
    """What ninja can make, by absolute path."""
    listed = subprocess.run(["ninja", "-C", build, "-t", "targets", "all"], stdout=subprocess.PIPE, check=True, text=True).stdout
    for line in listed.splitlines():
        target = line.rpartition(": ")[0]
        yield os.path.normpath(os.path.join(build, target)), target


def targets_of(tests, texts, build, made):
    """The targets that the entries of those tests name; {"all"} if one names a folder of the build."""
    path = re.compile(re.escape(build) + r"(?:/[^\s\";:,=']*)?(?=[\s\";:,=']|$)")
    found = set()
    for text in texts:
        for test, said in entries(text):
            if test not in tests:
                continue
            for named in path.findall(said):
                named = os.path.normpath(named)
                if named in made:
                    found.add(made[named])
                elif os.path.isdir(named):
                    return {"all"}
    return found


def main(arguments):
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__.strip())
        return 0 if arguments else 2
    build = os.path.abspath(arguments[0])
    tests = selected_tests(build, arguments[1:])
    for target in sorted(targets_of(tests, texts_below(build), build, dict(outputs(build)))):
        print(target)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
