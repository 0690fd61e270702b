#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Attacks a server and looks how an honest client fares beside it. Called by ./dev attack, which says what the arguments are."""
import argparse
import json
import multiprocessing
import os
import resource
import signal
import shutil
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
import attackers  # noqa: E402
import means  # noqa: E402
import giop_wire as wire  # noqa: E402
import restarts  # noqa: E402

# Threads that are no part of the pool: main, the one that waits for signals, helpers that come and go, and hand-shakes (TLS).
OTHER_THREADS = 8 + max(1, (os.cpu_count() or 1) // 2)
PATIENCE_MS = 25000  # less than a server's own times (-ORBServerSendTimeout), which must not be what helps
# A server ends long before; it is not to be cut by its own limit, which would hide that it would not end.
ENDING = ["-ORBShutdownTimeout", "600000"]
BUSY = "busy processors"
CLOSED_IN_ORDER = "message type 5"


def say(text):
    print(text, flush=True)


class Server:
    """A fresh server, and the most it has ever used."""

    def __init__(self, options, descriptors=None, certificate=None):
        def limit():
            if descriptors:
                resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))
        endpoints, more = "tcp://127.0.0.1:0", []
        self.tls = None
        if certificate:
            self.tls = ("127.0.0.1", restarts.free_port())
            endpoints += f";tls://127.0.0.1:{self.tls[1]}"
            more = ["-ORBTlsCertificate", certificate, "-ORBTlsVerifyClients", "off"]
        self.process = subprocess.Popen([options.program, "serve", "-ORBListenEndpoints", endpoints, "-ORBThreads", str(options.threads),
                                         *ENDING, *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=limit)
        words = self.process.stdout.readline().decode().split()
        if not words or words[0] != "READY":
            raise RuntimeError(f"the server did not start: {self.process.stderr.read().decode()}")
        self.references = words[1:]
        self.most = {"threads": 0, "rss_mib": 0.0, "descriptors": 0}
        self.watching = True
        self.errors = b""
        for job in (self.watch, self.drain):
            threading.Thread(target=job, daemon=True).start()

    def drain(self):
        for line in self.process.stderr:
            self.errors = (self.errors + line)[-4000:]

    def watch(self):
        folder = f"/proc/{self.process.pid}"
        while self.watching:
            try:
                with open(f"{folder}/status", encoding="ascii") as file:
                    fields = dict(line.split(":", 1) for line in file if ":" in line)
                seen = {"threads": int(fields["Threads"]), "rss_mib": int(fields["VmRSS"].split()[0]) / 1024,
                        "descriptors": len(os.listdir(f"{folder}/fd"))}
                self.most = {key: max(value, seen[key]) for key, value in self.most.items()}
            except (OSError, KeyError):
                return
            time.sleep(0.05)

    def stop(self):
        """How it ended, or None if it ended as it should."""
        self.watching = False
        code = self.process.poll()
        if code is not None:
            return f"the server died: {code} {self.errors.decode(errors='replace').strip()}"
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(100)
            return None if code == 0 else f"the server ended with {code} {self.errors.decode(errors='replace').strip()}"
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return "no end 100 s after SIGTERM"


class Newcomers(threading.Thread):
    """One new connection after the other, each with one call."""

    def __init__(self, reference):
        super().__init__(daemon=True)
        self.address, self.key, _, _ = wire.parse_ior(reference)
        self.served = self.failed = 0
        self.why, self.ended = "", threading.Event()

    def once(self):
        """As every client of GIOP does, again if told in order that nothing was executed."""
        for _ in range(3):
            self.why = ""
            if self.one_try():
                self.served += 1
                return
            if self.why != CLOSED_IN_ORDER:
                break
        self.failed += 1

    def one_try(self):
        try:
            connection = wire.Connection(self.address, PATIENCE_MS / 1000)
            try:
                answer = connection.send(wire.request(2, "<", 2, self.key, "ping")).receive()
            finally:
                connection.close()
            if answer is not None and answer.kind == wire.REPLY and answer.status == wire.NO_EXCEPTION:
                return True
            self.why = "the connection was closed" if answer is None else f"message type {answer.kind}"
        except OSError as error:
            self.why = str(error)
        return False

    def run(self):
        while not self.ended.wait(0.05):
            self.once()


def start_honest(program, reference, seconds):
    # Without a buffer: communicate() would not see what a readline() that comes late has read of the end as well.
    honest = subprocess.Popen([program, "honest", reference, str(int(seconds * 1000)), "-ORBCallTimeout", str(PATIENCE_MS)],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0)
    if honest.stdout.readline() != b"CONNECTED\n":
        raise RuntimeError(f"the honest client could not begin: {honest.stderr.read().decode()}")
    return honest


def finish_honest(honest):
    out, errors = honest.communicate(timeout=240)
    if honest.returncode != 0:
        return {"calls": 0, "failures": 1, "p50": 0.0, "p99": 0.0, "max": 0.0, "first_failure": errors.decode().strip()}
    return json.loads(out)


def give_way():
    """Attackers come from other machines: what they cost this one beside the server is not to be measured."""
    os.nice(19)


def busy_process():
    """What attackers are to the processors, without any attack."""
    give_way()
    while True:
        pass


def attack_process(name, server, opened):
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    give_way()
    try:
        attackers.ATTACKS[name](means.Target(server.references, opened, server.tls))
    except BaseException as error:  # so that an attacker that gave up does not look like a server that held
        print(f"attack: {name} gave up: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
        os._exit(3)


def run_attack(label, names, options, seconds, undisturbed):
    server = Server(options, min((attackers.DESCRIPTORS[n] for n in names if n in attackers.DESCRIPTORS), default=None)
                    if len(names) == 1 else None, options.certificate if any(n in attackers.OVER_TLS for n in names) else None)
    opened = multiprocessing.Value("i", 0)
    honest = start_honest(options.program, server.references[0], seconds)
    processes = [multiprocessing.Process(target=attack_process, args=(name, server, opened), daemon=True) for name in names]
    if label == BUSY:
        processes = [multiprocessing.Process(target=busy_process, daemon=True) for _ in range(os.cpu_count() or 1)]
    newcomers = Newcomers(server.references[0])
    for process in processes:
        process.start()
    if names:
        newcomers.start()
    row = {"attack": label} | finish_honest(honest)
    gave_up = [name for name, process in zip(names, processes) if not process.is_alive()]
    newcomers.ended.set()
    if names:
        newcomers.join(2 * PATIENCE_MS / 1000)
    for process in processes:
        process.kill()
        process.join()
    after = Newcomers(server.references[0])
    after.once()
    # Read without its lock: an attacker that was killed may have held it for ever.
    row |= {"connections": opened.get_obj().value, "newcomers": newcomers.served, "newcomers_failed": newcomers.failed} | server.most
    ended = server.stop()
    row["ratio"] = row["p99"] / undisturbed["p99"] if undisturbed else 1.0
    row["problems"] = [problem for problem in (
        f"{row['failures']} of {row['calls']} honest calls failed: {row['first_failure']}" if row["failures"] else None,
        f"{newcomers.failed} of {newcomers.failed + newcomers.served} newcomers failed: {newcomers.why}" if newcomers.failed else None,
        f"afterwards nobody is served: {after.why}" if after.failed and not ended else None,
        f"{row['threads']} threads" if row["threads"] > options.threads + OTHER_THREADS else None,
        f"p99 {row['ratio']:.1f} times the undisturbed one" if options.most and row["ratio"] > options.most and names else None,
        f"{row['rss_mib']:.0f} MiB" if row["rss_mib"] > options.memory else None,
        f"{', '.join(gave_up)} gave up" if gave_up else None,
        ended) if problem]
    return row


COLUMNS = (("attack", 20, "{}"), ("connections", 12, "{}"), ("calls", 7, "{}"), ("newcomers", 10, "{}"), ("p50", 9, "{:.0f} us"),
           ("p99", 10, "{:.0f} us"), ("ratio", 8, "{:.1f} x"), ("threads", 8, "{}"), ("rss_mib", 9, "{:.0f} MiB"), ("descriptors", 12, "{}"))


def show(row):
    cells = [text.format(row[name]).rjust(width) if name != "attack" else row[name].ljust(width) for name, width, text in COLUMNS]
    say("".join(cells) + ("  held" if not row["problems"] else "  NOT HELD: " + "; ".join(row["problems"])))


def run_attacks(options, names):
    share = max(0.5, options.seconds / (len(names) + (3 if len(names) > 1 else 2)))
    say(f"{len(names)} attacks, {share:.1f} s each and longer where the honest client has to wait; it calls once a millisecond")
    say("".join(name.rjust(width) if name != "attack" else name.ljust(width) for name, width, _ in COLUMNS) + "  verdict")
    undisturbed = run_attack("undisturbed", [], options, share, None)
    show(undisturbed)
    rows = [undisturbed, run_attack(BUSY, [], options, share, undisturbed)]
    show(rows[-1])
    for name in names:
        rows.append(run_attack(name, [name], options, share, undisturbed))
        show(rows[-1])
    if len(names) > 1:
        rows.append(run_attack("all together", [n for n in names if n not in attackers.DESCRIPTORS], options, share, undisturbed))
        show(rows[-1])
    return rows


def parse():
    parser = argparse.ArgumentParser(prog="./dev attack")
    parser.add_argument("seconds", nargs="?", type=float, default=60.0)
    parser.add_argument("--attack", action="append", default=[], choices=sorted(attackers.ATTACKS))
    parser.add_argument("--threads", type=int, default=128, help="-ORBThreads of the server, and more is not held (default: 128)")
    parser.add_argument("--memory", type=float, default=2048.0, help="MiB; more is not held (default: 2048)")
    parser.add_argument("--most", type=float, metavar="RATIO",
                        help="p99 of the honest client above so many times its undisturbed one is not held (default: reported only)")
    parser.add_argument("--json")
    parser.add_argument("--program", required=True)
    parser.add_argument("--list", action="store_true")
    return parser.parse_args()


def main():
    if "restarts" in sys.argv[1:]:
        return restarts.main([word for word in sys.argv[1:] if word != "restarts"])
    options = parse()
    if options.list:
        for name, function in attackers.ATTACKS.items():
            say(f"{name:<22}{(function.__doc__ or '').strip()}")
        return 0
    names = options.attack or [name for name in attackers.ATTACKS if name not in attackers.NOT_HELD]
    if not shutil.which("openssl") and any(n in attackers.OVER_TLS for n in names):
        say("left out, because there is no openssl to make a certificate: " + ", ".join(n for n in names if n in attackers.OVER_TLS))
        names = [n for n in names if n not in attackers.OVER_TLS]
    with tempfile.TemporaryDirectory() as folder:
        options.certificate = restarts.make_certificate(folder)[0] if any(n in attackers.OVER_TLS for n in names) else None
        rows = run_attacks(options, names)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)
    failed = [row["attack"] for row in rows if row["problems"]]
    say(f"not held: {', '.join(failed)}" if failed else "held against all")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
