# SPDX-License-Identifier: Apache-2.0
"""Mutants as data: reading their files (README.md says how they are written), and putting all of them into a copy of the
sources at once, each behind a switch of its own."""
import os
import re
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SWITCH_HEADER = "corbel/base/mutant_switch.hpp"
# The name of the switch is known while the program starts, so it may be read by initialisers of other files.
SWITCH = """// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdlib>
#include <type_traits>
inline unsigned long corbel_active_mutant() noexcept {
  static const unsigned long active = [] {
    const char* name = std::getenv("CORBEL_MUTANT");
    return name != nullptr ? std::strtoul(name, nullptr, 10) : 0UL;
  }();
  return active;
}
constexpr bool corbel_mutant(unsigned long number) noexcept {
  if (std::is_constant_evaluated()) return false;
  return corbel_active_mutant() == number;
}
"""


class Stale(Exception):
    """A mutant that cannot be put in."""


class Mutant:
    def __init__(self, module, name, place):
        self.module, self.name, self.place = module, name, place
        self.file = self.wrong = self.tests = self.mark = None
        self.original, self.mutated = [], []

    @property
    def number(self):
        """What the environment variable says; does not change when others come or go."""
        return zlib.crc32(f"{self.module}/{self.name}".encode()) or 1

    @property
    def path(self):
        return f"{self.module}/{self.name}"

    def check(self):
        missing = [word for word in ("file", "wrong", "tests") if not getattr(self, word)]
        if missing or not self.original:
            raise Stale(f"{self.place}: {self.path} lacks {', '.join(missing) or 'the original text'}")
        if not self.has_original():
            raise Stale(f"{self.place}: {self.path}: without the switch this is not the original any more")
        if self.mark and not re.match(r"(equivalent|cost|race): \S", self.mark):
            raise Stale(f"{self.place}: {self.path}: a mark is 'equivalent: why', 'cost: why' or 'race: why'")

    def has_original(self):
        """Whether all words of the original are in what stands there for both, which would be wrong without the switch, too."""
        mutated = "\n".join(self.mutated)
        if "$M" not in mutated or "$O" in mutated:
            return True
        words, both = (re.findall(r"\w+|[^\s\w(){}]", re.sub("//.*", "", text)) for text in ("\n".join(self.original), mutated))
        rest = iter(both)
        return all(word in rest for word in words)

    def find(self, text):
        """Begin and end of the original in `text`; blanks and line breaks count as one blank."""
        words = " ".join(self.original).split()
        found = list(re.finditer(r"\s+".join(map(re.escape, words)), text))
        if len(found) != 1:
            raise Stale(f"{self.place}: {self.path}: its original is {len(found)} times in {self.file}")
        return found[0].span()

    def replacement(self, original):
        """The text that does one or the other. `original` may hold switches of others already."""
        switch = f"corbel_mutant({self.number}UL)"
        mutated = "\n".join(self.mutated)
        if "$M" in mutated:
            if "$O" not in mutated and "corbel_mutant(" in original:
                raise Stale(f"{self.place}: {self.path} needs $O, for there are others in its original")
            return mutated.replace("$M", switch).replace("$O", original)
        if original.rstrip().endswith(";") or (original.rstrip().endswith("}") and ";" in original):
            return f"if ({switch}) {{ {mutated} }} else {{ {original} }}"
        return f"({switch} ? ({mutated}) : ({original}))"


def read_file(path):
    module = os.path.splitext(os.path.basename(path))[0]
    mutants, tests, current = [], None, None
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip("\n")
            place = f"{os.path.relpath(path, ROOT)}:{number}"
            word, _, rest = line.partition(" ")
            if not line.strip():
                continue
            if word == "#":  # a new part of the file: what comes before the next mutant is for all of it
                current = None
                continue
            if word == "mutant":
                current = Mutant(module, rest.strip(), place)
                current.tests = tests
                mutants.append(current)
            elif current is None and word == "tests":
                tests = rest.strip()
            elif current is not None and word in ("file", "wrong", "tests", "mark"):
                setattr(current, word, rest.strip())
            elif current is not None and word in ("-", "+"):
                (current.original if word == "-" else current.mutated).append(rest)
            else:
                raise Stale(f"{place}: '{line}' is none of mutant, file, wrong, tests, mark, - and +")
    return mutants


def read_all(folder=HERE):
    mutants = []
    for name in sorted(os.listdir(folder)):
        if name.endswith(".mutants"):
            mutants += read_file(os.path.join(folder, name))
    numbers = {}
    for mutant in mutants:
        mutant.check()
        other = numbers.setdefault(mutant.number, mutant)
        if other is not mutant:
            raise Stale(f"{mutant.place}: {mutant.path} has the number of {other.path}; rename one")
    return mutants


def rewrite(text, mutants):
    """`text` with the switches of all `mutants`, whose originals may be inside each other but not overlap."""
    spans = sorted(((*mutant.find(text), mutant) for mutant in mutants), key=lambda s: (s[0], -s[1]))
    out, at = [], 0
    index = 0
    while index < len(spans):
        begin, end, mutant = spans[index]
        inner = []
        index += 1
        while index < len(spans) and spans[index][0] < end:
            if spans[index][1] > end:
                raise Stale(f"{mutant.place}: {mutant.path} overlaps {spans[index][2].path}")
            inner.append(spans[index])
            index += 1
        out += [text[at:begin], nest(text, begin, end, mutant, inner)]
        at = end
    return "".join(out) + text[at:]


def nest(text, begin, end, mutant, inner):
    same = [span for span in inner if span[:2] == (begin, end)]
    within = [span[2] for span in inner if span[:2] != (begin, end)]
    original = rewrite(text[begin:end], within) if within else text[begin:end]
    for chosen in [mutant] + [span[2] for span in same]:
        original = chosen.replacement(original)
    return original


def put_in(root, mutants):
    """The files that change, rewritten: path and text. Reports every stale mutant together."""
    by_file, problems, files = {}, [], {}
    for mutant in mutants:
        by_file.setdefault(mutant.file, []).append(mutant)
    for path, here in sorted(by_file.items()):
        try:
            with open(os.path.join(root, path), encoding="utf-8") as file:
                text = file.read()
        except OSError as error:
            problems.append(f"{here[0].place}: {error}")
            continue
        good = []
        for mutant in here:
            try:
                mutant.find(text)
                good.append(mutant)
            except Stale as problem:
                problems.append(str(problem))
        try:
            include = f'#include "{SWITCH_HEADER}"\n'
            first = re.search(r"^#(include|pragma once)", text, re.M)
            at = first.start() if first else 0
            if first and first.group(1) == "pragma once":
                at = text.index("\n", at) + 1
            files[path] = rewrite_at(text, at, include, good)
        except Stale as problem:
            problems.append(str(problem))
    if problems:
        raise Stale("\n".join(problems))
    return files


def rewrite_at(text, at, include, mutants):
    return text[:at] + include + rewrite(text[at:], mutants)
