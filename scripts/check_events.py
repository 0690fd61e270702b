#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that docs/logging.md lists every event that the log tells, as the code has it, and that tests provoke it.

usage: check_events.py ROOT

An event is the literal given to CORBEL_LOG in a source of src/ or services/ that is no test. The table under "What it tells" has it in
the first column, its level and module in the second and the names of its fields in the third, in `code spans`; it names no
others. A test names an event by a literal of its own, or as lines have it: "module: event". UNTESTED says which ones no
test can provoke, and why.
"""

import os
import re
import sys

UNTESTED = {
    "no memory to tell that a POA is gone": "memory does not run out on demand",
    "a timer of the application ends: no memory": "memory does not run out on demand",
    "connection cut: this process has no memory for its replies": "memory does not run out on demand",
}

DOCUMENT = "docs/logging.md"
TABLE = "## What it tells"
CALL = re.compile(r"\bCORBEL_LOG\w*\(")
LITERAL = r'"(?:[^"\\\n]|\\.)*"'
ARGUMENTS = re.compile(rf'[^;"]*?,\s*(\w+),\s*(error|warning|info|debug|trace),\s*((?:{LITERAL}\s*)+)')
# The log's own words about itself go past the macro.
OWN = (re.compile(rf'\bconfession\.event = ({LITERAL})'), re.compile(rf'LogLevel::\w+,\s*({LITERAL}),'))
FIELD = re.compile(r'\{\s*"(\w+)",')
SPAN = re.compile(r"`([^`]+)`")


class Event:
    def __init__(self, place, kind, fields):
        self.place, self.kind, self.fields = place, kind, fields  # kind: "level module", or nothing


def files(root, folders, suffixes):
    for folder in folders:
        for place, inner, names in os.walk(os.path.join(root, folder)):
            inner.sort()
            for name in sorted(names):
                if name.endswith(suffixes):
                    path = os.path.join(place, name)
                    with open(path, encoding="utf-8") as file:
                        yield os.path.relpath(path, root), file.read()


def without_comments(text):
    return re.sub(r"^\s*//.*$|^#define (?:.*\\\n)*.*$", lambda gone: "\n" * gone.group().count("\n"), text, flags=re.M)


def joined(literals):
    """Neighbouring literals are one."""
    return "".join(literal[1:-1] for literal in re.findall(LITERAL, literals))


def end_of_call(text, begin):
    """Where the parenthesis closes that was opened before `begin`."""
    depth = 1
    for match in re.compile(rf"{LITERAL}|[()]").finditer(text, begin):
        depth += {"(": 1, ")": -1}.get(match.group(), 0)
        if depth == 0:
            return match.start()
    return len(text)


def events_of(root):
    """(events: literal -> [Event], breaches)"""
    events, breaches = {}, []
    for path, text in files(root, ("src", "services"), (".hpp", ".cpp")):
        if path.endswith("_test.cpp"):
            continue
        text = without_comments(text)
        for call in CALL.finditer(text):
            place = f"{path}:{text.count(chr(10), 0, call.start()) + 1}"
            match = ARGUMENTS.match(text, call.end())
            if match is None:
                breaches.append(f"{place}: the event is no literal")
                continue
            fields = FIELD.findall(text[match.end():end_of_call(text, call.end())])
            events.setdefault(joined(match.group(3)), []).append(Event(place, f"{match.group(2)} {match.group(1)}", fields))
        for own in OWN:
            for match in own.finditer(text):
                place = f"{path}:{text.count(chr(10), 0, match.start()) + 1}"
                events.setdefault(joined(match.group(1)), []).append(Event(place, "", []))
    return events, breaches


def rows_of(root):
    """event -> [(line, second column, spans of the third)]: more where modules tell it each in their own way"""
    rows, within = {}, False
    with open(os.path.join(root, DOCUMENT), encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.startswith("#"):
                within = line.strip() == TABLE
            columns = [column.strip() for column in line.strip().strip("|").split("|")]
            if within and len(columns) == 3:
                for event in SPAN.findall(columns[0]):
                    rows.setdefault(event, []).append((number, columns[1], set(SPAN.findall(columns[2]))))
    return rows


def tested(root):
    """What tests say, literals that were broken into lines joined again."""
    texts = [text for path, text in files(root, ("tests", "src", "services"), (".cpp", ".hpp", ".py"))
             if path.startswith("tests") or path.endswith("_test.cpp")]
    return "".join(re.sub(r'"\s*\n\s*"', "", text) for text in texts)


def check(root, untested=None):
    untested = UNTESTED if untested is None else untested
    events, breaches = events_of(root)
    rows, tests = rows_of(root), tested(root)
    for event, places in sorted(events.items()):
        first = places[0].place
        listed = rows.get(event, [])
        if not listed:
            breaches.append(f"{first}: {DOCUMENT} does not list `{event}`")
        for one in places if listed else ():
            line, kind, fields = next((row for row in listed if row[1] == one.kind), listed[0])
            if one.kind and one.kind != kind:
                breaches.append(f"{one.place}: `{event}` is {one.kind}; {DOCUMENT}:{line} says '{kind}'")
            for field in one.fields:
                if field not in fields:
                    breaches.append(f"{one.place}: {DOCUMENT}:{line} does not name the field `{field}` of `{event}`")
        is_tested = f'"{event}"' in tests or any(f"{one.kind.partition(' ')[2] or 'orb'}: {event}" in tests for one in places)
        if not is_tested and event not in untested:
            breaches.append(f"{first}: no test provokes `{event}`")
        if is_tested and event in untested:
            breaches.append(f"scripts/check_events.py: a test provokes `{event}`, which UNTESTED says none can")
    breaches += [f"{DOCUMENT}:{row[0][0]}: there is no event `{event}`" for event, row in rows.items() if event not in events]
    breaches += [f"scripts/check_events.py: there is no event `{event}`" for event in untested if event not in events]
    return breaches


def main(arguments):
    if len(arguments) != 1 or arguments[0] in ("-h", "--help"):
        print(__doc__.strip())
        return 2
    breaches = check(arguments[0])
    for breach in breaches:
        print(breach)
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
