#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the house rules that a compiler cannot: which room may include which, and how files look and are called.

usage: check_layers.py ROOT [--generated FOLDER...]

The table is ROOT/docs/rooms.json. Prints "file:line: message" for each breach; status 1 if there is any.
"""

import json
import os
import re
import sys

from check_looks import CODE, GENERATED, LICENSED, code_of, looks
from check_tests import names
from graphs import rings

INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)
ROOM = re.compile(r"corbel_room\(([^)]*)\)")
FACE = re.compile(rb"\b(?:namespace[ \t]+)?(CORBA|PortableServer|IDL)\b[ \t]*(?:::|\{)")
ASKS_OPTIONS = re.compile(rb"\bcore\w*(?:\(\))?(?:\.|->)options\(\)")
SOURCES = "src/corbel/"
README_LINES = 40
PLUGIN = "_plugin.cpp"  # an example's X_plugin.cpp makes a plug-in of X.hpp and X.cpp
PLUGIN_LINES = 249  # of the three: docs/transports.md, docs/messaging-protocols.md
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


def arguments_of(words, keyword):
    """The arguments that follow a keyword of corbel_room(), up to the next keyword."""
    words, found = words.split(), []
    for word in words[words.index(keyword) + 1:] if keyword in words else ():
        if word.isupper():
            break
        found.append(word)
    return found


class House:
    def __init__(self, root):
        self.root = root
        with open(os.path.join(root, "docs", "rooms.json"), encoding="utf-8") as file:
            self.table = json.load(file)
        self.breaches = []
        self.graph = {}
        self.installed = set(self.installed_headers())

    def breach(self, path, line, message):
        self.breaches.append(f"{path}:{line}: {message}")

    def files_below(self, *folders):
        for folder in folders:
            for place, inner, names in os.walk(os.path.join(self.root, folder)):
                inner[:] = sorted(n for n in inner if not n.startswith(".") and n != "__pycache__")
                for name in sorted(names):
                    yield os.path.relpath(os.path.join(place, name), self.root).replace(os.sep, "/")

    def installed_headers(self):
        """What the rooms' CMakeLists.txt list behind HEADERS, and the umbrellas: the public headers."""
        for path in self.files_below(SOURCES):
            if path.endswith(".hpp") and path.count("/") == 2:
                yield path
            if not path.endswith("/CMakeLists.txt"):
                continue
            with open(os.path.join(self.root, path), encoding="utf-8") as file:
                for words in ROOM.findall(file.read()):
                    for header in arguments_of(words, "HEADERS"):
                        header = os.path.dirname(path) + "/" + header
                        if not self.exists(header):
                            self.breach(path, 1, f"installs {header}, which does not exist")
                        yield header

    def is_public(self, path):
        return path in self.installed

    def exists(self, path):
        return os.path.isfile(os.path.join(self.root, path))

    def room_row(self, room):
        """The row of a room: its own, else that of its family ("transport/*")."""
        rooms = self.table["rooms"]
        return rooms.get(room) or rooms.get(room.split("/")[0] + "/*" if "/" in room else room)

    def room_of(self, inner_path):
        """The room of a path relative to src/corbel/: the longest prefix that is a room, else None."""
        parts = inner_path.split("/")[:-1]
        for length in (3, 2, 1):  # of three words only what has a row of its own
            room = "/".join(parts[:length])
            if len(parts) >= length and (self.table["rooms"].get(room) if length == 3 else self.room_row(room)):
                return room
        return None

    def owner_of(self, path):
        """(room or None, name of the outside folder or None) of a file of the project.

        A header directly in src/corbel/ is an umbrella: it gathers public headers for applications."""
        if path.startswith(SOURCES):
            if path.count("/") == 2:
                return None, "umbrella"
            return self.room_of(path[len(SOURCES):]), None
        return None, path.split("/")[0]

    def resolve(self, path, target):
        """The project file that `path` means by #include "target", or None."""
        beside = os.path.normpath(os.path.join(os.path.dirname(path), target)).replace(os.sep, "/")
        suites = ("tests/" + target,) if path.endswith(("_test.cpp", "/test_support.hpp")) else ()
        for candidate in ("src/" + target, beside, *suites):
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
        public = self.is_public(path)
        test = path.endswith(("_test.cpp", "/test_support.hpp")) or outside == "tests"
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
            if public and not self.is_public(found):
                self.breach(path, line, f'a public header includes the private "{target}"')
            self.check_room(path, line, found, room, row, test)

    def check_room(self, path, line, found, room, row, test):
        other, outside = self.owner_of(found)
        if outside == "umbrella" and room:
            self.breach(path, line, "umbrella headers are for applications; a room includes what it uses")
        if other is None or other == room:
            return
        allowed = row["includes"] + (row.get("tests", []) if test else [])
        kind = "public" if self.is_public(found) else "private"
        if other in allowed or kind in allowed or ("/" in other and other.rpartition("/")[0] + "/*" in allowed):
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

    # --- what the rooms and their units are to each other ---------------------------------------------------------

    def check_table(self):
        """The rooms that may include each other are not rooms of their own."""
        rooms = self.table["rooms"]
        graph = {room: {other for other in row["includes"] if other in rooms} for room, row in rooms.items()}
        for ring in rings(graph):
            self.breach("docs/rooms.json", 1, "rooms that may include each other: " + " ".join(ring))

    def units(self):
        """What each unit of the rooms includes: {unit: {unit: file that does it}}.

        A header and the source of the same name are a unit. A header without a source that one other unit alone
        includes is a part of that one."""
        files = {path: found for path, found in self.graph.items()
                 if path.startswith(SOURCES) and path.count("/") > 2 and not path.endswith(("_test.cpp", "/test_support.hpp"))}
        users = {}
        for path, found in files.items():
            for other, _ in found:
                users.setdefault(other, set()).add(os.path.splitext(path)[0])

        def unit_of(path, seen=()):
            unit = os.path.splitext(path)[0]
            owners = users.get(unit + ".hpp", set()) - {unit}
            if path in seen or unit + ".cpp" in files or len(owners) != 1 or self.is_public(unit + ".hpp"):
                return unit
            return unit_of(owners.pop() + ".cpp", (*seen, path))

        graph = {}
        for path, found in files.items():
            unit = unit_of(path)
            for other, _ in found:
                if other in files and unit_of(other) != unit:
                    graph.setdefault(unit, {}).setdefault(unit_of(other), path)
        return graph

    def check_units(self):
        """No unit leads back to itself, but for the knots that the table still has."""
        graph = self.units()
        knots = [{SOURCES + unit for unit in knot} for knot in self.table["knots"]]
        found = rings(graph)
        for ring in found:
            if any(knot.issuperset(ring) for knot in knots):
                continue
            known = set().union(*(knot for knot in knots if knot & set(ring)), set())
            first = next(unit for unit in ring if unit not in known) if known < set(ring) else ring[0]
            other = next(unit for unit in sorted(graph[first]) if unit in ring)
            ring = " ".join(unit[len(SOURCES):] for unit in ring)
            self.breach(graph[first][other], 1, f"units that include each other: {ring}")
        for knot in knots:
            for unit in sorted(knot):
                if not any(unit in ring and knot.issuperset(ring) for ring in found):
                    self.breach("docs/rooms.json", 1, f"{unit[len(SOURCES):]} is in no knot any more: take it out of the list")

    def is_faceless(self, path):
        """True if the table says that the file knows no C++ mapping: its room is listed, or its unit."""
        listed = self.table["faceless"]
        if not path.startswith(SOURCES) or path.endswith(("_test.cpp", "/test_support.hpp")):
            return os.path.splitext(path)[0] in listed
        unit, room = os.path.splitext(path[len(SOURCES):])[0], self.room_of(path[len(SOURCES):])
        return unit in listed or room in listed or (room or "").split("/")[0] + "/*" in listed

    def check_face(self, path, text):
        """What is below the faces neither speaks of what belongs to one, nor includes what does."""
        code = code_of(text)
        for match in FACE.finditer(code):
            line = code.count(b"\n", 0, match.start()) + 1
            self.breach(path, line, f"speaks of {match.group(1).decode()}, which belongs to a face (docs/rooms.json: faceless)")
        for found, line in self.graph.get(path, ()):
            if not self.is_faceless(found):
                self.breach(path, line, f"what is below the faces may not include {found} (docs/rooms.json: faceless)")

    def check_faceless_list(self):
        for unit in self.table["faceless"]:
            path = unit if unit.startswith("tests/") else SOURCES + unit
            there = unit.endswith("/*") or any(self.exists(path + end) for end in ("/CMakeLists.txt", ".hpp", ".cpp"))
            if not there:
                self.breach("docs/rooms.json", 1, f"{unit} is listed as faceless and does not exist")

    def check_options(self, path, text):
        """Options are asked for where something is settled once; calls and requests go by policies."""
        unit = os.path.splitext(path[len(SOURCES):])[0]
        if not path.startswith(SOURCES) or path.endswith("_test.cpp") or unit in self.table["asks_options"]:
            return
        for match in ASKS_OPTIONS.finditer(text):
            line = text.count(b"\n", 0, match.start()) + 1
            self.breach(path, line, "asks the core for its options: policies are settled once (docs/rooms.json: asks_options)")

    def check_cycles(self):
        """True if there are any."""
        done, found_any = set(), []

        def visit(path, trail):
            if path in done:
                return
            if path in trail:
                ring = trail[trail.index(path):] + [path]
                line = next(l for p, l in self.graph[ring[0]] if p == ring[1])
                self.breach(ring[0], line, "include cycle: " + " -> ".join(ring))
                found_any.append(ring)
                return
            for found, _ in self.graph.get(path, ()):
                visit(found, trail + [path])
            done.add(path)

        for path in self.graph:
            visit(path, [])
        return bool(found_any)

    # --- looks ---------------------------------------------------------------------------------------------------

    def check_looks(self, path, text):
        for line, message in (*looks(path, text), *names(path, text)):
            self.breach(path, line, message)

    def check_plugin(self, path):
        parts = [path, path.replace(PLUGIN, ".cpp"), path.replace(PLUGIN, ".hpp")]
        lines = 0
        for part in parts:
            with open(os.path.join(self.root, part), "rb") as file:
                lines += file.read().count(b"\n")
        if lines > PLUGIN_LINES:
            self.breach(parts[1], lines, f"an example of a plug-in has at most {PLUGIN_LINES} lines")

    def check_readmes(self):
        rooms = set()
        for path in self.files_below(SOURCES):
            room = self.room_of(path[len(SOURCES):])
            if room and path == f"{SOURCES}{room}/CMakeLists.txt":
                rooms.add(room)
        for room in sorted(rooms):
            readme = f"{SOURCES}{room}/README.md"
            if not self.exists(readme):
                self.breach(readme, 1, "every room has a README: purpose, where to start reading, what it refuses to do")
                continue
            with open(os.path.join(self.root, readme), "rb") as file:
                lines = file.read().count(b"\n")
            if lines > README_LINES:
                self.breach(readme, lines, f"a room's README has at most {README_LINES} lines")

    def check_targets(self, path, text):
        """corbel_room(NAME USES rooms...) may link only what the room may include."""
        for words in ROOM.findall(text.decode("utf-8", "replace")):
            room = words.split()[0]
            row = self.room_row(room)
            if row is None:
                self.breach(path, 1, f"room '{room}' is not in docs/rooms.json")
                continue
            for other in arguments_of(words, "USES"):
                if other.startswith("$"):  # a list that is made of folders
                    continue
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
                if GENERATED.encode() not in text[:400]:
                    continue
                for match in INCLUDE.finditer(text):
                    target = match.group(2).decode("utf-8", "replace")
                    # corbel/standard.hpp: only in the headers of corbel-idl --taox11.
                    ours = target.startswith("corbel/")
                    if (ours and target != "corbel/standard.hpp" and not target.startswith(allowed)) or (
                            match.group(1) == b"<" and not ours and target not in STANDARD):
                        line = text.count(b"\n", 0, match.start()) + 1
                        self.breach(path, line, f"generated code may not include {target}")

    def check(self, generated=()):
        for path in self.files_below("src", "services", "tests", "tools", "examples", "bench", "cmake", "scripts"):
            if not (path.endswith(LICENSED) or path.endswith("CMakeLists.txt")):
                continue
            with open(os.path.join(self.root, path), "rb") as file:
                text = file.read()
            self.check_looks(path, text)
            if path.endswith(CODE):
                self.check_code(path, text)
                self.check_options(path, text)
                if self.is_faceless(path):
                    self.check_face(path, text)
                if path.startswith("examples/") and path.endswith(PLUGIN):
                    self.check_plugin(path)
            elif path.startswith("src/") and path.endswith("CMakeLists.txt"):
                self.check_targets(path, text)
        self.check_table()
        if not self.check_cycles():
            self.check_units()
        self.check_faceless_list()
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
