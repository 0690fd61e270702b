#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every relative link, anchor and path named in the project's Markdown leads somewhere.

usage: check_docs.py ROOT

A path is an inline `code span` that starts with a folder of the project and holds no blank, wildcard or placeholder.
The path of a request also names functions, as `Type::function` or `namespace::function`: one source must know both. The
files that a warm call passes do not become more. The README of a room names, in the first column of its table, units that
are there.
"""

import os
import re
import sys

LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)")
SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
PATH = re.compile(r"^(?:\./)?(?:src|docs|cmake|tests|scripts|examples|bench|tools|\.ci)/[A-Za-z0-9_./-]+$")
FUNCTION = re.compile(r"^(\w+)::([a-z]\w*)$")
NAMES_FUNCTIONS = "docs/path-of-a-request.md"
WARM = ("Out", "There", "Back")  # its sections about a warm call
WARM_FILES = 35
UNIT = re.compile(r"^[a-z0-9_/]+(\.[hc]pp)?$")
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*\s*$")
FENCE = re.compile(r"^\s*(```|~~~)")


def markdown_files(root):
    for place, inner, names in os.walk(root):
        inner[:] = sorted(n for n in inner if n != "build" and (not n.startswith(".") or n == ".ci"))
        for name in sorted(names):
            if name.endswith(".md"):
                yield os.path.join(place, name)


def prose_lines(path):
    """(number, line) of everything outside fenced code."""
    fenced = False
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if FENCE.match(line):
                fenced = not fenced
            elif not fenced:
                yield number, line.rstrip("\n")


def anchors_of(path):
    anchors = set()
    for _, line in prose_lines(path):
        match = HEADING.match(line)
        if match:
            text = re.sub(r"[^\w\- ]", "", match.group(1).replace("`", "").lower())
            anchor, count = text.replace(" ", "-"), 0
            while anchor in anchors:
                count += 1
                anchor = f"{text.replace(' ', '-')}-{count}"
            anchors.add(anchor)
    return anchors


def sources(root):
    texts = []
    for folder in ("src",):
        for place, _, names in os.walk(os.path.join(root, folder)):
            for name in names:
                if name.endswith((".hpp", ".cpp")):
                    with open(os.path.join(place, name), encoding="utf-8") as file:
                        texts.append(file.read())
    return texts


def is_function(texts, scope, name):
    return any(re.search(rf"\b{scope}\b", text) and re.search(rf"\b{name}\(", text) for text in texts)


def warm_files(path):
    """The files that the sections about a warm call name."""
    found, inside = set(), False
    for _, line in prose_lines(path):
        heading = HEADING.match(line)
        if heading:
            inside = heading.group(1) in WARM
        elif inside:
            found.update(span for span in SPAN.findall(line) if span.startswith("src/") and PATH.match(span))
    return found


def missing_units(path, line):
    """What a row of a room's table says of units that do not exist: `unit`, `unit.hpp`, or a folder."""
    row = line.split("|")
    place = os.path.dirname(path)
    for unit in SPAN.findall(row[1]) if len(row) > 2 and row[0] == "" else ():
        if UNIT.match(unit) and not any(os.path.exists(os.path.join(place, unit + end)) for end in ("", ".hpp", ".cpp")):
            yield unit


def check(root):
    breaches = []
    warm = os.path.join(root, NAMES_FUNCTIONS)
    if os.path.exists(warm) and len(warm_files(warm)) > WARM_FILES:
        breaches.append(f"{NAMES_FUNCTIONS}:1: a warm call passes {len(warm_files(warm))} files; there are to be no more than {WARM_FILES}")
    texts = sources(root)
    for path in markdown_files(root):
        shown = os.path.relpath(path, root)
        for number, line in prose_lines(path):
            for target in LINK.findall(SPAN.sub("", line)):
                if re.match(r"^[a-z]+:", target):
                    continue
                file, _, anchor = target.partition("#")
                place = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
                if not os.path.exists(place):
                    breaches.append(f"{shown}:{number}: the link to '{target}' leads nowhere")
                elif anchor and place.endswith(".md") and anchor not in anchors_of(place):
                    breaches.append(f"{shown}:{number}: '{target}' names a heading that does not exist")
            if shown.startswith("src/corbel/"):
                breaches += [f"{shown}:{number}: there is no unit `{unit}`" for unit in missing_units(path, line)]
            for span in SPAN.findall(line):
                if PATH.match(span) and not os.path.exists(os.path.join(root, span)):
                    breaches.append(f"{shown}:{number}: `{span}` does not exist")
                function = FUNCTION.match(span) if shown == NAMES_FUNCTIONS else None
                if function and not is_function(texts, *function.groups()):
                    breaches.append(f"{shown}:{number}: no source has the function `{span}`")
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
