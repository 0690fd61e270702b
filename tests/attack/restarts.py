# SPDX-License-Identifier: Apache-2.0
"""Servers that are ended, killed, started again and moved from while clients call, and the books compared afterwards.

Two servers write each execution into a journal before they answer it; the clients write down what became of each call. Then no id may
have been executed twice, no acknowledged one be missing, none that ran be reported COMPLETED_NO, and every reference must work again."""
import argparse
import collections
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from ports import free_port  # noqa: E402


def say(text):
    print(text, flush=True)


def make_certificate(folder):
    """The file of a key of the costlier kind, for the signer, and the file of its certificate; the first has both."""
    both, certificate = os.path.join(folder, "server.pem"), os.path.join(folder, "certificate.pem")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", both, "-out", certificate, "-days", "2",
                    "-subj", "/CN=target", "-addext", "subjectAltName=IP:127.0.0.1"], check=True, stdin=subprocess.DEVNULL,
                   capture_output=True)
    with open(certificate, encoding="ascii") as source, open(both, "a", encoding="ascii") as target:
        target.write(source.read())
    return both, certificate


# What is told to end leaves with _exit() the thread that reads commands, or a hand-shake that has not ended on a busy machine.
ENVIRONMENT = {**os.environ, "TSAN_OPTIONS": os.environ.get("TSAN_OPTIONS", "") + ":report_thread_leaks=0"}
# Servers end long before; they are not to be cut by their own limit, which would hide that they would not end.
ENDING = ("-ORBShutdownTimeout", "600000")
PATIENCE_S = 100


class Server:
    def __init__(self, program, name, folder, certificate):
        self.program, self.name, self.folder = program, name, folder
        self.port = free_port()
        self.endpoints = [f"tcp://127.0.0.1:{self.port}", f"unix://{folder}/{name}.socket", f"shm://{folder}/{name}.shm",
                          f"giop_lite+tcp://127.0.0.1:{free_port()}"]
        self.more = list(ENDING)
        if certificate:
            self.endpoints.append(f"tls://127.0.0.1:{free_port()}")
            self.more += ["-ORBTlsCertificate", certificate, "-ORBTlsVerifyClients", "off"]
        self.process = None
        self.home = self.mover = None
        self.state = "stay"
        self.problems = []

    def start(self):
        errors = open(os.path.join(self.folder, f"{self.name}.errors"), "ab")
        self.process = subprocess.Popen(
            [self.program, "ledger", self.name, os.path.join(self.folder, "journal"), "-ORBListenEndpoints",
             ";".join(self.endpoints), *self.more], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, env=ENVIRONMENT)
        errors.close()
        words = self.process.stdout.readline().split()
        if not words or words[0] != b"KNOWN":
            self.process.wait()
            self.problems.append(f"server {self.name} did not start: {self.last_words()}")
            return False
        self.home, self.mover = words[1].decode(), words[2].decode()
        return self.tell(self.state) and self.tell("serve")

    def last_words(self):
        with open(os.path.join(self.folder, f"{self.name}.errors"), "rb") as file:
            return file.read()[-3000:].decode(errors="replace")

    def tell(self, command):
        try:
            self.process.stdin.write(command.encode() + b"\n")
            self.process.stdin.flush()
            return self.process.stdout.readline() == b"DONE\n"
        except OSError:
            return False

    def end(self, number):
        if self.process.poll() is not None:
            self.problems.append(f"server {self.name} had died: {self.process.returncode}: {self.last_words()}")
            return
        self.process.send_signal(number)
        try:
            code = self.process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.problems.append(f"server {self.name} had not ended {PATIENCE_S} s after signal {number}")
            self.process.kill()
            self.process.wait()
            return
        if code not in (0, -signal.SIGKILL):
            self.problems.append(f"server {self.name} ended with {code}: {self.last_words()}")

    def restart(self, number, pause):
        self.end(number)
        time.sleep(pause)
        return self.start()


class Named:
    """A naming service, which is restarted like the servers; the name of what they serve is bound once."""
    def __init__(self, program, folder):
        self.program, self.folder, self.port = program, folder, free_port()
        self.process = None
        self.problems = []

    def start(self):
        reference = os.path.join(self.folder, "named.ior")
        if os.path.exists(reference):
            os.remove(reference)
        with open(os.path.join(self.folder, "named.errors"), "ab") as errors:
            self.process = subprocess.Popen(
                [self.program, "--data", os.path.join(self.folder, "names.db"), "--host", "127.0.0.1", "--port", str(self.port),
                 "--no-local", "--ior-file", reference, *ENDING], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors)
        end = time.monotonic() + PATIENCE_S
        while not os.path.exists(reference):
            if self.process.poll() is not None or time.monotonic() > end:
                self.problems.append("the naming service did not start")
                return False
            time.sleep(0.01)
        return True

    def bind(self, tool, reference):
        subprocess.run([tool, "ns", "bind", "Ledger", reference, "--service", f"127.0.0.1:{self.port}"], check=True,
                       stdin=subprocess.DEVNULL, capture_output=True)

    def url(self):
        return f"corbaname::127.0.0.1:{self.port}#Ledger"

    end = Server.end
    last_words = Server.last_words
    restart = Server.restart
    name = "named"


class Run:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.random = random.Random(options.seed)
        self.counts = collections.Counter()
        both, self.authority = make_certificate(folder) if shutil.which("openssl") else (None, None)
        self.a, self.b = (Server(options.program, name, folder, both) for name in ("A", "B"))
        self.named = Named(options.named, folder) if options.named else None
        self.clients = []
        self.ways = []  # of callers, by their numbers

    def act(self):
        """One thing that happens to servers."""
        r, a, b = self.random, self.a, self.b
        what = r.choice(("term a", "term a", "kill a", "kill a", "term b", "kill b", "term both", "move", "move", "home", "home")
                        + (("term named", "kill named") if self.named else ()))
        pause = r.choice((0, 0, 0.02, 0.2))
        self.counts[{"term": "SIGTERM", "kill": "SIGKILL", "move": "moved away", "home": "came home"}[what.split()[0]]] += 1
        number = signal.SIGTERM if what.startswith("term") else signal.SIGKILL
        if what == "term both":
            ending = threading.Thread(target=a.end, args=(number,))
            ending.start()
            b.end(number)
            ending.join()
            return a.start() and b.start()
        if what.endswith("named"):
            return self.named.restart(number, pause)
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
        known = [self.a.home, f"corbaloc:{a}/Ledger", self.a.mover, f"corbaloc:{a},{b}/Ledger"]
        return known + [self.named.url()] if self.named else known

    def start_clients(self):
        """A process for each way to call; the first has all kinds of reference."""
        ways = {"any": [], "shm": [], "giop_lite+tcp": []}
        if self.authority:
            ways["tls"] = ["-ORBTlsAuthorities", self.authority]
        number = 0
        for way, more in ways.items():
            references = self.references() if way == "any" else [self.a.home, self.a.mover]
            preference = [] if way == "any" else ["-ORBProtocolPreference", way]
            process = subprocess.Popen(
                [self.options.program, "clients", self.results(way), str(number), *references, "-ORBCallTimeout", "5000", "-ORBSyncScope",
                 "target", *preference, *more], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            process.stdout.readline()
            self.clients.append((way, process))
            number += 3 * len(references)
            self.ways += 3 * len(references) * [way]

    def results(self, way):
        return os.path.join(self.folder, f"results-{way}")

    def clients_live(self):
        return all(process.poll() is None for _, process in self.clients)

    def enough(self):
        """Whether calls of every way have been executed so often that a verdict is possible."""
        counts = collections.Counter({way: 0 for way, _ in self.clients})
        with open(os.path.join(self.folder, "journal"), encoding="ascii") as file:
            counts.update(self.ways[(int(line.split()[0]) >> 40) - 1] for line in file if line.endswith("\n"))
        return sum(counts.values()) > 200 and min(counts.values()) > 50

    def settle(self):
        """Ends the clients when each has been served once more. What went wrong."""
        for _, process in self.clients:
            try:
                process.stdin.write(b"settle\n")
                process.stdin.close()
            except OSError:
                pass
        problems, end = [], time.monotonic() + 180
        for way, process in self.clients:
            try:
                process.wait(max(0.1, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGABRT)
                process.wait()
            if process.returncode != 0:
                problems.append(f"the clients that use {way} ended with {process.returncode}")
        return problems

    def go(self):
        if not (self.a.start() and self.b.start()):
            return None
        if self.named:
            if not self.named.start():
                return None
            self.named.bind(self.options.tool, self.a.mover)
        self.start_clients()
        end = time.monotonic() + self.options.seconds
        told = time.monotonic()
        # Longer where the machine is so busy that servers take seconds to start.
        while time.monotonic() < end or (time.monotonic() < end + 60 and not self.enough()):
            time.sleep(self.random.choice((0.02, 0.1, 0.3, 0.6)))
            if not self.clients_live() or not self.act():
                break
            if time.monotonic() - told > 30:
                told = time.monotonic()
                say(f"  {sum(self.counts.values())} events, {max(0.0, end - told):.0f} s to go")
        # At last the object goes away once more and comes home: what clients learnt on the way must not keep them from it.
        if self.clients_live() and self.move():
            time.sleep(0.3)
            self.go_home()
        problems = self.settle()
        for server in (self.a, self.b, *([self.named] if self.named else [])):
            server.end(signal.SIGTERM)
            problems += server.problems
        return self.compare(problems)

    def compare(self, problems):
        executed = collections.Counter()
        by = collections.defaultdict(list)
        with open(os.path.join(self.folder, "journal"), encoding="ascii") as file:
            for line in file:
                number, server = line.split()
                executed[number] += 1
                by[number].append(server)
        outcomes, served = collections.Counter(), collections.Counter()
        wrong = collections.defaultdict(list)
        for way, _ in self.clients:
            for number, kind, text in self.lines(way, problems):
                what = text.split(" ", 1)[0]
                if what == "BROKEN":
                    wrong["broken references"].append(f"{way} {kind} {text}")
                    continue
                served[way] += what == "OK"
                outcomes[f"{kind} {' '.join(text.split(' ')[:2])}"] += 1
                ran = executed[number]
                if ran > 1:
                    wrong["executed twice"].append(f"{number} {way} {kind} by {' and '.join(by[number])}: {text}")
                if what == "OK" and ran == 0:
                    wrong["acknowledged but lost"].append(f"{number} {way} {kind}")
                if what == "NO" and ran > 0:
                    wrong["COMPLETED_NO but executed"].append(f"{number} {way} {kind} by {by[number][0]}: {text}")
                if what == "YES" and ran == 0:
                    wrong["COMPLETED_YES but not executed"].append(f"{number} {way} {kind}: {text}")
                if what == "WRONG":
                    wrong["the reply of another call"].append(f"{number} {way} {kind}: {text}")
        return {"seconds": self.options.seconds, "seed": self.options.seed, "events": dict(self.counts),
                "calls": sum(outcomes.values()), "served": dict(served), "executed": sum(executed.values()), "outcomes": dict(outcomes), "wrong": dict(wrong), "problems": problems}

    def lines(self, way, problems):
        """Number, kind and outcome of each call."""
        try:
            with open(self.results(way), encoding="utf-8", errors="replace") as file:
                lines = [line.split(" ", 2) for line in file.read().splitlines()]
        except OSError:
            lines = []
        if any(len(line) < 3 for line in lines):  # the clients were ended while they wrote it
            problems.append(f"a line of the results over {way} is cut")
        return [line for line in lines if len(line) == 3]


KINDS = ("executed twice", "acknowledged but lost", "COMPLETED_NO but executed", "COMPLETED_YES but not executed",
         "the reply of another call", "broken references")


def show(result, examples):
    say(f"events: {', '.join(f'{count} {name}' for name, count in sorted(result['events'].items()))}")
    say(f"{result['calls']} calls, {result['executed']} executions; served "
        + ", ".join(f"{count} over {way}" for way, count in result["served"].items()))
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
    parser.add_argument("--named", help="corbel-named, for references that are only named; with --tool")
    parser.add_argument("--tool", help="corbel, which binds the name")
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
    enough = result["executed"] > 100 and len(result["served"]) > 2 and all(count > 10 for count in result["served"].values())
    if not enough:
        say("too few calls for a verdict")
    good = enough and not result["wrong"] and not result["problems"]
    say("the books agree" if good else "the books do NOT agree")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
