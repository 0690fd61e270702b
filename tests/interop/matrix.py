#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the table of docs/interop-matrix.md: a row for each feature, a column for each peer and direction.

usage: matrix.py JUNIT [--write FILE]

JUNIT is what `ctest -L interop --output-junit` wrote of a run in which all tests printed their checks. A cell says in
which versions of GIOP all checks of the feature passed, and how many there are; a failed one is named. Exit status: 0
all is well, 1 something failed, or a cell that had checks has none, 2 the file cannot be used.
"""
import argparse
import collections
import re
import sys
import xml.etree.ElementTree

COLUMNS = {
    ("omniorb", "server"): "Corbel calls omniORB 4.2.5",
    ("omniorb", "client"): "omniORB 4.2.5 calls Corbel",
    ("jacorb", "server"): "Corbel calls JacORB 3.9",
    ("jacorb", "client"): "JacORB 3.9 calls Corbel",
}


class Feature:
    """A row: the checks whose names match, of the runs whose part and carrier match."""

    def __init__(self, title, checks, part="", carrier="tcp", why=None):
        self.title, self.checks, self.part, self.carrier = title, re.compile(checks), part, re.compile(carrier)
        self.why = why or {}  # of columns without checks: what the peer cannot do, or what is not tested


# What a column lacks, by what is the matter with it.
ITS_COMPILER = "its compiler or its run-time library fails"
NOT_THERE = "the peer has none"
OTHER_SIDE = "the other direction shows it"
NO_CLIENT = "no client of its own is in the tests"


def features():
    """The rows in their order, under headings."""
    def both(peer, why):
        return {(peer, "server"): why, (peer, "client"): why}

    return [
        ("Types, as arguments, results, out and inout parameters", [
            Feature("basic types, enums, constants", r"^(ping|constants|echo_(boolean|char|octet|short|ushort|long|ulong|longlong|ulonglong|float|double|enum|alias)$|echo_char_latin1|name_of|echo_names|echo_words)"),
            Feature("strings, ISO 8859-1, UTF-8", r"^echo_(string|bounded_string|string_.*|bounded_text_seq)$"),
            Feature("wide characters and strings, UTF-16", r"^echo_(wchar|wstring|bounded_wstring|wide.*)"),
            Feature("structs, unions, arrays, nested and recursive types", r"^echo_(.*union.*|tree.*|record.*|grid.*|digest|bin_array|empties|.*array)$"),
            Feature("sequences, bounded ones, all lengths around buffers", r"^(echo_.*seq|octet_boundaries|oversized_sequence|large.*|mixed)$"),
        ]),
    ]


def runs(path):
    """Of each test: its name, whether it passed, and its checks by name: "ok", or why not."""
    try:
        root = xml.etree.ElementTree.parse(path).getroot()
    except (OSError, xml.etree.ElementTree.ParseError) as failure:
        sys.exit(f"matrix: {path}: {failure}")
    for case in root.iter("testcase"):
        checks = {}
        for line in (case.findtext("system-out") or "").splitlines():
            word, _, rest = line.partition(" ")
            if word == "ok":
                checks[rest] = "ok"
            elif word in ("FAIL", "skip"):
                name, _, why = rest.partition(": ")
                checks[name] = f"{word}: {why}"
        yield case.get("name"), case.get("status") == "run", checks


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("junit")
    for name, passed, checks in runs(parser.parse_args().junit):
        print(name, passed, len(checks))
