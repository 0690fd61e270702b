#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Types the commands of guides that show no output, blocks of ```sh, as a reader would.

usage: commands.py GUIDE.md... -- FOLDER...     the folders have the programs

Commands of a block run in one folder, one after the other. Servers have to say something and to serve until SIGTERM, other
commands to end with status 0. Ports are replaced by free ones, addresses by addresses of this host, paths by paths in the folder.
What needs more than this host has is listed in NEEDS; anything else that cannot be run is an error.
"""
import os
import re
import select
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from sessions import free_ports

TIMEOUT_S = 30
NEEDS = {
    r"corbel-named": "port 2809 and the names of this host",
    r"corbel-named --store .*": "a database; naming.shared has one",
    r"corbel-named --advertise .*|.*corbel ns discover.*": "a network with Avahi; naming.discovery has one",
}
# What stands for the reader's own.
ADDRESS, OMNINAMES = "127.0.0.1", "port 29001\npersistent 1f59036b01006fda\ncreate 4e616d6553657276696365\n"


def blocks_of(guide):
    """The line of each block, and its commands without comments."""
    text = guide.read_text(encoding="utf-8")
    for block in re.finditer(r"^ *```sh\n(.*?)^ *```", text, re.DOTALL | re.MULTILINE):
        lines = block[1].replace("\\\n", " ").splitlines()
        yield text.count("\n", 0, block.start()) + 1, [re.sub(r"\s+#.*", "", line).strip() for line in lines]


def need_of(command):
    return next((need for pattern, need in NEEDS.items() if re.fullmatch(pattern, command)), None)


def serves(command, environment, place):
    """What is wrong with a server; nothing if it starts, says so, and ends when it is told to."""
    with subprocess.Popen(["bash", "-c", "exec " + command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=place, env=environment) as server:
        try:
            said = select.select([server.stdout], [], [], TIMEOUT_S)[0] and os.read(server.stdout.fileno(), 65536)
            if not said or server.poll() is not None:
                return f"it does not serve: {said}"
            server.send_signal(signal.SIGTERM)
            # A server without a handler of its own ends by the signal.
            return None if server.wait(TIMEOUT_S) in (0, -signal.SIGTERM) else f"it ends with status {server.returncode}: {said}"
        finally:
            server.kill()


def run(name, line, commands, folders):
    """How many commands were run, and how many of them do something else than the guide says."""
    named = sorted({port for command in commands for port in re.findall(r"(?<=[: ])\d{4,5}\b", command)})
    ports = dict(zip(named, free_ports(len(named)), strict=True))
    ran = wrong = 0
    with tempfile.TemporaryDirectory() as place:
        programs = Path(place, "programs")
        programs.mkdir()
        for folder in folders:
            for server in folder.glob("hello_server"):
                (programs / "server").symlink_to(server)
        Path(place, "omninames-host.dat").write_text(OMNINAMES, encoding="ascii")
        environment = dict(os.environ, HOME=place, CORBEL_LOCAL_SERVICES=place, PATH=os.pathsep.join([str(programs), *map(str, folders), os.environ["PATH"]]))
        for command in commands:
            if need := need_of(command):
                print(f"{name}:{line}: not run: {command}    (needs {need})")
                continue
            here = re.sub(r"(?<=[: ])\d{4,5}\b", lambda found: ports[found[0]], command).replace("10.0.0.5", ADDRESS)
            here = re.sub(r"/(?:run|var/lib/omniorb)/", place + "/", here)
            ran += 1
            problem = None
            if re.match(r"(server|corbel-named)\b(?!.*--import)", here):
                problem = serves(here, environment, place)
            else:
                done = subprocess.run(["bash", "-c", here], capture_output=True, text=True, cwd=place, env=environment, timeout=TIMEOUT_S, check=False)
                problem = None if done.returncode == 0 else f"status {done.returncode}: {done.stdout}{done.stderr}"
            if problem:
                wrong += 1
                print(f"{name}:{line}: $ {here}\n{problem}")
    return ran, wrong


def main(arguments):
    if "--" not in arguments:
        print(__doc__)
        return 2
    at = arguments.index("--")
    guides, folders = [Path(each) for each in arguments[:at]], [Path(each) for each in arguments[at + 1:]]
    failed = False
    for guide in guides:
        ran, wrong = (sum(counts) for counts in zip(*(run(guide.name, line, commands, folders) for line, commands in blocks_of(guide)), strict=True))
        print(f"{guide.name}: {ran} commands, {wrong} of them wrong")
        failed |= ran == 0 or wrong > 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
