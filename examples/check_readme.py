#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_readme.py README FOLDER: fails unless the README shows hello.idl, server.cpp, client.cpp and CMakeLists.txt of
FOLDER word for word."""
import pathlib
import sys

readme = pathlib.Path(sys.argv[1]).read_text()
folder = pathlib.Path(sys.argv[2])
missing = [name for name in ("hello.idl", "server.cpp", "client.cpp", "CMakeLists.txt")
           if "```\n" not in readme or (folder / name).read_text() + "```" not in readme]
for name in missing:
    print(f"{sys.argv[1]}: the block for {name} differs from {folder / name}; copy the file into the README")
sys.exit(1 if missing else 0)
