# SPDX-License-Identifier: Apache-2.0
"""Runs the IDL compiler and shows the C++ to a compiler: what the sweep over names and the random IDL share."""
import re
import subprocess
from pathlib import Path

FLAGS = ["-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror"]
HEADERS = ["variant", "ostream", "corbel/dynamic/any.hpp", "corbel/dynamic/type_of_extended.hpp",
           "corbel/mapping/data_stream.hpp", "corbel/mapping/extended.hpp", "corbel/mapping/external.hpp",
           "corbel/mapping/fixed.hpp", "corbel/mapping/local.hpp", "corbel/mapping/view.hpp", "corbel/mapping/ami.hpp", "corbel/mapping/amh.hpp",
           "corbel/mapping/future.hpp", "corbel/mapping/poller.hpp", "corbel/mapping/stub.hpp", "corbel/mapping/value.hpp",
           "corbel/mapping/skeleton.hpp", "corbel/mapping/print.hpp", "corbel/corbel.hpp"]


class Compiling:
    """One IDL compiler, one C++ compiler, one folder to work in."""

    def __init__(self, tool, compiler, source, folder):
        self.tool, self.compiler, self.folder = str(tool), compiler, Path(folder)
        self.include = Path(source) / "src"
        self.flags = [*FLAGS, *(["-ferror-limit=30", "-Wno-sign-conversion"] if "clang" in compiler else ["-fmax-errors=30"])]
        self.precompiled = False

    def precompile(self):
        """The library's headers are parsed once; compilers that know no such thing read them each time."""
        header = self.folder / "library.hpp"
        header.write_text("".join(f"#include <{name}>\n" for name in HEADERS))
        if "clang" not in self.compiler:
            flags = [flag for flag in self.flags if flag != "-fsyntax-only"]
            subprocess.run([self.compiler, *flags, "-x", "c++-header", f"-I{self.include}", header, "-o",
                            f"{header}.gch"], check=True)
        self.precompiled = True

    def check(self, name, idl, options=("--ami", "--pollers", "--async", "--amh"), flags=()):
        """What was wrong with NAME.idl or its C++, as text; nothing if all is well."""
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        file = folder / f"{name}.idl"
        file.write_text(idl)
        made = subprocess.run([self.tool, *options, "-o", folder, file], capture_output=True, text=True, check=False,
                              timeout=120)
        if made.returncode != 0:
            return f"the IDL compiler ended with {made.returncode}\n{made.stderr}"
        if not self.precompiled:
            self.precompile()
        natives = re.findall(r"native (\w+)", idl)
        if natives and not (folder / f"{name}_native.hpp").exists():
            (folder / f"{name}_native.hpp").write_text("#pragma once\n" + "".join(f"struct {n} {{}};\n" for n in natives))
        return self.show(folder, name, flags)

    def show(self, folder, name, flags=()):
        """What is wrong with the C++ of NAME.idl in that folder, as text."""
        unit = folder / f"{name}_all.cc"
        parts = [self.folder / "library.hpp", *(f"{name}{part}" for part in (".cpp", "_server.cpp", "_any.hpp", "_any.cpp"))]
        unit.write_text("".join(f'#include "{part}"\n' for part in parts))
        seen = subprocess.run([self.compiler, *self.flags, *flags, f"-I{self.include}", unit], capture_output=True, text=True,
                              check=False, timeout=1200)
        return seen.stderr if seen.returncode != 0 else ""
