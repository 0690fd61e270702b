#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the house rules that a compiler cannot: who may include whom, and how files look and are called.

usage: check_layers.py ROOT [--generated FOLDER...]

The table is ROOT/docs/rooms.json. Prints "file:line: message" for each breach; status 1 if there is any.
"""

import json
import os
import re
import sys

INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)
SNAKE_CASE = re.compile(r"^[a-z][a-z0-9_]*\.[a-z]+$")
SPDX = "SPDX-License-Identifier: Apache-2.0"
CODE = (".hpp", ".cpp", ".h", ".c")
LICENSED = CODE + (".cmake", ".py", ".sh")
README_LINES = 40
STANDARD = set("""
algorithm any array atomic barrier bit bitset charconv chrono codecvt compare complex concepts condition_variable
coroutine deque exception execution filesystem forward_list fstream functional future initializer_list iomanip ios
iosfwd iostream istream iterator latch limits list locale map memory memory_resource mutex new numbers numeric optional
ostream queue random ranges ratio regex scoped_allocator semaphore set shared_mutex source_location span sstream stack
stdexcept stop_token streambuf string string_view syncstream system_error thread tuple type_traits typeindex typeinfo
unordered_map unordered_set utility valarray variant vector version
cassert cctype cerrno cfenv cfloat cinttypes climits clocale cmath csetjmp csignal cstdarg cstddef cstdint cstdio
cstdlib cstring ctime cuchar cwchar cwctype
assert.h ctype.h errno.h fenv.h float.h inttypes.h limits.h locale.h math.h setjmp.h signal.h stdarg.h stddef.h
stdint.h stdio.h stdlib.h string.h time.h uchar.h wchar.h wctype.h
""".split())


class House:
    def __init__(self, root):
        self.root = root
        with open(os.path.join(root, "docs", "rooms.json"), encoding="utf-8") as file:
            self.table = json.load(file)
        self.breaches = []
        self.graph = {}

    def breach(self, path, line, message):
        self.breaches.append(f"{path}:{line}: {message}")

    def files_below(self, *folders):
        for folder in folders:
            for place, inner, names in os.walk(os.path.join(self.root, folder)):
                inner[:] = sorted(n for n in inner if not n.startswith(".") and n != "__pycache__")
                for name in sorted(names):
                    yield os.path.relpath(os.path.join(place, name), self.root).replace(os.sep, "/")

    def exists(self, path):
        return os.path.isfile(os.path.join(self.root, path))

    def room_row(self, room):
        """The row of a room: its own, else that of its family ("transport/*")."""
        rooms = self.table["rooms"]
        return rooms.get(room) or rooms.get(room.split("/")[0] + "/*" if "/" in room else room)

    def room_of(self, inner_path):
        """The room of a path relative to src/ or include/corbel/: the longest prefix that is a room, else None."""
        parts = inner_path.split("/")[:-1]
        for length in (2, 1):
            room = "/".join(parts[:length])
            if len(parts) >= length and self.room_row(room):
                return room
        return None

    def owner_of(self, path):
        """(room or None, name of the outside folder or None) of a file of the project."""
        if path.startswith("include/corbel/"):
            return self.room_of(path[len("include/corbel/"):]), None
        if path.startswith("src/"):
            return self.room_of(path[len("src/"):]), None
        return None, path.split("/")[0]

    def resolve(self, path, target):
        """The project file that `path` means by #include "target", or None."""
        beside = os.path.normpath(os.path.join(os.path.dirname(path), target)).replace(os.sep, "/")
        for candidate in ("include/" + target, "src/" + target, beside):
            if self.exists(candidate):
                return candidate
        return None

    # --- includes ------------------------------------------------------------------------------------------------

    def check_code(self, path, text):
        room, outside = self.owner_of(path)
        if outside is None and room is None:
            self.breach(path, 1, "belongs to no room of docs/rooms.json")
            return
        row = self.room_row(room) if room else self.table["outside"].get(outside)
        if row is None:
            return
        public = path.startswith("include/")
        test = path.endswith("_test.cpp") or outside == "tests"
        self.graph[path] = []
        for match in INCLUDE.finditer(text):
            line = text.count(b"\n", 0, match.start()) + 1
            target = match.group(2).decode("utf-8", "replace")
            if match.group(1) == b"<":
                self.check_foreign(path, line, target, row, test, outside)
                continue
            found = self.resolve(path, target)
            if found is None:
                if room:
                    self.breach(path, line, f'"{target}" is no file of the project (write <...> for a foreign header)')
                continue
            self.graph[path].append((found, line))
            if public and not found.startswith("include/"):
                self.breach(path, line, f'a public header includes the private "{target}"')
            self.check_room(path, line, found, room, row, test)

    def check_room(self, path, line, found, room, row, test):
        other, outside = self.owner_of(found)
        if other is None or other == room:
            return
        allowed = row["includes"] + (row.get("tests", []) if test else [])
        kind = "public" if found.startswith("include/") else "private"
        if other in allowed or kind in allowed or ("/" in other and other.split("/")[0] + "/*" in allowed):
            return
        who = room or path.split("/")[0]
        self.breach(path, line, f"'{who}' may not include '{other}' (allowed: {' '.join(allowed) or 'the standard library only'})")

    def check_foreign(self, path, line, target, row, test, outside):
        def among(names):
            return any(target == n or (n.endswith("/") and target.startswith(n)) for n in names)

        if target in STANDARD:
            return
        if among(self.table["os_headers"]):
            if not (row.get("os_headers") or test or outside):
                self.breach(path, line, f"<{target}> belongs in ipc and reactor alone")
            return
        if among(self.table["plain_headers"]) or among(row.get("libraries", [])):
            return
        if test and among(self.table["test_libraries"]):
            return
        if target.startswith("corbel/") and not outside:
            self.breach(path, line, f'write "{target}" for a header of the project')
            return
        if outside is None or not target.startswith("corbel/"):
            self.breach(path, line, f"<{target}> is neither standard nor listed in docs/rooms.json")

    def check_cycles(self):
        done = set()

        def visit(path, trail):
            if path in done:
                return
            if path in trail:
                ring = trail[trail.index(path):] + [path]
                line = next(l for p, l in self.graph[ring[0]] if p == ring[1])
                self.breach(ring[0], line, "include cycle: " + " -> ".join(ring))
                return
            for found, _ in self.graph.get(path, ()):
                visit(found, trail + [path])
            done.add(path)

        for path in self.graph:
            visit(path, [])

    # --- looks ---------------------------------------------------------------------------------------------------

    def check_looks(self, path, text):
        name = os.path.basename(path)
        if path.endswith(CODE) and not SNAKE_CASE.match(name):
            self.breach(path, 1, "file names are snake_case")
        if path.endswith(LICENSED) or name == "CMakeLists.txt":
            head = text[:400].decode("utf-8", "replace").split("\n")
            if SPDX not in head[1 if head[0].startswith("#!") else 0]:
                self.breach(path, 1, f"the first line must say '{SPDX}'")
        if path.endswith(".hpp") and b"\n#pragma once\n" not in text:
            self.breach(path, 1, "no '#pragma once'")

    def check_readmes(self):
        rooms = set()
        for path in self.files_below("src"):
            room = self.room_of(path[len("src/"):])
            if room and path == f"src/{room}/CMakeLists.txt":
                rooms.add(room)
        for room in sorted(rooms):
            readme = f"src/{room}/README.md"
            if not self.exists(readme):
                self.breach(readme, 1, "every room has a README: purpose, where to start reading, what it refuses to do")
                continue
            with open(os.path.join(self.root, readme), "rb") as file:
                lines = file.read().count(b"\n")
            if lines > README_LINES:
                self.breach(readme, lines, f"a room's README has at most {README_LINES} lines")

    def check_targets(self, path, text):
        """corbel_room(NAME USES rooms...) may link only what the room may include."""
        for match in re.finditer(r"corbel_room\(\s*(\S+?)((?:\s[^)]*)?)\)", text.decode("utf-8", "replace")):
            room, words = match.group(1), match.group(2).split()
            row = self.room_row(room)
            if row is None:
                self.breach(path, 1, f"room '{room}' is not in docs/rooms.json")
                continue
            used = []
            if "USES" in words:
                for word in words[words.index("USES") + 1:]:
                    if word.isupper():
                        break
                    used.append(word)
            for other in used:
                family = other.split("/")[0] + "/*" if "/" in other else other
                if other != room and other not in row["includes"] and family not in row["includes"]:
                    self.breach(path, 1, f"room '{room}' may not link '{other}'")

    def check_generated(self, folder):
        """Generated code includes corbel/mapping, the standard library, and its own kind."""
        allowed = tuple(f"corbel/{room}/" for room in self.table["generated"]["includes"])
        for place, _, names in os.walk(folder):
            for name in sorted(n for n in names if n.endswith(CODE)):
                path = os.path.join(place, name)
                with open(path, "rb") as file:
                    text = file.read()
                if b"corbel-idl" not in text[:400]:
                    continue
                for match in INCLUDE.finditer(text):
                    target = match.group(2).decode("utf-8", "replace")
                    ours = target.startswith("corbel/")
                    if (ours and not target.startswith(allowed)) or (
                            match.group(1) == b"<" and not ours and target not in STANDARD):
                        line = text.count(b"\n", 0, match.start()) + 1
                        self.breach(path, line, f"generated code may not include {target}")

    def check(self, generated=()):
        for path in self.files_below("include", "src", "tests", "tools", "examples", "bench", "cmake", "scripts"):
            if not (path.endswith(LICENSED) or path.endswith("CMakeLists.txt")):
                continue
            with open(os.path.join(self.root, path), "rb") as file:
                text = file.read()
            self.check_looks(path, text)
            if path.endswith(CODE):
                self.check_code(path, text)
            elif path.startswith("src/") and path.endswith("CMakeLists.txt"):
                self.check_targets(path, text)
        self.check_cycles()
        self.check_readmes()
        for folder in generated:
            self.check_generated(folder)
        return sorted(set(self.breaches))


def main(arguments):
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__.strip())
        return 0 if arguments else 2
    generated = arguments[arguments.index("--generated") + 1:] if "--generated" in arguments else []
    breaches = House(arguments[0]).check(generated)
    for breach in breaches:
        print(breach)
    if breaches:
        print(f"{len(breaches)} breaches of the house rules (docs/rooms.json, CONTRIBUTING.md)")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
