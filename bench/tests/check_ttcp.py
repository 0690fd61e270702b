#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs corbel-ttcp -r and -t over loopback with every model, and what they say when they do not fit together.

usage: check_ttcp.py PROGRAM
"""

import json
import os
import socket
import subprocess
import sys
import tempfile

PROGRAM = sys.argv[1]
TIMEOUT_S = 120
CALLS = 40


def expect(condition, message):
    if not condition:
        sys.exit(f"check_ttcp: {message}")


class Receiver:
    def __init__(self, *options):
        self.process = subprocess.Popen([PROGRAM, "-r", "-p", "0", "--listen", "127.0.0.1", *options],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.port = self.process.stdout.readline().rpartition(":")[2].strip()
        expect(self.port.isdigit(), "the receiver does not say its port")

    def finish(self):
        out, err = self.process.communicate(timeout=TIMEOUT_S)
        return self.process.returncode, out, err

    def stop(self):
        self.process.kill()
        return self.process.communicate(timeout=TIMEOUT_S)


def transmit(port, *options):
    return subprocess.run([PROGRAM, "-t", "127.0.0.1", "-p", str(port), *options], capture_output=True, text=True,
                          timeout=TIMEOUT_S)


def figures(path):
    with open(path, encoding="utf-8") as file:
        return {one["metric"]: one for one in json.load(file)["results"]}


def check_stream(folder, *options):
    sent, received = os.path.join(folder, "sent.json"), os.path.join(folder, "received.json")
    receiver = Receiver("--json", received, *(options[options.index("--cpu"):] if "--cpu" in options else ()))
    done = transmit(receiver.port, "-n", str(CALLS), "-l", "2400", "--json", sent, *options)
    expect(done.returncode == 0, f"{options}: {done.stderr}")
    status, out, err = receiver.finish()
    expect(status == 0, f"{options}: the receiver: {err}")
    expect(f" {CALLS * 2400} octets" in done.stdout.replace(",", ""), f"{options}: {done.stdout}")
    expect(f"{CALLS} calls" in out and "Mbit/s" in out and "s system" in out, f"{options}: {out}")
    for path, side in ((sent, "-t"), (received, "-r")):
        found = figures(path)
        expect(set(found) == {"throughput", "calls", "user", "system"}, f"{options}: {sorted(found)}")
        expect(found["calls"]["value"] == CALLS and found["throughput"]["value"] > 0, f"{options}: {found}")
        expect(found["calls"]["case"]["side"] == side, f"{options}: {found}")
    os.remove(sent)
    os.remove(received)


def check_datagrams(folder, *options):
    """What arrived and what got lost are what was sent; both sides say the same."""
    sent, received = os.path.join(folder, "sent.json"), os.path.join(folder, "received.json")
    receiver = Receiver("--json", received)
    done = transmit(receiver.port, "-u", "-n", str(CALLS), "-l", "2400", "--json", sent, *options)
    expect(done.returncode == 0 and f" {CALLS * 2400} octets sent, " in done.stdout, f"{options}: {done.stdout} {done.stderr}")
    status, out, err = receiver.finish()
    expect(status == 0, f"{options}: the receiver: {err}")
    ours, theirs = ([line.partition(": ")[2] for line in text.splitlines() if " octets" in line] for text in (done.stdout, out))
    expect(ours == theirs and len(ours) == 2, f"{options}: {done.stdout} {out}")
    arrived, lost = int(ours[0].split()[0]), int(ours[1].split()[3])
    expect(arrived + lost == CALLS * 2400 and arrived % 2400 == 0, f"{options}: {done.stdout}")
    expect(abs(figures(sent)["loss"]["value"] - 100 * lost / (CALLS * 2400)) < 1e-9, f"{options}: {figures(sent)}")
    expect(figures(sent)["loss"]["value"] == figures(received)["loss"]["value"], f"{options}: {figures(received)}")


def check_refusals():
    receiver = Receiver("--model", "c", "--type", "long")
    for options, words in ((("--model", "corbel"), "started for model c, the transmitter has corbel"),
                           (("--model", "c"), "started for type long, the transmitter has octet")):
        done = transmit(receiver.port, *options)
        expect(done.returncode == 1 and words in done.stderr, f"{options}: {done.stderr}")
    for octets, words in ((b"GET / HTTP/1.0\n", b"no corbel-ttcp"), (b"corbel-ttcp 9 c none tcp octet\n", b"version 9"),
                          (b"corbel-ttcp 1 ../x none tcp long\n", b"started for model"), (b"x" * 70000, b"no end"),
                          (b"corbel-ttcp 1 c\n", b"does not say what"), (b"corbel-ttcp 1 c none inproc long\n", b"within one process")):
        with socket.create_connection(("127.0.0.1", int(receiver.port)), timeout=TIMEOUT_S) as wrong:
            wrong.sendall(octets)
            wrong.shutdown(socket.SHUT_WR)
            answer = b""
            try:
                while chunk := wrong.recv(4096):
                    answer += chunk
            except ConnectionResetError:
                pass
            expect(words in answer or len(octets) > 65536, f"{octets[:40]}: {answer}")
    busy = subprocess.run([PROGRAM, "-r", "-p", receiver.port, "--listen", "127.0.0.1"], capture_output=True, text=True,
                          timeout=TIMEOUT_S)
    expect(busy.returncode == 1 and "is in use" in busy.stderr, busy.stderr)
    done = transmit(receiver.port, "--model", "c", "--type", "long", "-n", "4")  # it is still there
    expect(done.returncode == 0, done.stderr)
    status, _, err = receiver.finish()
    expect(status == 0 and err.count("refused:") == 8, err)
    absent = transmit(receiver.port)
    expect(absent.returncode == 1 and "nobody receives at" in absent.stderr, absent.stderr)


def check_ring(model, kind):
    """The data come back, and count both ways."""
    receiver = Receiver()
    done = transmit(receiver.port, "--model", model, "--mode", "ring", "--type", kind, "-n", str(CALLS), "-l", "2400")
    expect(done.returncode == 0 and f"{CALLS} calls" in done.stdout, f"ring, {model}: {done.stderr}")
    expect(f" {2 * CALLS * 2400} octets" in done.stdout, f"ring, {model}: {done.stdout}")
    expect(receiver.finish()[0] == 0, f"the receiver of a ring, {model}")


def check_vanished():
    receiver = Receiver()
    with socket.create_connection(("127.0.0.1", int(receiver.port)), timeout=TIMEOUT_S) as control:
        control.sendall(b"corbel-ttcp 1 c none tcp octet\n")
        expect(control.recv(4096).startswith(b"ready "), "the receiver is not ready")
    status, _, err = receiver.finish()
    expect(status == 1 and "closed the connection" in err, f"{status} {err}")


def check_command_line():
    for options, status, words in (([], 2, "either -r or -t"), (["-r", "-t", "x"], 2, "either -r or -t"),
                                   (["-t", "127.0.0.1", "--model", "pigeon"], 1, "there is no model"),
                                   (["-t", "127.0.0.1", "--protocol", "x"], 1, "no protocol 'x'"),
                                   (["-t", "127.0.0.1", "--type", "x"], 1, "does not know type x"),
                                   (["-t", "127.0.0.1", "--transport", "inproc"], 1, "is within one process"),
                                   (["-t", "127.0.0.1", "--transport", "collocated"], 1, "is within one process"),
                                   (["-t", "127.0.0.1", "--model", "wrappers", "--transport", "tls"], 1, "does not know transport tls"),
                                   (["-t", "127.0.0.1", "--model", "c", "--transport", "x"], 1, "it knows shm tcp tls udp unix"),
                                   (["-t", "127.0.0.1", "--cpu", "4095"], 1, "no processor 4095"), (["-r", "--cpu", "x"], 2, "--cpu"),
                                   (["-t", "127.0.0.1", "-l", "-5"], 2, "not in range"), (["-t", "127.0.0.1", "-p", "70000"], 2, "not in range"),
                                   (["-t", "127.0.0.1", "-u", "-l", "65001"], 1, "a datagram holds no buffer of 65001 octets"),
                                   (["-t", "127.0.0.1", "-u", "--mode", "ring"], 1, "oneway alone"), (["-r", "-u"], 2, "-u is for -t"),
                                   (["-t", "127.0.0.1", "-u", "--transport", "tcp"], 2, "the same as --transport udp"),
                                   (["-t", "127.0.0.1", "-u", "-D", "off"], 1, "-D is for tcp"), (["-r", "-D", "perhaps"], 2, "--no-delay"),
                                   (["-t", "127.0.0.1", "--mode", "x"], 2, "--mode"), (["-r", "-n", "4"], 2, "are for -t"),
                                   (["-r", "-l", "4"], 2, "are for -t"), (["-r", "--json", "/nonexistent/x"], 1, "cannot write /nonexistent/x"),
                                   (["-t", "127.0.0.1", "--json", "/nonexistent/x"], 1, "cannot write /nonexistent/x"),
                                   (["-r", "--listen", "here"], 1, "no numeric Internet address")):
        done = subprocess.run([PROGRAM, *options], capture_output=True, text=True, timeout=TIMEOUT_S)
        expect(done.returncode == status and words in done.stderr, f"{options}: {done.returncode} {done.stderr}")


def is_built(model):
    return os.access(os.path.join(os.path.dirname(PROGRAM), f"corbel-bench-{model}"), os.X_OK)


def main():
    check_command_line()
    with tempfile.TemporaryDirectory() as folder:
        for transport in ("tcp", "unix", "shm"):
            check_stream(folder, "--model", "c", "--transport", transport)
            check_stream(folder, "--transport", transport, "--type", "struct")
            check_stream(folder, "--transport", transport, "--protocol", "giop_lite", "--mode", "twoway")
        check_stream(folder, "--model", "wrappers", "-b", "65536")
        for options in (["--model", "c"], ["--model", "c", "-b", "8192"], ["--model", "wrappers"], [], ["--protocol", "giop_lite"]):
            check_datagrams(folder, *options)
        for model in ("c", "wrappers", "corbel"):
            check_stream(folder, "--model", model, "-D", "off")
        for model in ("c", "corbel"):
            check_stream(folder, "--model", model, "--transport", "tls")
            check_stream(folder, "--model", model, "--transport", "tls", "--mode", "twoway", "-b", "65536", "--cpu", str(min(os.sched_getaffinity(0))))
        for model, kind in (("c", "octet"), ("wrappers", "double"), ("corbel", "struct"), ("corbel", "string")):
            check_ring(model, kind)
        for model in ("rpc", "omniorb"):
            if is_built(model):
                check_stream(folder, "--model", model, "-b", "65536")
                check_ring(model, "struct")
    check_refusals()
    check_vanished()


if __name__ == "__main__":
    main()
