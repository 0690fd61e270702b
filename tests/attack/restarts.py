# SPDX-License-Identifier: Apache-2.0
"""Servers that are ended, killed, started again and moved from while clients call, and the books compared afterwards.

Two servers write each execution into a journal before they answer it; the clients write down what became of each call. Then no id may
have been executed twice, no acknowledged one be missing, none that ran be reported COMPLETED_NO, and every reference must work again."""
import argparse
import collections
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time


def say(text):
    print(text, flush=True)


def free_port():
    """One that stays free: connections going out get theirs from above."""
    while True:
        port = random.randrange(20000, 30000)
        with socket.socket() as s:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                s.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue


class Server:
    def __init__(self, program, name, folder):
        self.program, self.name, self.folder = program, name, folder
        self.port = free_port()
        self.process = None
        self.home = self.mover = None
        self.state = "stay"
        self.problems = []

    def start(self):
        errors = open(os.path.join(self.folder, f"{self.name}.errors"), "ab")
        self.process = subprocess.Popen(
            [self.program, "ledger", self.name, os.path.join(self.folder, "journal"), "-ORBListenEndpoints",
             f"tcp://127.0.0.1:{self.port};unix://{self.folder}/{self.name}.socket"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors)
        errors.close()
        words = self.process.stdout.readline().split()
        if not words or words[0] != b"KNOWN":
            self.process.wait()
            with open(os.path.join(self.folder, f"{self.name}.errors"), "rb") as file:
                self.problems.append(f"server {self.name} did not start: {file.read()[-500:].decode(errors='replace')}")
            return False
        self.home, self.mover = words[1].decode(), words[2].decode()
        return self.tell(self.state) and self.tell("serve")

    def tell(self, command):
        try:
            self.process.stdin.write(command.encode() + b"\n")
            self.process.stdin.flush()
            return self.process.stdout.readline() == b"DONE\n"
        except OSError:
            return False

    def end(self, number):
        if self.process.poll() is not None:
            self.problems.append(f"server {self.name} had died: {self.process.returncode}")
            return
        self.process.send_signal(number)
        try:
            code = self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.problems.append(f"server {self.name} had not ended 30 s after signal {number}")
            self.process.kill()
            self.process.wait()
            return
        if code not in (0, -signal.SIGKILL):
            self.problems.append(f"server {self.name} ended with {code}")

    def restart(self, number, pause):
        self.end(number)
        time.sleep(pause)
        return self.start()


class Run:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.random = random.Random(options.seed)
        self.counts = collections.Counter()
        self.a, self.b = (Server(options.program, name, folder) for name in ("A", "B"))

    def act(self):
        """One thing that happens to servers."""
        r, a, b = self.random, self.a, self.b
        what = r.choice(("term a", "term a", "kill a", "kill a", "term b", "kill b", "term both", "move", "move", "home", "home"))
        pause = r.choice((0, 0, 0.02, 0.2))
        self.counts[{"term": "SIGTERM", "kill": "SIGKILL", "move": "moved away", "home": "came home"}[what.split()[0]]] += 1
        number = signal.SIGTERM if what.startswith("term") else signal.SIGKILL
        if what == "term both":
            ending = threading.Thread(target=a.end, args=(number,))
            ending.start()
            b.end(number)
            ending.join()
            return a.start() and b.start()
        if what in ("term a", "kill a"):
            return a.restart(number, pause)
        if what in ("term b", "kill b"):
            return b.restart(number, pause)
        return self.move() if what == "move" else self.go_home()

    def move(self):
        self.b.state, self.a.state = "stay", f"forward {self.b.mover}"
        return self.b.tell(self.b.state) and self.a.tell(self.a.state)

    def go_home(self):
        self.a.state, self.b.state = "stay", "gone"
        return self.a.tell(self.a.state) and self.b.tell(self.b.state)

    def references(self):
        a, b = f":127.0.0.1:{self.a.port}", f":127.0.0.1:{self.b.port}"
        return [self.a.home, f"corbaloc:{a}/Ledger", self.a.mover, f"corbaloc:{a},{b}/Ledger"]

    def go(self):
        if not (self.a.start() and self.b.start()):
            return None
        results = os.path.join(self.folder, "results")
        clients = subprocess.Popen([self.options.program, "clients", results, *self.references(), "-ORBCallTimeout", "5000",
                                    "-ORBSyncScope", "target"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        clients.stdout.readline()
        end = time.monotonic() + self.options.seconds
        told = time.monotonic()
        while time.monotonic() < end:
            time.sleep(self.random.choice((0.02, 0.1, 0.3, 0.6)))
            if clients.poll() is not None or not self.act():
                break
            if time.monotonic() - told > 30:
                told = time.monotonic()
                say(f"  {sum(self.counts.values())} events, {end - told:.0f} s to go")
        # At last the object goes away once more and comes home: what clients learnt on the way must not keep them from it.
        if clients.poll() is None and self.move():
            time.sleep(0.3)
            self.go_home()
        try:
            clients.communicate(b"settle\n", timeout=120)
        except subprocess.TimeoutExpired:
            clients.send_signal(signal.SIGABRT)
            clients.communicate()
        for server in (self.a, self.b):
            server.end(signal.SIGTERM)
        problems = self.a.problems + self.b.problems
        if clients.returncode != 0:
            problems.append(f"the clients ended with {clients.returncode}")
        return self.compare(results, problems)

    def compare(self, results, problems):
        executed = collections.Counter()
        by = collections.defaultdict(list)
        with open(os.path.join(self.folder, "journal"), encoding="ascii") as file:
            for line in file:
                number, server = line.split()
                executed[number] += 1
                by[number].append(server)
        outcomes, calls = collections.Counter(), 0
        wrong = collections.defaultdict(list)
        try:
            with open(results, encoding="utf-8", errors="replace") as file:
                lines = [line.split(" ", 2) for line in file.read().splitlines()]
        except OSError:
            lines = []
        if any(len(line) < 3 for line in lines):  # the clients were ended while they wrote it
            problems.append("a line of the results is cut")
        for number, kind, text in (line for line in lines if len(line) == 3):
            what = text.split(" ", 1)[0]
            if what == "BROKEN":
                wrong["broken references"].append(f"{kind} {text}")
                continue
            calls += 1
            outcomes[f"{kind} {' '.join(text.split(' ')[:2])}"] += 1
            ran = executed[number]
            if ran > 1:
                wrong["executed twice"].append(f"{number} {kind} by {' and '.join(by[number])}: {text}")
            if what == "OK" and ran == 0:
                wrong["acknowledged but lost"].append(f"{number} {kind}")
            if what == "NO" and ran > 0:
                wrong["COMPLETED_NO but executed"].append(f"{number} {kind} by {by[number][0]}: {text}")
            if what == "YES" and ran == 0:
                wrong["COMPLETED_YES but not executed"].append(f"{number} {kind}: {text}")
            if what == "WRONG":
                wrong["the reply of another call"].append(f"{number} {kind}: {text}")
        return {"seconds": self.options.seconds, "seed": self.options.seed, "events": dict(self.counts), "calls": calls,
                "executed": sum(executed.values()), "outcomes": dict(outcomes), "wrong": dict(wrong), "problems": problems}


KINDS = ("executed twice", "acknowledged but lost", "COMPLETED_NO but executed", "COMPLETED_YES but not executed",
         "the reply of another call", "broken references")


def show(result, examples):
    say(f"events: {', '.join(f'{count} {name}' for name, count in sorted(result['events'].items()))}")
    say(f"{result['calls']} calls, {result['executed']} executions")
    for name, count in sorted(result["outcomes"].items()):
        say(f"  {count:>8}  {name}")
    for kind in KINDS:
        found = result["wrong"].get(kind, [])
        say(f"{kind}: {len(found)}")
        for line in found[:examples]:
            say(f"    {line}")
    for problem in result["problems"]:
        say(f"problem: {problem}")


def main(arguments):
    parser = argparse.ArgumentParser(prog="./dev attack restarts")
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--examples", type=int, default=5)
    parser.add_argument("--json")
    parser.add_argument("--program", required=True)
    options = parser.parse_args(arguments)
    if options.minutes:
        options.seconds = 60 * options.minutes
    say(f"restarts under load for {options.seconds:.0f} s, seed {options.seed}")
    with tempfile.TemporaryDirectory(prefix="corbel-restarts-") as folder:
        run = Run(options, folder)
        result = run.go()
        if result is None:
            say("; ".join(run.a.problems + run.b.problems))
            return 1
    show(result, options.examples)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(result, file, indent=1)
    enough = result["calls"] > 100 and result["executed"] > 100
    if not enough:
        say("too few calls for a verdict")
    good = enough and not result["wrong"] and not result["problems"]
    say("the books agree" if good else "the books do NOT agree")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
