#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that docs/path-of-a-request.md names the files that a warm call passes, by what callgrind sees.

usage: check_path.py --source ROOT --peer corbel-bench-corbel [--most CLIENT SERVER]

The client and the server of the laboratory run under callgrind, once with few calls and once with many; the functions in
which the difference is a part of every call are those of a call. What is inlined counts with its caller, so a header is
found if it has a function that was not. Each file in which such a function is must be named in the page's sections about
a warm call, but for those of the room base; each source named there must have one. Status 77, "skipped", without valgrind.

--most: the instructions of the client and of the server that a call may take. They depend on the compiler.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
FEW, MANY = 200, 700
EVERY_CALL = 0.9  # instructions of a function, at least, if each call enters it
PEER_SECONDS = 120
PAGE = "docs/path-of-a-request.md"
VOCABULARY = "src/corbel/base/"
# Sources that unity builds may inline into others of their room as a whole.
INLINED = ("src/corbel/messaging/giop/reply.cpp", "src/corbel/messaging/giop/request.cpp")
NUMBERED = re.compile(r"^\((\d+)\)(?: (.*))?$")


def self_costs(path):
    """Instructions that each function executed itself, by its name, in a file of callgrind's."""
    costs, names, function, inclusive = {}, {}, "?", False
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            line = line.rstrip("\n")
            if line.startswith(("fn=", "cfn=")):
                word, _, text = line.partition("=")
                number, name = NUMBERED.match(text).groups()
                if name:
                    names[number] = name
                if word == "fn":
                    function = names[number]
            elif line.startswith("calls="):
                inclusive = True
            elif line[:1].isdigit() or line[:1] in ("+", "-", "*"):
                if not inclusive and " " in line:
                    costs[function] = costs.get(function, 0) + int(line.rsplit(" ", 1)[1])
                inclusive = False
    return costs


def run_pair(peer, calls, folder):
    """The files of both sides after so many calls."""
    files = [os.path.join(folder, f"{side}{calls}") for side in ("client", "server")]
    tool = ["valgrind", "--tool=callgrind", "--quiet"]
    # What a server does by the clock is not to count as what it does by the call.
    patient = dict(os.environ, CORBEL_STICKY_IDLE="60000", CORBEL_SLOW_UPCALL="60000")
    with subprocess.Popen(tool + [f"--callgrind-out-file={files[1]}", peer, "server", "giop", "tcp", "127.0.0.1"], env=patient,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            reference = server.stdout.readline().split()[-1]
            subprocess.run(tool + [f"--callgrind-out-file={files[0]}", peer, "client", "giop", "tcp", reference],
                           input=f"ping {calls}\n", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True,
                           check=True, timeout=PEER_SECONDS)
        finally:
            server.terminate()
            server.wait(PEER_SECONDS)
    return files


def costs_of_a_call(peer):
    """Of both sides: the instructions that each function executes itself per call, by its name."""
    sides = []
    with tempfile.TemporaryDirectory() as folder:
        for before, after in zip(run_pair(peer, FEW, folder), run_pair(peer, MANY, folder)):
            base = self_costs(before)
            sides.append({name: (cost - base.get(name, 0)) / (MANY - FEW) for name, cost in self_costs(after).items()})
    return sides


def functions_of(sides):
    """The demangled names of the functions of this library that every call enters, on either side."""
    found = {name for side in sides for name, cost in side.items() if cost >= EVERY_CALL}
    return {name for name in found if re.match(r"(?:\(anonymous namespace\)::)?(?:corbel|CORBA|PortableServer)::", plain(name))}


def too_many(sides, most):
    """What takes more instructions than it may."""
    breaches = []
    for name, side, limit in zip(("client", "server"), sides, most):
        count = sum(side.values())
        print(f"counted: {count:.0f} instructions of the {name} for a void call")
        if count > limit:
            breaches.append(f"a void call takes {count:.0f} instructions of the {name}, more than {limit}")
    return breaches


def plain(name):
    """A demangled name without its result, arguments, template arguments and what the compiler adds."""
    name = re.sub(r"'\d+$", "", name)  # callgrind's mark of recursion
    name = name.replace("(anonymous namespace)::", "")
    name = re.sub(r"\[clone [^\]]*\]|\{lambda.*", "", name)
    kept, depth = "", 0
    for character in name:
        depth += character == "<"
        if depth == 0:
            kept += character
        depth -= character == ">"
    kept = re.sub(r"\(.*", "", kept).strip()
    return kept.split(" ")[-1].rstrip(":")


class Sources:
    def __init__(self, root):
        self.texts = {}
        for place, inner, names in os.walk(os.path.join(root, "src/corbel")):
            inner[:] = [name for name in inner if name != "idl"]
            for name in names:
                if name.endswith((".hpp", ".cpp")) and not name.endswith("_test.cpp"):
                    path = os.path.join(place, name)
                    with open(path, encoding="utf-8") as file:
                        self.texts[os.path.relpath(path, root).replace(os.sep, "/")] = file.read()

    def file_of(self, name):
        """Where the function is, as far as text tells: its definition outside of its class, else its class."""
        words = plain(name).split("::")
        scope, function = words[-2], re.escape(words[-1])
        rooms = ["src/corbel/" + "/".join(words[1:end]) + "/" for end in range(len(words) - 1, 1, -1)]
        outside = re.compile(rf"^(?:\S.*)?\b{scope}(?:<[^>\n]*>)?::{function}\(", re.MULTILINE)
        inside = re.compile(rf"\b(?:class|struct)\b[^;\n]*\b{scope}\b[^;]*\{{")
        called = re.compile(rf"\b{function}\(")
        free = re.compile(rf"^\S.*\b{function}\(", re.MULTILINE)
        found = [path for path, text in self.texts.items() if outside.search(text)]
        if not found:
            found = [path for path, text in self.texts.items() if inside.search(text) and called.search(text)]
        if not found:
            found = [path for path, text in self.texts.items() if free.search(text)]
        near = [path for path in found if any(path.startswith(room) for room in rooms)]
        return sorted(near or found)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", required=True)
    parser.add_argument("--peer", required=True)
    parser.add_argument("--most", nargs=2, type=int)
    arguments = parser.parse_args()
    if shutil.which("valgrind") is None:
        print("valgrind is not installed")
        return SKIPPED
    sys.dont_write_bytecode = True
    sys.path.insert(0, os.path.join(arguments.source, "scripts"))
    import check_docs  # pylint: disable=import-outside-toplevel
    named = check_docs.warm_files(os.path.join(arguments.source, PAGE))
    sources = Sources(arguments.source)
    passed, breaches = {}, []
    sides = costs_of_a_call(arguments.peer)
    for function in sorted(functions_of(sides)):
        files = sources.file_of(function)
        if not files or files[0].startswith(VOCABULARY):
            continue
        for path in named.intersection(files) or files:
            passed.setdefault(path, []).append(plain(function))
        if not named.intersection(files):
            breaches.append(f"{PAGE}: names none of {', '.join(files)}, where every call enters {plain(function)}")
    for path in sorted(passed):
        print(f"{'named  ' if path in named else 'UNNAMED'}  {path}: {', '.join(sorted(set(passed[path])))}")
    for path in sorted(named):
        if path.endswith(".cpp") and path not in passed and path not in INLINED:
            breaches.append(f"{PAGE}: names {path} among those of a warm call, which enters no function of it")
    if arguments.most:
        breaches += too_many(sides, arguments.most)
    for breach in breaches:
        print(breach)
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
