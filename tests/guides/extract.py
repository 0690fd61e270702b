#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The C++ of the guides for authors of plug-ins, as files: each block is one, and stands alone.

usage: extract.py GUIDE.md FOLDER                          writes the blocks that begin with "// name.cpp" or "// name.hpp"
       extract.py --check COMPILER SOURCE_FOLDER GUIDE...  compiles every block as it stands in docs/GUIDE.md, writing nothing
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

# Where a reader has what the guides are about: Corbel's headers, the suites and the examples.
INCLUDED = ("src", "tests", "examples/carriers", "examples/telegrams")
FLAGS = ("-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror")


def blocks_of(guide):
    """The blocks of C++, each with its name, and with the line of the guide at which it begins."""
    text = guide.read_text(encoding="utf-8")
    for number, block in enumerate(re.finditer(r"^```cpp\n(.*?)^```", text, re.DOTALL | re.MULTILINE)):
        named = re.match(r"// (\w+\.[ch]pp)\n", block[1])
        yield named[1] if named else f"block_{number}.cpp", block[1], text.count("\n", 0, block.start(1)) + 1, bool(named)


def extract(guide, folder):
    folder.mkdir(parents=True, exist_ok=True)
    written = [(folder / name).write_text(text, encoding="utf-8") for name, text, _, named in blocks_of(guide) if named]
    return 0 if written else 1


def check(compiler, source, guides):
    wrong = 0
    for guide in guides:
        path = source / "docs" / f"{guide}.md"
        with tempfile.TemporaryDirectory() as folder:
            blocks = list(blocks_of(path))
            for name, text, line, _ in blocks:
                Path(folder, name).write_text(f'#line {line} "{path}"\n{text}', encoding="utf-8")
            for name, _, line, _ in blocks:
                if name.endswith(".hpp"):
                    continue  # included by the others
                command = [compiler, *FLAGS, f"-I{folder}", *(f"-I{source / each}" for each in INCLUDED), str(Path(folder, name))]
                compiled = subprocess.run(command, check=False).returncode == 0
                print(f"{path.name}:{line}: {'compiles' if compiled else 'does not compile'}")
                wrong += not compiled
            wrong += not blocks
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) > 4 and sys.argv[1] == "--check":
        sys.exit(check(sys.argv[2], Path(sys.argv[3]), sys.argv[4:]))
    sys.exit(extract(Path(sys.argv[1]), Path(sys.argv[2])) if len(sys.argv) == 3 else print(__doc__) or 2)
