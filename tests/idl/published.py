#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles IDL files that others have published, whole, as they are installed: those of omniORB's packages, and folders that are named.

usage: published.py IDL_COMPILER [--cpp] [-I FOLDER]... [-D NAME]... [FOLDER]...

Without a FOLDER it takes the OMG's services from Debian's omniorb-idl, if they are there. --cpp shows the C++ of all of it to
the C++ compiler, too, in one folder, as a project that uses all of it has it; that takes minutes.
"""
import argparse
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from compiling import Compiling

ROOT = Path(__file__).resolve().parents[2]
OMNIORB = Path("/usr/share/idl/omniORB")
# What IDL compilers refuse, omniORB's own included, and why.
REFUSED = {"CosTSPortability.idl": "names CORBA::Environment, which is pseudo IDL"}
SKIPPED = 77  # for ctest


def first_error(text):
    return next((line for line in text.splitlines() if " error: " in line), text.strip()[:300])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("idl_compiler", type=Path)
    parser.add_argument("--cpp", action="store_true")
    parser.add_argument("-I", dest="include", action="append", default=[])
    parser.add_argument("-D", dest="define", action="append", default=[])
    parser.add_argument("folders", nargs="*", type=Path)
    options = parser.parse_args()
    if not options.folders:
        options.folders = options.include = [OMNIORB / "COS", OMNIORB]
        options.define = ["ENABLE_CLIENT_IR_SUPPORT"]
    missing = [folder for folder in options.folders if not folder.is_dir()]
    if missing:
        print(f"{missing[0]} is not there: install omniorb-idl")
        return SKIPPED
    # What these include, and which projects that use them generate.
    files = [ROOT / "idl" / "InterfaceRepository.idl"]
    files += [file for folder in options.folders for file in sorted(folder.glob("*.idl"))]
    flags = ["-I", ROOT / "idl", *(word for folder in options.include for word in ("-I", folder)), *(f"-D{name}" for name in options.define)]
    wrong = []
    # The preprocessor's library looks for short names with memcmp(), by the length of the longer one.
    environment = {**os.environ, "ASAN_OPTIONS": ":".join(filter(None, [os.environ.get("ASAN_OPTIONS"), "strict_memcmp=0"]))}
    with tempfile.TemporaryDirectory() as folder:
        def compile_idl(file):
            done = subprocess.run([options.idl_compiler, *flags, "-o", folder, file], capture_output=True, text=True, check=False, timeout=300,
                                  env=environment)
            refused = done.returncode == 1 and " error: " in done.stderr
            if file.name in REFUSED:
                return None if refused else f"{file.name}: was to be refused: it {REFUSED[file.name]}"
            return None if done.returncode == 0 else f"{file.name}: {first_error(done.stderr)}"

        compiling = Compiling(options.idl_compiler, os.environ.get("CXX", "g++"), ROOT, folder)

        def compile_cpp(name):
            error = compiling.show(Path(folder), name)
            return f"{name}: {first_error(error)}" if error else None

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            wrong += filter(None, pool.map(compile_idl, files))
            made = [file.stem for file in files if (Path(folder) / f"{file.stem}_any.cpp").exists()] if options.cpp else []
            if made:
                compiling.precompile()
            wrong += filter(None, pool.map(compile_cpp, made))
    print("\n".join(wrong))
    print(f"{len(files)} IDL files, the C++ of {len(made)}, {len(wrong)} failed")
    return 1 if wrong or not files else 0


if __name__ == "__main__":
    sys.exit(main())
