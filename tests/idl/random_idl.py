#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random valid IDL of all constructs, with names that ask for trouble: compiles without an error, and so does its C++.

usage: random_idl.py CORBEL_IDL CXX SOURCE_FOLDER [--seed=N] [--files=N] [--size=N] [--omniidl] [--print]

Each file depends on its number alone. --omniidl keeps to what that compiler knows, and asks it, too.
"""
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from compiling import Compiling
from sweep import ALWAYS

BASIC = ["boolean", "char", "wchar", "octet", "short", "unsigned short", "long", "unsigned long", "long long",
         "unsigned long long", "float", "double", "string", "wstring", "any", "Object"]
YOUNG = ["int8", "uint8", "uint64", "long double"]
RANGES = {"octet": (0, 255), "short": (-2**15, 2**15 - 1), "unsigned short": (0, 2**16 - 1), "long": (-2**31, 2**31 - 1),
          "unsigned long": (0, 2**32 - 1), "long long": (-2**63, 2**63 - 1), "unsigned long long": (0, 2**64 - 1)}
TEXTS = [r'"plain"', r'"what??/ is ??= this??!"', r'"\"quoted\\"', r'"\x01\377"', r'"a" "b"', r'"%s\n\t"', '"/* no */ // none"']
FLOATS = ["0.0", "1.5", "-2.5e-3", "3.4028235e38", "1e-45", "1.17549435e-38", "123456789.0"]
DOUBLES = FLOATS + ["1.7976931348623157e308", "2.2250738585072014e-308", "4.94e-324", "0.1"]


class Generator:
    """One file."""

    def __init__(self, seed, size, classic):
        self.r, self.size, self.classic = random.Random(seed), size, classic
        self.used, self.path, self.names = set(), [], []
        self.types, self.keys, self.enums = [], [], []  # (name, what may be done with it)
        self.structs, self.exceptions, self.interfaces, self.values, self.bitsets = [], [], [], [], []
        self.abstract, self.locals = [], []
        self.operations = {}

    def chance(self, percent):
        return self.r.randrange(100) < percent

    def name(self):
        """New in the whole file, whatever its case: nothing else decides whether the file is valid."""
        for _ in range(20):
            kind = self.r.randrange(10)
            if kind < 4:
                name = self.r.choice(ALWAYS)
            elif kind < 6 and self.names:
                name = self.r.choice(self.names) + self.r.choice(["_tie", "_init", "_excep", "_", "_2", "Handler", "_stub"])
            elif kind < 7 and self.names:
                name = self.r.choice(["get_", "set_", "AMI_", "sendc_", "async_", "cxx_", "m_"]) + self.r.choice(self.names)
            else:
                name = self.r.choice("abcxyzTVE") + str(self.r.randrange(10000))
            if name.lower() not in self.used:
                break
        else:
            name = f"n{len(self.used)}_{self.r.randrange(10**6)}"
        self.used.add(name.lower())
        self.names.append(name)
        return name

    def full(self, name):
        return "::" + "::".join(["_" + part for part in self.path] + ["_" + name])

    def add(self, name):
        self.types.append(self.full(name))
        return self.full(name)

    def type(self, parameter=False):
        """Any type that a member, or a parameter, can be of."""
        pick = self.r.randrange(10)
        if pick < 4 and self.types:
            return self.r.choice(self.types)
        if pick < 5 and not parameter:
            return self.template()
        if pick < 6 and self.interfaces:
            return self.r.choice(self.interfaces)
        if pick < 7 and self.values and not self.classic:
            return self.r.choice(self.values)
        return self.r.choice(BASIC + ([] if self.classic else YOUNG + ["ValueBase"]))

    def template(self):
        kinds = ["sequence<{}>", "sequence<{}, 3>", "string<5>", "wstring<7>", "fixed<9,2>"]
        if not self.classic:
            kinds += ["map<string, {}>", "map<long, {}, 4>"]
        return self.r.choice(kinds).format(self.type(True))

    def array(self):
        return "" if self.chance(80) else "".join(f"[{self.r.randint(1, 3)}]" for _ in range(self.r.randint(1, 3)))

    def members(self, least=1, optional=True):
        lines = []
        for _ in range(self.r.randint(least, 6)):
            note = "" if self.classic or not optional else self.r.choice([""] * 8 + ["@optional(TRUE) ", "@external(TRUE) "])
            array = "" if note else self.array()
            lines.append(f"{note}{self.type()} _{self.name()}{array};")
        return " ".join(lines)

    def module(self, depth):
        name = self.name()
        self.path.append(name)
        body = "\n".join(self.definition(depth + 1) for _ in range(self.r.randint(1, 5)))
        self.path.pop()
        again = ""
        if self.chance(20):
            self.path.append(name)
            again = f"\nmodule _{name} {{ {self.definition(depth + 1)} }};"
            self.path.pop()
        return f"module _{name} {{\n{body}\n}};{again}"

    def enum(self):
        name, words = self.name(), [self.name() for _ in range(self.r.randint(1, 5))]
        notes = [""] * len(words)
        if not self.classic and self.chance(30):
            notes = [f"@value({i * 3 + 1}) " for i in range(len(words))]
        if not self.classic and self.chance(30):
            notes[-1] += "@default_literal "
        full = self.add(name)
        self.enums.append((full, [self.full(word) for word in words]))
        bound = "@bit_bound(8) " if not self.classic and self.chance(20) else ""
        return f"{bound}enum _{name} {{ {', '.join(n + '_' + w for n, w in zip(notes, words))} }};"

    def struct(self):
        name = self.name()
        own, base = self.full(name), ""
        inner = f"sequence<{own}> _{self.name()};" if self.chance(20) else ""
        if not self.classic and self.structs and self.chance(20):
            base = " : " + self.r.choice(self.structs)
        body = f"struct _{name}{base} {{ {self.members()} {inner} }};"
        self.structs.append(own)
        self.add(name)
        return body

    def mutual(self):
        one, other = self.name(), self.name()
        text = (f"struct _{one}; typedef sequence<{self.full(one)}> _{(alias := self.name())}; struct _{other} "
                f"{{ {self.full(alias)} _{self.name()}; }}; struct _{one} {{ sequence<{self.full(other)}> _{self.name()}; }};")
        for name in (one, other, alias):
            self.add(name)
        return text

    def union(self):
        name, number = self.name(), self.r.randint(1, 5)
        kind = self.r.choice(["enum", "boolean", "char"] + list(RANGES))
        if kind == "octet" and self.classic:
            kind = "short"
        if kind == "enum" and self.enums:
            kind, labels = self.r.choice(self.enums)
            labels = list(labels)
        elif kind == "boolean":
            labels = ["TRUE", "FALSE"]
        elif kind == "char":
            labels = ["'a'", r"'\''", r"'\x80'", "'\\\\'", "'?'"]
        else:
            low, high = RANGES.get(kind, RANGES["long"])
            kind = kind if kind in RANGES else "long"
            labels = [str(x) for x in {low, high, 0, 1, high // 2, self.r.randint(low, high)}]
        whole = len(labels)
        self.r.shuffle(labels)
        finite = kind not in RANGES and kind != "char"
        taken, cases = 0, []
        for _ in range(number):
            if not labels:
                break
            own = [labels.pop() for _ in range(self.r.randint(1, min(2, len(labels))))]
            taken += len(own)
            marks = " ".join(f"case {label}:" for label in own)
            cases.append(f"{marks} {self.type()} _{self.name()}{self.array()};")
        if not (finite and taken == whole) and self.chance(40):
            cases.append(f"default: {self.type()} _{self.name()};")
        self.add(name)
        return f"union _{name} switch ({kind}) {{ {' '.join(cases)} }};"

    def exception(self):
        name = self.name()
        text = f"exception _{name} {{ {self.members(0)} }};"
        self.exceptions.append(self.full(name))
        return text

    def typedef(self):
        name = self.name()
        text = f"typedef {self.template() if self.chance(50) else self.type()} _{name}{self.array()};"
        self.add(name)
        return text

    def constant(self):
        kind = self.r.choice(list(RANGES) + ["boolean", "char", "wchar", "float", "double", "string", "wstring", "fixed", "enum"])
        if kind in RANGES:
            value = str(self.r.choice([*RANGES[kind], 0, self.r.randint(*RANGES[kind])]))
        elif kind == "enum":
            if not self.enums:
                return self.enum()
            kind, words = self.r.choice(self.enums)
            value = self.r.choice(words)
        else:
            value = {"boolean": "TRUE", "char": r"'\''", "wchar": r"L'\u20ac'", "float": self.r.choice(FLOATS),
                     "double": self.r.choice(DOUBLES), "string": self.r.choice(TEXTS), "wstring": r'L"\u00e4\u4e2d"',
                     "fixed": "-12.345d"}[kind]
        return f"const {kind} _{self.name()} = {value};"

    def parameters(self, directions=("in", "out", "inout")):
        return ", ".join(f"{self.r.choice(directions)} {self.parameter()} _{self.name()}" for _ in range(self.r.randrange(5)))

    def parameter(self):
        return self.type(True)

    def operation(self, local):
        if self.chance(15) and not local:
            return f"oneway void _{self.name()}({self.parameters(('in',))});"
        raises = f" raises ({self.r.choice(self.exceptions)})" if self.exceptions and self.chance(30) else ""
        result = "void" if self.chance(30) else self.parameter()
        context = ' context ("a.b", "c*")' if self.chance(5) else ""
        return f"{result} _{self.name()}({self.parameters()}){raises}{context};"

    def attribute(self):
        return f"{self.r.choice(['', 'readonly '])}attribute {self.parameter()} _{self.name()};"

    def interface(self):
        name, kind = self.name(), self.r.choice(["", "", "", "", "abstract ", "local "])
        if self.classic:
            kind = ""
        known = self.abstract if kind.startswith("a") else self.interfaces
        bases = self.r.sample(known, min(len(known), self.r.randrange(3)))
        full = self.full(name)
        body = []
        self.path.append(name)
        outer = (self.types, self.structs, self.exceptions, self.enums)
        self.types, self.structs, self.exceptions, self.enums = (list(x) for x in outer)
        for _ in range(self.r.randrange(6)):
            kinds = [self.attribute, lambda: self.operation(kind != "")] * 3 + [self.constant, self.enum, self.struct, self.typedef]
            body.append(self.r.choice(kinds)())
        self.types, self.structs, self.exceptions, self.enums = outer
        self.path.pop()
        (self.abstract if kind.startswith("a") else self.locals if kind else self.interfaces).append(full)
        return f"{kind}interface _{name}{' : ' if bases else ''}{', '.join(bases)} {{ {' '.join(body)} }};"

    def valuetype(self):
        name = self.name()
        full, base = self.full(name), ""
        if self.chance(20):
            self.values.append(full)
            return f"valuetype _{name} {self.r.choice(['long', 'string', 'sequence<octet>'])};"
        if self.values and self.concrete and self.chance(40):
            base = " : " + self.r.choice(["", "truncatable "]) + self.r.choice(self.concrete)
        if self.abstract and self.chance(20):
            base += " supports " + self.r.choice(self.abstract)
        state = "".join(f" {self.r.choice(['public', 'private'])} {self.type()} _{self.name()};" for _ in range(self.r.randrange(4)))
        self.values.append(full)
        if "supports" not in base:
            self.concrete.append(full)
        next_one = f" public {full} _{self.name()};" if self.chance(30) else ""
        factory = f" factory _{self.name()}({self.parameters(('in',))});" if self.chance(30) else ""
        operation = f" {self.operation(True)}" if self.chance(30) else ""
        custom = "custom " if not base and self.chance(10) else ""
        if custom:
            self.concrete.remove(full)
        return f"{custom}valuetype _{name}{base} {{{state}{next_one}{factory}{operation} }};"

    concrete = []

    def bits(self):
        name = self.name()
        if self.chance(50):
            self.add(name)
            return f"bitmask _{name} {{ {', '.join('_' + self.name() for _ in range(self.r.randint(1, 5)))} }};"
        fields = " ".join(f"bitfield<{self.r.randint(1, 9)}>{self.r.choice(['', ' _' + self.name()])};" for _ in range(4))
        text = f"bitset _{name} {{ {fields} bitfield<2> _{self.name()}; }};"
        self.add(name)
        return text

    def definition(self, depth):
        kinds = [self.enum, self.struct, self.struct, self.union, self.union, self.exception, self.typedef, self.constant,
                 self.interface, self.interface, self.mutual]
        if not self.classic:
            kinds += [self.valuetype, self.bits]
        if depth < 3:
            kinds += [lambda: self.module(depth)] * 3
        return self.r.choice(kinds)()

    def text(self):
        self.concrete = []
        return "\n".join(self.definition(0) for _ in range(self.size)) + "\n"


def main(tool, compiler, source, *rest):
    options = dict(word[2:].split("=", 1) if "=" in word else (word[2:], "1") for word in rest)
    seed, files, size = (int(options.get(key, value)) for key, value in (("seed", 1), ("files", 3), ("size", 14)))
    failures = 0
    folder = Path(tempfile.mkdtemp(dir=Path(tool).parent))
    try:
        compiling = Compiling(tool, compiler, source, folder)
        for number in range(seed, seed + files):
            idl = Generator(number, size, "omniidl" in options).text()
            if "print" in options:
                print(idl)
            said = compiling.check(f"random_{number}", idl, ("--ami", "--pollers", "--async", "--amh") if number % 3 == 0 else ())
            if not said and "omniidl" in options:
                asked = subprocess.run(["omniidl", "-u", folder / f"random_{number}" / f"random_{number}.idl"],
                                       capture_output=True, text=True, check=False)
                said = "" if asked.returncode == 0 else f"omniidl does not agree:\n{asked.stderr}"
            failures += said != ""
            if said:
                print(f"--- seed {number}\n{said}", flush=True)
        print(f"{files} files from seed {seed}, {failures} not well")
        return 1 if failures else 0
    finally:
        if "keep" not in options:
            subprocess.run(["rm", "-rf", str(folder)], check=True)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) > 3 else print(__doc__) or 2)
