#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the sources with all mutants in them once, runs for each the tests that could notice, and counts. Called by
./dev mutate, which says what the arguments are."""
import argparse
import concurrent.futures
import json
import os
import re
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
import mutants as data  # noqa: E402

WORK = os.path.join(data.ROOT, "build/mutate")
SOURCE, BUILD = os.path.join(WORK, "source"), os.path.join(WORK, "build")
COPIED = ("src", "services", "idl", "tests", "tools", "cmake", "scripts", "docs", "examples", "CMakeLists.txt", "CMakePresets.json",
          "CONTRIBUTING.md", "README.md", "CHANGELOG.md", "LICENSE")


ONLY = ""


def say(text):
    print(text, flush=True)


def write_if_new(path, content):
    """Keeps the time of a file that does not change, so that it is not compiled again."""
    try:
        with open(path, "rb") as file:
            if file.read() == content:
                return
    except OSError:
        os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content)


def copy_sources(rewritten):
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *COPIED],
                            cwd=data.ROOT, capture_output=True, check=True).stdout.decode().split("\0")
    wanted = {"src/" + data.SWITCH_HEADER: data.SWITCH.encode()}
    for path in filter(None, listed):
        whole = os.path.join(data.ROOT, path)
        if path in rewritten:
            wanted[path] = rewritten[path].encode()
        elif os.path.isfile(whole):
            with open(whole, "rb") as file:
                wanted[path] = file.read()
    for folder, _, files in os.walk(SOURCE):
        for name in files:
            path = os.path.join(folder, name)
            if os.path.relpath(path, SOURCE) not in wanted:
                os.remove(path)
    for path, content in wanted.items():
        write_if_new(os.path.join(SOURCE, path), content)
        mode = os.stat(os.path.join(data.ROOT, path)).st_mode if os.path.exists(os.path.join(data.ROOT, path)) else 0o644
        os.chmod(os.path.join(SOURCE, path), mode)


def run_logged(name, command):
    log = os.path.join(data.ROOT, f"build/logs/mutate-{name}.log")
    os.makedirs(os.path.dirname(log), exist_ok=True)
    with open(log, "wb") as out:
        if subprocess.run(command, stdout=out, stderr=subprocess.STDOUT, check=False).returncode == 0:
            return
    with open(log, encoding="utf-8", errors="replace") as text:
        errors = [line for line in text if "error" in line or "FAILED" in line][:30]
    sys.exit(f"{''.join(errors)}mutate: {name} failed; whole log: {log}")


def configure():
    options = ["-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O1 -g0", "-DCORBEL_BENCH=OFF", "-DCORBEL_EXAMPLES=OFF",
               "-DCORBEL_INTEROP=OFF", "-DCORBEL_UNITY=ON"]
    if subprocess.run(["which", "ccache"], capture_output=True, check=False).returncode == 0:
        options.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
    run_logged("configure", ["cmake", "-G", "Ninja", "-S", SOURCE, "-B", BUILD, *options])


class Test:
    def __init__(self, name, folder, command):
        self.name, self.folder, self.command = name, folder, command
        self.environment, self.seconds = {}, None

    def targets(self):
        return [os.path.relpath(word, BUILD) for word in self.command if word.startswith(BUILD + "/")]

    def run(self, mutant, limit):
        """None if it passed, or how it failed."""
        environment = os.environ | self.environment | {"GTEST_FAIL_FAST": "1", "GTEST_BRIEF": "1",
                                                       "CORBEL_TEST_SECONDS": str(max(1, int(0.8 * limit)))}
        environment.pop("CORBEL_MUTANT", None)
        if mutant:
            environment["CORBEL_MUTANT"] = str(mutant.number)
        process = subprocess.Popen(self.command, cwd=self.folder, env=environment, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, start_new_session=True)
        try:
            output, _ = process.communicate(timeout=limit)
            if process.returncode == 0:
                return None
            found = re.search(rb"\[  (?:FAILED |HANGS  ) \] (\S+)", output)
            return (found.group(1).decode(errors="replace").rstrip(",") if found else
                    f"status {process.returncode}" if process.returncode > 0 else f"signal {-process.returncode}")
        except subprocess.TimeoutExpired:
            return f"no end in {limit:.0f} s"
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.communicate()


def find_tests():
    """All tests of the build, read where CMake wrote them: ctest says nothing of programs that are not built yet."""
    tests = {}
    for folder, _, files in os.walk(BUILD):
        if "CTestTestfile.cmake" not in files:
            continue
        with open(os.path.join(folder, "CTestTestfile.cmake"), encoding="utf-8") as file:
            text = file.read()
        for name, command in re.findall(r"^add_test\(\[=\[(.*?)\]=\] (.*)\)$", text, re.M):
            words = re.findall(r'"((?:[^"\\]|\\.)*)"', command)
            tests[name] = Test(name, folder, [re.sub(r"\\(.)", r"\1", word) for word in words])
        for name, properties in re.findall(r"^set_tests_properties\(\[=\[(.*?)\]=\] PROPERTIES (.*)\)$", text, re.M):
            found = re.search(r'ENVIRONMENT "((?:[^"\\]|\\.)*)"', properties)
            if found and name in tests:
                tests[name].environment = dict(word.split("=", 1) for word in found.group(1).split(";"))
    return tests


def tests_for(mutant, tests):
    # The shortest first, so that most mutants are noticed soon.
    chosen = [test for name, test in tests.items() if re.search(mutant.tests, name) and re.search(ONLY, name)]
    return sorted(chosen, key=lambda test: (test.seconds or 0, test.name))


def try_mutant(mutant, tests, patience):
    for test in tests_for(mutant, tests):
        limit = max(20.0, 6 * test.seconds) * patience
        failure = test.run(mutant, limit)
        if failure is None:
            continue
        if test.run(None, limit) is None:  # else it was the test, or the machine
            return {"by": test.name, "how": failure}
    return None


def measure(tests):
    good = {}
    for test in sorted(tests, key=lambda t: t.name):
        begin = time.monotonic()
        failure = test.run(None, 300)
        test.seconds = time.monotonic() - begin
        if failure is None:
            good[test.name] = test
        else:
            say(f"  {test.name} fails without any mutant ({failure}) and is not used")
    return good


def score(rows, name):
    counted = [row for row in rows if not row["mark"]]
    noticed = sum(1 for row in counted if row["noticed"])
    marked = len(rows) - len(counted)
    share = f"{100 * noticed / len(counted):3.0f} %" if counted else "  -  "
    return f"  {name:<14}{noticed:>4} of {len(counted):<4} {share}" + (f"   ({marked} more change nothing one could notice)" if marked else "")


def report(rows, path):
    say("\nnoticed, by module")
    for module in sorted({row["module"] for row in rows}):
        say(score([row for row in rows if row["module"] == module], module))
    say(score(rows, "all"))
    survivors = [row for row in rows if not row["noticed"] and not row["mark"]]
    if survivors:
        say("\nsurvivors: mistakes that no test noticed")
        for row in survivors:
            say(f"  {row['id']:<44} {row['file']}\n      {row['wrong']}")
    for row in rows:
        if row["noticed"] and row["mark"]:
            say(f"\n{row['id']} is marked '{row['mark']}', but {row['noticed']['by']} notices it")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(rows, file, indent=1)
    say(f"\nwritten to {os.path.relpath(path, os.getcwd())}")


def parse():
    parser = argparse.ArgumentParser(prog="./dev mutate")
    parser.add_argument("module", nargs="*")
    parser.add_argument("--id", action="append", default=[])
    parser.add_argument("--tests", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--patience", type=float, default=1.0)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--survivors", action="store_true")
    parser.add_argument("--json", default=os.path.join(WORK, "result.json"))
    return parser.parse_args()


def select(options, known):
    wanted = known
    if options.module:
        modules = {mutant.module for mutant in known}
        for name in options.module:
            if name not in modules:
                sys.exit(f"mutate: no module '{name}'; there are: {', '.join(sorted(modules))}")
        wanted = [mutant for mutant in wanted if mutant.module in options.module]
    if options.id:
        wanted = [mutant for mutant in wanted if any(re.search(i, mutant.path) for i in options.id)]
    if options.survivors:
        try:
            with open(os.path.join(WORK, "result.json"), encoding="utf-8") as file:
                survived = {row["id"] for row in json.load(file) if not row["noticed"]}
        except OSError:
            sys.exit("mutate: no earlier run whose survivors could be tried again")
        wanted = [mutant for mutant in wanted if mutant.path in survived]
    return wanted


def main():
    global ONLY  # pylint: disable=global-statement
    options = parse()
    ONLY = options.tests
    try:
        known = data.read_all()
        # A mutant that does not compile stops only runs of its own module.
        if set(options.module) & {mutant.module for mutant in known}:
            known = [mutant for mutant in known if mutant.module in options.module]
        rewritten = data.put_in(data.ROOT, known)
    except data.Stale as stale:
        sys.exit(f"{stale}\nmutate: these do not fit the sources of today (tests/mutate/README.md)")
    wanted = select(options, known)
    if options.list or not wanted:
        for mutant in wanted:
            say(f"{mutant.path:<44} {mutant.file}\n    {mutant.wrong}" + (f"\n    {mutant.mark}" if mutant.mark else ""))
        say(f"{len(wanted)} mutants")
        return
    say(f"\n== Putting {len(known)} mutants into build/mutate/source")
    copy_sources(rewritten)
    configure()
    tests = find_tests()
    for mutant in wanted:
        if not tests_for(mutant, tests):
            sys.exit(f"mutate: {mutant.place}: no test is called like '{mutant.tests}'")
    needed = {test.name: test for mutant in wanted for test in tests_for(mutant, tests)}
    targets = sorted({target for test in needed.values() for target in test.targets() if "." not in os.path.basename(target)})
    say(f"== Building {', '.join(os.path.basename(target) for target in targets)}")
    begin = time.monotonic()
    run_logged("build", ["ninja", "-C", BUILD, "-k", "0", "-j", str(options.jobs), *targets])
    say(f"Built in {time.monotonic() - begin:.0f} s.")
    say(f"== Running {len(needed)} tests without a mutant")
    tests = measure(needed.values())
    slow = sorted(tests.values(), key=lambda test: -test.seconds)[:3]
    say(f"The slowest: {', '.join(f'{test.name} {test.seconds:.1f} s' for test in slow)}")
    say(f"== Running them with {len(wanted)} mutants, one at a time, {options.jobs} beside each other")
    rows, done = [], 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        futures = {pool.submit(try_mutant, mutant, tests, options.patience): mutant for mutant in wanted}
        for future in concurrent.futures.as_completed(futures):
            mutant, noticed, done = futures[future], future.result(), done + 1
            rows.append({"id": mutant.path, "module": mutant.module, "file": mutant.file, "wrong": mutant.wrong,
                         "mark": mutant.mark, "noticed": noticed})
            what = f"noticed by {noticed['by']}: {noticed['how']}" if noticed else "SURVIVED" if not mutant.mark else mutant.mark
            say(f"[{done}/{len(wanted)}] {mutant.path:<40} {what}")
    rows.sort(key=lambda row: row["id"])
    report(rows, options.json)


if __name__ == "__main__":
    main()
