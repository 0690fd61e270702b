#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Types the sessions of the guides, as a reader would, and compares what comes with what they show.

usage: sessions.py GUIDE.md... -- FOLDER...     the folders have the programs, and the files that the sessions use

A session is a block of ```console: lines that begin with "$ " are commands, what follows each is its output. Numbers that
have a decimal point or four digits and more are any such number; "..." is any text, alone on a line any lines. Port numbers of
the sessions are replaced by free ones. Each session runs in a shell and a folder of its own.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from ports import free_port  # noqa: E402

TIMEOUT_S = 120
MARK = "@@@ end of command"
# A reader types slower than a server starts: waits for its reference, or for its port.
STARTED = """started() {
  for ((n = 0; n < 300; ++n)); do
    if [ -n "$1" ] && [ -s "$1" ]; then return; fi
    if [ -n "$2" ] && (exec 3<>"/dev/tcp/127.0.0.1/$2") 2>/dev/null; then return; fi
    kill -0 $! 2>/dev/null || break
    sleep 0.1
  done
  echo "it did not start"
}
# ... and slower than one ends, whose port the next one takes.
gone() {
  for ((n = 0; n < 300; ++n)); do
    (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null || return
    sleep 0.1
  done
}
trap 'kill $(jobs -p) 2>/dev/null' EXIT
"""


def sessions_of(guide):
    """The line of each session, and its commands with what each prints."""
    text = guide.read_text(encoding="utf-8")
    for block in re.finditer(r"^```console\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        steps = []
        for line in block[1].splitlines():
            if line.startswith("$ "):
                steps.append((line[2:], []))
            else:
                steps[-1][1].append(line)
        yield text.count("\n", 0, block.start()) + 1, steps


def free_ports(count):
    ports = set()
    while len(ports) < count:
        ports.add(str(free_port()))
    return list(ports)


def pattern_of(lines):
    pattern = ""
    for line in lines:
        if line == "...":
            pattern += "(?:.*\n)*?"
            continue
        parts = re.split(r"(\.\.\.|\d+\.\d+(?![\d.])|\d{4,}| {2,})", line)
        for part in parts:
            if part == "...":
                pattern += ".*"
            elif part.isspace():
                pattern += " +"  # columns
            elif re.fullmatch(r"\d+\.\d+", part):
                pattern += r"\d+\.\d+"
            elif re.fullmatch(r"\d{4,}", part):
                pattern += r"\d+"
            else:
                pattern += re.escape(part)
        pattern += "\n"
    return pattern


def script_of(steps):
    script = STARTED
    taken = set()
    for command, _ in steps:
        listens = re.findall(r"-ORBListenEndpoints \S+:(\d+)", command)
        script += "".join(f"gone {port}\n" for port in listens if port in taken)
        taken.update(listens)
        script += command + "\n"
        if command.rstrip().endswith("&"):
            file = re.search(r"> (\S+)", command)
            port = None if file else re.search(r"--port (\d+)", command)
            script += f"started '{file[1] if file else ''}' '{port[1] if port else ''}'\n"
        script += f"echo '{MARK}'\n"
    return script


def run(guide, line, steps, folders):
    named = sorted({port for command, _ in steps for port in re.findall(r"(?<=[: ])\d{4,5}\b", command)})
    ports = dict(zip(named, free_ports(len(named)), strict=True))
    steps = [(re.sub(r"(?<=[: ])\d{4,5}\b", lambda found: ports[found[0]], command), output) for command, output in steps]
    with tempfile.TemporaryDirectory() as place:
        for folder in folders:
            for file in filter(Path.is_file, folder.glob("*.idl")):
                shutil.copy(file, place)
        # Programs find the naming service of the session, and of no other one.
        environment = dict(os.environ, CORBEL_LOCAL_SERVICES=place, PATH=os.pathsep.join([*map(str, folders), os.environ["PATH"]]))
        done = subprocess.run(["bash"], input=script_of(steps), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=place,
                              env=environment, timeout=TIMEOUT_S, check=False)
    printed = done.stdout.split(MARK + "\n")
    wrong = 0
    for (command, output), came in zip(steps, printed, strict=False):
        if re.fullmatch(pattern_of(output), came):
            continue
        wrong += 1
        print(f"{guide}:{line}: $ {command}\n--- the guide\n" + "\n".join(output) + f"\n--- what came\n{came}---")
    if len(printed) != len(steps) + 1:
        wrong += 1
        print(f"{guide}:{line}: the session ended after {len(printed) - 1} of {len(steps)} commands")
    print(f"{guide}:{line}: {len(steps)} commands, {wrong} of them print something else")
    return wrong


def main(arguments):
    if "--" not in arguments:
        print(__doc__)
        return 2
    at = arguments.index("--")
    guides, folders = [Path(each) for each in arguments[:at]], [Path(each) for each in arguments[at + 1:]]
    wrong = 0
    for guide in guides:
        sessions = list(sessions_of(guide))
        if not sessions:
            print(f"{guide}: no session")
            wrong += 1
        wrong += sum(run(guide.name, line, steps, folders) for line, steps in sessions)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
