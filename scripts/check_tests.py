# SPDX-License-Identifier: Apache-2.0
"""How tests are called (tests/README.md): a part of check_layers.py."""

import os
import re

ADDED = re.compile(r"^[ \t]*add_test\(NAME[ \t]+(\S+)", re.MULTILINE)
PROGRAM = re.compile(r"^[ \t]*add_executable\((corbel_\w+_test)\b", re.MULTILINE)
CASE = re.compile(r"^(?:TYPED_)?TEST(?:_[FP])?\(\s*(\w+),\s*(\w+)\)", re.MULTILINE)
PART = re.compile(r"^[a-z]\w*(?:\.(?:[\w+-]|\$\{\w+\})+)+$")  # house.layers, examples.toolkit.echo.${service}
SENTENCE = re.compile(r"^[A-Z][A-Za-z0-9]*(?:_\d+)*$")  # the numbers are those of a specification's clause
NOUN = re.compile(r"^[A-Z][A-Za-z0-9]*[A-Za-z]$|^Md5$")
CASES_IN = ("_test.cpp", "_conformance.cpp")
ROOMS = "cmake/CorbelRooms.cmake"  # a room's test is called like the room


def line_of(text, match):
    return text.count("\n", 0, match.start(1)) + 1


def names_in_cmake(path, text):
    parts = os.path.dirname(path).split("/")
    suite = re.compile(rf"^{re.escape(parts[1])}_(?:\w+_)?suite$") if parts[0] == "tests" and len(parts) > 1 else None
    for match in ADDED.finditer(text):
        name = match.group(1)
        room = path == ROOMS and name == "${name}" or path == f"src/corbel/{name}/CMakeLists.txt"
        if not (room or PART.match(name.replace("${name}.", "name.", 1)) or suite and suite.match(name)):
            yield line_of(text, match), f"a test is called like its room, FOLDER_suite or FOLDER.WHAT, not '{name}' (tests/README.md)"
    if parts[0] == "tests":
        for match in PROGRAM.finditer(text):
            yield line_of(text, match), f"the program of a suite is called corbel_FOLDER_suite, not '{match.group(1)}'"


def names_in_code(path, text):
    for match in CASE.finditer(text):
        suite, case = match.groups()
        if not path.endswith(CASES_IN):
            yield line_of(text, match), "cases are in *_test.cpp, and those for implementations of a port in *_conformance.cpp"
        if not NOUN.match(suite) or not SENTENCE.match(case):
            yield line_of(text, match), f"'{suite}.{case}' is no name and sentence in PascalCase (tests/README.md)"


def names(path, text):
    """(line, message) for each test that is not called as tests are."""
    text = text.decode("utf-8", "replace")
    if path.endswith("CMakeLists.txt") or path.endswith(".cmake"):
        yield from names_in_cmake(path, text)
    elif path.endswith((".cpp", ".hpp")):
        yield from names_in_code(path, text)
